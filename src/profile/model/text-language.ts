import { fold } from '../../analysis/fold.ts'
import { functionWordsOf } from '../../analysis/function-words.ts'
import { type Language, languages } from '../../analysis/languages.ts'
import { shownText } from '../../analysis/shown-text.ts'

const known = languages.flatMap((language): [Language, ReadonlySet<string>][] => {
  const words = functionWordsOf(language)
  return words ? [[language, words.all]] : []
})

/** Maximum number of words of a text that are examined. */
const MOST_WORDS = 200
const LEAST_FOUND = 3

/** The language whose function words are most frequent in a text; undefined if there are few, or if two languages tie. */
export function likelyLanguage(text: string): Language | undefined {
  // As markup, Ma&szlig;e would have two words of Italian.
  const words = fold(shownText(text.slice(0, 4_000)))
    .split(/[^\p{L}]+/u)
    .slice(0, MOST_WORDS)
  const counts = known
    .map(([language, functionWords]) => ({
      language,
      found: words.filter(word => functionWords.has(word)).length,
    }))
    .sort((a, b) => b.found - a.found)
  const [best, next] = counts
  return best && best.found >= LEAST_FOUND && best.found > (next?.found ?? 0) ? best.language : undefined
}
