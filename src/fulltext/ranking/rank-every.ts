import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'

/** Offers every document of the segment that may be found, with a score of 1 times its factors. */
export function rankEvery({ base, documents, hidden, factors }: Candidacy, visitor: MatchVisitor): void {
  for (let document = 0; document < documents; document++) {
    if (isSet(hidden, document)) continue
    const score = factors === undefined ? 1 : factors[document]!
    if (score >= visitor.threshold) visitor.offer(score, base + document)
  }
}
