import type { FindlingError } from '../errors.ts'
import type { IndexFeed } from './index-feed.ts'

/** The index in memory: loaded once for all who wait for it, there until it is let go or another takes its place. */
export class HeldIndex {
  readonly #load: () => Promise<IndexFeed>
  readonly #replace: (damage: FindlingError) => Promise<IndexFeed>
  #feed: Promise<IndexFeed> | undefined
  /** What `#feed` has come to. */
  #current: IndexFeed | undefined
  /** Calls that work with the index at present. */
  #uses = 0

  /** @param replace makes another index after damage of the loaded one came to light */
  constructor(load: () => Promise<IndexFeed>, replace: (damage: FindlingError) => Promise<IndexFeed>) {
    this.#load = load
    this.#replace = replace
  }

  get isInUse(): boolean {
    return this.#uses > 0
  }

  /** Whether it is in memory, or on its way there. */
  get isThere(): boolean {
    return this.#feed !== undefined
  }

  /** The index, undefined while it is not loaded. */
  get current(): IndexFeed | undefined {
    return this.#current
  }

  /**
   * Works with the index, on one built anew where a part that was left out at loading turns out to be damaged. Where
   * work on it failed otherwise, who asks next has it loaded again.
   */
  async use<T>(work: (feed: IndexFeed) => Promise<T>): Promise<T> {
    this.#uses++
    try {
      const feed = await this.open()
      try {
        return await work(feed)
      } catch (error) {
        if (this.#current === feed && feed.hasFailed) this.#giveUp(feed)
        if (!feed.damage) throw error
        return await work(await this.open())
      }
    } finally {
      this.#uses--
    }
  }

  open(): Promise<IndexFeed> {
    return this.#feed ?? this.#hold(this.#load())
  }

  replace(feed: IndexFeed): void {
    this.#feed = Promise.resolve(feed)
    this.#current = feed
  }

  letGo(): void {
    this.#feed = undefined
    this.#current = undefined
  }

  /** Makes the index that is on its way the one that all wait for. */
  #hold(loading: Promise<IndexFeed>): Promise<IndexFeed> {
    this.#feed = loading
    this.#current = undefined
    loading.then(
      feed => {
        if (this.#feed === loading) this.#current = feed
      },
      () => {
        if (this.#feed === loading) this.#feed = undefined
      },
    )
    return loading
  }

  #giveUp({ damage }: IndexFeed): void {
    this.letGo()
    if (damage) this.#hold(this.#replace(damage))
  }
}
