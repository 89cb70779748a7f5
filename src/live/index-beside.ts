import type { DatasetState, Definition } from '../datasets/state.ts'
import { allDocuments } from '../datasets/stored-documents.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { Generation, Snapshot } from '../derived/generations/generation.ts'
import type { Flip } from '../derived/generations/generations.ts'
import { loadingWhole } from '../fulltext/loaded-index.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { DatasetEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { buildInWorkers } from './build-crew.ts'
import { takeGiven } from './given-constants.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexChange, IndexFeed } from './index-feed.ts'
import type { IndexWarnings } from './index-warnings.ts'
import { fingerprint, indexOptions } from './indexing.ts'
import { feedOf, refuseOutgrown, refuseRedefined, type StoredIndex } from './stored-index.ts'

interface IndexBesideContext extends IndexWarnings {
  store: Store
  state: DatasetState
  pool: WorkerPool<IndexTasks>
  constants: AdoptedConstants | undefined
}

interface BuildOptions {
  /** How often the dataset had been redefined when the definition was made. */
  readonly redefinitions: number
  readonly parallel: number
  readonly signal: AbortSignal
}

/** Builds an index beside the one that answers, and puts it in its place. One at a time. */
export class IndexBeside {
  readonly #context: IndexBesideContext
  readonly #stored: StoredIndex
  readonly #inPlace: (feed: IndexFeed) => void
  /** The index that is about to be put in place: it hears changes too. */
  #next: IndexFeed | undefined
  #readFrom: number | undefined

  /** @param inPlace called when another index is the one that is stored, before anybody else has a turn at that */
  constructor(context: IndexBesideContext, stored: StoredIndex, inPlace: (feed: IndexFeed) => void) {
    this.#context = context
    this.#stored = stored
    this.#inPlace = inPlace
  }

  /** While one is being built: the change after which it learns from the change log. */
  get readFrom(): number | undefined {
    return this.#readFrom
  }

  take(changes: readonly IndexChange[]): Promise<void> | undefined {
    return this.#next?.take(changes)
  }

  async *build(definition: Definition, options: BuildOptions): AsyncGenerator<Progress, void> {
    this.#readFrom = this.#context.store.seq
    try {
      yield* this.#stored.generations.replace(beside => this.#fill(beside, definition, options))
    } finally {
      this.#readFrom = undefined
      this.#next = undefined
    }
  }

  async *#fill(
    beside: Generation,
    definition: Definition,
    { redefinitions, parallel, signal }: BuildOptions,
  ): AsyncGenerator<Progress, Flip<DatasetEntry>> {
    const { store, state, constants } = this.#context
    const { seq } = store
    const given = await constants?.ofIndex(definition.settings)
    const snapshot = yield* this.#index(definition, { parallel, signal, averages: given?.averages })
    const next = await this.#follow(snapshot, definition, beside, seq)
    signal.throwIfAborted()
    return {
      head: beside.head(snapshot, seq, fingerprint(definition.settings)),
      check: entry => {
        refuseRedefined(state, redefinitions)
        refuseOutgrown(entry, definition)
      },
      change: definition,
      inPlace: () => {
        this.#stored.replaced(definition)
        this.#inPlace(next)
        this.#next = undefined
      },
    }
  }

  /** All documents there are. */
  #index(
    definition: Definition,
    how: { parallel: number; signal: AbortSignal; averages: readonly number[] | undefined },
  ): AsyncGenerator<Progress, Snapshot> {
    const documents = allDocuments(this.#context, {
      signal: how.signal,
      // What cannot be read cannot be found either; the doctor names it.
      onDamage: key =>
        this.#context.warn(`The stored value ${key} is damaged, so it was not indexed.`, { key }),
    })
    return buildInWorkers(this.#context, definition, { ...how, documents })
  }

  /** Loads what was built and stores it. It takes in what changed after `seq`, and hears of changes from then on. */
  async #follow(
    snapshot: Snapshot,
    definition: Definition,
    beside: Generation,
    seq: number,
  ): Promise<IndexFeed> {
    const { constants, pool } = this.#context
    const given = await constants?.ofIndex(definition.settings)
    const options = await indexOptions(definition.settings, given)
    const loading = loadingWhole(options, snapshot.contents, name => snapshot.blobs.get(name))
    const index = await inStretches(loading)
    if (!index.isAsGiven) await takeGiven(index, pool)
    const next = feedOf(index, definition, beside, seq)
    await beside.saveBlobs(snapshot.blobs)
    await this.#stored.approach(next)
    this.#next = next
    await next.first(() => this.#stored.replay(next))
    return next
  }
}
