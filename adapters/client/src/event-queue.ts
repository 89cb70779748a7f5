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
/** Milliseconds until another try: of the first, and at most. */
const [firstWait, longestWait] = [1000, 60_000]

/** Gathers what visitors do with hits, and sends it together: after a moment, and when the page is left. */
export class EventQueue {
  readonly #search: Pick<DatasetSearch, 'events' | 'beacon'>
  readonly #delay: number
  readonly #isPublic: boolean
  #waiting: SearchEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()
  #isSending = false
  #isClosed = false
  /** Tries that failed one after the other. */
  #failures = 0
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

  /** While the server cannot be reached, they wait with the others for the next try. */
  add(...events: readonly SearchEvent[]): void {
    if (this.#isClosed) return
    this.#waiting = [...this.#waiting, ...events].slice(-mostKept)
    if (this.#isSending || this.#failures > 0) return
    if (this.#waiting.length >= mostAtOnce) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), this.#delay)
  }

  /** Sends what is there, without waiting for the next try. */
  flush(): Promise<void> {
    if (!this.#isSending) this.#sending = this.#send()
    return this.#sending
  }

  /** Sends what is there, and nothing from then on. */
  async close(): Promise<void> {
    this.#page?.removeEventListener('visibilitychange', this.#leave)
    this.#isClosed = true
    await this.flush()
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
    this.#isSending = true
    while (this.#waiting.length > 0) {
      const events = this.#waiting.slice(0, mostAtOnce)
      this.#waiting = this.#waiting.slice(mostAtOnce)
      if (await this.#isDone(events)) {
        this.#failures = 0
        continue
      }
      this.#waiting = [...events, ...this.#waiting].slice(-mostKept)
      this.#failures++
      if (!this.#isClosed) this.#tryLater()
      break
    }
    this.#isSending = false
  }

  /** Whether they were taken, or refused for good. */
  async #isDone(events: readonly SearchEvent[]): Promise<boolean> {
    try {
      const result = await this.#search.events(events, { keepalive: true })
      const { isSuccessful, failure, httpStatusCode } = { failure: undefined, ...result }
      const comesAgain = failure === 'offline' || failure === 'timeout' || [429, 503].includes(httpStatusCode)
      return isSuccessful || !comesAgain
    } catch {
      return false
    }
  }

  #tryLater(): void {
    const wait = Math.min(firstWait * 2 ** (this.#failures - 1), longestWait)
    this.#timer = setTimeout(() => void this.flush(), wait)
    // A program that has nothing else to do ends.
    const { unref } = this.#timer as { unref?: () => void }
    unref?.call(this.#timer)
  }
}
