import type { MatchSet } from './match-set.ts'

/** An order of documents in which none comes at the same place as another. */
export interface MatchOrder {
  /** Below 0 where the first document comes first. */
  compare(one: number, other: number): number
  /** The first of some documents, in order, those up to and with `after` left out. */
  first(set: MatchSet, count: number, after?: number): number[]
}
