import { isSet } from '../../arrays/set-bits.ts'
import type { TermCounts } from '../dictionary/term-counts.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { lowerBound } from '../segments/posting-list.ts'
import { placeOf } from '../segments/term-place.ts'
import type { KnownSegments } from '../words/known-segments.ts'
import { type Selection, selectedIn } from './selection.ts'

/** Looking up a document in a list takes as long as reading this many of its postings. */
const LOOKUP_COST = 16

/** How many selected documents have each term; counted on demand and kept for one state of the index. */
export class VisibleFrequencies implements TermCounts {
  readonly #all: KnownSegments
  readonly #selection: Selection
  readonly #vocabulary: Vocabulary
  /** By term: number of documents + 1; 0 if not counted yet. */
  readonly #counts: Uint32Array
  /** By place of the segment: the selected documents, if there are few. */
  readonly #few: (Uint16Array | undefined)[] = []

  constructor(all: KnownSegments, selection: Selection, vocabulary: Vocabulary) {
    this.#all = all
    this.#selection = selection
    this.#vocabulary = vocabulary
    this.#counts = new Uint32Array(vocabulary.terms.size)
  }

  get bytes(): number {
    return this.#counts.byteLength
  }

  of(term: number): number {
    const known = this.#counts[term]
    if (known) return known - 1
    const count = this.atMost(term) === 0 ? 0 : this.#count(term)
    if (term < this.#counts.length) this.#counts[term] = count + 1
    return count
  }

  atMost(term: number): number {
    return this.#all.frequencies.atMost(term)
  }

  #count(term: number): number {
    let count = 0
    for (const [place, { segment }] of this.#all.segments.entries()) {
      const size = this.#selection.sizes[place]!
      const at = size > 0 ? placeOf(term, segment, this.#vocabulary) : -1
      if (at < 0) continue
      const [from, to] = [segment.offsets[at]!, segment.offsets[at + 1]!]
      const hidden = this.#selection.hidden[place]
      if (!hidden) count += to - from
      else if (size * LOOKUP_COST < to - from)
        count += havingAmong(this.#fewIn(place, hidden, size), segment.documents, from, to)
      else count += openAt(hidden, segment.documents, from, to)
    }
    return count
  }

  #fewIn(place: number, hidden: Uint32Array, size: number): Uint16Array {
    this.#few[place] ??= selectedIn(hidden, size)
    return this.#few[place]
  }
}

/** How many postings in a range belong to documents that are not hidden. */
function openAt(hidden: Uint32Array, documents: Uint16Array, from: number, to: number): number {
  let count = to - from
  for (let i = from; i < to; i++) count -= (hidden[documents[i]! >>> 5]! >>> documents[i]!) & 1
  return count
}

/** How many of the given ascending documents occur in the postings. */
function havingAmong(few: Uint16Array, documents: Uint16Array, from: number, to: number): number {
  let count = 0
  let at = from
  for (const document of few) {
    at = lowerBound(documents, at, to, document)
    if (at === to) break
    if (documents[at] === document) count++
  }
  return count
}

/** Whether any of the postings belongs to a document that is not hidden. */
export function someOpen(
  hidden: Uint32Array | undefined,
  { documents, from, to }: { readonly documents: Uint16Array; readonly from: number; readonly to: number },
): boolean {
  for (let i = from; i < to; i++) if (!isSet(hidden, documents[i]!)) return true
  return false
}
