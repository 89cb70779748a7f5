import type { FindlingError } from '../errors.ts'
import { Once } from '../scheduling/once.ts'
import type { IndexFeed } from './index-feed.ts'

/** The index in memory: loaded once for all who wait for it, there until it is released or another takes its place. */
export class HeldIndex {
  readonly #feed: Once<IndexFeed>
  readonly #replace: (damage: FindlingError) => Promise<IndexFeed>
  /** Calls that work with the index at present. */
  #uses = 0

  /**
   * @param load what it loads it puts in place, unless another has taken the place meanwhile (false)
   * @param replace makes another index after damage of the loaded one came to light
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

  /** Whether it is in memory, or on its way there. */
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
   * Works with the index, on one rebuilt where a part that was left out at loading turns out to be damaged. Where
   * work on it failed otherwise, the next caller has it loaded again.
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

  /** Hands what is loaded to work that does not wait for another one where that fails. */
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

  /** From now on this is the index. */
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
