import { grown } from '../../arrays/grow.ts'
import { type Direction, rowLength } from './direction.ts'
import { BLOCK_ROWS, newRows, type VectorRows } from './vector-rows.ts'

/** Neighbouring rows, and what is true of each. */
export interface Block {
  readonly rows: VectorRows
  /** Where it begins. */
  readonly from: number
  readonly scales: Float64Array
  /** Raised whenever a row of it changes. */
  revision: number
}

/** Approximate bytes that an id takes, with its number. */
const ID_BYTES = 80

/** The directions of documents, each in 16 bits a dimension, at a number that stays until it is removed. */
export class VectorList {
  readonly dimensions: number
  readonly blocks: Block[] = []
  /** Of which the last is not full. */
  readonly #rows: VectorRows[] = []
  readonly #numbers = new Map<string, number>()
  readonly #free: number[] = []
  /** By block: the largest of its directions, present or past. */
  #errors = new Float32Array(1 << 4)
  #changes = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
  }

  get size(): number {
    return this.#numbers.size
  }

  get bytes(): number {
    const perBlock = BLOCK_ROWS * Float64Array.BYTES_PER_ELEMENT
    const rows = this.#rows.reduce((sum, { bytes }) => sum + bytes, 0)
    return rows + this.blocks.length * perBlock + this.size * ID_BYTES
  }

  /** How often directions were set. */
  get changes(): number {
    return this.#changes
  }

  /** The number of a document's direction; -1 where it has none. */
  numberOf(id: string): number {
    return this.#numbers.get(id) ?? -1
  }

  /** Maximum error of the cosines of a direction, when its high bytes alone are compared. */
  errorOf(number: number): number {
    return this.#errors[Math.floor(number / BLOCK_ROWS)]!
  }

  /** Adds the direction of a document, replacing the one that it has. */
  set(id: string, { row, scale, error }: Direction): void {
    const number = this.#numbers.get(id) ?? this.#newNumber(id)
    const at = Math.floor(number / BLOCK_ROWS)
    const block = this.blocks[at]!
    const place = number % BLOCK_ROWS
    block.rows.set(block.from + place, row)
    block.scales[place] = scale
    this.#errors[at] = Math.max(this.#errors[at]!, error)
    block.revision++
    this.#changes++
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
    if (number >= this.blocks.length * BLOCK_ROWS) this.#addBlock()
    return number
  }

  #addBlock(): void {
    const scales = new Float64Array(BLOCK_ROWS)
    this.#errors = grown(this.#errors, this.blocks.length + 1)
    const last = this.blocks.at(-1)
    if (last?.rows.add()) {
      this.blocks.push({ rows: last.rows, from: last.from + BLOCK_ROWS, scales, revision: 0 })
      return
    }
    const rows = newRows(rowLength(this.dimensions))
    rows.add()
    this.#rows.push(rows)
    this.blocks.push({ rows, from: 0, scales, revision: 0 })
  }
}
