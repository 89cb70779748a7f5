import { analyzerIdentity } from '../../analysis/analyzer.ts'
import type { DatasetState } from '../../datasets/state.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import { withDocuments } from '../../derived/generations/documents-to-worker.ts'
import type { Progress } from '../../jobs/job.ts'
import type { WorkerPool } from '../../jobs/pool.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import type { LearntForm } from '../learnt-form.ts'
import { needsCharacters } from '../model/training.ts'
import type { LearningTasks } from '../tasks.ts'
import type { StoredContents } from './stored-classifier.ts'
import { learnInWorkers } from './training-crew.ts'

export interface TrainingContext {
  readonly store: Store
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly pool: WorkerPool<LearningTasks>
  clock(): number
}

/** What is asked of a training. */
export type TrainingRequest = StoredContents['asked']

/** What was learnt, as it is to be stored. */
export interface TrainedModel {
  readonly contents: StoredContents
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/** Learns from the documents of a dataset, in worker threads. TAG_NOT_FOUND, TOO_LARGE. */
export async function* trainModel(
  context: TrainingContext,
  asked: TrainingRequest,
  { parallel, signal }: { parallel: number; signal: AbortSignal },
): AsyncGenerator<Progress, TrainedModel> {
  const { pool, clock } = context
  const form = await learntFormOf(context, asked)
  const { tags, tellingFields, preparation } = yield* withDocuments(
    context,
    (port, how) => pool.run('prepareClasses', { form, port }, how),
    { phase: 'counting', share: [0, 0.5], signal },
  )
  const classes = preparation.tags.length
  const learnt = yield* learnInWorkers(pool, preparation.problem, classes, { parallel, signal })
  const { language } = form.settings
  const analyzer = analyzerIdentity(language, form.settings.analyzer)
  const completion = { form, analyzer, preparation, learnt }
  const { contents: model, blobs } = await pool.run('completeClassifier', completion, {
    signal,
    transfer: learnt.flatMap(({ ids, steps, margins }) => [ids.buffer, steps.buffer, margins.buffer]),
  })
  yield { done: classes, total: classes, phase: 'storing' }
  return {
    contents: {
      language,
      tags: [...tags],
      tellingFields: [...tellingFields],
      trainedAt: clock(),
      asked,
      model,
    },
    blobs,
  }
}

/** How documents of a dataset are learnt from, as it is now. TAG_NOT_FOUND */
export async function learntFormOf(
  { store, state, tags: stored }: Pick<TrainingContext, 'store' | 'state' | 'tags'>,
  { tags, nGrams, compression, fields }: TrainingRequest,
): Promise<LearntForm> {
  const tree = await stored.current()
  if (tags) tree.assertThere(tags, 'tags')
  return {
    settings: state.settings,
    root: state.schema.root,
    nGrams,
    characters: needsCharacters(store.counts(state.dataset).documents),
    compression,
    fields: fields ?? state.settings.interpretedFields,
    tags,
    without: tags ? [] : (await inStretches(tree.leavesAndInner())).inner,
  }
}
