import { optional } from './packages.ts'

const looksAt = 10_000
const shortest = 20

/** The language of a text as two letters; null if the text is too short or ambiguous. */
export async function detectLanguage(text: string): Promise<string | null> {
  const beginning = text.slice(0, looksAt)
  if (beginning.trim().length < shortest) return null
  const { eld } = await optional('eld', 'the language of a text', () => import('eld/extrasmall'))
  const found = eld.detect(beginning)
  return found.language !== '' && found.isReliable() ? found.language : null
}
