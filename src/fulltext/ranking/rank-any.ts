import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import type { Part, PostingList } from '../segments/posting-list.ts'
import type { Accumulators } from './accumulators.ts'
import { bestOf, forget, noteBest } from './best-of-lists.ts'

/** A part that is this many times longer is looked up for each candidate instead of being read. */
const PROBE_RATIO = 64

/** Up to this many are sorted by insertion, which for two or three takes a tenth of the time of `sort`. */
const FEW_PARTS = 32

/**
 * Offers every document of the segment that matches some part and may be among the best: MaxScore (Turtle and
 * Flood, "Query evaluation: strategies and optimizations", 1995). Parts whose bounds together do not reach the threshold
 * contribute no candidates.
 */
export function rankAny(
  candidacy: Candidacy,
  parts: Part[],
  sums: Accumulators,
  visitor: MatchVisitor,
): void {
  if (parts.length === 1) {
    rankPart(candidacy, parts[0]!, sums, visitor)
    return
  }
  sortByBound(parts)
  rankParts(candidacy, parts, sums, visitor)
}

/** The largest first. */
function sortByBound(parts: Part[]): void {
  if (parts.length > FEW_PARTS) parts.sort((a, b) => b.bound - a.bound)
  else for (let i = 1; i < parts.length; i++) insertByBound(parts, i)
}

/** Moves the part at a place to its sorted position among those before it. */
function insertByBound(parts: Part[], place: number): void {
  const part = parts[place]!
  for (; place > 0 && parts[place - 1]!.bound < part.bound; place--) parts[place] = parts[place - 1]!
  parts[place] = part
}

function rankPart(candidacy: Candidacy, part: Part, sums: Accumulators, visitor: MatchVisitor): void {
  const { lists } = part
  if (lists.length === 1) rankList(candidacy, lists[0]!, visitor)
  else rankAlternatives(candidacy, lists, sums, visitor)
}

/** Offers the documents of a list, adding the scores of a second list, which has no other documents. */
export function rankNested(
  candidacy: Candidacy,
  cover: PostingList,
  exact: PostingList,
  visitor: MatchVisitor,
): void {
  const { base, hidden, factors, most } = candidacy
  const { documents, impacts, weight } = cover
  let at = exact.from
  let least = (leastSum(visitor, most) - exact.bound) / weight
  for (let p = cover.from; p < cover.to; p++) {
    const impact = impacts[p]!
    if (impact < least) continue
    const document = documents[p]!
    if (isSet(hidden, document)) continue
    while (at < exact.to && exact.documents[at]! < document) at++
    let score = impact * weight
    if (at < exact.to && exact.documents[at] === document) score += exact.impacts[at]! * exact.weight
    if (factors !== undefined) score *= factors[document]!
    if (score < visitor.threshold) continue
    visitor.offer(score, base + document)
    least = (leastSum(visitor, most) - exact.bound) / weight
  }
}

function rankParts(
  candidacy: Candidacy,
  parts: readonly Part[],
  sums: Accumulators,
  visitor: MatchVisitor,
): void {
  let spare = leastSum(visitor, candidacy.most)
  let essential = parts.length
  // The smallest parts that together do not reach the threshold contribute no candidates.
  while (essential > 0 && spare > parts[essential - 1]!.bound) spare -= parts[--essential]!.bound
  let reached = 0
  for (let p = 0; p < essential; p++) {
    // Documents that no earlier part has reached need at least `spare` from the last essential part.
    reached = reach(parts[p]!, p < essential - 1 ? 0 : spare, reached, sums)
  }
  if (reached === 0) return
  const probed: Part[] = []
  for (let p = essential; p < parts.length; p++) {
    if (parts[p]!.length > reached * PROBE_RATIO) probed.push(parts[p]!)
    else deepen(parts[p]!, sums)
  }
  collect(candidacy, reached, probed, sums, visitor)
}

/** The lowest sum that can reach the threshold. Sums are whole numbers, so rounding the quotient down loses nothing. */
function leastSum({ threshold }: MatchVisitor, most: number): number {
  return Math.floor(threshold / most)
}

