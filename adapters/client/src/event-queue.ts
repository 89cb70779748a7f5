import type { SearchEvent } from './api/models.ts'
import { wholeNumber } from './configuration.ts'
import type { DatasetSearch } from './dataset-search.ts'

export interface EventQueueOptions {
  /** Milliseconds for which events are collected before they are sent. Default 1,000. */
  readonly delay?: number | undefined
  /** Whether the key is public: then remaining events are sent as a beacon when the page is left. Default false. */
  readonly isPublic?: boolean | undefined
}

/** Maximum number of events in one call. */
const mostAtOnce = 100
/** Maximum length of all events in one call: browsers refuse more than 64 KB of a page that may be left. */
const mostBytes = 60_000
/** Events that are kept while the server cannot be reached. */
const mostKept = 1000
/** Statuses of a server that has no time, and of a proxy whose server is being restarted. */
const comingAgain = new Set([429, 502, 503, 504])
/** Milliseconds until the next attempt: after the first failure, and at most. */
const [firstWait, longestWait] = [1000, 60_000]

/** Collects events about what visitors do with hits, and sends them together: after a short delay, and when the page is left. */
export class EventQueue {
  readonly #search: Pick<DatasetSearch, 'events' | 'beacon'>
  readonly #delay: number
  readonly #isPublic: boolean
  #waiting: SearchEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()
  #isSending = false
  #isClosed = false
  /** Number of consecutive failures. */
  #failures = 0
  readonly #page = (globalThis as { document?: EventTarget & { visibilityState: string } }).document

  /** @param search from `createSearch` or `client.dataset` */
  constructor(search: Pick<DatasetSearch, 'events' | 'beacon'>, options: EventQueueOptions = {}) {
    this.#search = search
    this.#delay = wholeNumber('delay', options.delay, 1000)
    this.#isPublic = options.isPublic ?? false
    this.#page?.addEventListener('visibilitychange', this.#leave)
  }

  /** Number of events that are still to be sent. */
  get size(): number {
    return this.#waiting.length
  }

  /**
   * Adds events. While the server cannot be reached, they wait with the others for the next attempt. An event that can never be
   * sent, because it is no JSON or too long, is dropped.
   */
  add(...events: readonly SearchEvent[]): void {
    if (this.#isClosed) return
    const sendable = events.filter(event => bytesOf(event) <= mostBytes)
    this.#waiting = [...this.#waiting, ...sendable].slice(-mostKept)
    if (this.#isSending || this.#failures > 0) return
    if (this.#waiting.length >= mostAtOnce) void this.flush()
    else this.#timer ??= setTimeout(() => void this.flush(), this.#delay)
  }

  /** Sends all events now, without waiting for the next attempt. */
  flush(): Promise<void> {
    if (!this.#isSending) this.#sending = this.#send()
    return this.#sending
  }

  /** Sends all events now; events added later are dropped. */
  async close(): Promise<void> {
    this.#page?.removeEventListener('visibilitychange', this.#leave)
    this.#isClosed = true
    await this.flush()
  }

  /** Being hidden is the last moment that a page can reliably observe. */
  readonly #leave = () => {
    if (this.#page?.visibilityState !== 'hidden') return
    while (this.#isPublic && this.#waiting.length > 0) {
      const events = this.#next()
      if (!this.#search.beacon(events)) break
      this.#waiting = this.#waiting.slice(events.length)
    }
    void this.flush()
  }

  /** The first events that fit into one call. */
  #next(): SearchEvent[] {
    let bytes = 0
    const events = this.#waiting.slice(0, mostAtOnce)
    const tooMany = events.findIndex(event => {
      bytes += bytesOf(event)
      return bytes > mostBytes
    })
    return tooMany < 0 ? events : events.slice(0, tooMany)
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isSending = true
    while (this.#waiting.length > 0) {
      const events = this.#next()
      this.#waiting = this.#waiting.slice(events.length)
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

  /** Whether the events were accepted, or refused for good. */
  async #isDone(events: readonly SearchEvent[]): Promise<boolean> {
    try {
      const result = await this.#search.events(events, { keepalive: true })
      const { isSuccessful, failure, httpStatusCode } = { failure: undefined, ...result }
      // Without an answer of the API, it is away, or there is no key for the moment.
      return isSuccessful || (failure === undefined && !comingAgain.has(httpStatusCode))
    } catch {
      return false
    }
  }

  #tryLater(): void {
    const wait = Math.min(firstWait * 2 ** (this.#failures - 1), longestWait)
    this.#timer = setTimeout(() => void this.flush(), wait)
    // The timer does not keep a program running that has nothing else to do.
    const { unref } = this.#timer as { unref?: () => void }
    unref?.call(this.#timer)
  }
}

/** Bytes of an event as JSON, with the comma behind it; infinite if it is no JSON. */
function bytesOf(event: SearchEvent): number {
  try {
    return new TextEncoder().encode(JSON.stringify(event)).length + 1
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
