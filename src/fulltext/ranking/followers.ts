import { grown } from '../../arrays/grow.ts'
import type { TermTable } from '../dictionary/term-table.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { BEGINS_TEXT, NO_FOLLOWER, SURFACE } from '../segments/forward-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'

const digit = /\p{N}/u

/** Documents of a segment whose titles have a word, ascending, removed ones included. */
export interface Followers {
  /** May have room for more than there are. */
  readonly documents: Uint16Array
  /** By place in `documents`: the surface right after the word's first occurrence, or `NO_FOLLOWER`. */
  readonly surfaces: Uint32Array
}

/** @param forms the surfaces of all terms */
export function followersOf(
  terms: readonly number[],
  forms: ReadonlySet<number>,
  segment: ReadableSegment,
  vocabulary: Vocabulary,
): Followers {
  const places = terms.map(term => placeOf(term, segment, vocabulary)).filter(at => at >= 0)
  const found = places.map(place => followersOfTerm(segment, place))
  return found.length === 1 ? found[0]! : joined(segment, found, forms)
}

function followersOfTerm({ documents, forward, offsets, shape }: ReadableSegment, place: number): Followers {
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

/** Those of several terms; the title of a document that has more than one of them is read. */
function joined(segment: ReadableSegment, all: readonly Followers[], forms: ReadonlySet<number>): Followers {
  const byDocument = new Map<number, number>()
  for (const { documents, surfaces } of all)
    for (let i = 0; i < surfaces.length; i++) {
      const document = documents[i]!
      const isRead = byDocument.has(document)
      byDocument.set(document, isRead ? followerIn(segment, document, forms) : surfaces[i]!)
    }
  const documents = Uint16Array.from(byDocument.keys()).sort()
  return { documents, surfaces: Uint32Array.from(documents, document => byDocument.get(document)!) }
}

function followerIn(
  { forward, lengths, shape }: ReadableSegment,
  document: number,
  forms: ReadonlySet<number>,
): number {
  const { starts, tokens } = forward
  const start = starts[document]!
  const title = tokens.subarray(start, start + lengths[document * shape.fields]!)
  const first = title.findIndex(token => forms.has(token & SURFACE))
  const next = title[first + 1] ?? BEGINS_TEXT
  return (next & BEGINS_TEXT) === 0 ? next & SURFACE : NO_FOLLOWER
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

const NO_DIGIT = 1
const DIGIT = 2

/** A number for each surface, 0 between uses. */
export class Tally {
  #numbers = new Uint32Array(1 << 10)
  /** By surface: whether it has a digit; 0 until asked. */
  #digits = new Uint8Array(1 << 10)

  /** Room for the words of titles while they are numbered; each use writes it anew. */
  surfaces = new Uint32Array(0)
  having = new Uint16Array(0)
  numbers = new Uint16Array(0)

  get bytes(): number {
    const { surfaces, having, numbers } = this
    const arrays = [this.#numbers, this.#digits, surfaces, having, numbers]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  makeRoom(titles: number): void {
    this.surfaces = grown(this.surfaces, titles)
    this.having = grown(this.having, titles)
    this.numbers = grown(this.numbers, titles)
  }

  hasDigit(surface: number, terms: TermTable): boolean {
    if (surface >= this.#digits.length) this.#digits = grown(this.#digits, surface + 1)
    if (this.#digits[surface] === 0) this.#digits[surface] = hasDigit(surface, terms) ? DIGIT : NO_DIGIT
    return this.#digits[surface] === DIGIT
  }

  of(surface: number): number {
    return this.#numbers[surface] ?? 0
  }

  set(surface: number, number: number): void {
    if (surface >= this.#numbers.length) this.#numbers = grown(this.#numbers, surface + 1)
    this.#numbers[surface] = number
  }

  clear(surfaces: ArrayLike<number>): void {
    for (let i = 0; i < surfaces.length; i++) this.#numbers[surfaces[i]!] = 0
  }
}
