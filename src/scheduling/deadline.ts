import { FindlingError } from '../errors.ts'

/** Options that limit how long a call may take. */
export interface DeadlineOptions {
  /**
   * Milliseconds after which the call fails with SEARCH_TIMEOUT. Waiting for
   * other searches counts, loading the index does not. Default: none.
   */
  timeout?: number | undefined
  /** Aborting it ends the call with CANCELLED. */
  signal?: AbortSignal | undefined
}

/** What is asked, in words for people, and what takes less. */
const asked = {
  search: ['the search', 'fewer patterns, fuzzy words and conditions'],
  text: ['the answer', 'a shorter text'],
} as const

/** The end of a call: when its time is up, or when its caller aborts it. */
export class Deadline {
  readonly #asked: keyof typeof asked
  readonly #timeout: number
  readonly #signal: AbortSignal | undefined
  #endsAt = Number.POSITIVE_INFINITY

  /** Undefined if there is no deadline. */
  static of({ timeout, signal }: DeadlineOptions, kind: keyof typeof asked = 'search'): Deadline | undefined {
    return timeout === undefined && !signal ? undefined : new Deadline(kind, timeout, signal)
  }

  private constructor(kind: keyof typeof asked, timeout = Number.POSITIVE_INFINITY, signal?: AbortSignal) {
    this.#asked = kind
    this.#timeout = timeout
    this.#signal = signal
  }

  /** Starts the time, on the first call. */
  begin(): void {
    if (this.#endsAt === Number.POSITIVE_INFINITY) this.#endsAt = performance.now() + this.#timeout
  }

  /** Whether `check()` throws. */
  isOver(): boolean {
    return this.#signal?.aborted || performance.now() > this.#endsAt
  }

  /**
   * Waits for work that others need, too: it goes on when this call is over.
   * @throws FindlingError SEARCH_TIMEOUT, CANCELLED
   */
  async wait(work: Promise<unknown>): Promise<void> {
    this.check()
    let timer: NodeJS.Timeout | undefined
    let giveUp = () => {}
    const over = new Promise<void>(resolve => {
      // Timers are early by up to a millisecond.
      giveUp = () => {
        if (this.isOver()) resolve()
        else timer = setTimeout(giveUp, 1)
      }
    })
    const left = this.#endsAt - performance.now()
    if (left !== Number.POSITIVE_INFINITY) timer = setTimeout(giveUp, left)
    this.#signal?.addEventListener('abort', giveUp)
    try {
      await Promise.race([work, over])
    } finally {
      clearTimeout(timer)
      this.#signal?.removeEventListener('abort', giveUp)
    }
    this.check()
  }

  /** @throws FindlingError SEARCH_TIMEOUT, CANCELLED */
  check(): void {
    const [what, less] = asked[this.#asked]
    if (this.#signal?.aborted)
      throw new FindlingError('CANCELLED', `${what} was cancelled`, {}, this.#signal.reason)
    if (!this.isOver()) return
    const timeout = this.#timeout
    throw new FindlingError(
      'SEARCH_TIMEOUT',
      `${what} took longer than ${timeout} ms, its timeout; expected ${less}`,
      { field: 'timeout', received: String(timeout), expected: less, timeout },
    )
  }
}
