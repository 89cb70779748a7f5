import { type Analyzer, analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import type { MatchedWord } from '../../../src/fulltext/words/slot.ts'

const all: QueryOptions = { limit: 1000, operator: 'or', typoTolerance: 2 }

/** Documents of one field, each known by its text. */
export class MadeIndex {
  readonly index: FulltextIndex

  constructor(texts: readonly string[], analyzer: Analyzer = analyzerFor('english')) {
    this.index = new FulltextIndex({ analyzer, fields: [{ weight: 1, b: 0.5 }] })
    for (const text of texts) this.add(text)
  }

  /** The text so many times. */
  add(text: string, times = 1): this {
    for (let i = 0; i < times; i++) this.index.add(i === 0 ? text : `${text} ${' '.repeat(i)}`, [text])
    return this
  }

  /** The texts that are found, the best first, each once. */
  found(query: string, options: Partial<QueryOptions> = {}): string[] {
    const { hits } = this.index.search(query, { ...all, ...options })
    return [...new Set(hits.map(({ id }) => id.trimEnd()))]
  }

  words(query: string, options: Partial<QueryOptions> = {}): MatchedWord[] {
    return this.index.search(query, { ...all, ...options }).words
  }
}
