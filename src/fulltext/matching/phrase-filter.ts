import type { FieldScoring } from '../segments/bm25f.ts'
import { BEGINS_TEXT, SURFACE } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import type { Phrase } from '../words/query-text.ts'
import type { Slot } from '../words/slot.ts'
import type { MatchVisitor } from './match-visitor.ts'
import { MAX_PLACES, type WordPlaces } from './word-places.ts'

/** Checks whether documents that have all words of a query's phrases have the phrases themselves. */
export class PhraseFilter {
  /** One per word of the phrases; undefined for a word that stands for nothing. */
  readonly slots: readonly (Slot | undefined)[]
  readonly #segments: readonly LiveSegment[]
  readonly #phrases: readonly Phrase[]
  readonly #places: WordPlaces
  readonly #fields: readonly FieldScoring[] | undefined

  /** `sequence`: the slots of the query's words, as marked in `places`; fields of weight 0 are ignored. */
  constructor(
    segments: readonly LiveSegment[],
    phrases: readonly Phrase[],
    sequence: readonly (Slot | undefined)[],
    places: WordPlaces,
    fields: readonly FieldScoring[] | undefined,
  ) {
    this.#segments = segments
    this.slots = [...new Set(phrases.flatMap(({ words }) => words.map(place => sequence[place])))]
    this.#phrases = distinct(phrases, sequence)
    this.#places = places
    this.#fields = fields
  }

  /** @param document its number across all segments */
  has(document: number): boolean {
    const { segment } = this.#segments[document >>> 16]!
    return this.#phrases.every(phrase => this.#stands(phrase, segment, document & 0xffff))
  }

  /** A visitor that passes on only documents that have the phrases. */
  before(visitor: MatchVisitor): MatchVisitor {
    const has = (document: number) => this.has(document)
    return {
      get threshold() {
        return visitor.threshold
      },
      offer(score, document) {
        if (has(document)) visitor.offer(score, document)
      },
    }
  }

  #stands(phrase: Phrase, { shape, lengths, forward }: ReadableSegment, document: number): boolean {
    let start = forward.starts[document]!
    for (let field = 0; field < shape.fields; field++) {
      const end = start + lengths[document * shape.fields + field]!
      const counts = this.#fields?.[field]?.weight !== 0
      if (counts && standsWithin(phrase, forward.tokens, start, end, this.#places)) return true
      start = end
    }
    return false
  }
}

/** Phrases of the same words in the same order count as one. */
function distinct(phrases: readonly Phrase[], sequence: readonly (Slot | undefined)[]): Phrase[] {
  const known = new Map<string, Phrase>()
  for (const phrase of phrases) {
    const words = phrase.words.map(place => sequence[place]?.word ?? '')
    known.set(JSON.stringify([phrase.slop, words]), phrase)
  }
  return [...known.values()]
}

/** From each occurrence of the first word, takes the next occurrence of every other: this leaves the fewest words between. */
function standsWithin(
  { words, slop }: Phrase,
  tokens: Uint32Array,
  from: number,
  to: number,
  places: WordPlaces,
): boolean {
  const wanted = words.filter(place => place < MAX_PLACES)
  for (let start = from; start < to; start++) {
    let at = start
    let reached = 0
    const end = Math.min(to, start + wanted.length + slop)
    for (; at < end && reached < wanted.length; at++) {
      const token = tokens[at]!
      if (at > start && (token & BEGINS_TEXT) !== 0) break
      if ((places.of(token & SURFACE) >>> wanted[reached]!) & 1) reached++
      else if (at === start) break
    }
    if (reached === wanted.length) return true
  }
  return false
}
