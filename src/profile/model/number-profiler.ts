import { fencesOf, NumberSample, quantile } from './number-sample.ts'
import type { NumberProfile } from './profile.ts'

const MOST_OUTLIERS = 10

interface Named {
  readonly id: string
  readonly value: number
}

/** Gathers statistics of the numbers of a field. */
export class NumberProfiler {
  readonly #sample = new NumberSample()
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #mean = 0
  /** Sum of squared differences from the mean (Welford, 1962). */
  #squares = 0
  #zeros = 0
  #negatives = 0
  /** The smallest numbers, ascending, and the largest, descending. */
  readonly #least: Named[] = []
  readonly #greatest: Named[] = []

  add(value: number, id: string): void {
    this.#sample.add(value)
    const before = value - this.#mean
    // Divided before subtracting, since the difference of two numbers may overflow.
    this.#mean += value / this.#sample.count - this.#mean / this.#sample.count
    this.#squares += before * (value - this.#mean)
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
    if (value === 0) this.#zeros++
    if (value < 0) this.#negatives++
    keepBest(this.#least, { id, value }, (a, b) => a - b)
    keepBest(this.#greatest, { id, value }, (a, b) => b - a)
  }

  get result(): NumberProfile | undefined {
    const { count } = this.#sample
    if (count === 0) return undefined
    const sorted = this.#sample.sorted()
    const at = (percent: number) => quantile(sorted, percent / 100)
    const { least, most } = fencesOf(sorted)
    const outliers = [
      ...this.#least.filter(({ value }) => value < least),
      ...this.#greatest.filter(({ value }) => value > most).reverse(),
    ]
    return {
      count,
      min: this.#min,
      max: this.#max,
      mean: this.#mean,
      standardDeviation: count > 1 ? finite(Math.sqrt(this.#squares / (count - 1))) : 0,
      quantiles: { p1: at(1), p5: at(5), p25: at(25), p50: at(50), p75: at(75), p95: at(95), p99: at(99) },
      zeros: this.#zeros,
      negatives: this.#negatives,
      outliers,
    }
  }
}

/** Replaces infinity, the result of an overflow, with the largest number. */
const finite = (value: number): number => (Number.isFinite(value) ? value : Number.MAX_VALUE)

function keepBest(kept: Named[], one: Named, compare: (a: number, b: number) => number): void {
  if (kept.length === MOST_OUTLIERS && compare(one.value, kept.at(-1)!.value) >= 0) return
  let at = kept.length
  while (at > 0 && compare(one.value, kept[at - 1]!.value) < 0) at--
  kept.splice(at, 0, one)
  if (kept.length > MOST_OUTLIERS) kept.pop()
}
