import { defineConfig } from 'tsup'

export default defineConfig({
  // Flat beside each other: the engine finds its worker by './worker.js'.
  entry: { index: 'src/index.ts', worker: 'src/worker.ts' },
  format: 'esm',
  target: 'node20.19',
  dts: { entry: { index: 'src/index.ts' } },
  clean: true,
  sourcemap: true,
  removeNodeProtocol: false,
  // Its few files that are used become part of the build; the whole package would be 77 MB for each user.
  noExternal: [/^natural\//],
})
