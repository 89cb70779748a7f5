import { isWithin } from './edit-distance.ts'
import { ones } from './segment.ts'
import { mixed, type TermTable } from './term-table.ts'

const BLOCK_TERMS = 8192
const MAX_EDITS = 2
const PREFIX = 7

/**
 * Finds the terms within one or two edits of a word. Terms come in blocks of consecutive ids. A full block gets a
 * table of symmetric deletes (Garbe's SymSpell, 2012: two words within n edits agree after deleting at most n
 * letters from each; beginnings of 7 letters suffice), the newest is read through by letter masks. Each lookup
 * builds one missing table at most, so that no lookup, write or start waits for all of them.
 */
export class TypoIndex {
  readonly #terms: TermTable
  #masks = new Uint32Array(BLOCK_TERMS)
  #masked = 0
  readonly #tables: DeletesTable[] = []

  constructor(terms: TermTable) {
    this.#terms = terms
  }

  /** Ids of all terms within `most` edits (1 or 2) of the word, in no order. */
  near(word: string, most: number): number[] {
    this.#maskNewTerms()
    this.#buildOneTable()
    const found = new Set<number>()
    const accept = this.#acceptor(word, most, found)
    const variants = deleteHashes(codesOf(word), Math.min(word.length, PREFIX), most)
    for (const [block, table] of this.#tables.entries()) {
      table.visit(variants, block * BLOCK_TERMS, accept)
    }
    for (let id = this.#tables.length * BLOCK_TERMS; id < this.#terms.size; id++) accept(id)
    return [...found]
  }

  #acceptor(word: string, most: number, found: Set<number>): (id: number) => void {
    const mask = letterMask(codesOf(word), 0, word.length)
    const { starts } = this.#terms
    return id => {
      // An edit adds or takes at most one letter each way: other terms need no closer look.
      if (ones(this.#masks[id]! ^ mask) > 2 * most) return
      const longer = starts[id + 1]! - starts[id]! - word.length
      if (longer > most || -longer > most || found.has(id)) return
      if (isWithin(word, this.#terms.term(id), most)) found.add(id)
    }
  }

  #maskNewTerms(): void {
    const { size, units, starts } = this.#terms
    if (size > this.#masks.length) {
      const larger = new Uint32Array(Math.ceil((size * 1.5) / BLOCK_TERMS) * BLOCK_TERMS)
      larger.set(this.#masks)
      this.#masks = larger
    }
    for (; this.#masked < size; this.#masked++) {
      this.#masks[this.#masked] = letterMask(units, starts[this.#masked]!, starts[this.#masked + 1]!)
    }
  }

  #buildOneTable(): void {
    const first = this.#tables.length * BLOCK_TERMS
    if (first + BLOCK_TERMS <= this.#terms.size) this.#tables.push(new DeletesTable(this.#terms, first))
  }
}

function letterMask(units: ArrayLike<number>, from: number, to: number): number {
  let mask = 0
  for (let i = from; i < to; i++) {
    const unit = units[i]!
    mask |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6))
  }
  return mask
}

function codesOf(word: string): number[] {
  return Array.from({ length: word.length }, (_, i) => word.charCodeAt(i))
}

/** Terms of one block by the hash of what deletions leave of their beginning. */
class DeletesTable {
  readonly #mask: number
  readonly #offsets: Uint32Array
  readonly #locals: Uint16Array

  constructor(terms: TermTable, first: number) {
    const hashes: number[] = []
    const ends = new Uint32Array(BLOCK_TERMS)
    for (let local = 0; local < BLOCK_TERMS; local++) {
      const start = terms.starts[first + local]!
      const length = Math.min(terms.starts[first + local + 1]! - start, PREFIX)
      hashes.push(...deleteHashes(terms.units.subarray(start, start + length), length, MAX_EDITS))
      ends[local] = hashes.length
    }
    const buckets = 2 ** Math.ceil(Math.log2(hashes.length / 2))
    this.#mask = buckets - 1
    this.#offsets = new Uint32Array(buckets + 1)
    this.#locals = new Uint16Array(hashes.length)
    this.#fill(hashes, ends)
  }

  /** Visits ids, which start at `first`, of terms under these hashes and of a few others, some repeatedly. */
  visit(hashes: readonly number[], first: number, visit: (id: number) => void): void {
    for (const hash of hashes) {
      const bucket = hash & this.#mask
      const end = this.#offsets[bucket + 1]!
      for (let i = this.#offsets[bucket]!; i < end; i++) visit(first + this.#locals[i]!)
    }
  }

  /** Counting sort by bucket; filling from the back leaves each offset at the start of its bucket. */
  #fill(hashes: readonly number[], ends: Uint32Array): void {
    for (const hash of hashes) this.#offsets[hash & this.#mask]!++
    let sum = 0
    for (let bucket = 0; bucket < this.#offsets.length; bucket++) {
      sum += this.#offsets[bucket]!
      this.#offsets[bucket] = sum
    }
    for (let local = 0, i = 0; local < BLOCK_TERMS; local++) {
      for (; i < ends[local]!; i++) {
        const bucket = hashes[i]! & this.#mask
        this.#offsets[bucket]!--
        this.#locals[this.#offsets[bucket]!] = local
      }
    }
  }
}

/** Hashes of what is left of `units[0..length)` after deleting none, one and, for `most` 2, two of them. */
function deleteHashes(units: ArrayLike<number>, length: number, most: number): number[] {
  const hashes = [hashWithout(units, length, -1, -1)]
  for (let i = 0; i < length; i++) {
    // Deleting either of two equal neighbours leaves the same.
    if (i > 0 && units[i] === units[i - 1]) continue
    hashes.push(hashWithout(units, length, i, -1))
    if (most < 2) continue
    for (let j = i + 1; j < length; j++) {
      if (j > i + 1 && units[j] === units[j - 1]) continue
      hashes.push(hashWithout(units, length, i, j))
    }
  }
  return hashes
}

function hashWithout(units: ArrayLike<number>, length: number, i: number, j: number): number {
  let hash = 0x811c9dc5
  for (let k = 0; k < length; k++) if (k !== i && k !== j) hash = Math.imul(hash ^ units[k]!, 0x01000193)
  return mixed(hash)
}
