import { First } from '../../arrays/first.ts'
import type { Direction } from './direction.ts'
import type { VectorList } from './vector-list.ts'
import { BLOCK_ROWS } from './vector-rows.ts'

/** Blocks that are read before the time is checked. */
const AT_ONCE = 16

/** The cosines between one direction and those of a list, by their numbers. They follow the list. */
export class Similarities {
  /** Whether all that are read at once are compared by their high bytes alone, which takes less than half of the time. */
  readonly isRough: boolean
  readonly #list: VectorList
  readonly #query: Direction
  #cosines = new Float32Array(0)
  /** By block: its revision when it was read, or -1. */
  #revisions = new Int32Array(0)
  /** The list's number of changes when all were last read. */
  #readWith = -1

  constructor(list: VectorList, query: Direction, { isRough = false } = {}) {
    this.isRough = isRough
    this.#list = list
    this.#query = query
  }

  /** Whether all are read. */
  get isRead(): boolean {
    return this.#readWith === this.#list.changes
  }

  /**
   * Reads all at once, which takes a fifth of the time for each, until the time is up. False: there is more.
   * @param until on the clock of `performance.now()`
   */
  read(until = Number.POSITIVE_INFINITY): boolean {
    const { blocks, changes } = this.#list
    if (this.isRead) return true
    this.#grow(blocks.length)
    const { row, scale } = this.#query
    let read = 0
    for (let at = 0; at < blocks.length; at++) {
      const { rows, from, scales, revision } = blocks[at]!
      if (this.#revisions[at] === revision) continue
      if (read++ % AT_ONCE === AT_ONCE - 1 && performance.now() > until) return false
      const dots = this.isRough ? rows.rough(row, from, BLOCK_ROWS) : rows.dots(row, from, BLOCK_ROWS)
      const first = at * BLOCK_ROWS
      for (let place = 0; place < BLOCK_ROWS; place++)
        this.#cosines[first + place] = bounded(dots[place]! * scale * scales[place]!)
      this.#revisions[at] = revision
    }
    this.#readWith = changes
    return true
  }

  /** How many may be among the `count` nearest, and at least so near, as far as they tell once they are read. */
  mayBeNearest(count: number, least: number): number {
    const surely = new First(count, (one, other) => other - one)
    let below = least
    for (let number = 0; number < this.#cosines.length; number++) {
      const lowest = this.#cosines[number]! - this.errorAt(number)
      if (!(lowest > below)) continue
      surely.offer(lowest)
      below = Math.max(least, surely.last ?? least)
    }
    let found = 0
    for (let number = 0; number < this.#cosines.length; number++)
      if (this.#cosines[number]! + this.errorAt(number) >= below) found++
    return found
  }

  /** Writes those of the documents whose bits are set, by document. NaN for a document without a number. */
  write(into: Float32Array, numbers: Int32Array, bits: Uint32Array): void {
    for (let at = 0; at < bits.length; at++)
      for (let word = bits[at]!; word !== 0; word &= word - 1) {
        const document = (at << 5) + 31 - Math.clz32(word & -word)
        const number = numbers[document]!
        into[document] = number < 0 ? Number.NaN : this.at(number)
      }
  }

  /** Rough if all are read so. */
  at(number: number): number {
    return this.isRead ? this.#cosines[number]! : this.of(number)
  }

  /** How far that may be off. */
  errorAt(number: number): number {
    return this.isRough && this.isRead ? this.#list.errorOf(number) : 0
  }

  /** Never rough. */
  of(number: number): number {
    const at = Math.floor(number / BLOCK_ROWS)
    const { rows, from, scales, revision } = this.#list.blocks[at]!
    if (!this.isRough && this.#revisions[at] === revision) return this.#cosines[number]!
    const { row, scale } = this.#query
    const place = number % BLOCK_ROWS
    return Math.fround(bounded(rows.dots(row, from + place, 1)[0]! * scale * scales[place]!))
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

/** Rounding may lead beyond the bounds of a cosine. */
const bounded = (cosine: number): number => Math.min(1, Math.max(-1, cosine))
