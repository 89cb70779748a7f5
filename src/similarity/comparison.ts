import { ASPECTS, inverseShares, shares } from './aspects.ts'
import type { Holdings, Vectors } from './holdings.ts'

/** Scores are told to so many parts, so that they are the same from whichever side they are computed. */
export const SCORE_PARTS = 1e6

export const setOf = (vectors: Vectors): number =>
  vectors.reduce((set, vector, aspect) => (vector ? set | (1 << aspect) : set), 0)

/**
 * A text beside documents: the score is the mean of the cosines of what both have, weighted by the shares, in 0 to 1.
 * There can be one at a time of some holdings, which has to be ended.
 */
export class Comparison {
  /** The aspects of the text, as bits. */
  readonly set: number
  readonly #holdings: Holdings
  readonly #vectors: Vectors

  constructor(holdings: Holdings, vectors: Vectors) {
    this.#holdings = holdings
    this.#vectors = vectors
    this.set = setOf(vectors)
    for (const [aspect, vector] of vectors.entries())
      if (vector) holdings.spaces[aspect]!.beginComparison(vector)
  }

  score(document: number): number {
    const { sets, spaces } = this.#holdings
    const set = this.set & sets[document]!
    let sum = 0
    for (let aspect = 0; aspect < ASPECTS; aspect++)
      if ((set >> aspect) & 1) sum += shares[aspect]! * spaces[aspect]!.cosine(document)
    return Math.min(1, Math.round(sum * inverseShares[set]! * SCORE_PARTS) / SCORE_PARTS)
  }

  end(): void {
    for (const [aspect, vector] of this.#vectors.entries())
      if (vector) this.#holdings.spaces[aspect]!.endComparison(vector)
  }
}

/** Scores of a text beside some documents. */
export function scoresOf(holdings: Holdings, vectors: Vectors, documents: readonly number[]): number[] {
  const comparison = new Comparison(holdings, vectors)
  try {
    return documents.map(document => comparison.score(document))
  } finally {
    comparison.end()
  }
}
