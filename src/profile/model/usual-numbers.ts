import { fencesOf, NumberSample } from './number-sample.ts'
import type { UnusualNumber } from './profile.ts'

/** Maximum number of tags, and of fields of each, whose numbers are kept. */
const MOST_TAGS = 2_000
const MOST_FIELDS = 5
/** Numbers kept per tag and field, and how many are needed to say what is usual. */
const KEPT = 256
const TELLING = 20

const MOST_UNUSUAL = 100

/** What is usual for a tag and a field, on a linear or logarithmic scale. */
export interface UsualRange {
  readonly isLogarithmic: boolean
  readonly from: number
  readonly to: number
  readonly least: number
  readonly most: number
}

/** By field and tag. */
export type UsualRanges = ReadonlyMap<string, ReadonlyMap<string, UsualRange>>

/** The numbers of documents by their tags. */
export class NumbersByTag {
  readonly #samples = new Map<string, Map<string, NumberSample>>()

  add(field: string, value: number, tags: Iterable<string>): void {
    let samples = this.#samples.get(field)
    if (!samples) {
      if (this.#samples.size === MOST_FIELDS) return
      samples = new Map()
      this.#samples.set(field, samples)
    }
    for (const tag of tags) {
      let sample = samples.get(tag)
      if (!sample) {
        if (samples.size === MOST_TAGS) continue
        sample = new NumberSample(KEPT)
        samples.set(tag, sample)
      }
      sample.add(value)
    }
  }

  /** Positive numbers, such as prices, are compared by their logarithms: a tag may have cheap and expensive products. */
  get ranges(): UsualRanges {
    const ranges = new Map<string, Map<string, UsualRange>>()
    for (const [field, samples] of this.#samples) {
      const ofField = new Map<string, UsualRange>()
      for (const [tag, sample] of samples) {
        if (sample.count < TELLING) continue
        const sorted = sample.sorted()
        const isLogarithmic = sorted[0]! > 0
        const fences = fencesOf(isLogarithmic ? sorted.map(Math.log) : sorted)
        if (fences.to > fences.from) ofField.set(tag, { isLogarithmic, ...fences })
      }
      ranges.set(field, ofField)
    }
    return ranges
  }
}

/** Looks for numbers that are far from what is usual. */
export class UnusualNumbers {
  readonly #ranges: UsualRanges
  #found: (UnusualNumber & { distance: number })[] = []

  constructor(ranges: UsualRanges) {
    this.#ranges = ranges
  }

  add(id: string, field: string, value: number, tags: Iterable<string>): void {
    const ofField = this.#ranges.get(field)
    if (!ofField) return
    for (const tagId of tags) {
      const range = ofField.get(tagId)
      if (!range) continue
      const { isLogarithmic, from, to, least, most } = range
      const told = isLogarithmic ? Math.log(value) : value
      if (told >= least && told <= most) continue
      const beyond = (told < from ? from - told : told - to) / (to - from)
      const distance = Number.isFinite(beyond) ? beyond : Number.MAX_VALUE
      const usual: [number, number] = isLogarithmic ? [Math.exp(from), Math.exp(to)] : [from, to]
      this.#found.push({ id, tagId, field, value, usual, distance })
    }
    if (this.#found.length > 10 * MOST_UNUSUAL) this.#keepFirst()
  }

  #keepFirst(): void {
    this.#found.sort((a, b) => b.distance - a.distance || (a.id < b.id ? -1 : 1))
    this.#found = this.#found.slice(0, MOST_UNUSUAL)
  }

  get result(): UnusualNumber[] {
    this.#keepFirst()
    return this.#found.map(({ distance: _, ...found }) => found)
  }
}
