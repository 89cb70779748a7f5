import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds that the calls of one turn may take. */
const LENGTH = 8

/**
 * Calls that wait for nothing from outside follow each other within one turn of the event loop, where no timer fires
 * and no message of a worker arrives. Short as each may be, together they let the loop go on in time.
 */
export class LoopTurn {
  /** When the turn was first looked at; it ends with the immediate that was set then. */
  #startedAt: number | undefined
  #pausing: Promise<void> | undefined

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
}
