import type { NearDocument } from './similarity-index.ts'

/** A hit, with the value by which it is ordered. */
export interface WeighedHit extends NearDocument {
  /** `(1 + score) ^ (1 + weight) - 1`, at most the largest finite number. */
  readonly weighed: number
}

/** Reorders hits: a weight above 0 lifts a hit, and equal weights keep the order. Scores do not change. */
export function reweighed(hits: readonly NearDocument[], weightOf: (id: string) => number): WeighedHit[] {
  // Compared by the logarithm, which stays finite with large weights.
  return hits
    .map((hit, place) => ({ hit, place, logarithm: (1 + weightOf(hit.id)) * Math.log1p(hit.score) }))
    .sort((a, b) => b.logarithm - a.logarithm || a.place - b.place)
    .map(({ hit, logarithm }) => ({ ...hit, weighed: Math.min(Number.MAX_VALUE, Math.expm1(logarithm)) }))
}
