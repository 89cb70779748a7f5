/** Each bucket ends 4 % above the previous one, so that its middle is within 2 % of every value in it. */
const GROWTH = Math.log(1.04)
/** A microsecond, and 11 days. */
const [LEAST, MOST] = [-176, 530]

/** How long calls took: a histogram of buckets that grow (Masson et al., "DDSketch", VLDB 2019). */
export class Latencies {
  readonly #counts = new Map<number, number>()
  #total = 0

  static of(stored: readonly (readonly [bucket: number, count: number])[]): Latencies {
    const latencies = new Latencies()
    for (const [bucket, count] of stored) latencies.#count(bucket, count)
    return latencies
  }

  get stored(): [bucket: number, count: number][] {
    return [...this.#counts]
  }

  /** @param times -1 subtracts it */
  add(milliseconds: number, times = 1): void {
    const bucket = milliseconds > 0 ? Math.ceil(Math.log(milliseconds) / GROWTH) : LEAST
    this.#count(Math.min(Math.max(bucket, LEAST), MOST), times)
  }

  merge(other: Latencies): void {
    for (const [bucket, count] of other.#counts) this.#count(bucket, count)
  }

  /** The quantile of the durations at this share, in milliseconds; null if nothing was counted. */
  quantile(share: number): number | null {
    let left = Math.max(1, Math.ceil(share * this.#total))
    for (const bucket of [...this.#counts.keys()].sort((a, b) => a - b)) {
      left -= this.#counts.get(bucket)!
      if (left <= 0) return Math.exp((bucket - 0.5) * GROWTH)
    }
    return null
  }

  #count(bucket: number, times: number): void {
    const count = (this.#counts.get(bucket) ?? 0) + times
    if (count > 0) this.#counts.set(bucket, count)
    else this.#counts.delete(bucket)
    this.#total += times
  }
}
