import type { MarkedSet } from './marked-set.ts'
import { FNV_BASIS, FNV_PRIME, mixed, type TermTable } from './term-table.ts'

const PREFIX = 6
const MAX_EDITS = 2

/** Of five letters up to two deletions leave 1 + 5 + 10 strings, of six letters exactly two leave 15. */
export const MAX_DELETE_HASHES = 16

/**
 * Consecutive terms by what deletions leave of their beginnings (symmetric deletes; Garbe's SymSpell, 2012): words
 * within one or two edits of each other have such a remainder in common. It is built in slices. An entry takes three
 * bytes: the place of its term and, in the spare bits, three of the term's length and some of the hash, so that most
 * entries that share a bucket by chance, or are too long or too short, are skipped without reading the term.
 */
export class DeletesTable {
  readonly #terms: TermTable
  readonly #hashes = new Uint32Array(MAX_DELETE_HASHES)
  /** One more than there are buckets, whose number is a power of two. */
  readonly #offsets: Uint32Array
  readonly #buckets: number
  /** The low 16 bits of places. */
  #lows = new Uint16Array(0)
  /** From the lowest bit on: the rest of the place, bits of the hash up to the fifth, three bits of the length. */
  #highs = new Uint8Array(0)
  readonly #highPlaces: number
  readonly #hashBits: number
  #counted = 0
  #filled = 0

  /** For `size` terms from `first` on, at most 524,288. */
  constructor(
    terms: TermTable,
    readonly first: number,
    readonly size: number,
  ) {
    this.#terms = terms
    const places = 2 ** Math.ceil(Math.log2(size))
    this.#offsets = new Uint32Array(2 * places + 1)
    this.#buckets = 2 * places - 1
    this.#highPlaces = (places - 1) >>> 16
    this.#hashBits = 0x1f & ~this.#highPlaces
  }

  get bytes(): number {
    return this.#offsets.byteLength + this.#lows.byteLength + this.#highs.byteLength
  }

  /** Processes `terms` more terms; true when the table is complete, which takes two rounds. */
  build(terms: number): boolean {
    if (this.#counted < this.size) this.#count(Math.min(this.size, this.#counted + terms))
    else this.#fill(Math.min(this.size, this.#filled + terms))
    return this.#filled === this.size
  }

  /**
   * Adds the places, counted from `first`, of all terms that have one of the hashes and are at most `most` letters longer or
   * shorter than `length`, and of a few others.
   */
  gather(hashes: Uint32Array, count: number, length: number, most: number, found: MarkedSet): void {
    const [offsets, lows, highs] = [this.#offsets, this.#lows, this.#highs]
    const [buckets, hashBits, highPlaces] = [this.#buckets, this.#hashBits, this.#highPlaces]
    const shortest = length - most
    for (let h = 0; h < count; h++) {
      const hash = hashes[h]!
      const bits = (hash >>> 24) & hashBits
      const bucket = hash & buckets
      const end = offsets[bucket + 1]!
      for (let at = offsets[bucket]!; at < end; at++) {
        const high = highs[at]!
        if ((high & hashBits) !== bits || (((high >>> 5) - shortest) & 7) > 2 * most) continue
        found.add(((high & highPlaces) << 16) | lows[at]!)
      }
    }
  }

  #count(end: number): void {
    const offsets = this.#offsets
    for (let place = this.#counted; place < end; place++) {
      const count = this.#hash(place)
      for (let h = 0; h < count; h++) offsets[this.#hashes[h]! & this.#buckets]!++
    }
    this.#counted = end
    if (end === this.size) this.#layOut()
  }

  /** Makes each offset the end of its bucket; filling from the back leaves it at the start. */
  #layOut(): void {
    const offsets = this.#offsets
    let sum = 0
    for (let bucket = 0; bucket < offsets.length; bucket++) {
      sum += offsets[bucket]!
      offsets[bucket] = sum
    }
    this.#lows = new Uint16Array(sum)
    this.#highs = new Uint8Array(sum)
  }

  #fill(end: number): void {
    const offsets = this.#offsets
    for (let place = this.#filled; place < end; place++) {
      const count = this.#hash(place)
      const known = (this.#terms.length(this.first + place) << 5) | (place >>> 16)
      for (let h = 0; h < count; h++) {
        const hash = this.#hashes[h]!
        const at = --offsets[hash & this.#buckets]!
        this.#lows[at] = place
        this.#highs[at] = known | ((hash >>> 24) & this.#hashBits)
      }
    }
    this.#filled = end
  }

  #hash(place: number): number {
    const { units, starts } = this.#terms
    const term = this.first + place
    return deleteHashes(units, starts[term]!, starts[term + 1]!, MAX_EDITS, this.#hashes)
  }
}

/**
 * Computes the hashes of `units[start..end)` with none, one and, if `most` is 2, two of its letters deleted; returns their
 * number. For a long word only the beginning counts, and only with exactly two deletions: if two such
 * beginnings agree after fewer deletions, they also agree after deleting more of what they share.
 */
export function deleteHashes(
  units: Uint16Array,
  start: number,
  end: number,
  most: number,
  into: Uint32Array,
): number {
  const isLong = end - start >= PREFIX
  const stop = isLong ? start + PREFIX : end
  let count = 0
  // Hash of all letters before `i`, then of all before `j` without `i`.
  let before = FNV_BASIS
  for (let i = start; i < stop; i++) {
    // Deleting either of two equal neighbours leaves the same.
    if (i === start || units[i] !== units[i - 1]) {
      if (!isLong) into[count++] = finished(before, units, i + 1, stop)
      let without = before
      for (let j = i + 1; j < stop && (isLong || most > 1); j++) {
        if (j === i + 1 || units[j] !== units[j - 1]) into[count++] = finished(without, units, j + 1, stop)
        without = Math.imul(without ^ units[j]!, FNV_PRIME)
      }
    }
    before = Math.imul(before ^ units[i]!, FNV_PRIME)
  }
  if (!isLong) into[count++] = mixed(before)
  return count
}

function finished(hash: number, units: Uint16Array, from: number, stop: number): number {
  for (let i = from; i < stop; i++) hash = Math.imul(hash ^ units[i]!, FNV_PRIME)
  return mixed(hash)
}
