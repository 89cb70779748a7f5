import { HASHES, hashOf } from './hash.ts'

/** Up to so many values are counted exactly. */
const COUNTED_EXACTLY = 4_096

/** The stored form: the hashes as base64, and the limit above which no hash is kept. */
export type StoredCount = readonly [hashes: string, limit: number]

/**
 * Counts distinct values: exactly, by their hashes, while they are few; beyond that, estimated from the density of the smallest
 * hashes (Bar-Yossef et al., "Counting distinct elements in a data stream", RANDOM 2002), with a standard error of 1.6 % if
 * 4,096 hashes are kept, and 3.1 % if 1,024 are.
 */
export class DistinctCount {
  readonly #most: number
  #hashes = new Set<number>()
  /** No greater hash is kept. */
  #limit = HASHES

  /** @param most values that are counted exactly */
  constructor(most = COUNTED_EXACTLY) {
    this.#most = most
  }

  /** Reads what `stored` returned. */
  static of(most: number, [hashes, limit]: StoredCount): DistinctCount {
    const count = new DistinctCount(most)
    const bytes = Buffer.from(hashes, 'base64')
    for (let at = 0; at + 8 <= bytes.length; at += 8) count.#hashes.add(bytes.readDoubleLE(at))
    count.#limit = limit
    return count
  }

  add(value: string): void {
    this.addHash(hashOf(value))
  }

  /** @param hash a whole number below `HASHES`, evenly spread */
  addHash(hash: number): void {
    if (hash > this.#limit) return
    this.#hashes.add(hash)
    if (this.#hashes.size > 2 * this.#most) this.#keepLeast()
  }

  /** As if the value had not been there. */
  removeHash(hash: number): boolean {
    return this.#hashes.delete(hash)
  }

  /** Adds what another instance has counted; the result is the same as if one had counted everything. */
  merge(other: DistinctCount): void {
    if (other.#limit < this.#limit) {
      this.#limit = other.#limit
      for (const hash of this.#hashes) if (hash > this.#limit) this.#hashes.delete(hash)
    }
    for (const hash of other.#hashes) this.addHash(hash)
  }

  #keepLeast(): void {
    const least = Float64Array.from(this.#hashes).sort().subarray(0, this.#most)
    this.#hashes = new Set(least)
    this.#limit = least.at(-1)!
  }

  get stored(): StoredCount {
    if (this.#hashes.size > this.#most) this.#keepLeast()
    const bytes = Buffer.alloc(this.#hashes.size * 8)
    let at = 0
    for (const hash of this.#hashes) at = bytes.writeDoubleLE(hash, at)
    return [bytes.toString('base64'), this.#limit]
  }

  get result(): { count: number; exact: boolean } {
    if (this.#hashes.size > this.#most) this.#keepLeast()
    const { size } = this.#hashes
    if (this.#limit === HASHES) return { count: size, exact: true }
    return { count: Math.round((size - 1) / (this.#limit / HASHES)), exact: false }
  }
}
