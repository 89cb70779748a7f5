import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { index: 'src/index.ts', search: 'src/search.ts', instantsearch: 'src/instantsearch/index.ts' },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: true,
  // Both entries have the same classes, also where they are required.
  splitting: true,
  clean: true,
  sourcemap: true,
})
