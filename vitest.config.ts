import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** They look at what a process has one of: the pool of worker threads, prototypes. */
const alone = ['test/jobs/pool.test.ts', 'test/live/upkeep.test.ts', 'test/analytics/many-calls.test.ts']

/**
 * What begins first. Those that are alone: later they would end the processes that have loaded what is tested. Then
 * the files that take longest, longest first: begun last, they would leave the other processor idle at the end.
 */
const early = [
  ...alone,
  'test/http/serve/serve.test.ts',
  'test/extraction/processes.test.ts',
  'test/cluster/chaos/chaos.test.ts',
  'test/http/cluster/started.test.ts',
  'test/cluster/postgres-log.test.ts',
  'test/examples.test.ts',
  'test/operations/replaying.test.ts',
  'test/extraction/hostile-files.test.ts',
  'test/live/index-ahead.test.ts',
  'test/cluster/simulation.test.ts',
  'test/http/restart.test.ts',
  'test/analytics/killed.test.ts',
  'test/engine/long-searches.test.ts',
  'test/ranking/refused.test.ts',
  'test/ranking/adopted.test.ts',
  'test/http/routes/long-searches.test.ts',
  'test/engine/longest-turns.test.ts',
  'test/http/routes/field-names.test.ts',
  'test/http/cluster/clients.test.ts',
  'test/http/openapi/try-it-out.test.ts',
  'test/analytics/interrupted.test.ts',
  'test/http/fuzz.test.ts',
  'test/http/bodies.test.ts',
  'test/datasets/rows.test.ts',
  'test/bench/same.test.ts',
  'test/http/access/attacks.test.ts',
  'test/engine/import-limits.test.ts',
  'test/similarity/service/similar.test.ts',
  'test/engine/visible.test.ts',
  'test/http/cluster/clients-recovery.test.ts',
  'test/crash/kill.test.ts',
  'test/http/backups/program.test.ts',
  'test/classification/service/classifier-killed.test.ts',
  'test/store/flipped-bytes.test.ts',
  'test/http/openapi/browser.test.ts',
  'test/http/setup/browser.test.ts',
  'test/engine/search.test.ts',
  'test/analysis/token-ranges.test.ts',
  'test/store/doctor.test.ts',
  'test/live/memory.test.ts',
  'test/fulltext/history.test.ts',
  'test/classification/dataset/classifier.test.ts',
  'test/classification/dataset/interrupted.test.ts',
  'test/jobs/worker.test.ts',
  'test/store/replay.test.ts',
  'test/store/model.test.ts',
  'test/folder-doctor.test.ts',
  'test/crash/services.test.ts',
  'test/crash/backups.test.ts',
  'test/similarity/service/similar-killed.test.ts',
  'test/fulltext/segments/compaction.test.ts',
  'test/fulltext/definition.test.ts',
  'test/jobs/stopped-threads.test.ts',
  'test/store/opening.test.ts',
  'test/store/backup/backup.test.ts',
].map(at)
for (const path of early)
  if (!existsSync(path)) throw new Error(`vitest.config.ts names ${path}, which is not there`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = (await super.sort(files)).filter(({ moduleId }) => !early.includes(moduleId))
    const first = early.flatMap(path => files.filter(({ moduleId }) => moduleId === path))
    return [...first, ...others]
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@findling\/cluster$/, replacement: at('./adapters/cluster/src/index.ts') },
      { find: /^findling$/, replacement: at('./src/index.ts') },
      // Node 20 starts no TypeScript worker: tests run the built one.
      { find: /^.*\/extraction-worker-url\.ts$/, replacement: at('./test/extraction-worker-url.ts') },
      { find: /^.*\/worker-url\.ts$/, replacement: at('./test/worker-url.ts') },
      { find: /^findling\/extract$/, replacement: at('./src/extract.ts') },
      { find: /^findling\/plot$/, replacement: at('./src/plot.ts') },
      { find: /^findling\/schemas$/, replacement: at('./src/schemas.ts') },
    ],
  },
  test: {
    // Many tests wait for processes and disks, on machines that have other work, too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: '100%',
    globalSetup: './test/temporary-files.ts',
    sequence: { sequencer: LongestFirst },
    projects: [
      // A process takes one file after the other, and loads what they test once: half a second less per file.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          isolate: false,
          // Engines come and go: of what is young and large, less is copied. It saves a twentieth of the time.
          execArgv: ['--max-semi-space-size=64'],
          setupFiles: './test/held-threads.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
    ],
  },
})
