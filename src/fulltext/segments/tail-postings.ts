import { grown } from '../../arrays/grow.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { ASIDE, ASIDE_ALONE, BEGINS_TEXT, MOST_IN_TITLE, NO_FOLLOWER, SURFACE } from './forward-list.ts'
import type { SegmentShape, WholeSegment } from './segment.ts'

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
  readonly #keepsFollowers: boolean
  /** The distinct terms of the documents. */
  #terms = new Uint32Array(1 << 8)
  #size = 0
  /**
   * Some numbers per term of the vocabulary, zero unless it occurs: the last document that has it, numbered from 1, and how many
   * have it, which becomes the place of its next posting. If followers are kept, also how many have it in the title, which
   * becomes the place of its next follower. Side by side, to save memory accesses.
   */
  #counts = new Uint32Array(1 << 10)
  /** From the numbers of one term to those of the next: a power of two, so that none lie in two lines of a processor's cache. */
  readonly #stride: number

  /** @param keepsFollowers whether what follows words in titles is used */
  constructor(vocabulary: Vocabulary, fields: number, keepsFollowers: boolean) {
    this.#vocabulary = vocabulary
    this.#fields = fields
    this.#keepsFollowers = keepsFollowers
    this.#stride = keepsFollowers ? 4 : 2
  }

  get bytes(): number {
    return this.#terms.byteLength + this.#counts.byteLength
  }

  /** Counts terms, postings and followers of the documents; `write` relies on their order. */
  *count(source: TokenSource): Generator<void, Pick<SegmentShape, 'terms' | 'postings' | 'followers'>> {
    this.#forget()
    this.#counts = grown(this.#counts, this.#stride * this.#vocabulary.terms.size)
    for (let from = 0; from < source.living.length; ) {
      const to = sliceEnd(source, from)
      this.#count(source, from, to)
      from = to
      yield
    }
    let postings = 0
    let followers = 0
    for (let t = 0; t < this.#size; t++) {
      const own = this.#stride * this.#terms[t]!
      postings += this.#counts[own + 1]!
      if (this.#keepsFollowers) followers += this.#counts[own + 2]!
    }
    return { terms: this.#size, postings, followers }
  }

  /** Fills terms, offsets, documents, frequencies and followers of a segment with the counted shape. */
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
      const own = this.#stride * this.#terms[t]!
      for (let i = 0; i < this.#stride; i++) this.#counts[own + i] = 0
    }
    this.#size = 0
  }

  #count({ living, starts, tokens, lengths }: TokenSource, from: number, to: number): void {
    const { links, hasFamilies } = this.#vocabulary
    for (let number = from + 1; number <= to; number++) {
      const document = living[number - 1]!
      const end = starts[document + 1]!
      const inTitle = this.#keepsFollowers ? (lengths[document * this.#fields] ?? 0) : 0
      const titleEnd = starts[document]! + inTitle
      for (let at = starts[document]!; at < end; at++) {
        const term = tokens[at]! & SURFACE
        const follower = at < titleEnd ? 1 : 0
        this.#countOnce(term, number, follower)
        const family = hasFamilies ? links[term]! : 0
        if (family !== 0) this.#countOnce(family - 1, number, follower)
      }
    }
  }

  /** Counts the term unless it has occurred in the document, numbered from 1, before. The title comes first. */
  #countOnce(term: number, number: number, follower: number): void {
    const own = this.#stride * term
    const last = this.#counts[own]!
    if (last === number) return
    if (last === 0) this.#meet(term)
    this.#counts[own] = number
    this.#counts[own + 1]!++
    if (this.#keepsFollowers) this.#counts[own + 2]! += follower
  }

  #meet(term: number): void {
    if (this.#size === this.#terms.length) this.#terms = grown(this.#terms, this.#size + 1)
    this.#terms[this.#size++] = term
  }

  /** Turns the counts into the places of each term's first posting and follower. */
  #writeTerms({ terms, offsets, forward: { followerStarts } }: WholeSegment): void {
    terms.set(this.#terms.subarray(0, this.#size).sort())
    const counts = this.#counts
    for (let t = 0; t < terms.length; t++) {
      const own = this.#stride * terms[t]!
      offsets[t + 1] = offsets[t]! + counts[own + 1]!
      counts[own] = 0
      counts[own + 1] = offsets[t]!
      if (followerStarts.length === 0) continue
      followerStarts[t + 1] = followerStarts[t]! + counts[own + 2]!
      counts[own + 2] = followerStarts[t]!
    }
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
        const next = at + 1 < end ? tokens[at + 1]! : BEGINS_TEXT
        const follower = (next & BEGINS_TEXT) === 0 ? next & SURFACE : NO_FOLLOWER
        this.#occurInTitle(term, number, mark, follower, segment)
        const family = hasFamilies ? links[term]! : 0
        if (family !== 0) this.#occurInTitle(family - 1, number, mark, follower, segment)
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
  #occurInTitle(
    term: number,
    number: number,
    mark: number,
    follower: number,
    { documents, forward }: WholeSegment,
  ): void {
    const { frequencies } = forward
    const counts = this.#counts
    const own = this.#stride * term
    const posting = counts[own + 1]!
    if (counts[own] !== number + 1) {
      counts[own] = number + 1
      counts[own + 1] = posting + 1
      documents[posting] = number
      if (this.#keepsFollowers) forward.followers[counts[own + 2]!++] = follower
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
    const own = this.#stride * term
    const posting = this.#counts[own + 1]!
    if (this.#counts[own] !== number + 1) {
      this.#counts[own] = number + 1
      this.#counts[own + 1] = posting + 1
      documents[posting] = number
      // Not read first: it is usually not in the cache.
      frequencies[posting * this.#fields + field] = 1
    } else {
      const at = (posting - 1) * this.#fields + field
      if (frequencies[at]! < MAX_FREQUENCY) frequencies[at]!++
    }
  }
}
