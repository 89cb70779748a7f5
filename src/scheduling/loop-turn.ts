import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds of work after which the event loop has its turn. */
export const LENGTH = 8

/** Waits for a turn; first come, first served. */
export type Waiter = object

/**
 * Calls that wait for nothing from outside follow each other within one turn of the event loop, where no timer fires
 * and no message of a worker arrives. Short as each may be, together they let the loop go on in time.
 */
export class LoopTurn {
  /** When the turn was first looked at; it ends with the immediate that was set then. */
  #startedAt: number | undefined
  #pausing: Promise<void> | undefined
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>()

  /** Whether it is time for a pause, and so for all who ask until there was one. */
  isOver(): boolean {
    const now = performance.now()
    if (this.#startedAt !== undefined) return now - this.#startedAt > LENGTH
    this.#startedAt = now
    setImmediate(() => {
      this.#startedAt = undefined
    })
    return false
  }

  /** One immediate for all who wait: they go on in the order in which they came. */
  pause(): Promise<void> {
    this.#pausing ??= breathe().finally(() => {
      this.#pausing = undefined
    })
    return this.#pausing
  }

  /** Whether somebody may go on who lets all go first that wait since before: the turn is not over, and there are none. */
  isFor(waiter?: Waiter): boolean {
    if (this.#waiting.size > 0 && this.#waiting.values().next().value !== waiter) return false
    return !this.isOver()
  }

  /** Waits for the next turn, behind all who wait since before. */
  wait(waiter: Waiter): Promise<void> {
    this.#waiting.add(waiter)
    return this.pause()
  }

  /** Waits until it may go on, behind all who wait since before. */
  async next(waiter: Waiter): Promise<void> {
    do await this.wait(waiter)
    while (!this.isFor(waiter))
    this.leave(waiter)
  }

  /** Waits no more. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter)
  }
}
