import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import type { SlotParts } from '../segments/posting-list.ts'
import { bestOf } from './best-of-lists.ts'

/**
 * Looks up each of the given documents, the only ones that may be found, and offers those that match.
 * @param wantsAll whether every slot must be matched
 */
export function rankFew(
  { base, hidden, factors }: Candidacy,
  few: Uint16Array,
  slots: readonly SlotParts[],
  wantsAll: boolean,
  visitor: MatchVisitor,
): void {
  for (const document of few) {
    if (isSet(hidden, document)) continue
    let score = scoreOf(document, slots, wantsAll)
    if (score === 0) continue
    if (factors !== undefined) score *= factors[document]!
    if (score >= visitor.threshold) visitor.offer(score, base + document)
  }
}

/** 0 if it does not match. */
function scoreOf(document: number, slots: readonly SlotParts[], wantsAll: boolean): number {
  let score = 0
  for (const { cover, exact } of slots) {
    const best = bestOf(cover.lists, document)
    if (best === 0) {
      if (wantsAll) return 0
      continue
    }
    score += best
    if (exact) score += bestOf(exact.lists, document)
  }
  return score
}
