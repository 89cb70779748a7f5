import { defineConfig } from 'tsup'
import { vendorDocs } from './vendor-docs.ts'

export default defineConfig({
  entry: { index: 'src/index.ts', serve: 'src/serve.ts' },
  format: 'esm',
  target: 'node20.19',
  dts: { entry: { index: 'src/index.ts' } },
  clean: true,
  sourcemap: true,
  removeNodeProtocol: false,
  onSuccess: () => vendorDocs('dist/docs'),
})
