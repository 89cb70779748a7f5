import { grown } from '../arrays/grow.ts'
import { BORDER } from './word-corpus.ts'

/** Instead of an id: what stands here occurs nowhere else. */
export const ONCE = 0xffffffff

/** The n-gram of words that begins at each position of a corpus. */
export interface NGrams {
  /** How many words. */
  readonly size: number
  /** By place an id from 1 on, 0 where too few words follow in the text, or `ONCE`. */
  readonly ids: Uint32Array<ArrayBuffer>
  /** By id, how often it occurs. */
  readonly counts: Uint32Array<ArrayBuffer>
}

/** Single words. */
export function singleWords(tokens: Uint32Array, words: number): NGrams {
  const ids = new Uint32Array(tokens)
  const counts = new Uint32Array(words + 1)
  for (const id of ids) counts[id]!++
  return numbered({ size: 1, ids, counts })
}

/**
 * One word more. What begins with something that occurs once occurs once, too, and needs no look: so the table holds only
 * what might come again, which is little where there are many words.
 */
export function oneWordMore(tokens: Uint32Array, { size, ids }: NGrams): NGrams {
  const table = new PairTable()
  for (let at = 0; at < ids.length; at++) {
    const before = ids[at]!
    if (before === 0) continue
    const next = tokens[at + size]!
    if (next === BORDER) ids[at] = 0
    else if (before !== ONCE) ids[at] = table.count(before, next)
  }
  return numbered({ size: size + 1, ids, counts: table.counts.slice(0, table.size + 1) })
}

function numbered(neighbours: NGrams): NGrams {
  const { ids, counts } = neighbours
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at]!
    if (id !== 0 && id !== ONCE && counts[id] === 1) ids[at] = ONCE
  }
  return neighbours
}

/** Pairs of numbers, numbered from 1 in order of arrival, and how often each came: open addressing. */
class PairTable {
  size = 0
  /** By id. */
  counts = new Uint32Array(1 << 10)
  #pairs = new Uint32Array(1 << 11)
  #slots = new Uint32Array(1 << 11)
  /** Of no consequence but for the time that pairs take which somebody made to meet in the table. */
  readonly #seed = Math.trunc(Math.random() * 2 ** 32)

  /** @returns the id */
  count(a: number, b: number): number {
    const mask = this.#slots.length - 1
    let slot = this.#hash(a, b) & mask
    for (let id = this.#slots[slot]!; id !== 0; id = this.#slots[slot]!) {
      if (this.#pairs[2 * id] === a && this.#pairs[2 * id + 1] === b) {
        this.counts[id]!++
        return id
      }
      slot = (slot + 1) & mask
    }
    const id = ++this.size
    this.counts = grown(this.counts, id + 1)
    this.#pairs = grown(this.#pairs, 2 * (id + 1))
    this.counts[id] = 1
    this.#pairs[2 * id] = a
    this.#pairs[2 * id + 1] = b
    this.#slots[slot] = id
    if (id * 1.5 > mask) this.#grow()
    return id
  }

  /** Each step mixes before the next; the factors are primes of xxHash (Y. Collet). */
  #hash(a: number, b: number): number {
    let hash = Math.imul(this.#seed ^ a, 0x85ebca77)
    hash = Math.imul(hash ^ (hash >>> 15) ^ b, 0xc2b2ae3d)
    return hash ^ (hash >>> 14)
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length)
    const mask = this.#slots.length - 1
    for (let id = 1; id <= this.size; id++) {
      let slot = this.#hash(this.#pairs[2 * id]!, this.#pairs[2 * id + 1]!) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id
    }
  }
}
