import { grown } from '../../arrays/grow.ts'

/** Up to this many numbers, all are kept. */
const KEPT_NUMBERS = 4_096

/** A uniform sample of numbers (Vitter, "Random sampling with a reservoir", 1985, algorithm R); reproducible. */
export class NumberSample {
  readonly #most: number
  #values = new Float64Array(16)
  #count = 0
  #random = 0x9e3779b9

  constructor(most = KEPT_NUMBERS) {
    this.#most = most
  }

  add(value: number): void {
    const place = this.#count < this.#most ? this.#count : this.#below(this.#count + 1)
    this.#count++
    if (place >= this.#most) return
    this.#values = grown(this.#values, place + 1)
    this.#values[place] = value
  }

  /** Ascending. */
  sorted(): Float64Array {
    return this.#values.slice(0, Math.min(this.#count, this.#most)).sort()
  }

  get count(): number {
    return this.#count
  }

  /** A random integer from 0 up to, but not including, `end` (xorshift; Marsaglia, 2003). */
  #below(end: number): number {
    let random = this.#random
    random ^= random << 13
    random ^= random >>> 17
    random ^= random << 5
    this.#random = random
    return Math.floor(((random >>> 0) / 2 ** 32) * end)
  }
}

/** The value below which this share of sorted values lies, interpolated between two of them. */
export function quantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN
  const at = share * (sorted.length - 1)
  const low = Math.floor(at)
  const below = sorted[low]!
  const above = sorted[Math.min(low + 1, sorted.length - 1)]!
  const between = at - low
  // Rounding may lead beyond the two.
  return Math.min(Math.max(below * (1 - between) + above * between, below), above)
}

/** The bounds of the middle half of values, and those beyond which a value is far from it. */
export function fencesOf(sorted: Float64Array): { from: number; to: number; least: number; most: number } {
  const [from, to] = [quantile(sorted, 0.25), quantile(sorted, 0.75)]
  const width = to - from
  return { from, to, least: from - 3 * width, most: to + 3 * width }
}
