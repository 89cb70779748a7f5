import { isSet } from '../../arrays/set-bits.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { BEGINS_TEXT, SURFACE } from '../segments/forward-list.ts'
import { gallop, lowerBound, type PostingList } from '../segments/posting-list.ts'
import type { ReadableSegment, Segment } from '../segments/segment.ts'
import { placeOf } from '../segments/term-place.ts'
import type { KnownSegment } from './known-segments.ts'

/** Consecutive words or families, and the documents in which they occur. */
export interface Standing {
  readonly terms: readonly number[]
  /** Number of living documents that have them in sequence. */
  readonly size: number
  /** The documents, ascending, by the body of their segment, which segments with the same documents share. */
  readonly documents: ReadonlyMap<Uint8Array, Uint16Array>
}

/** Where the postings of a term are in a segment. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Where terms follow each other, cached by segment: segments do not change, so after a write only new ones are searched. */
export class KnownStandings {
  readonly #vocabulary: Vocabulary
  readonly #bySegment = new WeakMap<Uint8Array, StandingsOfSegment>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Memory of what is kept of these segments. */
  bytesOf(segments: readonly KnownSegment[]): number {
    return segments.reduce((sum, { segment }) => sum + (this.#bySegment.get(segment.body)?.bytes ?? 0), 0)
  }

  /** The documents in which the terms follow each other; undefined if there are none. */
  of(terms: readonly number[], segments: readonly KnownSegment<ReadableSegment>[]): Standing | undefined {
    const documents = new Map<Uint8Array, Uint16Array>()
    let size = 0
    for (const { segment, dead } of segments) {
      const all = this.#ofSegment(terms, segment)
      const found = dead ? all.filter(document => !isSet(dead, document)) : all
      if (found.length === 0) continue
      documents.set(segment.body, found)
      size += found.length
    }
    return size === 0 ? undefined : { terms, size, documents }
  }

  #ofSegment(terms: readonly number[], segment: ReadableSegment): Uint16Array {
    if (segment.shape.documents < FEW_DOCUMENTS) return standingIn(terms, segment, this.#vocabulary)
    let known = this.#bySegment.get(segment.body)
    if (!known) {
      known = new StandingsOfSegment()
      this.#bySegment.set(segment.body, known)
    }
    return known.of(terms.join(' '), () => standingIn(terms, segment, this.#vocabulary))
  }
}

/** With fewer documents, searching is as fast as remembering. */
const FEW_DOCUMENTS = 256
/** Maximum number of lists, and of documents in all of them, that are kept per segment. */
const MOST_LISTS = 2_048
const MOST_DOCUMENTS = 65_536

/** Approximate size of a list without its documents, with its name. */
const BYTES_OF_LIST = 160

class StandingsOfSegment {
  readonly #found = new Map<string, Uint16Array>()
  #documents = 0

  get bytes(): number {
    return BYTES_OF_LIST * this.#found.size + 2 * this.#documents
  }

  of(terms: string, find: () => Uint16Array): Uint16Array {
    const known = this.#found.get(terms)
    if (known) return known
    const found = find()
    this.#documents += found.length
    if (this.#found.size >= MOST_LISTS || this.#documents > MOST_DOCUMENTS) {
      this.#found.clear()
      this.#documents = found.length
    }
    this.#found.set(terms, found)
    return found
  }
}

/** The documents of a segment in which the terms follow each other, including removed ones. */
function standingIn(terms: readonly number[], segment: ReadableSegment, vocabulary: Vocabulary): Uint16Array {
  const ranges = rangesOf(terms, segment, vocabulary)
  if (!ranges) return nowhere
  const found: number[] = []
  visitShared(segment.documents, ranges, document => {
    if (standTogether(segment, document, terms, vocabulary)) found.push(document)
  })
  return found.length === 0 ? nowhere : Uint16Array.from(found)
}

const nowhere = new Uint16Array()

function rangesOf(terms: readonly number[], segment: Segment, vocabulary: Vocabulary): Range[] | undefined {
  const ranges: Range[] = []
  for (const term of terms) {
    const at = placeOf(term, segment, vocabulary)
    if (at < 0) return undefined
    ranges.push({ from: segment.offsets[at]!, to: segment.offsets[at + 1]! })
  }
  return ranges.sort((a, b) => a.to - a.from - (b.to - b.from))
}

/** Whether a living document has all of the terms. */
export function occurTogether(
  terms: readonly number[],
  segments: readonly KnownSegment[],
  vocabulary: Vocabulary,
): boolean {
  return segments.some(({ segment, dead }) => {
    const ranges = rangesOf(terms, segment, vocabulary)
    let isFound = false
    if (ranges)
      visitShared(segment.documents, ranges, document => {
        isFound = !isSet(dead, document)
        return !isFound
      })
    return isFound
  })
}

/** Visits the documents in all of the ascending ranges, of which the shortest comes first, until the visitor returns false. */
function visitShared(
  documents: Uint16Array,
  ranges: readonly Range[],
  visit: (document: number) => unknown,
): void {
  const places = ranges.map(({ from }) => from)
  const { from, to } = ranges[0]!
  for (let at = from; at < to; at++) {
    const document = documents[at]!
    let shared = 1
    for (; shared < ranges.length; shared++) {
      const end = ranges[shared]!.to
      const place = gallop(documents, places[shared]!, end, document)
      places[shared] = place
      if (place === end) return
      if (documents[place] !== document) break
    }
    if (shared === ranges.length && visit(document) === false) return
  }
}

function standTogether(
  { forward: { starts, tokens } }: ReadableSegment,
  document: number,
  terms: readonly number[],
  vocabulary: Vocabulary,
): boolean {
  const { links } = vocabulary
  const end = starts[document + 1]! - terms.length
  const first = terms[0]!
  const isSurface = !vocabulary.isFamily(first)
  for (let at = starts[document]!; at <= end; at++) {
    const surface = tokens[at]! & SURFACE
    if (surface !== first && (isSurface || links[surface] !== first + 1)) continue
    let reached = 1
    while (reached < terms.length && follows(tokens[at + reached]!, terms[reached]!, links)) reached++
    if (reached === terms.length) return true
  }
  return false
}

const follows = (token: number, term: number, links: Uint32Array): boolean =>
  (token & BEGINS_TEXT) === 0 && isOf(token & SURFACE, term, links)

const isOf = (surface: number, term: number, links: Uint32Array): boolean =>
  surface === term || links[surface] === term + 1

/** The postings of consecutive words: each document counts like the weakest of its words. */
export function standingList(
  documents: Uint16Array,
  lists: readonly PostingList[],
  weight: number,
): PostingList | undefined {
  const found: number[] = []
  const impacts: number[] = []
  let most = 0
  for (const document of documents) {
    let impact = 256
    for (const list of lists) {
      const at = lowerBound(list.documents, list.from, list.to, document)
      impact = Math.min(impact, at < list.to && list.documents[at] === document ? list.impacts[at]! : 0)
    }
    // With weights other than the index's own, the words may not count in a document.
    if (impact === 0) continue
    found.push(document)
    impacts.push(impact)
    most = Math.max(most, impact)
  }
  const to = found.length
  if (to === 0) return undefined
  const arrays = { documents: Uint16Array.from(found), impacts: Uint8Array.from(impacts) }
  return { ...arrays, from: 0, to, weight, bound: weight * most, sure: 0 }
}
