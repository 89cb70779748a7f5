import type { TopK } from '../ranking/top-k.ts'
import { SURE_DOCUMENTS } from '../segments/segment.ts'
import type { CategoryBonus } from './category-bonus.ts'
import type { Negation } from './negation.ts'
import type { TitleBonus } from './title-bonus.ts'
import { TELLING, type TopicFeedback } from './topic-feedback.ts'

/**
 * So many of the best by words alone are looked at for how the words stand in the title; nobody further down has
 * been seen to come into the first ten (nDCG is the same from 20 on).
 */
const TITLE_DEPTH = 16

/** Those that have what the query does not want, and says, are the best by words. */
const NEGATION_DEPTH = 200

/** Few, since the first stage has to find them all; nDCG is within .001 of that of 32, of 64 and of 200. */
const TOPIC_DEPTH = SURE_DOCUMENTS

/** nDCG is within .001 of that of 100. */
const CATEGORY_DEPTH = SURE_DOCUMENTS

/** What a score was multiplied with by the stage that looks at documents one by one: each is 1 at least. */
export interface ReorderingFactors {
  /** For how the words stand in the first field, 1 to 1.45. */
  readonly titleFactor: number
  /** For being without what the query does not want, 1 to 1.86. */
  readonly negationFactor: number
  /** For having a tag that the query is likely about, 1 to 1.25. */
  readonly categoryFactor: number
  /** For being about the same as the best, 1 to 2.5. */
  readonly topicFactor: number
}

export const UNCHANGED: ReorderingFactors = {
  titleFactor: 1,
  negationFactor: 1,
  categoryFactor: 1,
  topicFactor: 1,
}

interface Looks {
  readonly title: TitleBonus | undefined
  readonly negation: Negation | undefined
  readonly categories: CategoryBonus | undefined
  readonly topics: TopicFeedback | undefined
}

/**
 * Multiplies what the words of the best score by factors that take a look at each document. As none is below 1, those
 * below keep their places and scores, and each page is part of one order.
 */
export class Reordering {
  /** How many of the best are looked at. */
  readonly depth: number
  readonly #looks: Looks
  readonly #boostOf: (document: number) => number

  /** @param boostOf what was added to the score of a document, which is not multiplied */
  constructor(looks: Looks, boostOf: (document: number) => number) {
    const { title, negation, categories, topics } = looks
    this.#looks = looks
    this.#boostOf = boostOf
    this.depth = Math.max(
      negation ? NEGATION_DEPTH : 0,
      topics ? TOPIC_DEPTH : 0,
      categories ? CATEGORY_DEPTH : 0,
      title ? TITLE_DEPTH : 0,
    )
  }

  /** Reorders what is sorted so that the first `wanted` are right. */
  run(top: TopK, wanted: number): void {
    const { title, negation, categories, topics } = this.#looks
    const looked = Math.min(this.depth, top.size)
    if (looked === 0) return
    const own = (title?.most ?? 1) * (negation?.most ?? 1) * (categories?.most ?? 1)
    const most = own * (topics?.most ?? 1)
    raise(top, looked, topics ? Math.max(wanted, TELLING) : wanted, most, (score, document) =>
      this.alone(score, document),
    )
    if (!topics) return
    topics.learn(top.scores, top.documents, looked)
    raise(top, Math.min(TOPIC_DEPTH, looked), wanted, topics.most, (score, document) =>
      this.#times(topics.of(document), score, document),
    )
  }

  /** What the score of a document becomes by the look at it alone, not at what the best are about. */
  alone(score: number, document: number): number {
    const factor = this.#titleFactorOf(document) * this.#negationFactorOf(document)
    return this.#times(factor * this.#categoryFactorOf(document), score, document)
  }

  /** What the score at a rank was multiplied with. Those that were looked at are still the first. */
  factorsAt(rank: number, document: number): ReorderingFactors {
    if (rank >= this.depth) return UNCHANGED
    return {
      titleFactor: this.#titleFactorOf(document),
      negationFactor: this.#negationFactorOf(document),
      categoryFactor: this.#categoryFactorOf(document),
      topicFactor: rank < TOPIC_DEPTH ? (this.#looks.topics?.of(document) ?? 1) : 1,
    }
  }

  #times(factor: number, score: number, document: number): number {
    const boost = this.#boostOf(document)
    return (score - boost) * factor + boost
  }

  #titleFactorOf(document: number): number {
    return this.#looks.title?.of(document) ?? 1
  }

  #negationFactorOf(document: number): number {
    return this.#looks.negation?.of(document) ?? 1
  }

  #categoryFactorOf(document: number): number {
    return this.#looks.categories?.of(document) ?? 1
  }
}

/** Raises the first of what is sorted until none can come among the `wanted` any more, by whatever is `most`. */
function raise(
  top: TopK,
  looked: number,
  wanted: number,
  most: number,
  raised: (score: number, document: number) => number,
): void {
  const last = Math.min(wanted, top.size) - 1
  for (let rank = 0; rank < looked; rank++) {
    // The best of those that were raised and of those that are still to be.
    const score = top.scores[rank]!
    if (score * most < top.scores[last]!) return
    const higher = raised(score, top.documents[rank]!)
    if (higher > score) top.raise(rank, higher)
  }
}
