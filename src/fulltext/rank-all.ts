import { lowerBound } from './live-segment.ts'
import type { Part, PostingList, SlotParts } from './posting-lists.ts'
import type { Candidacy } from './rank-any.ts'
import type { TopK } from './top-k.ts'

/** Documents in ascending order. */
export interface Candidates {
  readonly documents: Uint16Array
  readonly scores: Int32Array
  count: number
}

/** Offers every document of the segment that matches all slots and may be among the best. */
export function rankAll(candidacy: Candidacy, slots: readonly SlotParts[], top: TopK): void {
  let reachable = 0
  for (const { cover, exact } of slots) reachable += cover.bound + (exact?.bound ?? 0)
  if (reachable * candidacy.most < top.threshold) return
  if (slots.every(({ cover }) => cover.lists.length === 1)) intersect(candidacy, slots, reachable, top)
  else rankMatches(candidacy, slots, top)
}

/** Where every slot has one list: goes through the shortest and looks up in the others what may be among the best. */
function intersect(
  { base, hidden, factors, most }: Candidacy,
  slots: readonly SlotParts[],
  reachable: number,
  top: TopK,
): void {
  const covers = slots.map(({ cover }) => cover.lists[0]!).sort((a, b) => a.to - a.from - (b.to - b.from))
  const others = covers.slice(1)
  const exacts = slots.flatMap(({ exact }) => exact?.lists ?? [])
  const { documents, impacts, from, to, weight, bound } = covers[0]!
  const rest = reachable - bound
  candidates: for (let p = from; p < to; p++) {
    let score = impacts[p]! * weight
    if ((score + rest) * most < top.threshold) continue
    const document = documents[p]!
    if (hidden !== undefined && hidden[document] === 1) continue
    for (const list of others) {
      const at = moveTo(list, document)
      // Nobody further on is in a list that ends here.
      if (at === list.end) return
      if (list.documents[at] !== document) continue candidates
      score += list.impacts[at]! * list.weight
    }
    for (const list of exacts) {
      const at = moveTo(list, document)
      if (at < list.end && list.documents[at] === document) score += list.impacts[at]! * list.weight
    }
    if (factors !== undefined) score *= factors[document]!
    if (score >= top.threshold) top.offer(score, base + document)
  }
}

/** Moves the list on to its first posting not before the document. */
function moveTo(list: PostingList, document: number): number {
  list.from = gallop(list.documents, list.from, list.end, document)
  return list.from
}

function rankMatches(candidacy: Candidacy, slots: readonly SlotParts[], top: TopK): void {
  const { base, hidden, factors, most } = candidacy
  const candidates = matchAll(slots)
  const best = new Int32Array(candidates.count)
  for (const { exact } of slots) if (exact) addExact(candidates, exact, best)
  const { documents, scores, count } = candidates
  for (let i = 0; i < count; i++) {
    const document = documents[i]!
    if (scores[i]! * most < top.threshold) continue
    if (hidden !== undefined && hidden[document] === 1) continue
    const score = factors === undefined ? scores[i]! : scores[i]! * factors[document]!
    if (score >= top.threshold) top.offer(score, base + document)
  }
}

/** The documents that the covers of all slots have, the shortest of which is read through. */
export function matchAll(slots: readonly SlotParts[]): Candidates {
  const covers = slots.map(({ cover }) => cover).sort((a, b) => a.length - b.length)
  const candidates = union(covers[0]!)
  const best = new Int32Array(candidates.count)
  for (let s = 1; s < covers.length && candidates.count > 0; s++) {
    match(candidates, covers[s]!, best)
    keepMatched(candidates, best)
  }
  return candidates
}

function match(candidates: Candidates, { lists }: Part, best: Int32Array): void {
  for (const list of lists) {
    if (list.to - list.from < candidates.count) matchList(list, candidates, best)
    else matchCandidates(list, candidates, best)
  }
}

function addExact(candidates: Candidates, exact: Part, best: Int32Array): void {
  match(candidates, exact, best)
  const { scores, count } = candidates
  for (let i = 0; i < count; i++) {
    scores[i]! += best[i]!
    best[i] = 0
  }
}

/** The documents of a part in order, each with its best score. */
function union({ lists }: Part): Candidates {
  let rest = lists.map(candidatesOf)
  while (rest.length > 1) {
    rest = rest.flatMap((one, i) =>
      i % 2 === 1 ? [] : i + 1 < rest.length ? joined(one, rest[i + 1]!) : one,
    )
  }
  return rest[0]!
}

function candidatesOf({ documents, impacts, from, to, weight }: PostingList): Candidates {
  const scores = new Int32Array(to - from)
  for (let p = from; p < to; p++) scores[p - from] = impacts[p]! * weight
  return { documents: documents.slice(from, to), scores, count: to - from }
}

function joined(a: Candidates, b: Candidates): Candidates {
  const documents = new Uint16Array(a.count + b.count)
  const scores = new Int32Array(a.count + b.count)
  let count = 0
  for (let i = 0, j = 0; i < a.count || j < b.count; count++) {
    const left = i < a.count ? a.documents[i]! : Infinity
    const right = j < b.count ? b.documents[j]! : Infinity
    documents[count] = Math.min(left, right)
    if (left <= right) scores[count] = a.scores[i++]!
    if (right <= left) scores[count] = Math.max(scores[count]!, b.scores[j++]!)
  }
  return { documents, scores, count }
}

/** Raises `best` for the candidates that the list has, going through the candidates. */
function matchCandidates(
  { documents, impacts, from, to, weight }: PostingList,
  candidates: Candidates,
  best: Int32Array,
): void {
  let at = from
  for (let i = 0; i < candidates.count && at < to; i++) {
    const document = candidates.documents[i]!
    at = gallop(documents, at, to, document)
    if (at === to || documents[at] !== document) continue
    best[i] = Math.max(best[i]!, impacts[at]! * weight)
  }
}

/** The same, going through the list. */
function matchList(
  { documents, impacts, from, to, weight }: PostingList,
  candidates: Candidates,
  best: Int32Array,
): void {
  const { count } = candidates
  let i = 0
  for (let p = from; p < to && i < count; p++) {
    i = gallop(candidates.documents, i, count, documents[p]!)
    if (i === count || candidates.documents[i] !== documents[p]) continue
    best[i] = Math.max(best[i]!, impacts[p]! * weight)
  }
}

/** The first place in the ascending `array[from..to)` not below `value`, found in doubling strides. */
function gallop(array: Uint16Array, from: number, to: number, value: number): number {
  if (from >= to || array[from]! >= value) return from
  let stride = 1
  while (from + stride < to && array[from + stride]! < value) stride <<= 1
  return lowerBound(array, from + (stride >> 1), Math.min(to, from + stride + 1), value)
}

/** Moves the candidates with something in `best` to the front and clears `best`. */
function keepMatched(candidates: Candidates, best: Int32Array): void {
  const { documents, scores, count } = candidates
  let kept = 0
  for (let i = 0; i < count; i++) {
    const gain = best[i]!
    best[i] = 0
    if (gain === 0) continue
    documents[kept] = documents[i]!
    scores[kept] = scores[i]! + gain
    kept++
  }
  candidates.count = kept
}
