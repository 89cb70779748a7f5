import type { FindlingError } from '../errors.ts'
import { Once } from '../scheduling/once.ts'
import type { IndexFeed } from './index-feed.ts'

/** The index in memory: loaded once for all callers, and kept until it is released or replaced. */
export class HeldIndex {
  readonly #feed: Once<IndexFeed>
  readonly #replace: (damage: FindlingError) => Promise<IndexFeed>
  /** Number of calls that are using the index. */
  #uses = 0

  /**
   * @param load loads the index and passes it to `put`, which returns false if another has been put in place meanwhile
   * @param replace makes another index after the loaded one turned out to be damaged
   */
  constructor(
    load: (put: (feed: IndexFeed) => boolean) => Promise<IndexFeed>,
    replace: (damage: FindlingError) => Promise<IndexFeed>,
  ) {
    this.#feed = new Once(() => {
      const loading = load(feed => {
        const isMeant = this.#feed.awaits(loading)
        if (isMeant) this.#feed.put(feed)
        return isMeant
      })
      return loading
    })
    this.#replace = replace
  }

  /** Whether it is loaded or being loaded. */
  get isBegun(): boolean {
    return this.#feed.isBegun
  }

  get isInUse(): boolean {
    return this.#uses > 0
  }

  /** The index, undefined while it is not loaded. */
  get current(): IndexFeed | undefined {
    return this.#feed.loaded
  }

  /**
   * Runs work on the index; if a part that was not loaded at first turns out to be damaged, again on a rebuilt index. If changing
   * or completing the index failed for another reason, the next caller loads it again.
   */
  async use<T>(work: (feed: IndexFeed) => Promise<T>): Promise<T> {
    return await this.#whileInUse(async () => {
      const feed = await this.open()
      try {
        return await work(feed)
      } catch (error) {
        this.#giveUpIfFailed(feed)
        if (!feed.damage) throw error
        return await work(await this.open())
      }
    })
  }

  /** Runs work on the loaded index, without repeating it on another one if it fails. */
  async useLoaded(feed: IndexFeed, work: (feed: IndexFeed) => Promise<void>): Promise<void> {
    await this.#whileInUse(async () => {
      try {
        await work(feed)
      } catch (error) {
        this.#giveUpIfFailed(feed)
        throw error
      }
    })
  }

  open(): Promise<IndexFeed> {
    return this.#feed.get()
  }

  /** Makes this the index from now on. */
  replace(feed: IndexFeed): void {
    this.#feed.put(feed)
  }

  letGo(): void {
    this.#feed.letGo()
  }

  async #whileInUse<T>(work: () => Promise<T>): Promise<T> {
    this.#uses++
    try {
      return await work()
    } finally {
      this.#uses--
    }
  }

  #giveUpIfFailed(feed: IndexFeed): void {
    if (this.current !== feed || !feed.hasFailed) return
    this.letGo()
    if (feed.damage) this.#feed.await(this.#replace(feed.damage))
  }
}
