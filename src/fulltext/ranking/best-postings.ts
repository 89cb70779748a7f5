import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import type { PostingList } from '../segments/posting-list.ts'

/**
 * The first postings of a word in a segment as an answer has them: by impact, equal ones by the ids of their documents. Gone
 * documents are among them.
 */
export interface BestPostings {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  /** Impacts of the form as typed, of which the others are the family; 0 where a document lacks it. */
  readonly exactImpacts: Uint8Array | undefined
}

/** Who keeps only so many of the best that are offered. */
export interface BestKeeper extends MatchVisitor {
  readonly k: number
}

/** Offers the best that may be found. False where fewer than wanted are known, and so nothing was offered. */
export function rankBest(
  { base, hidden }: Candidacy,
  { documents, impacts, exactImpacts }: BestPostings,
  cover: PostingList,
  exact: PostingList | undefined,
  visitor: BestKeeper,
): boolean {
  const end = endOf(documents, visitor.k, hidden)
  if (end < 0) return false
  for (let rank = 0; rank < end; rank++) {
    let score = impacts[rank]! * cover.weight
    if (exactImpacts && exact) score += exactImpacts[rank]! * exact.weight
    if (score < visitor.threshold) return true
    const document = documents[rank]!
    if (!isSet(hidden, document)) visitor.offer(score, base + document)
  }
  return true
}

/** Behind how many of the documents so many may be found, -1 where there are fewer. */
function endOf(documents: Uint16Array, wanted: number, hidden: Uint32Array | undefined): number {
  if (hidden === undefined) return wanted <= documents.length ? wanted : -1
  let found = 0
  for (let rank = 0; rank < documents.length; rank++) {
    if (found === wanted) return rank
    if (!isSet(hidden, documents[rank]!)) found++
  }
  return found === wanted ? documents.length : -1
}
