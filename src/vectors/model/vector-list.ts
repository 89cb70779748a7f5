import { type Direction, rowLength } from './direction.ts'
import { BLOCK_ROWS } from './kernel.ts'

/** Neighbouring rows, and what is true of each. */
export interface Block {
  readonly rows: Int16Array
  readonly scales: Float64Array
  /** Raised whenever a row of it changes. */
  revision: number
}

/** Approximate bytes that an id takes, with its number. */
const ID_BYTES = 80

/** The directions of documents, each in 16 bits a dimension, at a number that stays until it is removed. */
export class VectorList {
  readonly dimensions: number
  readonly #length: number
  readonly blocks: Block[] = []
  readonly #numbers = new Map<string, number>()
  readonly #free: number[] = []

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#length = rowLength(dimensions)
  }

  get size(): number {
    return this.#numbers.size
  }

  get bytes(): number {
    return this.blocks.length * BLOCK_ROWS * (2 * this.#length + 8) + this.size * ID_BYTES
  }

  /** The number of a document's direction; -1 where it has none. */
  numberOf(id: string): number {
    return this.#numbers.get(id) ?? -1
  }

  /** Adds the direction of a document, replacing the one that it has. */
  set(id: string, { row, scale }: Direction): void {
    const number = this.#numbers.get(id) ?? this.#newNumber(id)
    const block = this.blocks[Math.floor(number / BLOCK_ROWS)]!
    const place = number % BLOCK_ROWS
    block.rows.set(row, place * this.#length)
    block.scales[place] = scale
    block.revision++
  }

  delete(id: string): void {
    const number = this.#numbers.get(id)
    if (number === undefined) return
    this.#numbers.delete(id)
    this.#free.push(number)
  }

  #newNumber(id: string): number {
    const number = this.#free.pop() ?? this.size
    this.#numbers.set(id, number)
    if (number >= this.blocks.length * BLOCK_ROWS) this.blocks.push(this.#newBlock())
    return number
  }

  #newBlock(): Block {
    return {
      rows: new Int16Array(BLOCK_ROWS * this.#length),
      scales: new Float64Array(BLOCK_ROWS),
      revision: 0,
    }
  }
}
