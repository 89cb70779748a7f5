import type { Missing } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { WordRules } from '../fulltext/words/word-rules.ts'
import type { Preparation } from './condition.ts'

/** How long one call may take, in milliseconds. */
const STRETCH = 8

/** What is known of words besides: many synonyms are read before a search goes by them. */
export class ReadRules implements Preparation {
  readonly #rules: WordRules

  constructor(rules: WordRules) {
    this.#rules = rules
  }

  prepare(index: Pick<FulltextIndex, 'readRules'>): Missing | undefined {
    return index.readRules(this.#rules, performance.now() + STRETCH) ? undefined : { documents: [] }
  }

  learn(): undefined {}
}
