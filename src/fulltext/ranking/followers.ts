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

interface Behind {
  readonly documents: Uint16Array
  readonly surfaces: Uint32Array
  /** How many of both are used. */
  readonly size: number
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
    const { documents: behind, surfaces: next, size: count } = this.#behind(segment)
    const { terms } = this.#vocabulary
    const tally = this.#tally
    const which = new Uint16Array(count)
    const surfaces: number[] = []
    const titles: number[] = []
    const numeric: number[] = []
    let size = 0
    for (let i = 0; i < count; i++) {
      const surface = next[i]!
      // Numbered from 1 on.
      let number = tally.of(surface)
      if (number === 0) {
        if (tally.hasDigit(surface, terms)) {
          number = HAS_DIGIT
          numeric.push(surface)
        } else {
          number = surfaces.push(surface)
          titles.push(0)
        }
        tally.add(surface, number)
      }
      if (number === HAS_DIGIT) continue
      behind[size] = behind[i]!
      which[size++] = number - 1
      titles[number - 1]!++
    }
    tally.clear(surfaces)
    tally.clear(numeric)
    return {
      documents: behind.slice(0, size),
      which: which.slice(0, size),
      surfaces: Uint32Array.from(surfaces),
      titles: Uint32Array.from(titles),
    }
  }

  /** The documents in whose title a word follows, ascending, and that word. */
  #behind(segment: ReadableSegment): Behind {
    const places = this.#terms.map(term => placeOf(term, segment, this.#vocabulary)).filter(at => at >= 0)
    const found = places.map(place => this.#behindTerm(segment, place))
    return found.length === 1 ? found[0]! : joined(found)
  }

  #behindTerm(segment: ReadableSegment, place: number): Behind {
    const { forward, offsets, shape, lengths } = segment
    const { fields } = shape
    const { frequencies } = forward
    const from = offsets[place]!
    const to = offsets[place + 1]!
    const titles = forward.titles(to - from, lengths)
    const { starts, tokens } = titles ?? forward
    const documents = new Uint16Array(to - from + 1)
    let inTitle = 0
    // Without branches, which the processor could not predict.
    for (let p = from; p < to; p++) {
      documents[inTitle] = segment.documents[p]!
      inTitle += (-frequencies[p * fields]! >>> 31) & 1
    }
    const surfaces = new Uint32Array(inTitle)
    let size = 0
    for (let i = 0; i < inTitle; i++) {
      const document = documents[i]!
      const start = starts[document]!
      const end = titles ? starts[document + 1]! : start + lengths[document * fields]!
      const behind = this.#first(tokens, start, end) + 1
      if (behind >= end || (tokens[behind]! & BEGINS_TEXT) !== 0) continue
      documents[size] = document
      surfaces[size++] = tokens[behind]! & SURFACE
    }
    return { documents, surfaces, size }
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

/** Those of several terms; of a document with more than one of them, once. */
function joined(all: readonly Behind[]): Behind {
  const byDocument = new Map<number, number>()
  for (const { documents, surfaces, size } of all)
    for (let i = 0; i < size; i++) byDocument.set(documents[i]!, surfaces[i]!)
  const documents = Uint16Array.from(byDocument.keys()).sort()
  const surfaces = Uint32Array.from(documents, document => byDocument.get(document)!)
  return { documents, surfaces, size: documents.length }
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
export function followerOf(
  { documents, which }: Pick<SegmentFollowers, 'documents' | 'which'>,
  document: number,
): number {
  const at = lowerBound(documents, 0, documents.length, document)
  return documents[at] === document ? which[at]! : -1
}

const NO_DIGIT = 1
const DIGIT = 2

/** A number for each surface, 0 between uses. */
export class Tally {
  #numbers = new Uint32Array(1 << 10)
  /** By surface: whether it has a digit; 0 until asked. */
  #digits = new Uint8Array(1 << 10)

  get bytes(): number {
    return this.#numbers.byteLength + this.#digits.byteLength
  }

  hasDigit(surface: number, terms: TermTable): boolean {
    if (surface >= this.#digits.length) this.#digits = grown(this.#digits, surface + 1)
    if (this.#digits[surface] === 0) this.#digits[surface] = hasDigit(surface, terms) ? DIGIT : NO_DIGIT
    return this.#digits[surface] === DIGIT
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
