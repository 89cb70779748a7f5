import { grown } from '../../arrays/grow.ts'
import { ones } from '../../arrays/set-bits.ts'
import { DeletesTable, deleteHashes, MAX_DELETE_HASHES } from './deletes-table.ts'
import { areUnitsWithin } from './edit-distance.ts'
import { MarkedSet } from './marked-set.ts'
import { type TermTable, unitsOf } from './term-table.ts'

/** Number of terms in the largest and the smallest table: two tables of one size are merged into the next. */
const LARGEST_TABLE = 524_288
const LEAST_TABLE = 512

/** Number of terms processed per lookup for the next table, which takes a few milliseconds. */
const SLICE = 8_192

/**
 * Finds the terms within one or two edits of a word. A log-structured merge of tables (O'Neil, 1996) over consecutive
 * ids keeps their number small while terms arrive; terms that are not in a table yet are scanned with letter masks.
 * Each lookup builds a slice, so that no lookup, write or start has to wait for the whole.
 */
export class TypoIndex {
  readonly #terms: TermTable
  #masks = new Uint32Array(0)
  #masked = 0
  /** From the oldest terms on without gaps, larger tables before smaller ones. */
  #tables: DeletesTable[] = []
  #growing: DeletesTable | undefined
  readonly #hashes = new Uint32Array(MAX_DELETE_HASHES)
  #gathered = new MarkedSet(0)

  constructor(terms: TermTable) {
    this.#terms = terms
  }

  get bytes(): number {
    const tables = this.#tables.reduce((sum, { bytes }) => sum + bytes, this.#growing?.bytes ?? 0)
    return tables + this.#masks.byteLength + this.#gathered.bytes
  }

  /**
   * Builds a slice, which takes a few milliseconds; false when nothing is left. Each lookup builds one too: calling this
   * first, after many terms have arrived at once, spares the first lookups the scan.
   */
  build(): boolean {
    this.#mask(Math.min(this.#terms.size, this.#masked + SLICE))
    this.#growing ??= this.#nextTable()
    if (this.#growing === undefined) return this.#masked < this.#terms.size
    if (this.#growing.build(SLICE)) this.#adopt(this.#growing)
    return true
  }

  /** Ids of all terms within `most` edits of the word, in no particular order. */
  near(word: string, most: number): number[]
  /** Visits each of these terms once. */
  near(word: string, most: 1 | 2, visit: (term: number) => void): void
  near(word: string, most: number, visit?: (term: number) => void): number[] {
    const found: number[] = []
    this.#visitNear(word, most, visit ?? (term => found.push(term)))
    return found
  }

  #visitNear(word: string, most: number, visit: (term: number) => void): void {
    this.#mask(this.#terms.size)
    this.build()
    const typed = unitsOf(word)
    this.#terms.reader?.soughtNear(typed, most)
    const mask = letterMask(typed, 0, typed.length)
    const hashes = deleteHashes(typed, 0, typed.length, most, this.#hashes)
    const gathered = this.#gathered
    for (const table of this.#tables) {
      gathered.clear()
      table.gather(this.#hashes, hashes, typed.length, most, gathered)
      for (let i = 0; i < gathered.size; i++) {
        const term = table.first + gathered.members[i]!
        if (this.#isNear(term, typed, mask, most)) visit(term)
      }
    }
    const masks = this.#masks
    const { size } = this.#terms
    for (let term = this.#covered; term < size; term++) {
      if (ones(masks[term]! ^ mask) <= 2 * most && this.#isNear(term, typed, mask, most)) visit(term)
    }
  }

  /** Number of terms in tables. */
  get #covered(): number {
    const last = this.#tables.at(-1)
    return last === undefined ? 0 : last.first + last.size
  }

  #isNear(term: number, typed: Uint16Array, mask: number, most: number): boolean {
    const differing = ones(this.#masks[term]! ^ mask)
    // An edit adds or removes at most one letter each way, so most terms need no closer look.
    if (differing > 2 * most) return false
    const { units, starts } = this.#terms
    const start = starts[term]!
    const end = starts[term + 1]!
    // Edits that make up for a difference in length do only one of the two.
    if (differing > 2 * most - Math.abs(end - start - typed.length)) return false
    return areUnitsWithin(typed, 0, typed.length, units, start, end, most)
  }

  #mask(end: number): void {
    const { units, starts } = this.#terms
    this.#masks = grown(this.#masks, end)
    const masks = this.#masks
    for (let term = this.#masked; term < end; term++) {
      masks[term] = letterMask(units, starts[term]!, starts[term + 1]!)
    }
    this.#masked = end
  }

  #adopt(table: DeletesTable): void {
    this.#tables = [...this.#tables.filter(({ first }) => first < table.first), table]
    this.#growing = undefined
    if (table.size > this.#gathered.limit) this.#gathered = new MarkedSet(table.size)
  }

  /** The first missing table when terms, from the oldest on, are put in tables as large as possible. */
  #nextTable(): DeletesTable | undefined {
    for (let i = 0, first = 0; ; i++) {
      const left = this.#terms.size - first
      if (left < LEAST_TABLE) return undefined
      const size = Math.min(LARGEST_TABLE, 2 ** Math.floor(Math.log2(left)))
      if (this.#tables[i]?.size !== size) return new DeletesTable(this.#terms, first, size)
      first += size
    }
  }
}

function letterMask(units: Uint16Array, from: number, to: number): number {
  let mask = 0
  for (let i = from; i < to; i++) {
    const unit = units[i]!
    mask |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6))
  }
  return mask
}
