import type { IndexState } from '../filters/filter.ts'
import { First } from '../fulltext/ranking/first-of.ts'
import type { MatchOrder } from '../fulltext/ranking/match-order.ts'
import type { MatchSet } from '../fulltext/ranking/match-set.ts'
import { LEAST_SCORE, type MatchVisitor } from '../fulltext/ranking/match-visitor.ts'

/** Documents with more of some words first, others in the order of the index. */
export class ScoreOrder implements MatchOrder, MatchVisitor {
  readonly threshold = LEAST_SCORE
  /** By document, of those that have one. */
  readonly scores = new Map<number, number>()

  offer(score: number, document: number): void {
    this.scores.set(document, score)
  }

  add(score: number, document: number): void {
    this.scores.set(document, this.of(document) + score)
  }

  of(document: number): number {
    return this.scores.get(document) ?? 0
  }

  readonly compare = (one: number, other: number): number => this.of(other) - this.of(one) || one - other

  first(set: MatchSet, count: number, after?: number): number[] {
    const first = new First(Math.min(count, set.size), this.compare)
    for (const document of set.documents())
      if (after === undefined || this.compare(document, after) > 0) first.offer(document)
    return first.sorted()
  }
}

/** The order of the index. */
export const indexOrder: MatchOrder = {
  compare: (one, other) => one - other,
  first: (set, count, after = -1) => set.first(count, after),
}

export const idAt = (segments: IndexState['segments'], document: number): string =>
  segments[document >>> 16]!.segment.id(document & 0xffff)
