import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  target: 'node20.19',
  dts: true,
  clean: true,
  sourcemap: true,
  removeNodeProtocol: false,
})