/** Offers the documents of a list. */
export function rankList(candidacy: Candidacy, list: PostingList, visitor: MatchVisitor): void {
  const { base, hidden, factors, most } = candidacy
  const { documents, impacts, from, to, weight } = list
  if (list.bound * most < visitor.threshold) return
  let least = Math.ceil(leastSum(visitor, most) / weight)
  for (let p = from; p < to; p++) {
    const impact = impacts[p]!
    if (impact < least) continue
    const document = documents[p]!
    if (isSet(hidden, document)) continue
    const score = factors === undefined ? impact * weight : impact * weight * factors[document]!
    if (score < visitor.threshold) continue
    visitor.offer(score, base + document)
    least = Math.ceil(leastSum(visitor, most) / weight)
  }
}

/** Notes only documents that may be among the best. */
function rankAlternatives(
  { base, hidden, factors, most }: Candidacy,
  lists: readonly PostingList[],
  { ofPart }: Accumulators,
  visitor: MatchVisitor,
): void {
  const found = noteBest(lists, leastSum(visitor, most), ofPart)
  for (const document of found) {
    let score = ofPart[document]!
    if (score * most < visitor.threshold || isSet(hidden, document)) continue
    if (factors !== undefined) score *= factors[document]!
    if (score >= visitor.threshold) visitor.offer(score, base + document)
  }
  forget(found, ofPart)
}

/**
 * Adds to the scores of documents already reached, and reaches those to which the part adds `least` or more. Returns how
 * many are then reached.
 */
function reach(part: Part, least: number, reached: number, sums: Accumulators): number {
  return part.lists.length === 1
    ? reachByList(part.lists[0]!, least, reached, sums)
    : reachByBest(part.lists, least, reached, sums)
}

function reachByList(
  { documents, impacts, from, to, weight }: PostingList,
  least: number,
  reached: number,
  { scores, found }: Accumulators,
): number {
  const below = (Math.ceil(least / weight) - 1) | 0
  // Arithmetic on signs instead of branches, which would be unpredictable here.
  for (let p = from; p < to; p++) {
    const document = documents[p]!
    const score = scores[document]!
    const impact = impacts[p]!
    const enough = (below - impact) >> 31
    found[reached] = document
    reached += ((score - 1) >>> 31) & enough
    scores[document] = score + (Math.imul(impact, weight) & (enough | (-score >> 31)))
  }
  return reached
}

function reachByBest(
  lists: readonly PostingList[],
  least: number,
  reached: number,
  { scores, ofPart, found }: Accumulators,
): number {
  for (const { documents, impacts, from, to, weight } of lists) {
    for (let p = from; p < to; p++) {
      const document = documents[p]!
      const score = scores[document]!
      const own = impacts[p]! * weight
      const gain = own - ofPart[document]!
      if (gain <= 0 || (score === 0 && own < least)) continue
      if (score === 0) found[reached++] = document
      scores[document] = score + gain
      ofPart[document] = own
    }
  }
  forgetAll(lists, ofPart)
  return reached
}

/** Adds to the scores of documents already reached, and reaches no others. */
function deepen({ lists }: Part, { scores, ofPart }: Accumulators): void {
  if (lists.length === 1) {
    const { documents, impacts, from, to, weight } = lists[0]!
    for (let p = from; p < to; p++) {
      const document = documents[p]!
      if (scores[document] !== 0) scores[document]! += impacts[p]! * weight
    }
    return
  }
  for (const { documents, impacts, from, to, weight } of lists) {
    for (let p = from; p < to; p++) {
      const document = documents[p]!
      if (scores[document] === 0) continue
      const gain = impacts[p]! * weight - ofPart[document]!
      if (gain <= 0) continue
      scores[document]! += gain
      ofPart[document]! += gain
    }
  }
  forgetAll(lists, ofPart)
}

function forgetAll(lists: readonly PostingList[], ofPart: Int32Array): void {
  for (const { documents, from, to } of lists) for (let p = from; p < to; p++) ofPart[documents[p]!] = 0
}

function collect(
  { base, hidden, factors, most }: Candidacy,
  reached: number,
  probed: readonly Part[],
  { scores, found }: Accumulators,
  visitor: MatchVisitor,
): void {
  let rest = 0
  for (const { bound } of probed) rest += bound
  let least = leastSum(visitor, most) - rest
  for (let i = 0; i < reached; i++) {
    const document = found[i]!
    let score = scores[document]!
    scores[document] = 0
    if (score < least) continue
    if (isSet(hidden, document)) continue
    for (const { lists } of probed) score += bestOf(lists, document)
    if (factors !== undefined) score *= factors[document]!
    if (score < visitor.threshold) continue
    visitor.offer(score, base + document)
    least = leastSum(visitor, most) - rest
  }
}
