import type { Analyzer } from '../analysis/analyzer.ts'
import type { KnownWords } from '../fulltext/words/meaning.ts'
import { readQuery } from '../fulltext/words/query-text.ts'
import { occurTogether } from '../fulltext/words/standing.ts'
import { shownSurface } from '../fulltext/words/written-texts.ts'
import { type LikelyPhrase, likelyPhrases, typedPhrase } from './likely-phrases.ts'
import { readingsOf } from './readings.ts'
import type { CheckedSuggestOptions } from './suggest-options.ts'

/** A corrected version of a text. */
export interface Suggestion {
  /** Its words in lower case, in the spelling of most documents, separated by single spaces. */
  text: string
  /** The probability that it was meant, from 0 to 1, relative to the typed text and all other suggestions. */
  score: number
}

/** Longer texts are not corrected as a whole. */
const MOST_WORDS = 64

/**
 * What a text was likely meant to be: phrases whose words occur together in a document exactly as they are. A noisy channel
 * (Kernighan, Church & Gale, 1990) with word frequencies as the language model and the search's typos as the error model.
 */
export function suggestPhrases(
  text: string,
  analyzer: Analyzer,
  known: KnownWords,
  { limit, confidence, maximumErrors }: CheckedSuggestOptions,
): Suggestion[] {
  const { words, isCut } = readQuery(text, analyzer, false)
  if (isCut || words.length === 0 || words.length > MOST_WORDS || limit === 0) return []
  const readings = readingsOf(words, known)
  const typed = typedPhrase(readings, known)
  const changed = likelyPhrases(readings, mostErrors(maximumErrors, words.length), known).filter(
    ({ errors }) => errors > 0,
  )
  const least = typed.score + Math.log(confidence)
  const kept = distinct(changed).filter(phrase => phrase.score > least && areTogether(phrase, known))
  const most = Math.max(typed.score, ...kept.map(({ score }) => score))
  const likelihood = ({ score }: LikelyPhrase) => Math.exp(score - most)
  const all = kept.reduce((sum, phrase) => sum + likelihood(phrase), likelihood(typed))
  return kept
    .slice(0, limit)
    .map(phrase => ({ text: writtenPhrase(phrase, known), score: likelihood(phrase) / all }))
}

const writtenPhrase = ({ surfaces }: LikelyPhrase, known: KnownWords): string =>
  surfaces.map(surface => shownSurface(surface, known)).join(' ')

function mostErrors(maximum: number, words: number): number {
  return maximum < 1 ? Math.max(1, Math.round(maximum * words)) : Math.floor(maximum)
}

/** Several corrections may lead to the same text: the likeliest counts. */
function distinct(phrases: readonly LikelyPhrase[]): LikelyPhrase[] {
  const byText = new Map<string, LikelyPhrase>()
  for (const phrase of phrases) {
    const text = phrase.words.join(' ')
    if (!byText.has(text)) byText.set(text, phrase)
  }
  return [...byText.values()]
}

const areTogether = ({ surfaces }: LikelyPhrase, { dictionary, segments }: KnownWords): boolean =>
  occurTogether([...new Set(surfaces)], segments.segments, dictionary.vocabulary)
