import type { MatchSet } from '../matching/match-set.ts'
import { between, isDeep } from './first-of.ts'

/** A strict order of documents. */
export interface MatchOrder {
  /** Below 0 where the first document comes first. */
  readonly compare: (one: number, other: number) => number
  /** The first documents of a set, in order, starting after `after`. */
  first(set: MatchSet, count: number, after?: number): number[]
  /** The same for many documents, where it is possible without comparing all of them. */
  firstOfMany?(set: MatchSet, count: number): number[] | undefined
}

/** The documents of a set at places `offset` to `offset + limit` of an order. */
export function pageBy(order: MatchOrder, set: MatchSet, offset: number, limit: number): number[] {
  const end = Math.min(offset + limit, set.size)
  if (!isDeep(end, set.size)) return order.first(set, end).slice(offset)
  const first = end < 2 * limit ? order.firstOfMany?.(set, end) : undefined
  return first ? first.slice(offset) : between(set.documents(), offset, end, order.compare)
}
