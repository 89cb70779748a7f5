import type { Candidacy } from './candidacy.ts'
import { LEAST_SCORE, type MatchVisitor } from './match-visitor.ts'
import type { SlotParts } from './posting-list.ts'

/** Offers every document of the segment that matches some slot, for a visitor that has no use for scores. */
export function matchAny(
  { base, documents, hidden }: Candidacy,
  slots: readonly SlotParts[],
  visitor: MatchVisitor,
): void {
  const seen = hidden?.slice() ?? new Uint8Array(documents)
  for (const { cover } of slots) {
    for (const { documents: matching, from, to } of cover.lists) {
      for (let p = from; p < to; p++) {
        const document = matching[p]!
        if (seen[document] !== 0) continue
        seen[document] = 1
        visitor.offer(LEAST_SCORE, base + document)
      }
    }
  }
}
