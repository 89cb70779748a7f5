import { codesBegunBy, isCode, isNumber } from './codes.ts'
import {
  type Alternative,
  alternativeOf,
  familyOrSelf,
  type KnownWords,
  termOf,
  type Words,
} from './meaning.ts'
import { likeWords } from './misspellings.ts'

/** Maximum number of query words that may be one word in a document. */
const MOST_WORDS = 3
const LEAST_JOINED = 3
const MOST_JOINED = 64
const JOINED_WEIGHT = 0.8
/** Words in more than this share of the documents join with others by chance. */
const FREQUENT_SHARE = 0.2
const FREQUENT = 100

/** Up to this many words of a query, misspelt joined words are looked up, which takes long. */
const MOST_GUESSED = 16

/** Adjacent words of the query that documents write as one, by the place of the first. */
export interface Joined {
  readonly first: number
  readonly last: number
  readonly alternative: Alternative
}

const digit = /\p{N}/u
const onlyLetters = /^[\p{L}\p{M}]+$/u

/**
 * Two or three adjacent words of a query as one word that occurs, inflected like the last of them. It
 * does not make them more frequent.
 */
export function writtenTogether(words: readonly string[], known: KnownWords): Joined[] {
  const joined: Joined[] = []
  for (let first = 0; first < words.length - 1; first++) {
    let before = words[first]!
    for (let last = first + 1; last < words.length && last < first + MOST_WORDS; last++) {
      const word = words[last]!
      const text = before + word
      const guesses = last < MOST_GUESSED
      const found = known.joined.of(`${before}${guesses ? ' ' : '!'}${word}`, () =>
        joinedOf(before, word, guesses, known),
      )
      before = text
      if (found.length === 0) continue
      // Words that are everywhere join with others by chance, and with numbers to codes.
      if (!isCode(text) && (isEverywhere(words[first]!, known) || isEverywhere(word, known))) continue
      for (const alternative of found) joined.push({ first, last, alternative })
    }
  }
  return joined
}

/** What some text and the word that follows it stand for when written as one word. */
function joinedOf(before: string, word: string, guesses: boolean, known: KnownWords): readonly Alternative[] {
  const text = before + word
  if (text.length < LEAST_JOINED || text.length > MOST_JOINED) return NONE
  const hasDigit = digit.test(text)
  if (hasDigit && isNumber(text)) return NONE
  const begun = hasDigit && isCode(text) ? codesBegunBy(text, known) : NONE
  return [...joinedTerms(before, word, guesses, known)].map(joinedAlternative(known)).concat(begun)
}

const joinedAlternative =
  (known: KnownWords) =>
  (term: number): Alternative =>
    alternativeOf('joined', term, JOINED_WEIGHT, known)

/** The words written as one, also with linking letters if the language has these (`Arbeitstisch`), or misspelt. */
function joinedTerms(before: string, word: string, guesses: boolean, known: KnownWords): ReadonlySet<number> {
  const { vocabulary, compounding } = known.dictionary
  const stem = vocabulary.stemOf(word)
  const terms = new Set<number>()
  for (const link of compounding?.links ?? ['']) {
    if (before.length + link.length + word.length > MOST_JOINED) continue
    const term = termOf(before + link + word, known, () => before + link + stem)
    if (term >= 0) terms.add(term)
  }
  if (terms.size === 0 && guesses && compounding && isMisspelt(before, word, known)) {
    const [best] = likeWords(before + word, known, 1)
    if (best) terms.add(familyOrSelf(best.term, vocabulary))
  }
  return terms
}

/** The joined word may only be misspelt if one of the words is unknown. */
function isMisspelt(before: string, word: string, known: KnownWords): boolean {
  const both = [before, word]
  return both.every(one => onlyLetters.test(one)) && both.some(one => termOf(one, known) < 0)
}

const NONE: readonly Alternative[] = []

function isEverywhere(word: string, { dictionary, segments }: Words): boolean {
  const term = dictionary.vocabulary.terms.find(word)
  const frequency = term < 0 ? 0 : segments.frequencies.of(term)
  return frequency > FREQUENT && frequency > FREQUENT_SHARE * segments.size
}
