import { blankBits, setBit } from '../../arrays/set-bits.ts'
import type { SlotParts } from '../segments/posting-list.ts'
import type { Candidacy } from './candidacy.ts'
import { LEAST_SCORE, type MatchVisitor } from './match-visitor.ts'

/** Offers every document of the segment that matches some slot, for a visitor that ignores scores. */
export function matchAny(
  { base, documents, hidden }: Candidacy,
  slots: readonly SlotParts[],
  visitor: MatchVisitor,
): void {
  const found = blankBits(documents)
  for (const { cover } of slots)
    for (const { documents: matching, from, to } of cover.lists)
      for (let p = from; p < to; p++) setBit(found, matching[p]!)
  if (hidden) for (let i = 0; i < found.length; i++) found[i]! &= ~hidden[i]!
  if (visitor.offerAll) {
    visitor.offerAll(found, base)
    return
  }
  for (let at = 0; at < found.length; at++)
    for (let word = found[at]!; word !== 0; word &= word - 1)
      visitor.offer(LEAST_SCORE, base + (at << 5) + 31 - Math.clz32(word & -word))
}
