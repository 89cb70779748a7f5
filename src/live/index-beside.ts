import type { DatasetState, Definition } from '../datasets/state.ts'
import { allDocuments } from '../datasets/stored-documents.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { Generation, Snapshot } from '../derived/generations/generation.ts'
import type { Flip } from '../derived/generations/generations.ts'
import { loadingWhole } from '../fulltext/loaded-index.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { Finish } from '../jobs/stored-jobs.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { DatasetEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { buildInWorkers } from './build-crew.ts'
import { takeGiven } from './given-constants.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexChange, IndexFeed } from './index-feed.ts'
import type { IndexWarnings } from './index-warnings.ts'
import { fingerprint, indexOptions } from './indexing.ts'
import { feedOf, redefined, refuseOutgrown, refuseRedefined, type StoredIndex } from './stored-index.ts'

interface IndexBesideContext extends IndexWarnings {
  store: Store
  state: DatasetState
  pool: WorkerPool<IndexTasks>
  constants: AdoptedConstants | undefined
}

interface BuildOptions {
  readonly parallel: number
  readonly signal: AbortSignal
}

/** Settings that are set when the index is put in place. */
interface Redefining extends BuildOptions {
  /** How often the dataset had been redefined when the definition was made. */
  readonly redefinitions: number
  readonly finish: Finish
}

/** Settings that are set elsewhere. */
interface Ahead extends BuildOptions {
  /** Resolves when they are set. */
  readonly wanted: (signal: AbortSignal) => Promise<void>
}

/** What is done when a finished index is put in place. */
type Flipping = () => Promise<Omit<Flip<DatasetEntry>, 'head'>>

/** Builds an index beside the one that answers, then replaces that one. One build at a time. */
export class IndexBeside {
  readonly #context: IndexBesideContext
  readonly #stored: StoredIndex
  readonly #inPlace: (feed: IndexFeed) => void
  /** The index that is about to be put in place: it receives changes, too. */
  #next: IndexFeed | undefined
  #readFrom: number | undefined

  /** @param inPlace called when the new index is the stored one, before any other operation on the stored index */
  constructor(context: IndexBesideContext, stored: StoredIndex, inPlace: (feed: IndexFeed) => void) {
    this.#context = context
    this.#stored = stored
    this.#inPlace = inPlace
  }

  /** While an index is being built: the last change before those that it will read from the change log. */
  get readFrom(): number | undefined {
    return this.#readFrom
  }

  take(changes: readonly IndexChange[]): Promise<void> | undefined {
    return this.#next?.take(changes)
  }

  /** Builds with the settings of a definition, which are set by the same write. */
  build(definition: Definition, options: Redefining): AsyncGenerator<Progress, void> {
    const { state } = this.#context
    return this.#replacing(definition, options, async () => ({
      check: entry => {
        refuseRedefined(state, options.redefinitions)
        refuseOutgrown(entry, definition)
      },
      change: definition,
      also: options.finish,
      inPlace: () => state.apply(definition),
    }))
  }

  /**
   * Builds with settings that will be set later: the index receives changes while it waits for them. DATASET_BUSY if other settings
   * are set.
   */
  buildAhead(definition: Definition, { wanted, ...options }: Ahead): AsyncGenerator<Progress, void> {
    const { state } = this.#context
    return this.#replacing(definition, options, async () => {
      await wanted(options.signal)
      return {
        check: () => {
          if (fingerprint(state.settings) !== fingerprint(definition.settings)) throw redefined(state)
        },
        change: {},
        inPlace: () => {},
      }
    })
  }

  async *#replacing(
    definition: Definition,
    options: BuildOptions,
    flipping: Flipping,
  ): AsyncGenerator<Progress, void> {
    this.#readFrom = this.#context.store.seq
    try {
      yield* this.#stored.generations.replace(beside => this.#fill(beside, definition, options, flipping))
    } finally {
      this.#readFrom = undefined
      this.#next = undefined
    }
  }

  async *#fill(
    beside: Generation,
    definition: Definition,
    { parallel, signal }: BuildOptions,
    flipping: Flipping,
  ): AsyncGenerator<Progress, Flip<DatasetEntry>> {
    const { store, constants } = this.#context
    const { seq } = store
    const given = await constants?.ofIndex(definition.settings)
    const snapshot = yield* this.#index(definition, { parallel, signal, averages: given?.averages })
    const next = await this.#follow(snapshot, definition, beside, seq)
    const flip = await flipping()
    signal.throwIfAborted()
    return {
      ...flip,
      head: beside.head(snapshot, seq, fingerprint(definition.settings)),
      inPlace: () => {
        this.#stored.replaced()
        flip.inPlace()
        this.#inPlace(next)
        this.#next = undefined
      },
    }
  }

  /** Indexes all documents. */
  #index(
    definition: Definition,
    how: { parallel: number; signal: AbortSignal; averages: readonly number[] | undefined },
  ): AsyncGenerator<Progress, Snapshot> {
    const documents = allDocuments(this.#context, {
      signal: how.signal,
      // A document that cannot be read cannot be found either; the doctor reports it.
      onDamage: key =>
        this.#context.warn(`The stored value ${key} is damaged, so it was not indexed.`, { key }),
    })
    return buildInWorkers(this.#context, definition, { ...how, documents })
  }

  /** Loads and stores the built index, applies what changed after `seq`, and has it receive changes from then on. */
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
