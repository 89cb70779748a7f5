import { grown } from './grow.ts'

/** Those of FNV-1a (Fowler, Noll and Vo). */
export const FNV_BASIS = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** Distinct terms, numbered from 0 in order of arrival: an open-addressing table over one array of UTF-16. */
export class TermTable {
  size = 0
  /** The units of all terms; those of term `t` are `units[starts[t]..starts[t + 1])`. */
  units = new Uint16Array(1 << 12)
  starts = new Uint32Array(1 << 10)
  /** Pairs of a term's id + 1, or 0, and its hash: side by side, since each way to memory counts. */
  #slots = new Uint32Array(1 << 12)
  /** The term that is being looked up. */
  #sought = new Uint16Array(1 << 7)

  /** The id of the term, which is `size - 1` when it was new. */
  intern(chars: ArrayLike<number>, length: number): number {
    const hash = hashUnits(chars, length)
    const slot = this.#slotOf(chars, length, hash)
    const known = this.#slots[slot]!
    return known === 0 ? this.#append(chars, length, hash, slot) : known - 1
  }

  /** Makes room for so many terms to come, of so many units together, so that nothing has to be moved for them. */
  reserve(terms: number, units: number): void {
    const size = this.size + terms
    this.units = grown(this.units, this.starts[this.size]! + units)
    this.starts = grown(this.starts, size + 1)
    if (size * 4 > this.#slots.length) this.#rehash(2 ** Math.ceil(Math.log2(size * 4)))
  }

  /**
   * Appends terms for which there is room: of these lengths, one behind the other from `chars[from]` on. Returns where
   * the last one ends, -1 when one is not new: then the table is of no more use.
   */
  restore(chars: Uint16Array, from: number, lengths: Uint16Array): number {
    const { units, starts } = this
    // A loop over fields of the instance would take twice the time.
    const slots = this.#slots
    const mask = slots.length - 2
    let id = this.size
    let to = starts[id]!
    let at = from
    for (let i = 0; i < lengths.length; i++, id++) {
      const start = at
      let hash = FNV_BASIS
      for (const end = start + lengths[i]!; at < end; at++, to++) {
        const unit = chars[at]!
        units[to] = unit
        hash = Math.imul(hash ^ unit, FNV_PRIME)
      }
      hash = mixed(hash)
      let slot = (hash << 1) & mask
      for (let other = slots[slot]!; other !== 0; other = slots[slot]!) {
        if (slots[slot + 1] === hash && this.#equals(other - 1, chars.subarray(start, at), at - start))
          return -1
        slot = (slot + 2) & mask
      }
      starts[id + 1] = to
      slots[slot] = id + 1
      slots[slot + 1] = hash
    }
    this.size = id
    return at
  }

  /** The id of the term, or -1. */
  find(term: string): number {
    this.#sought = grown(this.#sought, term.length)
    for (let i = 0; i < term.length; i++) this.#sought[i] = term.charCodeAt(i)
    return this.lookup(this.#sought, term.length)
  }

  /** The same for its units. */
  lookup(chars: ArrayLike<number>, length: number): number {
    return this.#slots[this.#slotOf(chars, length, hashUnits(chars, length))]! - 1
  }

  get bytes(): number {
    const arrays = [this.units, this.starts, this.#slots]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  term(id: number): string {
    return textOf(this.units, this.starts[id]!, this.starts[id + 1]!)
  }

  length(id: number): number {
    return this.starts[id + 1]! - this.starts[id]!
  }

  #slotOf(chars: ArrayLike<number>, length: number, hash: number): number {
    const mask = this.#slots.length - 2
    let slot = (hash << 1) & mask
    for (let id = this.#slots[slot]!; id !== 0; id = this.#slots[slot]!) {
      if (this.#slots[slot + 1] === hash && this.#equals(id - 1, chars, length)) return slot
      slot = (slot + 2) & mask
    }
    return slot
  }

  #equals(id: number, chars: ArrayLike<number>, length: number): boolean {
    const start = this.starts[id]!
    if (this.starts[id + 1]! - start !== length) return false
    for (let i = 0; i < length; i++) if (this.units[start + i] !== chars[i]) return false
    return true
  }

  #append(chars: ArrayLike<number>, length: number, hash: number, slot: number): number {
    const id = this.size++
    const start = this.starts[id]!
    this.units = grown(this.units, start + length)
    this.starts = grown(this.starts, id + 2)
    for (let i = 0; i < length; i++) this.units[start + i] = chars[i]!
    this.starts[id + 1] = start + length
    this.#slots[slot] = id + 1
    this.#slots[slot + 1] = hash
    if (this.size * 4 > this.#slots.length) this.#rehash(this.#slots.length * 2)
    return id
  }

  #rehash(length: number): void {
    const [from, to] = [this.#slots, new Uint32Array(length)]
    const mask = length - 2
    for (let place = 0; place < from.length; place += 2) {
      if (from[place] === 0) continue
      let slot = (from[place + 1]! << 1) & mask
      while (to[slot] !== 0) slot = (slot + 2) & mask
      to[slot] = from[place]!
      to[slot + 1] = from[place + 1]!
    }
    this.#slots = to
  }
}

/** FNV-1a over UTF-16 units with a final mix, so that the low bits depend on all units. */
export function hashUnits(chars: ArrayLike<number>, length: number): number {
  let hash = FNV_BASIS
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ chars[i]!, FNV_PRIME)
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
  // By fours: what takes time is the strings made on the way.
  for (; at + 4 <= to; at += 4)
    text += String.fromCharCode(units[at]!, units[at + 1]!, units[at + 2]!, units[at + 3]!)
  for (; at < to; at++) text += String.fromCharCode(units[at]!)
  return text
}
