import type { WordRules } from '../fulltext/words/word-rules.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import type { Preparation } from './condition.ts'

/** Prepares word rules: many synonyms are read before the search applies them. */
export const readingRules = (rules: WordRules): Preparation => ({
  prepare: index => (index.readRules(rules, stretchEnd()) ? undefined : { documents: [] }),
  learn: () => undefined,
})
