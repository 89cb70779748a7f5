import { codesBegunBy, isCode, isNumber } from './codes.ts'
import { type Alternative, alternativeOf, type KnownWords, termOf, type Words } from './meaning.ts'

/** So many words of a query may be one in a document. */
const MOST_WORDS = 3
const LEAST_JOINED = 3
const MOST_JOINED = 64
const JOINED_WEIGHT = 0.8
/** Words in more than this share of the documents join with anything by chance. */
const FREQUENT_SHARE = 0.2
const FREQUENT = 100

/** Neighbours of the query that documents write as one word, by the place of the first. */
export interface Joined {
  readonly first: number
  readonly last: number
  readonly alternative: Alternative
}

const digit = /\p{N}/u

/**
 * The words of a query, or two or three neighbours of it, as one word that occurs, inflected as the last of them is. It
 * does not make them more frequent.
 */
export function writtenTogether(words: readonly string[], known: KnownWords): Joined[] {
  const joined: Joined[] = []
  if (words.length < 2) return joined
  const { vocabulary } = known.dictionary
  const isFrequent = words.map(word => isEverywhere(word, known))
  const stems = words.map(word => vocabulary.stemOf(word))
  for (let first = 0; first < words.length - 1; first++) {
    let text = words[first]!
    let hasDigit = digit.test(text)
    let hasWord = !isNumber(text)
    for (let last = first + 1; last < words.length && last < first + MOST_WORDS; last++) {
      const word = words[last]!
      const before = text
      text += word
      hasDigit ||= digit.test(word)
      hasWord ||= !isNumber(word)
      if (!hasWord || text.length < LEAST_JOINED || text.length > MOST_JOINED) continue
      const joinsToCode = hasDigit && isCode(text)
      // What is everywhere joins with other words by chance, with numbers to codes.
      if ((isFrequent[first] || isFrequent[last]) && !joinsToCode) continue
      const term = termOf(text, known, before + stems[last])
      if (term >= 0)
        joined.push({ first, last, alternative: alternativeOf('joined', term, JOINED_WEIGHT, known) })
      if (joinsToCode)
        for (const alternative of codesBegunBy(text, known)) joined.push({ first, last, alternative })
    }
  }
  return joined
}

function isEverywhere(word: string, { dictionary, segments }: Words): boolean {
  const term = dictionary.vocabulary.terms.find(word)
  const frequency = term < 0 ? 0 : segments.frequencies.of(term)
  return frequency > FREQUENT && frequency > FREQUENT_SHARE * segments.size
}
