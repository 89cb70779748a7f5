import type { Direction } from './direction.ts'
import { BLOCK_ROWS, sharedDots } from './kernel.ts'
import type { VectorList } from './vector-list.ts'

/** Blocks that are read before the time is checked. */
const AT_ONCE = 16

/** The cosines between one direction and those of a list, by their numbers. They follow the list. */
export class Similarities {
  readonly #list: VectorList
  readonly #query: Direction
  #cosines = new Float32Array(0)
  /** By block: its revision when it was read, or -1. */
  #revisions = new Int32Array(0)

  constructor(list: VectorList, query: Direction) {
    this.#list = list
    this.#query = query
  }

  /** Reads what is new or has changed until the time is up. False: there is more. @param until on the clock of `performance.now()` */
  read(until = Number.POSITIVE_INFINITY): boolean {
    const { blocks } = this.#list
    this.#grow(blocks.length)
    const { row, scale } = this.#query
    const dots = sharedDots()
    let read = 0
    for (const [at, { rows, scales, revision }] of blocks.entries()) {
      if (this.#revisions[at] === revision) continue
      if (read++ % AT_ONCE === AT_ONCE - 1 && performance.now() > until) return false
      const sums = dots(row, rows)
      const from = at * BLOCK_ROWS
      for (let place = 0; place < BLOCK_ROWS; place++) {
        const cosine = sums[place]! * scale * scales[place]!
        this.#cosines[from + place] = Math.min(1, Math.max(-1, cosine))
      }
      this.#revisions[at] = revision
    }
    return true
  }

  of(number: number): number {
    return this.#cosines[number]!
  }

  #grow(blocks: number): void {
    const before = this.#revisions
    if (before.length >= blocks) return
    const cosines = new Float32Array(blocks * BLOCK_ROWS)
    cosines.set(this.#cosines)
    this.#cosines = cosines
    this.#revisions = new Int32Array(blocks).fill(-1)
    this.#revisions.set(before)
  }
}
