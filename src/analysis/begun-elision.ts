import { fold } from './fold.ts'
import { elidedArticles } from './words-in-text.ts'

const begun = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])(?:${elidedArticles})['’](?=(\\p{L}\\p{M}*)$)`, 'iu')
/** Before other letters, nothing is elided: `J's` is a word of its own. */
const elidesBefore = /^[aeiouyh]/

/**
 * The same text, with an article at its end apart from the first letter of its noun: what will become `l'école` begins with its two
 * words from `l'é` on, which would otherwise be the single word `lé`.
 */
export function withBegunElision(text: string): string {
  const found = begun.exec(text)
  if (!found || !elidesBefore.test(fold(found[1]!))) return text
  const end = found.index + found[0].length
  return `${text.slice(0, end)} ${text.slice(end)}`
}
