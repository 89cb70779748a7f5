import { grown } from './grow.ts'
import type { Segment } from './segment.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Documents as lists of words: those of document `d` are `tokens[starts[d]..starts[d + 1])`, field after field. */
export interface TokenSource {
  /** The documents that count, in their order. */
  readonly living: Uint32Array
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Tokens per document and field. */
  readonly lengths: Uint16Array
}

const MAX_FREQUENCY = 255

/** Documents between two places where other work may come in. */
const SLICE = 256

/** Turns lists of words into postings of the words and of their families: first counted, then written. */
export class TailPostings {
  readonly #vocabulary: Vocabulary
  readonly #fields: number
  /** Distinct terms at hand, by row. */
  #rows = 0
  #rowTerm = new Uint32Array(1 << 8)
  /** By row of a surface: the row of its family + 1, 0 for none. */
  #familyRow = new Uint32Array(1 << 8)
  #counts = new Uint32Array(1 << 8)
  #lastDocument = new Uint32Array(1 << 8)
  /**
   * By term: its row, where that row is in use and names the term; so nothing needs clearing (Briggs & Torczon, "An
   * efficient representation for sparse sets", 1993).
   */
  #rowOf = new Uint32Array(1 << 8)
  /** By token, in the order of living documents. */
  #tokenRows = new Uint32Array(1 << 10)
  /** How many of them the documents up to the one at hand have. */
  #tokensSeen = 0

  constructor(vocabulary: Vocabulary, fields: number) {
    this.#vocabulary = vocabulary
    this.#fields = fields
  }

  get bytes(): number {
    return this.#rowOf.byteLength + 4 * this.#rowTerm.byteLength + this.#tokenRows.byteLength
  }

  /** Counts terms and postings of the documents, whose order `write` relies on. */
  *count(source: TokenSource): Generator<void, { terms: number; postings: number }> {
    this.#rows = 0
    this.#tokensSeen = 0
    this.#rowOf = grown(this.#rowOf, this.#vocabulary.terms.size)
    let postings = 0
    for (let from = 0; from < source.living.length; from += SLICE) {
      postings += this.#count(source, from)
      yield
    }
    return { terms: this.#rows, postings }
  }

  #count({ living, starts, tokens }: TokenSource, from: number): number {
    const to = Math.min(from + SLICE, living.length)
    let seen = this.#tokensSeen
    let postings = 0
    for (let number = from + 1; number <= to; number++) {
      const document = living[number - 1]!
      const end = starts[document + 1]!
      this.#tokenRows = grown(this.#tokenRows, seen + end - starts[document]!)
      for (let at = starts[document]!; at < end; at++) {
        const row = this.#row(tokens[at]!)
        this.#tokenRows[seen++] = row
        postings += this.#countOnce(row, number)
        const family = this.#familyRow[row]!
        if (family !== 0) postings += this.#countOnce(family - 1, number)
      }
    }
    this.#tokensSeen = seen
    return postings
  }

  /** Fills terms, offsets, documents and frequencies of a segment with the shape that was counted. */
  *write(source: TokenSource, segment: Segment): Generator<void> {
    this.#writeTerms(segment)
    this.#lastDocument.fill(0, 0, this.#rows)
    this.#tokensSeen = 0
    for (let from = 0; from < source.living.length; from += SLICE) {
      this.#write(source, segment, from)
      yield
    }
  }

  #write({ living, lengths }: TokenSource, { documents, forward }: Segment, from: number): void {
    const to = Math.min(from + SLICE, living.length)
    const { frequencies } = forward!
    const [fields, next, last] = [this.#fields, this.#counts, this.#lastDocument]
    const occur = (row: number, number: number, field: number) => {
      let posting = next[row]!
      if (last[row] !== number + 1) {
        last[row] = number + 1
        documents[posting] = number
        next[row] = posting + 1
      } else posting--
      const at = posting * fields + field
      if (frequencies[at]! < MAX_FREQUENCY) frequencies[at]!++
    }
    let seen = this.#tokensSeen
    for (let number = from; number < to; number++) {
      for (let field = 0; field < fields; field++) {
        const end = seen + lengths[living[number]! * fields + field]!
        for (; seen < end; seen++) {
          const row = this.#tokenRows[seen]!
          occur(row, number, field)
          const family = this.#familyRow[row]!
          if (family !== 0) occur(family - 1, number, field)
        }
      }
    }
    this.#tokensSeen = seen
  }

  #row(term: number): number {
    const seen = this.#rowOf[term]!
    if (this.#isRowOf(seen, term)) return seen
    const row = this.#newRow(term)
    const family = this.#vocabulary.familyOf(term)
    if (family < 0) return row
    const known = this.#rowOf[family]!
    const familyRow = this.#isRowOf(known, family) ? known : this.#newRow(family)
    // Only now: to make a row may have put a larger array in place.
    this.#familyRow[row] = familyRow + 1
    return row
  }

  #isRowOf(row: number, term: number): boolean {
    return row < this.#rows && this.#rowTerm[row] === term
  }

  #newRow(term: number): number {
    const row = this.#rows++
    this.#rowOf[term] = row
    if (row >= this.#rowTerm.length) {
      this.#rowTerm = grown(this.#rowTerm, row + 1)
      this.#familyRow = grown(this.#familyRow, row + 1)
      this.#counts = grown(this.#counts, row + 1)
      this.#lastDocument = grown(this.#lastDocument, row + 1)
    }
    this.#rowTerm[row] = term
    this.#familyRow[row] = 0
    this.#counts[row] = 0
    this.#lastDocument[row] = 0
    return row
  }

  /** 1 when the document, numbered from 1, is new to the row. */
  #countOnce(row: number, number: number): number {
    if (this.#lastDocument[row] === number) return 0
    this.#lastDocument[row] = number
    this.#counts[row]!++
    return 1
  }

  /** Turns the counts into the place of each row's first posting. */
  #writeTerms(segment: Segment): void {
    const terms = this.#rowTerm.slice(0, this.#rows).sort()
    let at = 0
    for (let t = 0; t < terms.length; t++) {
      const row = this.#rowOf[terms[t]!]!
      segment.terms[t] = terms[t]!
      segment.offsets[t] = at
      const count = this.#counts[row]!
      this.#counts[row] = at
      at += count
    }
    segment.offsets[terms.length] = at
  }
}
