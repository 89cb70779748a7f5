import { SURE_DOCUMENTS } from '../segments/segment.ts'
import type { Negation } from './negation.ts'
import type { TitleBonus } from './title-bonus.ts'
import type { TopK } from './top-k.ts'

/**
 * So many of the best by words alone are looked at for how the words stand in the title; nobody further down has
 * been seen to come into the first ten (nDCG is the same from 20 on).
 */
const TITLE_DEPTH = SURE_DOCUMENTS

/** Those that have what the query does not want, and says, are the best by words. */
const NEGATION_DEPTH = 200

/** What a score was multiplied with by the stage that looks at documents one by one: each is 1 at least. */
export interface ReorderingFactors {
  /** For how the words stand in the first field, 1 to 1.45. */
  readonly titleFactor: number
  /** For being without what the query does not want, 1 to 1.86. */
  readonly negationFactor: number
}

export const UNCHANGED: ReorderingFactors = { titleFactor: 1, negationFactor: 1 }

/**
 * Multiplies the scores of the best by factors that take a look at each document. As none is below 1, those below keep
 * their places and scores, and each page is part of one order.
 */
export class Reordering {
  /** How many of the best are looked at. */
  readonly depth: number
  readonly #title: TitleBonus | undefined
  readonly #negation: Negation | undefined
  readonly #most: number

  constructor(title: TitleBonus | undefined, negation: Negation | undefined) {
    this.#title = title
    this.#negation = negation
    this.depth = negation ? NEGATION_DEPTH : title ? TITLE_DEPTH : 0
    this.#most = (title?.most ?? 1) * (negation?.most ?? 1)
  }

  /** Reorders what is sorted so that the first `wanted` are right. */
  run(top: TopK, wanted: number): void {
    const looked = Math.min(this.depth, top.size)
    if (looked === 0) return
    const enough = top.scores[Math.min(wanted, top.size) - 1]!
    for (let rank = 0; rank < looked; rank++) {
      if (top.scores[rank]! * this.#most < enough) break
      const { titleFactor, negationFactor } = this.#factorsOf(top.documents[rank]!)
      const factor = titleFactor * negationFactor
      if (factor > 1) top.raise(rank, factor)
    }
  }

  /** What the score at a rank was multiplied with. Those that were looked at are still the first. */
  factorsAt(rank: number, document: number): ReorderingFactors {
    return rank < this.depth ? this.#factorsOf(document) : UNCHANGED
  }

  #factorsOf(document: number): ReorderingFactors {
    return {
      titleFactor: this.#title?.of(document) ?? 1,
      negationFactor: this.#negation?.of(document) ?? 1,
    }
  }
}
