import type { WordRules } from '../fulltext/words/word-rules.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Preparation } from './condition.ts'

/** What is known of words besides: many synonyms are read before a search goes by them. */
export const readingRules = (rules: WordRules): Preparation => ({
  prepare: index => (index.readRules(rules, stretchEnd()) ? undefined : { documents: [] }),
  learn: () => undefined,
})
