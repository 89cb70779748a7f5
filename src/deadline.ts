import { FindlingError } from './errors.ts'

/** What a search takes that must not go on for ever. */
export interface DeadlineOptions {
  /**
   * Milliseconds after which the search fails with SEARCH_TIMEOUT, waiting for other searches included, loading the index
   * not. Default: none.
   */
  timeout?: number | undefined
  /** Aborting it ends the search with CANCELLED. */
  signal?: AbortSignal | undefined
}

/** When a search must be over: after its time, or when its caller has given it up. */
export class Deadline {
  readonly #timeout: number
  readonly #signal: AbortSignal | undefined
  #endsAt = Number.POSITIVE_INFINITY

  /** Undefined where there is none. */
  static of({ timeout, signal }: DeadlineOptions): Deadline | undefined {
    return timeout === undefined && !signal ? undefined : new Deadline(timeout, signal)
  }

  private constructor(timeout = Number.POSITIVE_INFINITY, signal?: AbortSignal) {
    this.#timeout = timeout
    this.#signal = signal
  }

  /** Its time runs from the first call of this. */
  begin(): void {
    if (this.#endsAt === Number.POSITIVE_INFINITY) this.#endsAt = performance.now() + this.#timeout
  }

  /** @throws FindlingError SEARCH_TIMEOUT, CANCELLED */
  check(): void {
    if (this.#signal?.aborted)
      throw new FindlingError('CANCELLED', 'the search was cancelled', {}, this.#signal.reason)
    if (performance.now() <= this.#endsAt) return
    const timeout = this.#timeout
    throw new FindlingError(
      'SEARCH_TIMEOUT',
      `the search took longer than ${timeout} ms, its timeout; fewer patterns, fuzzy words and conditions take less`,
      { field: 'timeout', received: String(timeout), timeout },
    )
  }
}
