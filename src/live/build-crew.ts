import type { DatasetState, Definition } from '../datasets/state.ts'
import { withDocuments } from '../derived/generations/documents-to-worker.ts'
import type { Snapshot } from '../derived/generations/generation.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { Store } from '../store/store.ts'
import type { AnalyzedShipment, IndexTasks } from './index-builder.ts'

interface BuildOptions {
  readonly documents: AsyncIterable<[id: string, payload: Buffer][]>
  /** Maximum number of concurrent worker threads. */
  readonly parallel: number
  /** Given average lengths; undefined if they are measured. */
  readonly averages: readonly number[] | undefined
  readonly signal: AbortSignal
}

interface BuildPlace {
  readonly store: Store
  readonly state: Pick<DatasetState, 'dataset'>
  readonly pool: WorkerPool<IndexTasks>
}

/**
 * Builds an index of documents in worker threads: one indexes, and while threads are free, up to `parallel` - 1 others
 * analyze for it. The build never waits for a helper thread, so concurrent builds with one thread each still complete.
 */
export function buildInWorkers(
  place: BuildPlace,
  { settings, schema: { root } }: Pick<Definition, 'settings' | 'schema'>,
  { documents, parallel, averages, signal }: BuildOptions,
): AsyncGenerator<Progress, Snapshot> {
  const { pool } = place
  const form = { settings, root }
  return withDocuments(place, (port, how) => pool.run('buildIndex', { ...form, port, averages }, how), {
    documents,
    reading: 'indexing',
    phase: 'merging',
    signal,
    helpers: {
      mayBegin: beside => beside < parallel && pool.isFree,
      async prepare(shipment, how) {
        const sent = await pool.run('analyzeShipment', { ...form, shipment }, how)
        return { sent, transfer: buffersOf(sent) }
      },
    },
  })
}

/** Columns are in shared memory and need no transfer. */
function buffersOf({ texts }: AnalyzedShipment): ArrayBuffer[] {
  const arrays = [texts.units, texts.starts, texts.words, texts.lengths]
  // Buffers that a worker sent in a message are not shared.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}
