import { isSet } from '../../arrays/set-bits.ts'
import type { Candidacy } from '../matching/candidacy.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import type { PostingList } from '../segments/posting-list.ts'

/**
 * The first postings of a word in a segment in the order of answers: by impact, equal ones by document id. Removed documents
 * are included.
 */
export interface BestPostings {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  /** Impacts of the form as typed, if the others are of its family; 0 where a document lacks the form. */
  readonly exactImpacts: Uint8Array | undefined
}

/** A visitor that keeps only a limited number of the best documents offered. */
export interface BestKeeper extends MatchVisitor {
  readonly k: number
}

/** Offers the best documents that may be found. False, with nothing offered, if fewer than wanted are known. */
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

/** The number of documents up to the `wanted`-th that may be found; -1 if there are fewer. */
function endOf(documents: Uint16Array, wanted: number, hidden: Uint32Array | undefined): number {
  if (hidden === undefined) return wanted <= documents.length ? wanted : -1
  let found = 0
  for (let rank = 0; rank < documents.length; rank++) {
    if (found === wanted) return rank
    if (!isSet(hidden, documents[rank]!)) found++
  }
  return found === wanted ? documents.length : -1
}
