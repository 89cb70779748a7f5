import { type LiveSegment, lowerBound } from './live-segment.ts'
import type { Segment } from './segment.ts'
import type { PostingList, SlotPostings } from './slot-postings.ts'
import type { TopK } from './top-k.ts'

/** Per-document sums, all zero between uses. */
export interface Accumulators {
  readonly scores: Int32Array
  /** What the slot at hand has added so far. */
  readonly ofSlot: Int32Array
}

/** Documents are ranked in windows: the best of the first ones spare work in the next. */
const WINDOW_DOCUMENTS = 8192
/** Fewer postings than this are ranked in one go. */
const WINDOW_POSTINGS = 2048

/** A slot is looked up per candidate instead of read through when it is this many times longer. */
const PROBE_RATIO = 10

/**
 * Offers every document of the segment that matches some slot and may be among the best: MaxScore (Turtle and
 * Flood, "Query evaluation: strategies and optimizations", 1995). Slots that together cannot reach the
 * threshold bring in no candidates. `base` numbers the segment's first document among all.
 */
export function rankAny(
  live: LiveSegment,
  slots: SlotPostings[],
  base: number,
  sums: Accumulators,
  top: TopK,
): void {
  if (slots.length === 0) return
  if (slots.length === 1 && slots[0]!.lists.length === 1) {
    rankList(live, slots[0]!.lists[0]!, base, top)
    return
  }
  slots.sort((a, b) => b.bound - a.bound)
  const postings = slots.reduce((sum, { length }) => sum + length, 0)
  const { documents } = live.segment.shape
  const step = postings < WINDOW_POSTINGS ? documents : WINDOW_DOCUMENTS
  for (const { lists } of slots) for (const list of lists) list.to = list.from
  for (let end = step; end - step < documents; end += step) {
    for (const slot of slots) advance(live.segment, slot, end)
    rankWindow(live, slots, base, sums, top)
  }
}

/** Moves the lists on to their documents before `end`. */
function advance({ documents }: Segment, slot: SlotPostings, end: number): void {
  slot.length = 0
  for (const list of slot.lists) {
    list.from = list.to
    list.to = lowerBound(documents, list.from, list.end, end)
    slot.length += list.to - list.from
  }
}

function rankWindow(
  live: LiveSegment,
  slots: readonly SlotPostings[],
  base: number,
  sums: Accumulators,
  top: TopK,
): void {
  if (slots.length === 1) {
    // The score is that of one list: those that cannot reach the threshold do not matter.
    const lists = slots[0]!.lists.filter(({ bound }) => bound >= top.threshold)
    if (lists.length < 2) {
      for (const list of lists) rankList(live, list, base, top)
      return
    }
  }
  const essential = essentialSlots(slots, top.threshold)
  let candidates = 0
  for (let s = 0; s < essential; s++) {
    candidates += slots[s]!.length
    accumulate(live.segment, slots[s]!, sums)
  }
  if (candidates === 0) return
  const probed: SlotPostings[] = []
  for (let s = essential; s < slots.length; s++) {
    if (slots[s]!.length > candidates * PROBE_RATIO) probed.push(slots[s]!)
    else deepen(live.segment, slots[s]!, sums)
  }
  for (let s = 0; s < essential; s++) {
    for (const list of slots[s]!.lists) collect(live, list, probed, base, sums.scores, top)
  }
}

/** How many slots, in order of bound, must bring in candidates; 0 when no document can reach the threshold. */
function essentialSlots(slots: readonly SlotPostings[], threshold: number): number {
  let reachable = 0
  let essential = slots.length
  while (essential > 0) {
    const { bound, length } = slots[essential - 1]!
    if (length > 0) reachable += bound
    if (reachable >= threshold) return essential
    essential--
  }
  return 0
}

function rankList(live: LiveSegment, list: PostingList, base: number, top: TopK): void {
  if (list.bound < top.threshold) return
  const { documents, impacts } = live.segment
  const { dead } = live
  const { from, to, weight } = list
  let below = Math.floor((top.threshold - 1) / weight)
  for (let p = from; p < to; p++) {
    const impact = impacts[p]!
    if (impact <= below) continue
    const document = documents[p]!
    if (dead !== undefined && dead[document] === 1) continue
    top.offer(impact * weight, base + document)
    below = Math.floor((top.threshold - 1) / weight)
  }
}

function accumulate({ documents, impacts }: Segment, { lists }: SlotPostings, sums: Accumulators): void {
  const { scores, ofSlot } = sums
  if (lists.length === 1) {
    const { from, to, weight } = lists[0]!
    for (let p = from; p < to; p++) scores[documents[p]!]! += impacts[p]! * weight
    return
  }
  for (const { from, to, weight } of lists) {
    for (let p = from; p < to; p++) {
      const document = documents[p]!
      const gain = impacts[p]! * weight - ofSlot[document]!
      if (gain <= 0) continue
      scores[document]! += gain
      ofSlot[document]! += gain
    }
  }
  forget(documents, lists, ofSlot)
}

/** Adds to the documents reached already, and to no other. */
function deepen({ documents, impacts }: Segment, { lists }: SlotPostings, sums: Accumulators): void {
  const { scores, ofSlot } = sums
  for (const { from, to, weight } of lists) {
    for (let p = from; p < to; p++) {
      const document = documents[p]!
      if (scores[document] === 0) continue
      const gain = impacts[p]! * weight - ofSlot[document]!
      if (gain <= 0) continue
      scores[document]! += gain
      if (lists.length > 1) ofSlot[document]! += gain
    }
  }
  if (lists.length > 1) forget(documents, lists, ofSlot)
}

function forget(documents: Uint16Array, lists: readonly PostingList[], ofSlot: Int32Array): void {
  for (const { from, to } of lists) for (let p = from; p < to; p++) ofSlot[documents[p]!] = 0
}

function collect(
  live: LiveSegment,
  { from, to }: PostingList,
  probed: readonly SlotPostings[],
  base: number,
  scores: Int32Array,
  top: TopK,
): void {
  const { segment, dead } = live
  const { documents } = segment
  let rest = 0
  for (const { bound } of probed) rest += bound
  for (let p = from; p < to; p++) {
    const document = documents[p]!
    let score = scores[document]!
    if (score === 0) continue
    scores[document] = 0
    if (score + rest < top.threshold) continue
    if (dead !== undefined && dead[document] === 1) continue
    for (const { lists } of probed) score += bestOf(segment, lists, document)
    if (score >= top.threshold) top.offer(score, base + document)
  }
}

function bestOf({ documents, impacts }: Segment, lists: readonly PostingList[], document: number): number {
  let best = 0
  for (const { from, to, weight } of lists) {
    const at = lowerBound(documents, from, to, document)
    if (at < to && documents[at] === document) best = Math.max(best, impacts[at]! * weight)
  }
  return best
}
