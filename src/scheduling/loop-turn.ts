import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds of work after which the event loop has its turn. */
export const LENGTH = 8

/** Waits for a turn; first come, first served. */
export type Waiter = object

/**
 * Calls that wait for nothing from outside follow each other within one turn of the event loop, in which no timer fires
 * and no message of a worker arrives. Sharing a turn makes even many short calls yield to the event loop in time.
 */
export class LoopTurn {
  /** When the turn was first checked; it ends with the immediate that was scheduled then. */
  #startedAt: number | undefined
  #pausing: Promise<void> | undefined
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>()

  /** Whether it is time for a pause; true for all callers until there has been one. */
  isOver(): boolean {
    const now = performance.now()
    if (this.#startedAt !== undefined) return now - this.#startedAt > LENGTH
    this.#startedAt = now
    setImmediate(() => {
      this.#startedAt = undefined
    })
    return false
  }

  /** One immediate for all waiting callers, which continue in the order in which they came. */
  pause(): Promise<void> {
    this.#pausing ??= breathe().finally(() => {
      this.#pausing = undefined
    })
    return this.#pausing
  }

  /** Whether a caller may continue: the turn is not over, and nobody has been waiting for longer. */
  isFor(waiter?: Waiter): boolean {
    if (this.#waiting.size > 0 && this.#waiting.values().next().value !== waiter) return false
    return !this.isOver()
  }

  /** Waits for the next turn, after all who have been waiting for longer. */
  wait(waiter: Waiter): Promise<void> {
    this.#waiting.add(waiter)
    return this.pause()
  }

  /** Waits until the caller may continue, after all who have been waiting for longer. */
  async next(waiter: Waiter): Promise<void> {
    do await this.wait(waiter)
    while (!this.isFor(waiter))
    this.leave(waiter)
  }

  /**
   * Does synchronous work when it is the caller's turn, with nothing in between: of many callers, only as many follow each
   * other as a turn has time for.
   * @param check called before each look
   */
  async inTurn<T>(work: () => T, check?: () => void): Promise<T> {
    let waiter: Waiter | undefined
    try {
      for (;;) {
        check?.()
        if (this.isFor(waiter)) return work()
        waiter ??= {}
        await this.wait(waiter)
      }
    } finally {
      if (waiter) this.leave(waiter)
    }
  }

  /** Stops waiting. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter)
  }
}
