import { complement, countOf, lastWord } from '../arrays/set-bits.ts'
import type { Column } from '../fulltext/segments/columns/column.ts'
import type { ValueNumbers } from '../fulltext/segments/columns/value-numbers.ts'
import type { FacetColumn } from './facet-columns.ts'

/** What a value counts for besides itself, as the tags above a tag: itself comes first. */
export type CountsFor = (number: number) => readonly number[]

/** Numbers after which others may have their turn. */
const AT_ONCE = 4096

/** The same in words of 32 documents, each of which may have many values. */
const WORDS_AT_ONCE = 64

/** How many documents of some sets have each value of a path, by the number of the value. */
export class ValueCounts {
  readonly #numbers: ValueNumbers
  readonly #countsFor: CountsFor | undefined
  #counts: Uint32Array
  /** Of documents that have one value alone: what it counts for besides is added at the end. */
  #direct: Uint32Array
  /** By number: the last document that was counted. */
  #seen: Uint32Array
  #documents = 0

  constructor(numbers: ValueNumbers, countsFor?: CountsFor) {
    this.#numbers = numbers
    this.#countsFor = countsFor
    this.#counts = new Uint32Array(numbers.count)
    this.#direct = countsFor ? new Uint32Array(numbers.count) : this.#counts
    this.#seen = new Uint32Array(0)
  }

  /** Counts documents of one segment, piece by piece. */
  *count(bits: Uint32Array, columns: readonly FacetColumn[]): Generator<void> {
    const [only] = columns
    if (!only) return
    if (columns.length === 1 && only.column.isSingle) this.#countSingle(bits, only)
    else yield* this.#countSeveral(bits, columns)
    yield
  }

  /** By number. */
  *finish(): Generator<void, Uint32Array> {
    const countsFor = this.#countsFor
    if (!countsFor) return this.#counts
    for (let number = 0; number < this.#direct.length; number++) {
      if (number % AT_ONCE === 0) yield
      const count = this.#direct[number]!
      if (count === 0) continue
      for (const one of countsFor(number)) this.#add(one, count)
    }
    return this.#counts
  }

  #countSingle(bits: Uint32Array, { column }: FacetColumn): void {
    const numbers = this.#numbers.in(column)
    const { size } = column
    const documents = countOf(bits)
    if (2 * documents > size) {
      this.#countOthers(bits, column, numbers)
      return
    }
    // To count by the ordinals of the segment first spares looking their numbers up, where there are many documents.
    const isDense = documents > column.distinct
    const counts = isDense ? new Uint32Array(column.distinct) : this.#direct
    tally(bits, column, counts, isDense ? undefined : numbers)
    if (isDense)
      for (let ordinal = 0; ordinal < counts.length; ordinal++)
        this.#direct[numbers[ordinal]!]! += counts[ordinal]!
  }

  /** Takes those that are not meant from all. */
  #countOthers(bits: Uint32Array, column: Column, numbers: Uint32Array): void {
    const others = complement(bits)
    if (others.length > 0) others[others.length - 1]! &= lastWord(column.size)
    const counts = new Uint32Array(column.distinct)
    tally(others, column, counts, undefined)
    const { counts: all } = column
    for (let ordinal = 0; ordinal < all.length; ordinal++)
      this.#direct[numbers[ordinal]!]! += all[ordinal]! - counts[ordinal]!
  }

  /** Where a document may have a value twice, or one that counts for the same as another. */
  *#countSeveral(bits: Uint32Array, columns: readonly FacetColumn[]): Generator<void> {
    const sources = columns.map(({ column }) => ({
      starts: column.starts,
      ordinals: column.ordinals,
      numbers: this.#numbers.in(column),
    }))
    for (let at = 0; at < bits.length; at++) {
      if (at % WORDS_AT_ONCE === 0) yield
      for (let word = bits[at]!; word !== 0; word &= word - 1) {
        const document = (at << 5) + 31 - Math.clz32(word & -word)
        this.#documents++
        for (const { starts, ordinals, numbers } of sources)
          for (let place = starts[document]!; place < starts[document + 1]!; place++)
            this.#countOnce(numbers[ordinals[place]!]!)
      }
    }
  }

  #countOnce(number: number): void {
    if (!this.#countsFor) this.#note(number)
    else for (const one of this.#countsFor(number)) this.#note(one)
  }

  #note(number: number): void {
    if (this.#seen.length <= number) this.#seen = longer(this.#seen, this.#numbers.count)
    if (this.#seen[number] === this.#documents) return
    this.#seen[number] = this.#documents
    this.#add(number, 1)
  }

  #add(number: number, count: number): void {
    if (this.#counts.length <= number) this.#counts = longer(this.#counts, this.#numbers.count)
    this.#counts[number]! += count
  }
}

/** Counts the documents of a column in which none has several values: by ordinal, or by the numbers of the ordinals. */
function tally(
  bits: Uint32Array,
  column: Column,
  counts: Uint32Array,
  numbers: Uint32Array | undefined,
): void {
  const { ordinals } = column
  const starts = column.isEven ? undefined : column.starts
  for (let at = 0; at < bits.length; at++) {
    for (let word = bits[at]!; word !== 0; word &= word - 1) {
      const document = (at << 5) + 31 - Math.clz32(word & -word)
      let place = document
      if (starts !== undefined) {
        place = starts[document]!
        if (place === starts[document + 1]) continue
      }
      const ordinal = ordinals[place]!
      counts[numbers === undefined ? ordinal : numbers[ordinal]!]!++
    }
  }
}

function longer(counts: Uint32Array, length: number): Uint32Array {
  const more = new Uint32Array(length)
  more.set(counts)
  return more
}
