import { blankBits, setBit } from '../../../arrays/set-bits.ts'

/** A range with more than 1 / BLOCKS of the documents is composed of precomputed blocks. */
const BLOCKS = 16

/** What lists are built from: by value, in document order, its ordinal and its document. */
interface Ordered {
  /** Number of ordinals. */
  readonly count: number
  readonly ordinals: ArrayLike<number>
  readonly documents: Uint16Array
  /** Number of documents in the segment. */
  readonly size: number
}

/** The documents of a segment by the ordinal of their value in a column: those of a range of ordinals are one slice. */
export class OrdinalLists {
  /** By ordinal: where its documents begin. */
  readonly starts: Uint32Array
  /** By ordinal; ascending within each. */
  readonly documents: Uint16Array
  readonly #size: number
  /** Whether no document has several values. */
  readonly #isSingle: boolean
  /** The documents of the first 0, 1, 2, ... blocks, one set after another. */
  #blocks: Uint32Array | undefined

  constructor({ count, ordinals, documents, size }: Ordered) {
    const starts = new Uint32Array(count + 1)
    for (let place = 0; place < ordinals.length; place++) starts[ordinals[place]! + 1]!++
    for (let ordinal = 0; ordinal < count; ordinal++) starts[ordinal + 1]! += starts[ordinal]!
    const next = starts.slice(0, count)
    const byOrdinal = new Uint16Array(ordinals.length)
    let isSingle = true
    for (let place = 0; place < ordinals.length; place++) {
      const document = documents[place]!
      byOrdinal[next[ordinals[place]!]!++] = document
      isSingle &&= place === 0 || documents[place - 1]! < document
    }
    this.starts = starts
    this.documents = byOrdinal
    this.#size = size
    this.#isSingle = isSingle
  }

  get bytes(): number {
    return this.starts.byteLength + this.documents.byteLength + (this.#blocks?.byteLength ?? 0)
  }

  /** The documents with an ordinal from `from` to `end`, exclusive, one bit each. */
  between(from: number, end: number): Uint32Array | 'none' | 'all' {
    const first = this.starts[from]!
    const last = from < end ? this.starts[end]! : first
    if (first === last) return 'none'
    if (!this.#isSingle || (last - first) * BLOCKS <= this.#size) {
      const bits = blankBits(this.#size)
      for (let i = first; i < last; i++) setBit(bits, this.documents[i]!)
      return bits
    }
    return last - first === this.#size ? 'all' : this.#ofBlocks(first, last)
  }

  /** Whole blocks are the difference of two sets; documents between them and the bounds are added or removed. */
  #ofBlocks(first: number, last: number): Uint32Array {
    const words = (this.#size + 31) >>> 5
    const length = this.#blockLength
    this.#blocks ??= this.#makeBlocks(words, length)
    const from = Math.round(first / length)
    const to = Math.round(last / length)
    const bits = this.#blocks.slice(to * words, (to + 1) * words)
    const before = from * words
    for (let i = 0; i < words; i++) bits[i]! ^= this.#blocks[before + i]!
    this.#toggle(bits, first, Math.min(from * length, this.documents.length))
    this.#toggle(bits, last, Math.min(to * length, this.documents.length))
    return bits
  }

  #toggle(bits: Uint32Array, one: number, other: number): void {
    for (let i = Math.min(one, other); i < Math.max(one, other); i++) {
      const document = this.documents[i]!
      bits[document >>> 5]! ^= 1 << document
    }
  }

  get #blockLength(): number {
    return Math.ceil(this.documents.length / BLOCKS)
  }

  #makeBlocks(words: number, length: number): Uint32Array {
    const blocks = new Uint32Array((BLOCKS + 1) * words)
    for (let block = 1; block <= BLOCKS; block++) {
      blocks.copyWithin(block * words, (block - 1) * words, block * words)
      const bits = blocks.subarray(block * words, (block + 1) * words)
      const end = Math.min(block * length, this.documents.length)
      for (let i = (block - 1) * length; i < end; i++) setBit(bits, this.documents[i]!)
    }
    return blocks
  }
}
