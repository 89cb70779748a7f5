import type { FindlingError } from '../errors.ts'
import type { IndexFeed } from './index-feed.ts'

/** Where the index is: not in memory, on its way there, or there. */
export type Held =
  | { readonly is: 'absent' }
  | { readonly is: 'loading'; readonly feed: Promise<IndexFeed> }
  | { readonly is: 'ready'; readonly feed: IndexFeed }

const ABSENT: Held = { is: 'absent' }

/** The index in memory: loaded once for all who wait for it, there until it is let go or another takes its place. */
export class HeldIndex {
  readonly #load: (put: (feed: IndexFeed) => boolean) => Promise<IndexFeed>
  readonly #replace: (damage: FindlingError) => Promise<IndexFeed>
  #held: Held = ABSENT
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
    this.#load = load
    this.#replace = replace
  }

  get now(): Held {
    return this.#held
  }

  get isInUse(): boolean {
    return this.#uses > 0
  }

  /** The index, undefined while it is not loaded. */
  get current(): IndexFeed | undefined {
    return this.#held.is === 'ready' ? this.#held.feed : undefined
  }

  /**
   * Works with the index, on one built anew where a part that was left out at loading turns out to be damaged. Where
   * work on it failed otherwise, who asks next has it loaded again.
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
    if (this.#held.is === 'ready') return Promise.resolve(this.#held.feed)
    return this.#held.is === 'loading' ? this.#held.feed : this.#begin()
  }

  /** From now on this is the index. */
  replace(feed: IndexFeed): void {
    this.#held = { is: 'ready', feed }
  }

  letGo(): void {
    this.#held = ABSENT
  }

  async #whileInUse<T>(work: () => Promise<T>): Promise<T> {
    this.#uses++
    try {
      return await work()
    } finally {
      this.#uses--
    }
  }

  #begin(): Promise<IndexFeed> {
    const loading = this.#load(feed => {
      if (this.#held.is !== 'loading' || this.#held.feed !== loading) return false
      this.replace(feed)
      return true
    })
    return this.#hold(loading)
  }

  /** Makes the index that is on its way the one that all wait for. */
  #hold(feed: Promise<IndexFeed>): Promise<IndexFeed> {
    const loading: Held = { is: 'loading', feed }
    this.#held = loading
    feed.catch(() => {
      if (this.#held === loading) this.letGo()
    })
    return feed
  }

  #giveUpIfFailed(feed: IndexFeed): void {
    if (this.current !== feed || !feed.hasFailed) return
    this.letGo()
    if (feed.damage) this.#hold(this.#replace(feed.damage))
  }
}
