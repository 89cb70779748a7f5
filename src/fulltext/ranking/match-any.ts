import { blankBits, isSet, setBit } from '../set-bits.ts'
import type { Candidacy } from './candidacy.ts'
import { LEAST_SCORE, type MatchVisitor } from './match-visitor.ts'
import type { SlotParts } from './posting-list.ts'

/** Offers every document of the segment that matches some slot, for a visitor that has no use for scores. */
export function matchAny(
  { base, documents, hidden }: Candidacy,
  slots: readonly SlotParts[],
  visitor: MatchVisitor,
): void {
  const seen = hidden?.slice() ?? blankBits(documents)
  for (const { cover } of slots) {
    for (const { documents: matching, from, to } of cover.lists) {
      for (let p = from; p < to; p++) {
        const document = matching[p]!
        if (isSet(seen, document)) continue
        setBit(seen, document)
        visitor.offer(LEAST_SCORE, base + document)
      }
    }
  }
}
