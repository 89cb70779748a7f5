import { grown } from '../../arrays/grow.ts'
import type { TermTable } from '../dictionary/term-table.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { BEGINS_TEXT, SURFACE } from '../segments/forward-list.ts'
import { lowerBound } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'

/** A power of two: this small table alone rules out most other words. */
const FILTER = 256

const digit = /\p{N}/u

/** Marks words with digits, such as sizes and models, which follow any word; nothing is concluded from them. */
const HAS_DIGIT = 2 ** 32 - 1

/** The words that follow a word in the titles of one segment, including removed documents. */
export interface SegmentFollowers {
  /** Documents in whose title a word without a digit follows, ascending. */
  readonly documents: Uint16Array
  /** By place in `documents`: the index of the following word in `surfaces`. */
  readonly which: Uint16Array
  /** The following words. */
  readonly surfaces: Uint32Array
  /** By place in `surfaces`: number of titles in which it follows. */
  readonly titles: Uint32Array
}

/** Which words directly follow the first occurrence of a word in titles, and in how many of them. */
export class Followers {
  readonly #terms: readonly number[]
  /** The forms of the terms. */
  readonly #forms: ReadonlySet<number>
  readonly #vocabulary: Vocabulary
  readonly #filter = new Uint8Array(FILTER)
  readonly #tally: Tally

  constructor(terms: readonly number[], forms: ReadonlySet<number>, vocabulary: Vocabulary, tally: Tally) {
    this.#terms = terms
    this.#forms = forms
    this.#vocabulary = vocabulary
    this.#tally = tally
    for (const surface of forms) this.#filter[surface & (FILTER - 1)] = 1
  }

  /** The followers in one segment. */
  read(segment: ReadableSegment): SegmentFollowers {
    const found = this.#behind(segment)
    const { terms } = this.#vocabulary
    const tally = this.#tally
    const documents = new Uint16Array(found.length / 2)
    const which = new Uint16Array(found.length / 2)
    const surfaces: number[] = []
    const titles: number[] = []
    const numeric: number[] = []
    let size = 0
    for (let i = 0; i < found.length; i += 2) {
      const surface = found[i + 1]!
      // Numbered from 1 on.
      let number = tally.of(surface)
      if (number === 0) {
        if (hasDigit(surface, terms)) {
          number = HAS_DIGIT
          numeric.push(surface)
        } else {
          number = surfaces.push(surface)
          titles.push(0)
        }
        tally.add(surface, number)
      }
      if (number === HAS_DIGIT) continue
      documents[size] = found[i]!
      which[size++] = number - 1
      titles[number - 1]!++
    }
    tally.clear(surfaces)
    tally.clear(numeric)
    return {
      documents: documents.slice(0, size),
      which: which.slice(0, size),
      surfaces: Uint32Array.from(surfaces),
      titles: Uint32Array.from(titles),
    }
  }

  /** For each document, ascending, the document and then the surface after the word in its title. */
  #behind(segment: ReadableSegment): number[] {
    const found: number[] = []
    for (const term of this.#terms) {
      const at = placeOf(term, segment, this.#vocabulary)
      if (at >= 0) this.#behindTerm(segment, at, found)
    }
    if (this.#terms.length === 1) return found
    const byDocument = new Map<number, number>()
    for (let i = 0; i < found.length; i += 2) byDocument.set(found[i]!, found[i + 1]!)
    return [...byDocument].sort(([one], [other]) => one - other).flat()
  }

  #behindTerm(segment: ReadableSegment, place: number, found: number[]): void {
    const { forward, documents, lengths, offsets, shape } = segment
    const { fields } = shape
    const { frequencies, starts, tokens } = forward
    const to = offsets[place + 1]!
    for (let p = offsets[place]!; p < to; p++) {
      if (frequencies[p * fields] === 0) continue
      const document = documents[p]!
      const start = starts[document]!
      const end = start + lengths[document * fields]!
      const behind = this.#first(tokens, start, end) + 1
      if (behind < end && (tokens[behind]! & BEGINS_TEXT) === 0)
        found.push(document, tokens[behind]! & SURFACE)
    }
  }

  /** Position of the word's first occurrence among the tokens; `end` if there is none. */
  #first(tokens: Uint32Array, start: number, end: number): number {
    for (let at = start; at < end; at++) {
      const surface = tokens[at]! & SURFACE
      if (this.#filter[surface & (FILTER - 1)] !== 0 && this.#forms.has(surface)) return at
    }
    return end
  }
}

/** Reads the units, since a string would have to be built first. */
function hasDigit(surface: number, terms: TermTable): boolean {
  const { starts, units } = terms
  for (let at = starts[surface]!; at < starts[surface + 1]!; at++) {
    const unit = units[at]!
    if (unit >= 0x80) return digit.test(terms.term(surface))
    if (unit >= 0x30 && unit <= 0x39) return true
  }
  return false
}

/** The index of the surface that follows the word in a document's title; -1 for none. */
export function followerOf({ documents, which }: SegmentFollowers, document: number): number {
  const at = lowerBound(documents, 0, documents.length, document)
  return documents[at] === document ? which[at]! : -1
}

/** A number for each surface, 0 between uses. */
export class Tally {
  #numbers = new Uint32Array(1 << 10)

  get bytes(): number {
    return this.#numbers.byteLength
  }

  of(surface: number): number {
    return this.#numbers[surface] ?? 0
  }

  add(surface: number, number: number): void {
    if (surface >= this.#numbers.length) this.#numbers = grown(this.#numbers, surface + 1)
    this.#numbers[surface]! += number
  }

  clear(surfaces: ArrayLike<number>): void {
    for (let i = 0; i < surfaces.length; i++) this.#numbers[surfaces[i]!] = 0
  }
}
