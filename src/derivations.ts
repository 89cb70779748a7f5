import { LiveCategories } from './classification/dataset/live-categories.ts'
import { LiveCompletions } from './completion/dataset/live-completions.ts'
import type { DatasetState } from './datasets/state.ts'
import type { StoredTagTree } from './datasets/tags/stored-tag-tree.ts'
import type { AdoptedConstants } from './derived/constants/adopted-constants.ts'
import type { Derived } from './derived/derived.ts'
import type { DerivedMemory } from './derived/memory.ts'
import type { WorkerPool } from './jobs/pool.ts'
import type { JobRunner } from './jobs/runner.ts'
import { LiveIndex } from './live/live-index.ts'
import { LiveWords } from './similarity/dataset/dataset-words.ts'
import { LiveLikeness } from './similarity/dataset/live-likeness.ts'
import type { Store } from './store/store.ts'
import { LiveVectors } from './vectors/dataset/live-vectors.ts'
import type { WorkerTasks } from './worker.ts'

/** What derived structures of a dataset may work with. */
export interface DerivationContext {
  store: Store
  state: DatasetState
  tags: StoredTagTree
  jobs: JobRunner
  pool: WorkerPool<WorkerTasks>
  memory: DerivedMemory
  /** Constants of the ranking; undefined if the engine learns its own. */
  constants: AdoptedConstants | undefined
  /** Bytes for whole answers of the index. */
  answerCache: number
  clock(): number
  warn(message: string, details: Record<string, unknown>): void
}

/** Creates a structure that is derived from documents. */
export type Derivation = (context: DerivationContext) => Derived

/** Everything derived from documents: each entry follows them, is evicted within the memory budget, examined and closed. */
export const derivations = {
  index: context => new LiveIndex(context),
  completions: context => new LiveCompletions(context),
  likeness: context => new LiveLikeness(context),
  words: context => new LiveWords(context),
  categories: context => new LiveCategories(context),
  vectors: context => new LiveVectors(context),
} satisfies Record<string, Derivation>

export type DerivedParts = { [Name in keyof typeof derivations]: ReturnType<(typeof derivations)[Name]> }
