import { isSet } from '../../arrays/set-bits.ts'
import { lowerBound, type Part, type PostingList, type SlotParts } from '../segments/posting-list.ts'

/** How many documents match. */
export interface Total {
  /** An estimate unless `exact`. */
  readonly count: number
  readonly exact: boolean
}

/** Number of documents examined to estimate how many match all words. */
const MOST_SAMPLED = 64
/** Fewer documents if words have many alternatives: this is the maximum number of list lookups. */
const MOST_LOOKUPS = 512
const LEAST_SAMPLED = 16

/** Estimates how many documents have any of the terms, from the frequency of each, as if terms occurred independently. */
export function estimateAny(frequencies: readonly number[], documents: number): number {
  let lacking = 1
  let most = 0
  let sum = 0
  for (const frequency of frequencies) {
    lacking *= 1 - Math.min(1, frequency / documents)
    if (frequency > most) most = frequency
    sum += frequency
  }
  return Math.min(sum, Math.max(most, Math.round(documents * (1 - lacking))))
}

/** Number of postings examined to estimate how many selected documents have any of the words. */
const MOST_EXAMINED = 1024

/** What any of the lists of a segment has of a selection. */
export interface SelectedLists {
  readonly lists: readonly PostingList[]
  /** By document: set if it is not selected. */
  readonly hidden: Uint32Array | undefined
  /** Number of selected documents. */
  readonly size: number
}

/**
 * How many selected documents are in any of the lists, as if lists were independent of each other, from a sample that is
 * evenly spread over all of them.
 */
export function sampleAny(segments: readonly SelectedLists[]): Total {
  let postings = 0
  for (const { lists } of segments) for (const { from, to } of lists) postings += to - from
  const stride = Math.max(1, postings / MOST_EXAMINED)
  let next = (stride - 1) / 2
  let count = 0
  let exact = stride === 1
  for (const { lists, hidden, size } of segments) {
    const found = lists.map(({ documents, from, to }) => {
      let selected = 0
      for (; next < to - from; next += stride)
        if (!isSet(hidden, documents[from + Math.floor(next)]!)) selected++
      next -= to - from
      return selected * stride
    })
    count += estimateAny(found, size)
    exact &&= lists.length === 1
  }
  return { count: Math.round(count), exact }
}

/** What documents of a segment must match. */
export interface Requirement {
  readonly slots: readonly SlotParts[]
  /** Whether to count a document that matches all slots. */
  readonly accepts: (document: number) => boolean
}

/** How many documents meet the requirement of their segment: counted if there are few candidates, otherwise sampled. */
export function sampleAll(requirements: readonly Requirement[]): Total {
  const covers = requirements.map(({ slots }) => shortestOf(slots))
  const candidates = covers.reduce((sum, { length }) => sum + length, 0)
  const stride = Math.max(1, candidates / samplesOf(requirements))
  let count = 0
  let passed = 0
  let next = Math.floor(stride / 2)
  let samples = 0
  for (const [i, cover] of covers.entries()) {
    for (const { documents, from, to } of cover.lists) {
      for (; next < passed + to - from; next = Math.floor((samples + 0.5) * stride)) {
        samples++
        count += shareOf(documents[from + next - passed]!, cover, requirements[i]!)
      }
      passed += to - from
    }
  }
  return { count: Math.round(count * stride), exact: stride === 1 }
}

function samplesOf(requirements: readonly Requirement[]): number {
  let lists = 1
  for (const { slots } of requirements)
    lists = Math.max(
      lists,
      slots.reduce((sum, { cover }) => sum + cover.lists.length, 0),
    )
  return Math.max(LEAST_SAMPLED, Math.min(MOST_SAMPLED, Math.floor(MOST_LOOKUPS / lists)))
}

function shortestOf(slots: readonly SlotParts[]): Part {
  let shortest = slots[0]!.cover
  for (const { cover } of slots) if (cover.length < shortest.length) shortest = cover
  return shortest
}

/** A document that is in several lists of the cover is sampled as often, so it counts for less. */
function shareOf(document: number, cover: Part, { slots, accepts }: Requirement): number {
  for (const slot of slots) if (slot.cover !== cover && timesIn(slot.cover, document, 1) === 0) return 0
  return accepts(document) ? 1 / timesIn(cover, document, cover.lists.length) : 0
}

/** In how many lists of the part a document occurs, counted up to `enough`. */
function timesIn({ lists }: Part, document: number, enough: number): number {
  let times = 0
  for (const { documents, from, to } of lists) {
    const at = lowerBound(documents, from, to, document)
    if (at < to && documents[at] === document && ++times === enough) break
  }
  return times
}
