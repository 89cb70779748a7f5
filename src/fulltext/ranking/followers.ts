import { BEGINS_TEXT, SURFACE } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { ReadableSegment } from '../segments/segment.ts'

/** A power of two: most other words are told by this small table alone. */
const FILTER = 256

/** What stands behind a word in the titles of one segment. */
interface Counted {
  /** By surface: living titles in which it stands there. */
  readonly titles: Map<number, number>
  /** Of the documents that are gone, so many have been taken away. */
  gone: number
}

/**
 * Which words stand directly behind the first occurrence of a word in titles, and in how many of them. Each segment is
 * counted once, when it is first asked for; removed documents are taken away one by one.
 */
export class Followers {
  /** Numbers that are kept. */
  size = 0
  /** The forms of the word. */
  readonly #surfaces: ReadonlySet<number>
  readonly #filter = new Uint8Array(FILTER)
  readonly #counted = new WeakMap<LiveSegment, Counted>()

  constructor(surfaces: ReadonlySet<number>) {
    this.#surfaces = surfaces
    for (const surface of surfaces) this.#filter[surface & (FILTER - 1)] = 1
  }

  /** The surface that stands there in the title of a document, -1 for none. */
  in({ forward, lengths, shape }: ReadableSegment, document: number): number {
    const start = forward.starts[document]!
    const end = start + lengths[document * shape.fields]!
    return this.#behind(forward.tokens, this.#first(forward.tokens, start, end), end)
  }

  /** By surface, in how many titles it stands there; of each segment with such titles as it is now. */
  titles(segments: readonly LiveSegment[]): ReadonlyMap<number, number>[] {
    return segments.map(live => this.#titlesIn(live)).filter(({ size }) => size > 0)
  }

  /** Where the word stands first among the tokens, `end` for nowhere. */
  #first(tokens: Uint32Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const surface = tokens[at]! & SURFACE
      if (this.#filter[surface & (FILTER - 1)] !== 0 && this.#surfaces.has(surface)) return at
    }
    return end
  }

  #behind(tokens: Uint32Array, first: number, end: number): number {
    if (first + 1 >= end) return -1
    const token = tokens[first + 1]!
    return (token & BEGINS_TEXT) === 0 ? token & SURFACE : -1
  }

  #titlesIn(live: LiveSegment): ReadonlyMap<number, number> {
    const counted = this.#counted.get(live) ?? this.#count(live)
    for (; counted.gone < live.removed.length; counted.gone++) {
      const surface = this.in(live.segment, live.removed[counted.gone]!)
      if (surface >= 0) counted.titles.set(surface, counted.titles.get(surface)! - 1)
    }
    return counted.titles
  }

  /** All documents, those that are gone among them. */
  #count(live: LiveSegment): Counted {
    const titles = new Map<number, number>()
    for (const surface of this.#surfaces) {
      const at = live.segment.find(surface)
      if (at >= 0) this.#countPostings(live.segment, surface, at, titles)
    }
    const counted = { titles, gone: 0 }
    this.#counted.set(live, counted)
    this.size += titles.size
    return counted
  }

  /** Of the documents with a form of the word, those in whose titles no other form comes before it. */
  #countPostings(
    segment: ReadableSegment,
    surface: number,
    place: number,
    titles: Map<number, number>,
  ): void {
    const { forward, documents, lengths, offsets, shape } = segment
    const { frequencies, starts, tokens } = forward
    const to = offsets[place + 1]!
    for (let p = offsets[place]!; p < to; p++) {
      if (frequencies[p * shape.fields] === 0) continue
      const document = documents[p]!
      const start = starts[document]!
      const end = start + lengths[document * shape.fields]!
      const first = this.#first(tokens, start, end)
      if ((tokens[first]! & SURFACE) !== surface) continue
      const behind = this.#behind(tokens, first, end)
      if (behind >= 0) titles.set(behind, (titles.get(behind) ?? 0) + 1)
    }
  }
}

/** Words of which it is known what follows them. */
const MOST_WORDS = 512

/** Numbers that are kept, of all words together; a number takes some 40 bytes. */
const MOST_NUMBERS = 2 ** 18
const BYTES = 40

/** What follows the words that were asked for last. */
export class KnownFollowers {
  readonly #known = new Map<string, Followers>()

  get bytes(): number {
    return BYTES * this.#numbers
  }

  /** Of the word with these forms. */
  of(surfaces: ReadonlySet<number>): Followers {
    const key = [...surfaces].join()
    const known = this.#known.get(key)
    if (known) return known
    if (this.#known.size >= MOST_WORDS || this.#numbers > MOST_NUMBERS) this.#known.clear()
    const followers = new Followers(surfaces)
    this.#known.set(key, followers)
    return followers
  }

  get #numbers(): number {
    let numbers = 0
    for (const { size } of this.#known.values()) numbers += size
    return numbers
  }
}
