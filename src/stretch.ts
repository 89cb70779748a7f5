import { setImmediate as breathe } from 'node:timers/promises'

/** Milliseconds of work after which the event loop has its turn. */
const LENGTH = 8

/** Long work in short stretches: pause() now and then, and the event loop is never held for long. */
export class Stretch {
  #until = performance.now() + LENGTH

  async pause(): Promise<void> {
    await breathe()
    this.#until = performance.now() + LENGTH
  }

  get isOver(): boolean {
    return performance.now() > this.#until
  }
}

/** Does work that comes in pieces, in short stretches. */
export async function inStretches<T>(pieces: Iterator<void, T>): Promise<T> {
  const stretch = new Stretch()
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
    if (stretch.isOver) await stretch.pause()
  }
}
