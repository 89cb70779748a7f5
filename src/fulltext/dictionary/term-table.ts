import { grown } from '../../arrays/grow.ts'
import type { TermReader } from './term-reader.ts'

/** The constants of FNV-1a (Fowler, Noll and Vo). */
export const FNV_BASIS = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** Terms of at most this many units, all below 256, are their own keys. */
const SHORT = 15

/** Stands in the uppermost byte of a key, instead of a short term's length, if the key is a hash. */
const LONG = 255

/** By length of a short term and pair of units: a mask of the units that belong to it. */
const pairMasks = Int32Array.from({ length: 8 * (SHORT + 1) }, (_, i) => {
  const [length, before] = [i >> 3, 2 * (i & 7)]
  if (length <= before) return 0
  return length === before + 1 ? 0xffff : -1
})

/**
 * Distinct terms, numbered from 0 in order of arrival, in one array of UTF-16 units with an open-addressing table. Its cost
 * is memory access, so slots are small, and short terms are compared without reading their units.
 */
export class TermTable {
  size = 0
  /** Told what is read of these terms, while an answer is recorded. */
  reader: TermReader | undefined
  /** The units of all terms; those of term `t` are `units[starts[t]..starts[t + 1])`. */
  units = new Uint16Array(1 << 12)
  starts = new Uint32Array(1 << 10)
  /** By term: its key of four numbers: the units and length of a short term, or a hash that others may share. */
  #keys = new Int32Array(1 << 12)
  /** The low bits, enough to number all slots, hold the term's id + 1, or 0; the others hold bits of its hash. */
  #slots = new Int32Array(1 << 11)
  /** The term that is being looked up, and its key. */
  #sought = new Uint16Array(1 << 7)
  readonly #key = new Int32Array(4)
  readonly #seed: number

  /** `seed` only affects how long lookups of terms take that were chosen to collide. */
  constructor(seed = Math.trunc(Math.random() * 2 ** 32)) {
    this.#seed = seed | 0
  }

  /** The id of the term; `size - 1` if it is new. */
  intern(chars: ArrayLike<number>, length: number): number {
    const known = this.lookup(chars, length)
    return known >= 0 ? known : this.add(chars, length)
  }

  /** The id of a term that is not in the table yet. */
  add(chars: ArrayLike<number>, length: number): number {
    this.reserve(1, length)
    this.#seek(chars, 0, length)
    return this.#append(chars, 0, length, this.#slotOf(chars, 0, length))
  }

