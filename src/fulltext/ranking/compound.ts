import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { BEGINS_TEXT, type ForwardList, SURFACE } from '../segments/forward-list.ts'
import type { Frequencies } from '../segments/frequencies.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { lowerBound, type PostingList } from './posting-list.ts'

const LEAST_WORD = 5
const LEAST_HALF = 2
/** Cuts whose halves are both known and frequent are looked at, so many at most. */
const MAX_CUTS = 3
/** More frequent words meet by chance, and to see whether they do would take long. */
const MOST_FREQUENT = 10_000
/** Two words that met once may have met by chance. */
const LEAST_MEETINGS = 2

/** The halves of a word, and how many documents have one behind the other. */
export interface Halves {
  readonly first: number
  readonly second: number
  readonly documents: number
}

/** The two words of a cut, if they stand one behind the other in several documents, of the cut where most do. */
export function findHalves(cuts: readonly Cut[], segments: readonly LiveSegment[]): Halves | undefined {
  let best: Halves | undefined
  for (const { first, second } of cuts) {
    const documents = meetings(first, second, segments)
    if (documents >= LEAST_MEETINGS && documents > (best?.documents ?? 0)) best = { first, second, documents }
  }
  return best
}

/** Two words that another may be made of, and how many documents have the rarer one. */
export interface Cut {
  readonly first: number
  readonly second: number
  readonly frequency: number
}

/** The likeliest cuts of a word. */
export function likelyCuts(word: string, frequencies: Frequencies, { terms }: Vocabulary): Cut[] {
  const cuts: Cut[] = []
  if (word.length < LEAST_WORD || !/^\p{L}+$/u.test(word)) return cuts
  for (let at = LEAST_HALF; at <= word.length - LEAST_HALF; at++) {
    const first = terms.find(word.slice(0, at))
    const second = first < 0 ? -1 : terms.find(word.slice(at))
    if (second < 0) continue
    const frequency = Math.min(frequencies.of(first), frequencies.of(second))
    if (frequency >= LEAST_MEETINGS && frequency <= MOST_FREQUENT) cuts.push({ first, second, frequency })
  }
  return cuts.sort((a, b) => b.frequency - a.frequency).slice(0, MAX_CUTS)
}

function meetings(first: number, second: number, segments: readonly LiveSegment[]): number {
  let documents = 0
  for (const { segment, dead } of segments) {
    const [a, b] = [segment.find(first), segment.find(second)]
    if (a < 0 || b < 0) continue
    visitShared(segment.documents, rangeOf(a), segment.documents, rangeOf(b), (_, __, document) => {
      if (dead?.[document] !== 1 && standTogether(segment.forward, document, first, second)) documents++
    })

    function rangeOf(at: number): Range {
      return { from: segment.offsets[at]!, to: segment.offsets[at + 1]! }
    }
  }
  return documents
}

/** The documents that two lists share, as a list of its own: the word they make counts as much as the lesser half. */
export function compoundList(a: PostingList, b: PostingList): PostingList | undefined {
  const documents: number[] = []
  const impacts: number[] = []
  let most = 0
  visitShared(a.documents, a, b.documents, b, (p, q, document) => {
    const impact = Math.min(a.impacts[p]!, b.impacts[q]!)
    documents.push(document)
    impacts.push(impact)
    if (impact > most) most = impact
  })
  const { weight } = a
  const end = documents.length
  if (end === 0) return undefined
  const arrays = { documents: Uint16Array.from(documents), impacts: Uint8Array.from(impacts) }
  return { ...arrays, from: 0, to: end, weight, bound: weight * most, sure: 0 }
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Visits the documents in both ascending lists with their places there, looking the shorter one's up in the longer. */
function visitShared(
  a: Uint16Array,
  inA: Range,
  b: Uint16Array,
  inB: Range,
  visit: (p: number, q: number, document: number) => void,
): void {
  if (inA.to - inA.from > inB.to - inB.from) {
    visitShared(b, inB, a, inA, (q, p, document) => visit(p, q, document))
    return
  }
  let q = inB.from
  for (let p = inA.from; p < inA.to; p++) {
    q = lowerBound(b, q, inB.to, a[p]!)
    if (q < inB.to && b[q] === a[p]) visit(p, q, a[p]!)
  }
}

function standTogether(
  { starts, tokens }: ForwardList,
  document: number,
  first: number,
  second: number,
): boolean {
  const end = starts[document + 1]! - 1
  for (let at = starts[document]!; at < end; at++) {
    const next = tokens[at + 1]!
    if ((tokens[at]! & SURFACE) !== first || (next & SURFACE) !== second) continue
    if ((next & BEGINS_TEXT) === 0) return true
  }
  return false
}
