import { fold } from '../../analysis/fold.ts'
import { functionWordsOf } from '../../analysis/function-words.ts'
import { type Language, languages } from '../../analysis/languages.ts'

const known = languages.flatMap((language): [Language, ReadonlySet<string>][] => {
  const words = functionWordsOf(language)
  return words ? [[language, words.all]] : []
})

/** Words of a text that are looked at. */
const MOST_WORDS = 200
const LEAST_FOUND = 3

/** The language whose function words are the most frequent in a text; undefined where few are, or two have as many. */
export function likelyLanguage(text: string): Language | undefined {
  const words = fold(text.slice(0, 4_000))
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
