import { significance } from './significance.ts'

/** Number of values after which other tasks may run. */
const AT_ONCE = 2048

/** How often values occur in a set of documents and among all, by their numbers. */
interface CountedTwice {
  readonly inSet: Uint32Array
  inAll(number: number): number
  readonly set: number
  readonly all: number
}

/** Values that are more frequent in a set of documents than among all. */
export class TypicalValues {
  readonly #counted: CountedTwice
  /** By number. */
  readonly #scores: Float64Array

  constructor(counted: CountedTwice) {
    this.#counted = counted
    this.#scores = new Float64Array(counted.inSet.length)
  }

  score(number: number): number {
    return this.#scores[number]!
  }

  inAll(number: number): number {
    return this.#counted.inAll(number)
  }

  /** Those of the given values that are more frequent. */
  *among(numbers: readonly number[]): Generator<void, number[]> {
    const { inSet, set, all } = this.#counted
    const typical: number[] = []
    for (const [i, number] of numbers.entries()) {
      if (i % AT_ONCE === 0) yield
      const score = significance({ inSet: inSet[number]!, inAll: this.inAll(number), set, all })
      this.#scores[number] = score
      if (score > 0) typical.push(number)
    }
    return typical
  }
}
