import { OrdinalLists } from './ordinal-lists.ts'
import { rankNumbers, type SortedNumbers } from './sorted-numbers.ts'
import { SortedTexts } from './texts.ts'
import type { ColumnArray } from './values.ts'

/** Which documents of a segment have values in a column. */
export interface Entries {
  /** Number of documents in the segment. */
  readonly size: number
  /** By value, ascending: its document. Undefined where each document has exactly one. */
  readonly documents: Uint16Array | undefined
  /** Ascending: documents that also have a value that is too long for the column. */
  readonly cut: Uint16Array
}

/** The ordinal of a document that has no text. */
export const MISSING = 0xffffffff

/**
 * The values of a segment's documents at one path, in document order: the value at place `i` belongs to
 * `documents[i]`, and those of document `d` are at places `starts[d]..starts[d + 1]`. What is not stored is derived
 * on first use, and kept.
 */
export abstract class Column {
  readonly size: number
  /** Ascending: documents with further values that are not known, since they are too long. */
  readonly cut: Uint16Array
  readonly #stored: Uint16Array | undefined
  #documents: Uint16Array | undefined
  #starts: Uint32Array | undefined
  #lists: OrdinalLists | undefined
  #counts: Uint32Array | undefined
  #isSingle: boolean | undefined

  constructor({ size, documents, cut }: Entries) {
    this.size = size
    this.cut = cut
    this.#stored = documents
    this.#documents = documents
  }

  /** The value at a place: a number, or a text. */
  abstract valueAt(place: number): number | string

  /** By value: its ordinal, the rank among the distinct values in ascending order. */
  abstract get ordinals(): Uint16Array | Uint32Array

  /** How many distinct values there are. */
  abstract get distinct(): number

  /** Whether each document has exactly one value: places are documents then. */
  get isEven(): boolean {
    return this.#stored === undefined
  }

  /** Number of values. */
  get places(): number {
    return this.#stored?.length ?? this.size
  }

  get documents(): Uint16Array {
    this.#documents ??= Uint16Array.from({ length: this.size }, (_, document) => document)
    return this.#documents
  }

  get starts(): Uint32Array {
    this.#starts ??= this.#count()
    return this.#starts
  }

  /** Whether no document has several values. */
  get isSingle(): boolean {
    this.#isSingle ??=
      this.isEven || this.documents.every((document, i, all) => i === 0 || all[i - 1]! < document)
    return this.#isSingle
  }

  /** By ordinal: the number of documents with the value. */
  get counts(): Uint32Array {
    this.#counts ??= this.isSingle ? this.#countValues() : this.#countHolders()
    return this.#counts
  }

  get hasLists(): boolean {
    return this.#lists !== undefined
  }

  /** The documents by ordinal. */
  get lists(): OrdinalLists {
    const { ordinals, documents, size } = this
    this.#lists ??= new OrdinalLists({ count: this.distinct, ordinals, documents, size })
    return this.#lists
  }

  /** Memory of derived data. */
  get bytes(): number {
    const own = this.isEven ? (this.#documents?.byteLength ?? 0) : 0
    const made = (this.#lists?.bytes ?? 0) + (this.#counts?.byteLength ?? 0)
    return own + made + (this.#starts?.byteLength ?? 0)
  }

  #countValues(): Uint32Array {
    const counts = new Uint32Array(this.distinct)
    for (const ordinal of this.ordinals) counts[ordinal]!++
    return counts
  }

  /** A document may have a value several times. */
  #countHolders(): Uint32Array {
    const { ordinals, documents, distinct } = this
    const counts = new Uint32Array(distinct)
    const last = new Int32Array(distinct).fill(-1)
    for (let place = 0; place < ordinals.length; place++) {
      const ordinal = ordinals[place]!
      if (last[ordinal] === documents[place]) continue
      last[ordinal] = documents[place]!
      counts[ordinal]!++
    }
    return counts
  }

  #count(): Uint32Array {
    const starts = new Uint32Array(this.size + 1)
    for (const document of this.documents) starts[document + 1]!++
    for (let document = 0; document < this.size; document++) starts[document + 1]! += starts[document]!
    return starts
  }
}

/** Statistics of numbers. */
export interface NumberStats {
  readonly min: number
  readonly max: number
  readonly sum: number
  readonly count: number
}

export class NumberColumn extends Column {
  readonly values: Float64Array | Uint8Array
  #first: Float64Array | undefined
  #stats: NumberStats | undefined
  #ranks: { readonly numbers: SortedNumbers; readonly ordinals: Uint16Array | Uint32Array } | undefined

  constructor(entries: Entries, [values]: readonly ColumnArray[]) {
    super(entries)
    this.values = values as Float64Array | Uint8Array
  }

  override valueAt(place: number): number {
    return this.values[place]!
  }

  /** By document: its first number; NaN where it has none. */
  get first(): Float64Array {
    if (this.isEven && this.values instanceof Float64Array) return this.values
    this.#first ??= firstOf(this, this.values, new Float64Array(this.size).fill(Number.NaN))
    return this.#first
  }

  /** Statistics of all its numbers. */
  get stats(): NumberStats {
    if (!this.#stats) {
      const stats = { min: Infinity, max: -Infinity, sum: 0, count: this.values.length }
      for (const value of this.values) {
        if (value < stats.min) stats.min = value
        if (value > stats.max) stats.max = value
        stats.sum += value
      }
      this.#stats = stats
    }
    return this.#stats
  }

  /** Its distinct numbers. */
  get numbers(): SortedNumbers {
    return this.#ranked().numbers
  }

  override get ordinals(): Uint16Array | Uint32Array {
    return this.#ranked().ordinals
  }

  override get distinct(): number {
    return this.numbers.count
  }

  override get bytes(): number {
    const ranked = this.#ranks ? this.#ranks.numbers.values.byteLength + this.#ranks.ordinals.byteLength : 0
    return super.bytes + (this.#first?.byteLength ?? 0) + ranked
  }

  #ranked() {
    this.#ranks ??= rankNumbers(this.values)
    return this.#ranks
  }
}

export class TextColumn extends Column {
  /** By value: its index in `texts`. */
  override readonly ordinals: Uint32Array
  readonly texts: SortedTexts
  #first: Uint32Array | undefined

  constructor(entries: Entries, [ordinals, starts, narrow, wide]: readonly ColumnArray[]) {
    super(entries)
    this.ordinals = ordinals as Uint32Array
    this.texts = new SortedTexts(starts as Uint32Array, narrow as Uint8Array, wide as Uint16Array)
  }

  override valueAt(place: number): string {
    return this.texts.text(this.ordinals[place]!)
  }

  override get distinct(): number {
    return this.texts.count
  }

  /** By document: the ordinal of its first text; `MISSING` where it has none. */
  get first(): Uint32Array {
    if (this.isEven) return this.ordinals
    this.#first ??= firstOf(this, this.ordinals, new Uint32Array(this.size).fill(MISSING))
    return this.#first
  }

  override get bytes(): number {
    return super.bytes + (this.#first?.byteLength ?? 0)
  }
}

function firstOf<A extends Float64Array | Uint32Array>(
  { documents }: Column,
  values: ArrayLike<number>,
  first: A,
): A {
  for (let place = documents.length - 1; place >= 0; place--) first[documents[place]!] = values[place]!
  return first
}
