import type { DatasetState } from '../../datasets/state.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import type { PhaseProgress, Progress } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import type { Store } from '../../store/store.ts'
import type { LearntForm } from '../learnt-form.ts'
import type { LearningTasks } from '../tasks.ts'

/** A doubtful tag of a document: a model trained on other documents finds another tag likelier. */
export interface DoubtfulTag {
  readonly id: string
  readonly tagId: string
  /** The likeliest tag that the document does not have. */
  readonly likelier: string
  /** How likely both are. */
  readonly score: number
  readonly likelierScore: number
}

interface DoubtfulContext {
  readonly store: Store
  readonly state: DatasetState
  readonly pool: WorkerPool<LearningTasks>
}

type Batches = AsyncIterable<[id: string, payload: Buffer][]>

/** Has the tags of documents judged in a worker, each by a model trained on others; the most doubtful ones come first. */
export async function* doubtfulTags(
  context: DoubtfulContext,
  form: LearntForm,
  most: number,
  reading: {
    documents: Batches
    reading?: string
    phase: string
    share?: PhaseProgress['share']
    signal: AbortSignal
  },
): AsyncGenerator<Progress, { judged: number; doubtful: DoubtfulTag[] }> {
  const ids: string[] = []
  const { tags, judged, result } = yield* withDocuments(
    context,
    (port, how) => context.pool.run('doubtTags', { form, port, most }, how),
    { ...reading, documents: noting(reading.documents, ids) },
  )
  const doubtful = result.map(({ document, tag, likelier, score, likelierScore }) => {
    return { id: ids[document]!, tagId: tags[tag]!, likelier: tags[likelier]!, score, likelierScore }
  })
  return { judged, doubtful }
}

/** Passes batches on, and records the ids of their documents. */
async function* noting(batches: Batches, ids: string[]): AsyncGenerator<[id: string, payload: Buffer][]> {
  for await (const batch of batches) {
    for (const [id] of batch) ids.push(id)
    yield batch
  }
}
