import type { Analyzer } from '../../analysis/analyzer.ts'
import { readQuery } from '../../fulltext/words/query-text.ts'
import type { Classifier } from '../model/classifier.ts'
import { fittedAnswers, type LikelihoodFit } from '../model/likelihoods.ts'

/** A class that a query is likely about. */
export interface LikelyClass {
  readonly class: number
  /** Above 0, up to 1; together at most 1. */
  readonly probability: number
}

/** Less likely ones tell nothing. */
const MOST = 20
/** What comes after so many UTF-16 units of a query does not change what it is about. */
const LONGEST = 1_000

/** What queries are about, in classes that were learnt of documents. */
export class ClassesOfQueries {
  readonly #classifier: Classifier
  readonly #analyzer: Analyzer
  readonly #fit: LikelihoodFit

  constructor(classifier: Classifier, analyzer: Analyzer, fit: LikelihoodFit) {
    this.#classifier = classifier
    this.#analyzer = analyzer
    this.#fit = fit
  }

  /** Likeliest first; none where no word is known. @param exclusion whether hyphens exclude words */
  of(query: string, exclusion: boolean): LikelyClass[] {
    const text = query.slice(0, LONGEST)
    // Words that are not wanted say nothing of what is.
    const asked = exclusion && text.includes('-') ? readQuery(text, this.#analyzer).words.join(' ') : text
    const found = this.#classifier.likeliest(asked, MOST)
    const scores = found.map(({ score }) => score)
    const probabilities = fittedAnswers(this.#fit, scores)
    return found.map(({ tag }, at) => ({ class: tag, probability: probabilities[at]! }))
  }
}
