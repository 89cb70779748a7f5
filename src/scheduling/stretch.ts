import { setImmediate as breathe } from 'node:timers/promises'
import type { Deadline } from './deadline.ts'
import { LENGTH, type LoopTurn } from './loop-turn.ts'

/** When work that begins now has to yield to the event loop, on the clock of `performance.now()`. */
export const stretchEnd = (): number => performance.now() + LENGTH

/** Long work in short stretches: with regular calls of `pause()`, the event loop is never blocked for long. */
export class Stretch {
  readonly #deadline: Deadline | undefined
  readonly #turn: LoopTurn | undefined
  #until = stretchEnd()

  /**
   * @param deadline checked between stretches; a stretch is over when it is
   * @param turn shared with others, so that together they yield to the event loop in time
   */
  constructor(deadline?: Deadline, turn?: LoopTurn) {
    this.#deadline = deadline
    this.#turn = turn
  }

  /** @throws FindlingError SEARCH_TIMEOUT, CANCELLED where the deadline is over */
  async pause(): Promise<void> {
    this.#deadline?.check()
    await (this.#turn ? this.#turn.next(this) : breathe())
    this.#deadline?.check()
    this.#until = stretchEnd()
  }

  get isOver(): boolean {
    if (this.#deadline?.isOver()) return true
    return this.#turn ? this.#turn.isOver() : performance.now() > this.#until
  }

  /** Does work that comes in pieces. */
  async through<T>(pieces: Iterator<void, T>): Promise<T> {
    for (;;) {
      const { done, value } = pieces.next()
      if (done) return value
      if (this.isOver) await this.pause()
    }
  }
}

/** Does work that comes in pieces, in short stretches. */
export const inStretches = <T>(pieces: Iterator<void, T>, deadline?: Deadline, turn?: LoopTurn): Promise<T> =>
  new Stretch(deadline, turn).through(pieces)
