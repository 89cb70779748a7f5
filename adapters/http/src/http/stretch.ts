import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds of work after which other requests get their turn. */
const LENGTH = 8

/** The work of one request in short stretches, between which others are served. */
export class Stretch {
  #until = performance.now() + LENGTH

  get isOver(): boolean {
    return performance.now() > this.#until
  }

  async pause(): Promise<void> {
    await breathe()
    this.#until = performance.now() + LENGTH
  }
}
