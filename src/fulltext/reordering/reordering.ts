import type { TopK } from '../ranking/top-k.ts'
import { SURE_DOCUMENTS } from '../segments/segment.ts'
import type { CategoryBonus } from './category-bonus.ts'
import type { Negation } from './negation.ts'
import type { TitleBonus } from './title-bonus.ts'
import { TELLING, type TopicFeedback } from './topic-feedback.ts'

/**
 * The number of best documents, by words alone, that are reordered by the positions of words in the title. In tests none from
 * further down entered the first ten (nDCG is the same from 20 on).
 */
const TITLE_DEPTH = 16

/** Deep, since documents that have what the query excludes, and names, are the best by words. */
const NEGATION_DEPTH = 200

/** Few, since the first stage has to find them all; nDCG is within .001 of that with 32, 64 and 200. */
const TOPIC_DEPTH = SURE_DOCUMENTS

/** nDCG is within .001 of that with 100. */
const CATEGORY_DEPTH = SURE_DOCUMENTS

/** The factors of the stage that examines documents one by one; each is at least 1. */
export interface ReorderingFactors {
  /** For the positions of the words in the first field, 1 to 1.45. */
  readonly titleFactor: number
  /** For being without what the query excludes, 1 to 1.86. */
  readonly negationFactor: number
  /** For having a tag that the query is likely about, 1 to 1.25. */
  readonly categoryFactor: number
  /** For being about the same topics as the best, 1 to 2.5. */
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
 * Multiplies the word scores of the best documents by factors from an examination of each. As no factor is below 1, documents
 * further down keep their places and scores, and all pages belong to one order.
 */
export class Reordering {
  /** How many of the best are examined. */
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

  /** Reorders the sorted documents so that the first `wanted` are right. */
  run(top: TopK, wanted: number): void {
    const { title, negation, categories, topics } = this.#looks
    const looked = Math.min(this.depth, top.size)
    if (looked === 0) return
    title?.prefetch(top.documents, looked)
    topics?.prefetch(top.documents, Math.min(TOPIC_DEPTH, looked))
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

  /** The score of a document after all factors except that for the topics of the best. */
  alone(score: number, document: number): number {
    const factor = this.#titleFactorOf(document) * this.#negationFactorOf(document)
    return this.#times(factor * this.#categoryFactorOf(document), score, document)
  }

  /** The factors on the score at a rank. The documents that were examined are still the first. */
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

/** Raises scores from the top until no further document can enter the first `wanted` with a factor of `most`. */
function raise(
  top: TopK,
  looked: number,
  wanted: number,
  most: number,
  raised: (score: number, document: number) => number,
): void {
  const last = Math.min(wanted, top.size) - 1
  for (let rank = 0; rank < looked; rank++) {
    // The best of those already raised and those still to come.
    const score = top.scores[rank]!
    if (score * most < top.scores[last]!) return
    const higher = raised(score, top.documents[rank]!)
    if (higher > score) top.raise(rank, higher)
  }
}
