import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^findling$/, replacement: at('./src/index.ts') },
      // Node 20 starts no TypeScript worker: tests run the built one.
      { find: /^.*\/worker-url\.ts$/, replacement: at('./test/worker-url.ts') },
    ],
  },
  // All processors: many tests wait for processes and disks, hence the patience too.
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: '100%' },
})
