import { type Kernel, type KernelMemory, MOST_DIMENSIONS, newKernel, PAGE } from './kernel.ts'

/** Rows that are added and compared together. */
export const BLOCK_ROWS = 64

/** Rows of signed 16-bit numbers, all of one length, in blocks. */
export interface VectorRows {
  readonly bytes: number
  /** Adds a block. False where it is full. */
  add(): boolean
  set(row: number, values: Int16Array): void
  /** The dot products of a row with `count` of these from one on; valid until the next call. */
  dots(query: Int16Array, from: number, count: number): Float32Array
}

/** With the vector instructions of the processor where there are any, else in JavaScript, which takes three times as long. */
export const newRows = (length: number): VectorRows => AssembledRows.of(length) ?? new PlainRows(length)

const OUT_AT = 2 * MOST_DIMENSIONS
const ROWS_AT = OUT_AT + 4 * BLOCK_ROWS

/** V8 reserves several times as many addresses for a memory, of which there are at most 4 GiB. */
const MOST_BYTES = 2 ** 30

/** In the memory of the kernel, which reads them where they are. */
export class AssembledRows implements VectorRows {
  readonly #length: number
  readonly #kernel: Kernel
  readonly #memory: KernelMemory
  #blocks = 0
  #units: Int16Array
  #out: Float32Array

  private constructor(length: number, kernel: Kernel, memory: KernelMemory) {
    this.#length = length
    this.#kernel = kernel
    this.#memory = memory
    this.#units = new Int16Array(memory.buffer)
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
    this.#units.set(values, ROWS_AT / 2 + row * this.#length)
  }

  dots(query: Int16Array, from: number, count: number): Float32Array {
    this.#units.set(query)
    const bytes = 2 * this.#length
    this.#kernel(0, ROWS_AT + from * bytes, count, bytes, OUT_AT)
    return this.#out
  }

  #grow(needed: number): boolean {
    const wanted = Math.min(MOST_BYTES, Math.max(needed, this.bytes * 1.25))
    try {
      this.#memory.grow(Math.ceil((wanted - this.bytes) / PAGE))
    } catch {
      return false
    }
    this.#units = new Int16Array(this.#memory.buffer)
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
}
