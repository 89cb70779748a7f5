import { grown } from '../../arrays/grow.ts'
import type { TermTable } from '../dictionary/term-table.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { BEGINS_TEXT, NO_FOLLOWER, SURFACE } from '../segments/forward-list.ts'
import { lowerBound } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'

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

/** Documents whose titles have a word, ascending, and the surface that follows it there. */
interface Behind {
  readonly documents: Uint16Array
  readonly surfaces: Uint32Array
}

/** Which words directly follow the first occurrence of a word in titles, and in how many of them. */
export class Followers {
  readonly #terms: readonly number[]
  /** The forms of the terms. */
  readonly #forms: ReadonlySet<number>
  readonly #vocabulary: Vocabulary
  readonly #tally: Tally

  constructor(terms: readonly number[], forms: ReadonlySet<number>, vocabulary: Vocabulary, tally: Tally) {
    this.#terms = terms
    this.#forms = forms
    this.#vocabulary = vocabulary
    this.#tally = tally
  }

  /** The followers in one segment. */
  read(segment: ReadableSegment): SegmentFollowers {
    const { documents: inTitle, surfaces: next } = this.#behind(segment)
    const { terms } = this.#vocabulary
    const tally = this.#tally
    const documents = new Uint16Array(next.length)
    const which = new Uint16Array(next.length)
    const surfaces: number[] = []
    const titles: number[] = []
    const numeric: number[] = []
    let size = 0
    for (let i = 0; i < next.length; i++) {
      const surface = next[i]!
      if (surface === NO_FOLLOWER) continue
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
      documents[size] = inTitle[i]!
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

  #behind(segment: ReadableSegment): Behind {
    const places = this.#terms.map(term => placeOf(term, segment, this.#vocabulary)).filter(at => at >= 0)
    const found = places.map(place => behindTerm(segment, place))
    return found.length === 1 ? found[0]! : this.#joined(segment, found)
  }

  /** Those of several terms; the title of a document that has more than one of them is read. */
  #joined(segment: ReadableSegment, all: readonly Behind[]): Behind {
    const byDocument = new Map<number, number>()
    for (const { documents, surfaces } of all)
      for (let i = 0; i < surfaces.length; i++) {
        const document = documents[i]!
        const isRead = byDocument.has(document)
        byDocument.set(document, isRead ? this.#behindFirst(segment, document) : surfaces[i]!)
      }
    const documents = Uint16Array.from(byDocument.keys()).sort()
    return { documents, surfaces: Uint32Array.from(documents, document => byDocument.get(document)!) }
  }

  #behindFirst({ forward, lengths, shape }: ReadableSegment, document: number): number {
    const { starts, tokens } = forward
    const start = starts[document]!
    const title = tokens.subarray(start, start + lengths[document * shape.fields]!)
    const first = title.findIndex(token => this.#forms.has(token & SURFACE))
    const next = title[first + 1] ?? BEGINS_TEXT
    return (next & BEGINS_TEXT) === 0 ? next & SURFACE : NO_FOLLOWER
  }
}

function behindTerm({ documents, forward, offsets, shape }: ReadableSegment, place: number): Behind {
  const { followers, followerStarts, frequencies } = forward
  const { fields } = shape
  const surfaces = followers.subarray(followerStarts[place], followerStarts[place + 1])
  // One more, since each is written before it is known to count. Without branches, which the processor could not predict.
  const inTitle = new Uint16Array(surfaces.length + 1)
  let size = 0
  for (let p = offsets[place]!; p < offsets[place + 1]!; p++) {
    inTitle[size] = documents[p]!
    size += (-frequencies[p * fields]! >>> 31) & 1
  }
  return { documents: inTitle, surfaces }
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