  /** Makes room for this many new terms with this many units in all, so that adding them moves nothing. */
  reserve(terms: number, units: number): void {
    const size = this.size + terms
    this.units = grown(this.units, this.starts[this.size]! + units)
    this.starts = grown(this.starts, size + 1)
    this.#keys = grown(this.#keys, 4 * size)
    if (size * 2 > this.#slots.length) this.#rehash(2 ** Math.ceil(Math.log2(size * 2)))
  }

  /**
   * Appends terms of these lengths, consecutive from `chars[from]` on, for which room was made. Returns where the last one
   * ends, or -1 if one is not new: then the table is unusable.
   */
  restore(chars: Uint16Array, from: number, lengths: Uint16Array): number {
    let at = from
    for (let i = 0; i < lengths.length; i++) {
      const length = lengths[i]!
      this.#seek(chars, at, length)
      const slot = this.#slotOf(chars, at, length)
      if (this.#idAt(slot) >= 0) return -1
      this.#append(chars, at, length, slot)
      at += length
    }
    return at
  }

  /** The id of the term, or -1. */
  find(term: string): number {
    this.#sought = grown(this.#sought, term.length)
    for (let i = 0; i < term.length; i++) this.#sought[i] = term.charCodeAt(i)
    const id = this.lookup(this.#sought, term.length)
    if (id < 0) this.reader?.missed(hashUnits(this.#sought, 0, term.length, 0))
    return id
  }

  /** Does something of which the reader, if there is one, is told as a whole. */
  silently<T>(work: () => T): T {
    const { reader } = this
    if (!reader) return work()
    this.reader = undefined
    try {
      return work()
    } finally {
      this.reader = reader
    }
  }

  /** The same for UTF-16 units. */
  lookup(chars: ArrayLike<number>, length: number): number {
    this.#seek(chars, 0, length)
    return this.#idAt(this.#slotOf(chars, 0, length))
  }

  get bytes(): number {
    const arrays = [this.units, this.starts, this.#keys, this.#slots]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  term(id: number): string {
    return textOf(this.units, this.starts[id]!, this.starts[id + 1]!)
  }

  length(id: number): number {
    return this.starts[id + 1]! - this.starts[id]!
  }

  /** A hash of the units, which others may share. */
  textHash(id: number): number {
    return hashUnits(this.units, this.starts[id]!, this.length(id), 0)
  }

  /** Whether the term has these units from a place on, which may be before its beginning or behind its end. */
  hasAt(id: number, place: number, units: Uint16Array): boolean {
    if (place < 0 || place + units.length > this.length(id)) return false
    const from = this.starts[id]! + place
    for (let i = 0; i < units.length; i++) if (this.units[from + i] !== units[i]) return false
    return true
  }

  /** Computes the key of `chars[from..from + length)`; without a loop, since the length of a word is unpredictable. */
  #seek(chars: ArrayLike<number>, from: number, length: number): void {
    const key = this.#key
    if (length <= SHORT) {
      const masks = length << 3
      const a = (chars[from]! | (chars[from + 1]! << 16)) & pairMasks[masks]!
      const b = (chars[from + 2]! | (chars[from + 3]! << 16)) & pairMasks[masks + 1]!
      const c = (chars[from + 4]! | (chars[from + 5]! << 16)) & pairMasks[masks + 2]!
      const d = (chars[from + 6]! | (chars[from + 7]! << 16)) & pairMasks[masks + 3]!
      let e = 0
      let f = 0
      let g = 0
      let h = 0
      if (length > 8) {
        e = (chars[from + 8]! | (chars[from + 9]! << 16)) & pairMasks[masks + 4]!
        f = (chars[from + 10]! | (chars[from + 11]! << 16)) & pairMasks[masks + 5]!
        g = (chars[from + 12]! | (chars[from + 13]! << 16)) & pairMasks[masks + 6]!
        h = chars[from + 14]! & pairMasks[masks + 7]!
      }
      if (((a | b | c | d | e | f | g | h) & 0xff00ff00) === 0) {
        key[0] = a | (b << 8)
        key[1] = c | (d << 8)
        key[2] = e | (f << 8)
        key[3] = g | (h << 8) | (length << 24)
        return
      }
    }
    key[0] = hashUnits(chars, from, length, this.#seed)
    key[1] = length
    key[2] = 0
    key[3] = LONG << 24
  }

  /** The slot of the term whose key was computed, or the empty one where it would go. */
  #slotOf(chars: ArrayLike<number>, from: number, length: number): number {
    const slots = this.#slots
    const keys = this.#keys
    const key = this.#key
    const a = key[0]!
    const b = key[1]!
    const c = key[2]!
    const d = key[3]!
    const mask = slots.length - 1
    const hash = hashOf(this.#seed, a, b, c, d)
    const isShort = d >>> 24 !== LONG
    let slot = hash & mask
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      if (((entry ^ hash) & ~mask) === 0) {
        const id = (entry & mask) - 1
        const at = 4 * id
        const isSame = keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d
        if (isSame && (isShort || this.#equals(id, chars, from, length))) return slot
      }
      slot = (slot + 1) & mask
    }
    return slot
  }

  #idAt(slot: number): number {
    return (this.#slots[slot]! & (this.#slots.length - 1)) - 1
  }

  #equals(id: number, chars: ArrayLike<number>, from: number, length: number): boolean {
    const start = this.starts[id]!
    if (this.starts[id + 1]! - start !== length) return false
    for (let i = 0; i < length; i++) if (this.units[start + i] !== chars[from + i]) return false
    return true
  }

  #append(chars: ArrayLike<number>, from: number, length: number, slot: number): number {
    const id = this.size++
    const { units } = this
    const start = this.starts[id]!
    for (let i = 0; i < length; i++) units[start + i] = chars[from + i]!
    this.starts[id + 1] = start + length
    for (let i = 0; i < 4; i++) this.#keys[4 * id + i] = this.#key[i]!
    this.#slots[slot] = (this.#hashOf(id) & -this.#slots.length) | (id + 1)
    return id
  }

  #hashOf(id: number): number {
    const keys = this.#keys
    return hashOf(this.#seed, keys[4 * id]!, keys[4 * id + 1]!, keys[4 * id + 2]!, keys[4 * id + 3]!)
  }

  #rehash(length: number): void {
    const slots = new Int32Array(length)
    const mask = length - 1
    for (let id = 0; id < this.size; id++) {
      const hash = this.#hashOf(id)
      let slot = hash & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = (hash & ~mask) | (id + 1)
    }
    this.#slots = slots
  }
}

/**
 * Hash of a key with the table's seed. Each step mixes before the next, so that without the seed nobody can tell which terms
 * collide. The factors are odd numbers without a pattern: primes of xxHash (Y. Collet).
 */
function hashOf(seed: number, a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(seed ^ a, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15) ^ b, 0x85ebca77)
  hash = Math.imul(hash ^ (hash >>> 13) ^ c, 0xc2b2ae3d)
  hash = Math.imul(hash ^ (hash >>> 16) ^ d, 0x27d4eb2f)
  return mixed(hash)
}

/** FNV-1a over UTF-16 units, started with a seed and finally mixed, so that the low bits depend on all units. */
export function hashUnits(chars: ArrayLike<number>, from: number, length: number, seed: number): number {
  let hash = FNV_BASIS ^ seed
  for (let i = from; i < from + length; i++) hash = Math.imul(hash ^ chars[i]!, FNV_PRIME)
  return mixed(hash)
}

/** Spreads the entropy of a 32-bit hash into its low bits. */
export function mixed(hash: number): number {
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  return (hash ^ (hash >>> 12)) >>> 0
}

export function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return units
}

/** The text of `units[from..to)`; lone surrogates survive. */
export function textOf(units: Uint16Array, from: number, to: number): string {
  let text = ''
  let at = from
  // By fours: the cost is in the intermediate strings.
  for (; at + 4 <= to; at += 4)
    text += String.fromCharCode(units[at]!, units[at + 1]!, units[at + 2]!, units[at + 3]!)
  for (; at < to; at++) text += String.fromCharCode(units[at]!)
  return text
}
