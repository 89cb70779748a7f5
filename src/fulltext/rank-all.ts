import { type LiveSegment, lowerBound } from './live-segment.ts'
import type { Segment } from './segment.ts'
import type { PostingList, SlotPostings } from './slot-postings.ts'
import type { TopK } from './top-k.ts'

interface Candidates {
  documents: Uint16Array
  scores: Int32Array
}

/** Offers every document of the segment that matches all slots, the shortest of which is read through. */
export function rankAll(live: LiveSegment, slots: SlotPostings[], base: number, top: TopK): void {
  if (slots.length === 0) return
  const reachable = slots.reduce((sum, { bound }) => sum + bound, 0)
  if (reachable < top.threshold) return
  slots.sort((a, b) => a.length - b.length)
  const candidates = union(live.segment, slots[0]!)
  let count = candidates.documents.length
  const best = new Int32Array(count)
  for (let s = 1; s < slots.length && count > 0; s++) {
    for (const list of slots[s]!.lists) {
      if (list.to - list.from < count) matchList(live.segment, list, candidates.documents, count, best)
      else matchCandidates(live.segment, list, candidates.documents, count, best)
    }
    count = keepMatched(candidates, best, count)
  }
  const { dead } = live
  for (let i = 0; i < count; i++) {
    const document = candidates.documents[i]!
    if (candidates.scores[i]! < top.threshold) continue
    if (dead === undefined || dead[document] === 0) top.offer(candidates.scores[i]!, base + document)
  }
}

/** The documents of a slot in order, each with its best score. */
function union(segment: Segment, { lists }: SlotPostings): Candidates {
  const { documents, impacts } = segment
  let all: Candidates = { documents: new Uint16Array(0), scores: new Int32Array(0) }
  for (const { from, to, weight } of lists) {
    const next = { documents: documents.slice(from, to), scores: new Int32Array(to - from) }
    for (let p = from; p < to; p++) next.scores[p - from] = impacts[p]! * weight
    all = all.documents.length === 0 ? next : joined(all, next)
  }
  return all
}

function joined(a: Candidates, b: Candidates): Candidates {
  const most = a.documents.length + b.documents.length
  const documents = new Uint16Array(most)
  const scores = new Int32Array(most)
  let count = 0
  for (let i = 0, j = 0; i < a.documents.length || j < b.documents.length; count++) {
    const left = i < a.documents.length ? a.documents[i]! : Infinity
    const right = j < b.documents.length ? b.documents[j]! : Infinity
    documents[count] = Math.min(left, right)
    if (left <= right) scores[count] = a.scores[i++]!
    if (right <= left) scores[count] = Math.max(scores[count]!, b.scores[j++]!)
  }
  return { documents: documents.subarray(0, count), scores: scores.subarray(0, count) }
}

/** Raises `best` for the candidates that the list has, going through the candidates. */
function matchCandidates(
  { documents, impacts }: Segment,
  { from, to, weight }: PostingList,
  candidates: Uint16Array,
  count: number,
  best: Int32Array,
): void {
  let at = from
  for (let i = 0; i < count && at < to; i++) {
    const document = candidates[i]!
    at = gallop(documents, at, to, document)
    if (at === to || documents[at] !== document) continue
    best[i] = Math.max(best[i]!, impacts[at]! * weight)
  }
}

/** The same, going through the list. */
function matchList(
  { documents, impacts }: Segment,
  { from, to, weight }: PostingList,
  candidates: Uint16Array,
  count: number,
  best: Int32Array,
): void {
  let i = 0
  for (let p = from; p < to && i < count; p++) {
    i = gallop(candidates, i, count, documents[p]!)
    if (i === count || candidates[i] !== documents[p]) continue
    best[i] = Math.max(best[i]!, impacts[p]! * weight)
  }
}

/** The first place in the ascending `array[from..to)` not below `value`, found in doubling strides. */
function gallop(array: Uint16Array, from: number, to: number, value: number): number {
  let stride = 1
  while (from + stride < to && array[from + stride]! < value) stride <<= 1
  return lowerBound(array, from + (stride >> 1), Math.min(to, from + stride + 1), value)
}

/** Moves the candidates with something in `best` to the front and clears `best`. */
function keepMatched({ documents, scores }: Candidates, best: Int32Array, count: number): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const gain = best[i]!
    best[i] = 0
    if (gain === 0) continue
    documents[kept] = documents[i]!
    scores[kept] = scores[i]! + gain
    kept++
  }
  return kept
}
