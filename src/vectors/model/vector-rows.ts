import { type Kernel, type KernelMemory, MOST_DIMENSIONS, newKernel, PAGE } from './kernel.ts'

/** Rows that are added and compared together. */
export const BLOCK_ROWS = 64

/** Rows of signed 16-bit numbers, all of one length, in blocks. */
export interface VectorRows {
  readonly bytes: number
  /** Adds a block. False where it is full. */
  add(): boolean
  set(row: number, values: Int16Array): void
  /** The dot products of a row with `count` of these from one on, all in one block; valid until the next call. */
  dots(query: Int16Array, from: number, count: number): Float32Array
  /** The same from half of the bytes: each at most the length of the query times `lowLength` of the row off. */
  rough(query: Int16Array, from: number, count: number): Float32Array
}

/** The nearest multiple of 256, divided by it. */
const highOf = (unit: number): number => (unit + 128) >> 8

/** The length of what the high bytes of a row leave out. */
export function lowLength(row: Int16Array): number {
  let squares = 0
  for (let i = 0; i < row.length; i++) {
    const low = row[i]! - 256 * highOf(row[i]!)
    squares += low * low
  }
  return Math.sqrt(squares)
}

/** With the vector instructions of the processor where there are any, else in JavaScript, which takes three times as long. */
export const newRows = (length: number): VectorRows => AssembledRows.of(length) ?? new PlainRows(length)

const OUT_AT = 2 * MOST_DIMENSIONS
const ROWS_AT = OUT_AT + 4 * BLOCK_ROWS

/** V8 reserves several times as many addresses for a memory, of which there are at most 4 GiB. */
const MOST_BYTES = 2 ** 30

/** In the memory of the kernel, which reads them where they are: of each block first the high bytes, then the low ones. */
export class AssembledRows implements VectorRows {
  readonly #length: number
  readonly #kernel: Kernel
  readonly #memory: KernelMemory
  #blocks = 0
  #bytes: Int8Array
  #query: Int16Array
  #out: Float32Array

  private constructor(length: number, kernel: Kernel, memory: KernelMemory) {
    this.#length = length
    this.#kernel = kernel
    this.#memory = memory
    this.#bytes = new Int8Array(memory.buffer)
    this.#query = new Int16Array(memory.buffer, 0, MOST_DIMENSIONS)
    this.#out = new Float32Array(memory.buffer, OUT_AT, BLOCK_ROWS)
  }

  /** Undefined where the kernel cannot run. */
  static of(length: number): AssembledRows | undefined {
    const made = newKernel(Math.ceil((ROWS_AT + 2 * length * BLOCK_ROWS) / PAGE))
    return made && new AssembledRows(length, made.kernel, made.memory)
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  add(): boolean {
    const needed = ROWS_AT + (this.#blocks + 1) * BLOCK_ROWS * 2 * this.#length
    if (needed > MOST_BYTES || (needed > this.bytes && !this.#grow(needed))) return false
    this.#blocks++
    return true
  }

  set(row: number, values: Int16Array): void {
    const high = this.#highAt(row)
    const low = high + BLOCK_ROWS * this.#length
    for (let i = 0; i < values.length; i++) {
      this.#bytes[high + i] = highOf(values[i]!)
      this.#bytes[low + i] = values[i]!
    }
  }

  dots(query: Int16Array, from: number, count: number): Float32Array {
    this.#query.set(query)
    const high = this.#highAt(from)
    const low = high + BLOCK_ROWS * this.#length
    this.#kernel.dots(0, high, low, count, this.#length, OUT_AT)
    return this.#out
  }

  rough(query: Int16Array, from: number, count: number): Float32Array {
    this.#query.set(query)
    this.#kernel.rough(0, this.#highAt(from), count, this.#length, OUT_AT)
    return this.#out
  }

  #highAt(row: number): number {
    const place = row % BLOCK_ROWS
    return ROWS_AT + (2 * (row - place) + place) * this.#length
  }

  #grow(needed: number): boolean {
    const wanted = Math.min(MOST_BYTES, Math.max(needed, this.bytes * 1.25))
    try {
      this.#memory.grow(Math.ceil((wanted - this.bytes) / PAGE))
    } catch {
      return false
    }
    this.#bytes = new Int8Array(this.#memory.buffer)
    this.#query = new Int16Array(this.#memory.buffer, 0, MOST_DIMENSIONS)
    this.#out = new Float32Array(this.#memory.buffer, OUT_AT, BLOCK_ROWS)
    return true
  }
}

/** The same in JavaScript, up to rounding: sums are of doubles. */
export class PlainRows implements VectorRows {
  readonly #length: number
  readonly #blocks: Int16Array[] = []
  readonly #out = new Float32Array(BLOCK_ROWS)

  constructor(length: number) {
    this.#length = length
  }

  get bytes(): number {
    return this.#blocks.length * BLOCK_ROWS * 2 * this.#length
  }

  add(): boolean {
    this.#blocks.push(new Int16Array(BLOCK_ROWS * this.#length))
    return true
  }

  set(row: number, values: Int16Array): void {
    this.#blocks[Math.floor(row / BLOCK_ROWS)]!.set(values, (row % BLOCK_ROWS) * this.#length)
  }

  dots(query: Int16Array, from: number, count: number): Float32Array {
    const block = this.#blocks[Math.floor(from / BLOCK_ROWS)]!
    const first = from % BLOCK_ROWS
    for (let row = 0; row < count; row++) {
      const at = (first + row) * this.#length
      let sum = 0
      for (let i = 0; i < this.#length; i++) sum += query[i]! * block[at + i]!
      this.#out[row] = sum
    }
    return this.#out
  }

  /** Without instructions for bytes, half of them are not compared faster. */
  rough(query: Int16Array, from: number, count: number): Float32Array {
    return this.dots(query, from, count)
  }
}
