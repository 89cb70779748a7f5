import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** They look at what a process has one of: the pool of worker threads, prototypes. */
const alone = ['test/jobs/pool.test.ts', 'test/live/upkeep.test.ts']

export default defineConfig({
  resolve: {
    alias: [
      { find: /^findling$/, replacement: at('./src/index.ts') },
      // Node 20 starts no TypeScript worker: tests run the built one.
      { find: /^.*\/worker-url\.ts$/, replacement: at('./test/worker-url.ts') },
    ],
  },
  test: {
    // Many tests wait for processes and disks, on machines that have other work, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: '100%',
    projects: [
      // A process takes one file after the other, and loads what they test once: half a second less per file.
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: alone, isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
})
