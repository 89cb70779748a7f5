import { complement, countOf, lastWord } from '../arrays/set-bits.ts'
import type { Column } from '../fulltext/segments/columns/column.ts'
import type { ValueNumbers } from '../fulltext/segments/columns/value-numbers.ts'
import type { FacetColumn } from './facet-columns.ts'

/** The numbers for which a value counts: itself first, then others, such as the tags above a tag. */
export type CountsFor = (number: number) => readonly number[]

/** Number of values after which other tasks may run. */
const AT_ONCE = 4096

/** The same in words of 32 documents, each of which may have many values. */
const WORDS_AT_ONCE = 64

/** Values of a column that are counted without a pause. */
const MOST_VALUES = 2 ** 18

/** How many documents of some sets have each value of a path, by the value's number. */
export class ValueCounts {
  readonly #numbers: ValueNumbers
  readonly #countsFor: CountsFor | undefined
  #counts: Uint32Array
  /** Counts from documents with a single value; what it counts for besides itself is added at the end. */
  #direct: Uint32Array
  /** By number: the last document counted for it. */
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
    if (columns.length > 1) yield* this.#countSeveral(bits, columns)
    else if (only.column.isSingle) this.#countSingle(bits, only)
    else if (!this.#countsFor && only.column.ordinals.length <= MOST_VALUES && isMost(bits, only.column))
      this.#countOthers(bits, only.column, this.#numbers.in(only.column))
    else yield* this.#countSeveral(bits, columns)
    yield
  }

  /** The counts, by number. */
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
    if (isMost(bits, column)) {
      this.#countOthers(bits, column, numbers)
      return
    }
    // With many documents, counting by the segment's ordinals first saves looking up their numbers.
    const isDense = countOf(bits) > column.distinct
    const counts = isDense ? new Uint32Array(column.distinct) : this.#direct
    tally(bits, column, counts, isDense ? undefined : numbers)
    if (isDense)
      for (let ordinal = 0; ordinal < counts.length; ordinal++)
        this.#direct[numbers[ordinal]!]! += counts[ordinal]!
  }

  /** Subtracts the documents outside the set from the counts of all. */
  #countOthers(bits: Uint32Array, column: Column, numbers: Uint32Array): void {
    const others = complement(bits)
    if (others.length > 0) others[others.length - 1]! &= lastWord(column.size)
    const counts = new Uint32Array(column.distinct)
    if (column.isSingle) tally(others, column, counts, undefined)
    else tallyLists(others, column, counts)
    const { counts: all } = column
    for (let ordinal = 0; ordinal < all.length; ordinal++)
      this.#direct[numbers[ordinal]!]! += all[ordinal]! - counts[ordinal]!
  }

  /** For documents that may have a value twice, or several that count for the same number. */
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

const isMost = (bits: Uint32Array, { size }: Column): boolean => 2 * countOf(bits) > size

/** Counts, by ordinal, the documents of a column whose documents may have several values, also the same one twice. */
function tallyLists(bits: Uint32Array, { starts, ordinals }: Column, counts: Uint32Array): void {
  const last = new Int32Array(counts.length).fill(-1)
  for (let at = 0; at < bits.length; at++)
    for (let word = bits[at]!; word !== 0; word &= word - 1) {
      const document = (at << 5) + 31 - Math.clz32(word & -word)
      for (let place = starts[document]!; place < starts[document + 1]!; place++) {
        const ordinal = ordinals[place]!
        if (last[ordinal] === document) continue
        last[ordinal] = document
        counts[ordinal]!++
      }
    }
}

/** Counts the documents of a column whose documents have at most one value: by ordinal, or by the ordinals' numbers. */
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
