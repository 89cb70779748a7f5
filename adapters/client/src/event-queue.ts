import type { SearchEvent } from './api/models.ts'
import { wholeNumber } from './configuration.ts'
import type { DatasetSearch } from './dataset-search.ts'

export interface EventQueueOptions {
  /** Milliseconds for which events are gathered before they are sent. Default 1,000. */
  readonly delay?: number | undefined
  /** Whether the key is public: then what is left is sent as a beacon when the page is left. Default false. */
  readonly isPublic?: boolean | undefined
}

/** Events of a call: what a page may send as it is left is 64 KB. */
const mostAtOnce = 100
/** Events that are kept while the server cannot be reached. */
const mostKept = 1000

/** Gathers what visitors do with hits, and sends it together: after a moment, and when the page is left. */
export class EventQueue {
  readonly #search: Pick<DatasetSearch, 'events' | 'beacon'>
  readonly #delay: number
  readonly #isPublic: boolean
  #waiting: SearchEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()
  readonly #page = (globalThis as { document?: EventTarget & { visibilityState: string } }).document

  /** @param search as `createSearch` or `client.dataset` gives it */
  constructor(search: Pick<DatasetSearch, 'events' | 'beacon'>, options: EventQueueOptions = {}) {
    this.#search = search
    this.#delay = wholeNumber('delay', options.delay, 1000)
    this.#isPublic = options.isPublic ?? false
    this.#page?.addEventListener('visibilitychange', this.#leave)
  }

  /** Events that are yet to be sent. */
  get size(): number {
    return this.#waiting.length
  }

  add(...events: readonly SearchEvent[]): void {
    this.#waiting = [...this.#waiting, ...events].slice(-mostKept)
    if (this.#waiting.length >= mostAtOnce) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), this.#delay)
  }

  /** Sends what is there. */
  flush(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send())
    return this.#sending
  }

  /** Sends what is there, and nothing from then on. */
  async close(): Promise<void> {
    this.#page?.removeEventListener('visibilitychange', this.#leave)
    await this.flush()
    clearTimeout(this.#timer)
  }

  /** The last moment of which a page can be sure. */
  readonly #leave = () => {
    if (this.#page?.visibilityState !== 'hidden') return
    while (this.#isPublic && this.#waiting.length > 0) {
      if (!this.#search.beacon(this.#waiting.slice(0, mostAtOnce))) break
      this.#waiting = this.#waiting.slice(mostAtOnce)
    }
    void this.flush()
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      const events = this.#waiting.slice(0, mostAtOnce)
      this.#waiting = this.#waiting.slice(mostAtOnce)
      const { isSuccessful, failure, httpStatusCode } = await this.#search
        .events(events, { keepalive: true })
        .then(result => ({ failure: undefined, ...result }))
      const comesAgain = failure === 'offline' || failure === 'timeout' || [429, 503].includes(httpStatusCode)
      if (isSuccessful || !comesAgain) continue
      this.#waiting = [...events, ...this.#waiting].slice(-mostKept)
      return
    }
  }
}
