import type { ValueNumbers } from '../fulltext/segments/columns/value-numbers.ts'

/** Number of values after which other tasks may run. */
const AT_ONCE = 1024

/** Counts of values, with those merged that differ only in case and spaces. */
export interface MergedCounts {
  /** By number: for the most frequent spelling the count of the group, for the others 0. */
  readonly counts: Uint32Array
  /** The spellings of a value that has several, the most frequent first, by the number of the most frequent one. */
  readonly spellings: ReadonlyMap<number, readonly number[]>
}

/** Groups texts that differ only in case and spaces. */
export class Spellings {
  readonly #numbers: ValueNumbers
  readonly #groups = new Map<string, number[]>()
  readonly #groupOf: number[][] = []

  constructor(numbers: ValueNumbers) {
    this.#numbers = numbers
  }

  /** The number under which all spellings of a value are counted. */
  groupOf(number: number): readonly number[] {
    this.#groupOf[number] ??= this.#group(number)
    return this.#groupOf[number]
  }

  /**
   * @param bySpelling counts by the numbers of values
   * @param byGroup counts by the numbers that groupOf() gives
   */
  *merge(bySpelling: Uint32Array, byGroup: Uint32Array): Generator<void, MergedCounts> {
    const members = new Map<number, number[]>()
    for (let number = 0; number < bySpelling.length; number++) {
      if (number % AT_ONCE === 0) yield
      if (bySpelling[number] === 0) continue
      const [group] = this.groupOf(number) as [number] // there is one
      const known = members.get(group)
      if (known) known.push(number)
      else members.set(group, [number])
    }
    const counts = new Uint32Array(bySpelling.length)
    const spellings = new Map<number, number[]>()
    let done = 0
    for (const [group, numbers] of members) {
      if (done++ % AT_ONCE === 0) yield
      numbers.sort((one, other) => bySpelling[other]! - bySpelling[one]! || this.#compare(one, other))
      const [best] = numbers as [number] // none is empty
      counts[best] = byGroup[group]!
      if (numbers.length > 1) spellings.set(best, numbers)
    }
    return { counts, spellings }
  }

  /** One shared list for the whole group. */
  #group(number: number): number[] {
    const value = this.#numbers.value(number)
    if (typeof value !== 'string') return [number]
    const key = value.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
    const group = this.#groups.get(key) ?? [number]
    this.#groups.set(key, group)
    return group
  }

  #compare(one: number, other: number): number {
    return String(this.#numbers.value(one)) < String(this.#numbers.value(other)) ? -1 : 1
  }
}
