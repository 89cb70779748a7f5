import { FindlingError } from '../errors.ts'

/** What a call takes that must not go on for ever. */
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

/** When an answer must be there: after its time, or when its caller has given it up. */
export class Deadline {
  readonly #asked: keyof typeof asked
  readonly #timeout: number
  readonly #signal: AbortSignal | undefined
  #endsAt = Number.POSITIVE_INFINITY

  /** Undefined where there is none. */
  static of({ timeout, signal }: DeadlineOptions, kind: keyof typeof asked = 'search'): Deadline | undefined {
    return timeout === undefined && !signal ? undefined : new Deadline(kind, timeout, signal)
  }

  private constructor(kind: keyof typeof asked, timeout = Number.POSITIVE_INFINITY, signal?: AbortSignal) {
    this.#asked = kind
    this.#timeout = timeout
    this.#signal = signal
  }

  /** Its time runs from the first call of this. */
  begin(): void {
    if (this.#endsAt === Number.POSITIVE_INFINITY) this.#endsAt = performance.now() + this.#timeout
  }

  /** @throws FindlingError SEARCH_TIMEOUT, CANCELLED */
  check(): void {
    const [what, less] = asked[this.#asked]
    if (this.#signal?.aborted)
      throw new FindlingError('CANCELLED', `${what} was cancelled`, {}, this.#signal.reason)
    if (performance.now() <= this.#endsAt) return
    const timeout = this.#timeout
    throw new FindlingError(
      'SEARCH_TIMEOUT',
      `${what} took longer than ${timeout} ms, its timeout; expected ${less}`,
      { field: 'timeout', received: String(timeout), expected: less, timeout },
    )
  }
}
