import type { DatasetState, Definition } from '../datasets/state.ts'
import { withDocuments } from '../derived/generations/documents-to-worker.ts'
import type { Snapshot } from '../derived/generations/generation.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { Store } from '../store/store.ts'
import type { AnalyzedShipment, IndexTasks } from './index-builder.ts'

interface BuildOptions {
  readonly documents: AsyncIterable<[id: string, payload: Buffer][]>
  /** Worker threads at the same time, at most. */
  readonly parallel: number
  /** Average lengths that are given, if they are. */
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
 * analyze for it. Nobody waits for them, so that builds that have a thread each come to an end.
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

/** Columns lie in shared memory. */
function buffersOf({ texts }: AnalyzedShipment): ArrayBuffer[] {
  const arrays = [texts.units, texts.starts, texts.words, texts.lengths]
  // What comes from a worker as a message of its own shares its memory with nobody.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}
