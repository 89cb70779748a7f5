import { ASPECTS, inverseShares, NUMBERS, shares } from './aspects.ts'
import type { Holdings, Vectors } from './holdings.ts'

/** Scores are rounded to multiples of 1 / SCORE_PARTS, so that they are the same whichever side is compared with the other. */
export const SCORE_PARTS = 1e6

/**
 * The share of a score that is lost if both titles have numbers, measures or model codes, but none in common.
 * Chosen from .2 to .65 on the odd ids of three catalogues: with less, fewer are found in two of them, with more in the third.
 */
const DISAGREEMENT = 0.5
/** What remains of the score of two documents with numbers, none of which they share. */
export const LEAST_AGREEMENT = 1 - DISAGREEMENT

/**
 * The factor on the score of two documents, from the cosine and the lengths of their numbers. Numbers count by the square of
 * their rarity, and only those of the side that has fewer: the other may say more.
 */
export const agreementOf = (cosine: number, one: number, other: number): number =>
  1 - DISAGREEMENT * (1 - Math.min(1, (cosine * Math.max(one, other)) / Math.min(one, other)))

/** The aspects of vectors, as bits. */
const setOf = (vectors: Vectors): number =>
  vectors.reduce((set, vector, space) => (vector && space < ASPECTS ? set | (1 << space) : set), 0)

/**
 * A text compared with documents. The score, from 0 to 1, is the mean of the cosines of the aspects that both have, weighted by
 * their shares, times how well their numbers agree.
 * Only one comparison may be open per holdings, and it has to be ended.
 */
export class TextComparison {
  /** The aspects of the text, as bits. */
  readonly set: number
  /** Whether the text has numbers. */
  readonly hasNumbers: boolean
  readonly #holdings: Holdings
  readonly #vectors: Vectors

  constructor(holdings: Holdings, vectors: Vectors) {
    this.#holdings = holdings
    this.#vectors = vectors
    this.set = setOf(vectors)
    this.hasNumbers = vectors[NUMBERS] !== undefined
    for (const [aspect, vector] of vectors.entries())
      if (vector) holdings.spaces[aspect]!.beginComparison(vector)
  }

  score(document: number): number {
    const { sets, spaces } = this.#holdings
    const set = this.set & sets[document]!
    let sum = 0
    for (let aspect = 0; aspect < ASPECTS; aspect++)
      if ((set >> aspect) & 1) sum += shares[aspect]! * spaces[aspect]!.cosine(document)
    const score = sum * inverseShares[set]! * this.agreement(document)
    return Math.min(1, Math.round(score * SCORE_PARTS) / SCORE_PARTS)
  }

  /** The factor for numbers: at most 1, and 1 where one side has no numbers. */
  agreement(document: number): number {
    const numbers = this.#vectors[NUMBERS]
    const space = this.#holdings.spaces[NUMBERS]!
    const scale = space.scales[document]!
    return numbers && scale > 0 ? agreementOf(space.cosine(document), numbers.length, 1 / scale) : 1
  }

  end(): void {
    for (const [aspect, vector] of this.#vectors.entries())
      if (vector) this.#holdings.spaces[aspect]!.endComparison(vector)
  }
}

/** Scores of a text against some documents. */
export function scoresOf(holdings: Holdings, vectors: Vectors, documents: readonly number[]): number[] {
  const comparison = new TextComparison(holdings, vectors)
  try {
    return documents.map(document => comparison.score(document))
  } finally {
    comparison.end()
  }
}
