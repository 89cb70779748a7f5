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
 * Topics are found out when fewer documents than this come or go in so many milliseconds. It takes longer than to add
 * the documents: who writes faster would soon have it done again.
 */
const CALM = { documents: 200, milliseconds: 200 }

/** Number of changes after which the index is saved, so that an open replays no more than these. */
const SAVE_EVERY = 4096

interface UpkeepContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  /** Those by which documents are ranked, where an index makes none of its own. */
  constants: AdoptedConstants | undefined
}

interface UpkeepEvents {
  /** An index has been merged, or is about to be saved. */
  tended(index: FulltextIndex): void
  /** There may be something to begin. */
  due(): void
}

/** What keeps an index small, quick, quickly opened and up to date: saving, merging of segments, finding out topics. */
export class Upkeep {
  readonly #context: UpkeepContext
  readonly #held: HeldIndex
  readonly #stored: StoredIndex
  readonly #tended: (index: FulltextIndex) => void
  readonly #due: () => void
  /** Work on segments. */
  #working: Promise<void> | undefined
  /** Set while it is watched whether documents come or go. */
  #watching: NodeJS.Timeout | undefined
  /** Whether few came or went when it was watched. */
  #isCalm = false
  /** How large an index was whose topics could not be found out, or were not to be. */
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

  /** Whether it works on segments, or waits until it can. */
  get isOccupied(): boolean {
    return this.isUnderWay || !!this.#watching
  }

  /** Whether topics are to be found out. What failed or was cancelled is not begun again until documents come or go. */
  wantsTopics(index: Pick<FulltextIndex, 'size' | 'wantsTopics'>): boolean {
    if (this.#context.constants) return false
    return this.#context.state.settings.topics && index.wantsTopics && index.size !== this.#untrained
  }

  /** Whether the next open is to find the index as it was: a store that ends with the engine has none. */
  get isSaving(): boolean {
    return !this.#context.store.isVolatile
  }

  /** Begins what is due after changes; nobody has to wait for it. */
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

  /** Has the index follow the constants that are adopted now. */
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

  /** Begins nothing more; resolves when the rest is over. */
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
      while (!this.#closing && index.planCompaction()) {
        const body = merging(index, pool)
        await jobs.start('merge', `Merging the index of ${state.name}`, body, { persist: false }).finished
        await this.#keep(feed)
      }
      // What takes not long is done at once when it settles.
      if (constants) await feed.settle()
      else if (!state.settings.topics) index.forgetTopics()
      else if (!this.#closing && this.wantsTopics(index)) {
        if (isCalm) await this.#train(feed, index)
        else this.#watch(index)
      }
    })
  }

  /** Sees whether documents come or go, and has topics found out when few do. */
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

  /** Undefined when another index has taken its place, or the dataset is gone. */
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
    for (let task = index.planCompaction(); task; task = index.planCompaction()) {
      index.adopt(await pool.run('compact', task, { signal }))
      yield { done: ++done, total: undefined, phase: 'merging' }
    }
  }
