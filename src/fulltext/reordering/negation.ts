import type { FunctionWords } from '../../analysis/function-words.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { MAX_PLACES, type WordPlaces } from '../matching/word-places.ts'
import { BEGINS_TEXT, SURFACE } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'

// The ratios of 1 - .3, 1 and 1 + .3, scaled to factors of at least 1.
const DIFFERENCE = 0.3
const SILENT = 1 / (1 - DIFFERENCE)
const LACKING = (1 + DIFFERENCE) / (1 - DIFFERENCE)

/**
 * The factor on a score where the query excludes something: the maximum if the title says that the product is without it
 * (`no added sugar`, `sugar free`), 1 if the title says that it is there.
 */
export class Negation {
  readonly most = LACKING
  readonly #segments: readonly LiveSegment[]
  readonly #places: WordPlaces
  /** Bit set of the unwanted words' places in the query. */
  readonly #unwanted: number
  readonly #before: ReadonlySet<number>
  readonly #behind: ReadonlySet<number>

  private constructor(
    segments: readonly LiveSegment[],
    places: WordPlaces,
    unwanted: number,
    lacks: { before: ReadonlySet<number>; behind: ReadonlySet<number> },
  ) {
    this.#segments = segments
    this.#places = places
    this.#unwanted = unwanted
    this.#before = lacks.before
    this.#behind = lacks.behind
  }

  /** Undefined for a query, with its words marked in `places`, that excludes nothing. */
  static of(
    words: readonly string[],
    { all, negations, lacks }: FunctionWords,
    segments: readonly LiveSegment[],
    places: WordPlaces,
    { terms }: Vocabulary,
  ): Negation | undefined {
    let unwanted = 0
    for (let at = 0; at < Math.min(words.length, MAX_PLACES); at++) {
      if (!negations.has(words[at]!)) continue
      const place = words.findIndex((word, i) => i > at && !all.has(word))
      if (place >= 0 && place < MAX_PLACES) unwanted |= 1 << place
    }
    if (unwanted === 0) return undefined
    const known = (set: ReadonlySet<string>) => new Set([...set].map(word => terms.find(word)))
    return new Negation(segments, places, unwanted, {
      before: known(lacks.before),
      behind: known(lacks.behind),
    })
  }

  /** @param document its number across all segments */
  of(document: number): number {
    const { forward, lengths, shape } = this.#segments[document >>> 16]!.segment
    const { starts, tokens } = forward
    const start = starts[document & 0xffff]!
    const end = start + lengths[(document & 0xffff) * shape.fields]!
    let factor = SILENT
    for (let at = start; at < end; at++) {
      if ((this.#places.of(tokens[at]! & SURFACE) & this.#unwanted) === 0) continue
      if (this.#isLacking(tokens, at, start, end)) return LACKING
      factor = 1
    }
    return factor
  }

  #isLacking(tokens: Uint32Array, at: number, start: number, end: number): boolean {
    const begins = (place: number) => (tokens[place]! & BEGINS_TEXT) !== 0
    if (at > start && !begins(at) && this.#before.has(tokens[at - 1]! & SURFACE)) return true
    return at + 1 < end && !begins(at + 1) && this.#behind.has(tokens[at + 1]! & SURFACE)
  }
}
