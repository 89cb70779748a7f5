import { grown } from '../../arrays/grow.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { ASIDE, ASIDE_ALONE, MOST_IN_TITLE, SURFACE } from './forward-list.ts'
import type { WholeSegment } from './segment.ts'

/** Documents as lists of marked words: those of document `d` are `tokens[starts[d]..starts[d + 1])`, field by field. */
export interface TokenSource {
  /** The documents to include, in order. */
  readonly living: Uint32Array
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Tokens per document and field. */
  readonly lengths: Uint16Array
}

const MAX_FREQUENCY = 255

/** Number of documents, and of their words, between two pauses. */
const SLICE = 256
const SLICE_WORDS = 65_536

/** Where the slice that begins with this document ends: right after it if it is long. */
function sliceEnd({ living, starts }: TokenSource, from: number): number {
  let to = from
  let words = 0
  while (to < living.length && to < from + SLICE && words < SLICE_WORDS) {
    const document = living[to++]!
    words += starts[document + 1]! - starts[document]!
  }
  return to
}

/** Turns lists of words into postings of the words and their families, in two passes: counting, then writing. */
export class TailPostings {
  readonly #vocabulary: Vocabulary
  readonly #fields: number
  /** The distinct terms of the documents. */
  #terms = new Uint32Array(1 << 8)
  #size = 0
  /**
   * Two numbers per term of the vocabulary, zero unless it occurs: the last document that has it, numbered from 1, and how
   * many have it, which becomes the place of its next posting. Side by side, to save memory accesses.
   */
  #pairs = new Uint32Array(1 << 9)

  constructor(vocabulary: Vocabulary, fields: number) {
    this.#vocabulary = vocabulary
    this.#fields = fields
  }

  get bytes(): number {
    return this.#terms.byteLength + this.#pairs.byteLength
  }

  /** Counts terms and postings of the documents; `write` relies on their order. */
  *count(source: TokenSource): Generator<void, { terms: number; postings: number }> {
    this.#forget()
    this.#pairs = grown(this.#pairs, 2 * this.#vocabulary.terms.size)
    let postings = 0
    for (let from = 0; from < source.living.length; ) {
      const to = sliceEnd(source, from)
      postings += this.#count(source, from, to)
      from = to
      yield
    }
    return { terms: this.#size, postings }
  }

  /** Fills terms, offsets, documents and frequencies of a segment with the counted shape. */
  *write(source: TokenSource, segment: WholeSegment): Generator<void> {
    this.#writeTerms(segment)
    for (let from = 0; from < source.living.length; ) {
      const to = sliceEnd(source, from)
      this.#write(source, segment, from, to)
      from = to
      yield
    }
  }

  #forget(): void {
    for (let t = 0; t < this.#size; t++) {
      const pair = 2 * this.#terms[t]!
      this.#pairs[pair] = 0
      this.#pairs[pair + 1] = 0
    }
    this.#size = 0
  }

  #count({ living, starts, tokens }: TokenSource, from: number, to: number): number {
    const { links, hasFamilies } = this.#vocabulary
    let postings = 0
    for (let number = from + 1; number <= to; number++) {
      const document = living[number - 1]!
      const end = starts[document + 1]!
      for (let at = starts[document]!; at < end; at++) {
        const term = tokens[at]! & SURFACE
        postings += this.#countOnce(term, number)
        const family = hasFamilies ? links[term]! : 0
        if (family !== 0) postings += this.#countOnce(family - 1, number)
      }
    }
    return postings
  }

  /** 1 if the term has not occurred in the document, numbered from 1, before. */
  #countOnce(term: number, number: number): number {
    const last = this.#pairs[2 * term]!
    if (last === number) return 0
    if (last === 0) this.#meet(term)
    this.#pairs[2 * term] = number
    this.#pairs[2 * term + 1]!++
    return 1
  }

  #meet(term: number): void {
    if (this.#size === this.#terms.length) this.#terms = grown(this.#terms, this.#size + 1)
    this.#terms[this.#size++] = term
  }

  /** Turns the counts into the places of each term's first posting. */
  #writeTerms({ terms, offsets }: WholeSegment): void {
    terms.set(this.#terms.subarray(0, this.#size).sort())
    let at = 0
    for (let t = 0; t < terms.length; t++) {
      const pair = 2 * terms[t]!
      const count = this.#pairs[pair + 1]!
      this.#pairs[pair] = 0
      this.#pairs[pair + 1] = at
      offsets[t] = at
      at += count
    }
    offsets[terms.length] = at
  }

  #write(
    { living, starts, tokens, lengths }: TokenSource,
    segment: WholeSegment,
    from: number,
    to: number,
  ): void {
    const fields = this.#fields
    const { links, hasFamilies } = this.#vocabulary
    for (let number = from; number < to; number++) {
      const document = living[number]!
      let at = starts[document]!
      for (const end = at + (lengths[document * fields] ?? 0); at < end; at++) {
        const term = tokens[at]! & SURFACE
        const mark = (tokens[at]! & ASIDE) === 0 ? 0 : ASIDE_ALONE
        this.#occurInTitle(term, number, mark, segment)
        const family = hasFamilies ? links[term]! : 0
        if (family !== 0) this.#occurInTitle(family - 1, number, mark, segment)
      }
      for (let field = 1; field < fields; field++) {
        for (const end = at + lengths[document * fields + field]!; at < end; at++) {
          const term = tokens[at]! & SURFACE
          this.#occur(term, number, field, segment)
          const family = hasFamilies ? links[term]! : 0
          if (family !== 0) this.#occur(family - 1, number, field, segment)
        }
      }
    }
  }

  /** The title is the first field: a term is new to the document, or has occurred in its title. */
  #occurInTitle(term: number, number: number, mark: number, { documents, forward }: WholeSegment): void {
    const { frequencies } = forward
    const pair = 2 * term
    const posting = this.#pairs[pair + 1]!
    if (this.#pairs[pair] !== number + 1) {
      this.#pairs[pair] = number + 1
      this.#pairs[pair + 1] = posting + 1
      documents[posting] = number
      frequencies[posting * this.#fields] = 1 | mark
      return
    }
    const at = (posting - 1) * this.#fields
    const before = frequencies[at]!
    const occurrences = Math.min(MOST_IN_TITLE, (before & MOST_IN_TITLE) + 1)
    frequencies[at] = occurrences | (before & mark)
  }

  #occur(term: number, number: number, field: number, { documents, forward }: WholeSegment): void {
    const { frequencies } = forward
    const pair = 2 * term
    const posting = this.#pairs[pair + 1]!
    if (this.#pairs[pair] !== number + 1) {
      this.#pairs[pair] = number + 1
      this.#pairs[pair + 1] = posting + 1
      documents[posting] = number
      // Not read first: it is usually not in the cache.
      frequencies[posting * this.#fields + field] = 1
    } else {
      const at = (posting - 1) * this.#fields + field
      if (frequencies[at]! < MAX_FREQUENCY) frequencies[at]!++
    }
  }
}
