import type { NearDocument } from './similarity-index.ts'

/** A hit in the order of its weight. */
export interface WeighedHit extends NearDocument {
  /** `(1 + score) ^ (1 + weight) - 1`, at most the largest number that there is. */
  readonly weighed: number
}

/** Puts hits in another order: a weight above 0 lifts one, and with weights all alike the order stays. Scores stay. */
export function reweighed(hits: readonly NearDocument[], weightOf: (id: string) => number): WeighedHit[] {
  // Compared by the logarithm, which large weights do not make infinite.
  return hits
    .map((hit, place) => ({ hit, place, logarithm: (1 + weightOf(hit.id)) * Math.log1p(hit.score) }))
    .sort((a, b) => b.logarithm - a.logarithm || a.place - b.place)
    .map(({ hit, logarithm }) => ({ ...hit, weighed: Math.min(Number.MAX_VALUE, Math.expm1(logarithm)) }))
}
