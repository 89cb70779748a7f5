import type { MatchSet } from '../matching/match-set.ts'
import { between, isDeep } from './first-of.ts'

/** An order of documents in which none comes at the same place as another. */
export interface MatchOrder {
  /** Below 0 where the first document comes first. */
  readonly compare: (one: number, other: number) => number
  /** The first of some documents, in order, those up to and with `after` left out. */
  first(set: MatchSet, count: number, after?: number): number[]
  /** The same of many, where they can be had without comparing all of them. */
  firstOfMany?(set: MatchSet, count: number): number[] | undefined
}

/** Some documents at the places `offset` to `offset + limit` of an order. */
export function pageBy(order: MatchOrder, set: MatchSet, offset: number, limit: number): number[] {
  const end = Math.min(offset + limit, set.size)
  if (!isDeep(end, set.size)) return order.first(set, end).slice(offset)
  const first = end < 2 * limit ? order.firstOfMany?.(set, end) : undefined
  return first ? first.slice(offset) : between(set.documents(), offset, end, order.compare)
}
