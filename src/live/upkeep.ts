import type { DatasetState } from '../datasets/state.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { JobBody } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import type { Store } from '../store/store.ts'
import type { HeldIndex } from './held-index.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexFeed } from './index-feed.ts'
import type { StoredIndex } from './stored-index.ts'

/**
 * Topics are trained when the number of documents changes by less than this within this many milliseconds. Training takes longer
 * than adding the documents: during faster writes it would soon have to be repeated.
 */
const CALM = { documents: 200, milliseconds: 200 }

/** Number of changes after which the index is saved, so that an open replays no more than these. */
const SAVE_EVERY = 4096

interface UpkeepContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  /** Adopted constants of the ranking; undefined if an index computes its own. */
  constants: AdoptedConstants | undefined
}

interface UpkeepEvents {
  /** An index has been merged, or is about to be saved. */
  tended(index: FulltextIndex): void
  /** There may be work to start. */
  due(): void
}

/** Keeps an index small, fast, quick to open and up to date: saves it, merges its segments, trains its topics. */
export class Upkeep {
  readonly #context: UpkeepContext
  readonly #held: HeldIndex
  readonly #stored: StoredIndex
  readonly #tended: (index: FulltextIndex) => void
  readonly #due: () => void
  /** Work on segments. */
  #working: Promise<void> | undefined
  /** Set while the number of documents is being watched. */
  #watching: NodeJS.Timeout | undefined
  /** Whether the number changed little while it was watched. */
  #isCalm = false
  /** Size of the index when training its topics last failed or was cancelled. */
  #untrained: number | undefined
  #closing = false

  constructor(context: UpkeepContext, held: HeldIndex, stored: StoredIndex, { tended, due }: UpkeepEvents) {
    this.#context = context
    this.#held = held
    this.#stored = stored
    this.#tended = tended
    this.#due = due
  }

  /** Whether it works on segments. */
  get isUnderWay(): boolean {
    return !!this.#working
  }

  /** Whether it works on segments, or watches the number of documents before it does. */
  get isOccupied(): boolean {
    return this.isUnderWay || !!this.#watching
  }

  /** Whether to train topics. Training that failed or was cancelled is not repeated until the number of documents changes. */
  wantsTopics(index: Pick<FulltextIndex, 'size' | 'wantsTopics'>): boolean {
    if (this.#context.constants) return false
    return this.#context.state.settings.topics && index.wantsTopics && index.size !== this.#untrained
  }

  /** Whether the index is saved for the next open: a store that ends with the engine has none. */
  get isSaving(): boolean {
    return !this.#context.store.isVolatile
  }

  /** Starts the work that is due after changes; nobody has to wait for it. */
  begin(): Promise<void>[] {
    const begun: Promise<void>[] = []
    if (this.isSaving && this.#stored.unsaved >= SAVE_EVERY) begun.push(this.save())
    if (this.#closing) return begun
    if (!this.#working) {
      this.#working = this.#work().finally(() => {
        this.#working = undefined
      })
      begun.push(this.#working)
    }
    return begun
  }

  /** Makes the index use the constants adopted at present. */
  async takeConstants(): Promise<void> {
    while (this.#working) await this.#working.catch(() => undefined)
    await Promise.all(this.begin())
  }

  save(): Promise<void> {
    return this.#held.use(feed =>
      this.#stored.generations.inTurn(async () => {
        const index = await this.#tend(feed)
        if (index) await this.#stored.save(index, feed)
      }),
    )
  }

  /** Starts nothing more; resolves when running work has ended. */
  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#watching)
    await this.#working?.catch(() => undefined)
  }

  #work(): Promise<void> {
    return this.#held.use(async feed => {
      const index = await feed.complete()
      const { jobs, state, pool, constants } = this.#context
      if (constants && index.constantsId !== constants.idFor(state.settings))
        index.give(await constants.ofIndex(state.settings))
      const isCalm = this.#isCalm
      this.#isCalm = false
      // Saving freezes the newest documents, after which there may be more to merge.
      while (!this.#closing && index.isCompactionDue) {
        const body = merging(index, pool)
        await jobs.start('merge', `Merging the index of ${state.name}`, body, { persist: false }).finished
        await this.#keep(feed)
      }
      // In a small index, given constants take effect when it settles.
      if (constants) await feed.settle()
      else if (!state.settings.topics) index.forgetTopics()
      else if (!this.#closing && this.wantsTopics(index)) {
        if (isCalm) await this.#train(feed, index)
        else this.#watch(index)
      }
    })
  }

  /** Watches whether the number of documents changes, and has topics trained if it changes little. */
  #watch(index: FulltextIndex): void {
    if (this.#watching) return
    const { size } = index
    this.#watching = setTimeout(() => {
      this.#watching = undefined
      this.#isCalm = Math.abs(index.size - size) < CALM.documents
      this.#due()
    }, CALM.milliseconds).unref()
  }

  async #train(feed: IndexFeed, index: FulltextIndex): Promise<void> {
    const { jobs, state, pool } = this.#context
    const body = training(index, pool)
    this.#untrained = index.size
    await jobs.start('topics', `Finding the topics of ${state.name}`, body, { persist: false }).finished
    this.#untrained = undefined
    await this.#keep(feed)
  }

  async #keep(feed: IndexFeed): Promise<void> {
    if (this.isSaving) await this.save()
    else await this.#tend(feed)
  }

  /** Undefined if another index has replaced it or the dataset is gone. */
  async #tend(feed: IndexFeed): Promise<FulltextIndex | undefined> {
    const index = await feed.complete()
    await feed.settle()
    if (this.#held.current !== feed || this.#stored.generations.areRemoved) return undefined
    this.#tended(index)
    return index
  }
}

const training = (index: FulltextIndex, pool: WorkerPool<IndexTasks>): JobBody<void> =>
  async function* ({ signal }) {
    index.adoptTopics(await pool.run('trainTopics', index.planTopics(), { signal }))
    yield { done: 1, total: 1, phase: 'training' }
  }

const merging = (index: FulltextIndex, pool: WorkerPool<IndexTasks>): JobBody<void> =>
  async function* ({ signal }) {
    let done = 0
    try {
      for (let task = index.planCompaction(); task; task = index.planCompaction()) {
        index.adopt(await pool.run('compact', task, { signal }))
        yield { done: ++done, total: undefined, phase: 'merging' }
      }
    } finally {
      index.dropCompaction()
    }
  }
