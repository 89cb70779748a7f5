import { familyOrSelf, type KnownWords, surfaceOf, termOf } from '../fulltext/words/meaning.ts'
import { likeWords } from '../fulltext/words/misspellings.ts'
import { partsOf } from '../fulltext/words/written-apart.ts'
import { writtenTogether } from '../fulltext/words/written-together.ts'

/** What one or several consecutive words of a text may have been meant to be. */
export interface Reading {
  /** How many words of the text it stands for. */
  readonly length: number
  readonly words: readonly string[]
  /** Their families, or the words themselves where they have none; -1 for a word that no document has. */
  readonly terms: readonly number[]
  /** The words as they occur in documents; -1 for a word of which documents have at most other forms. */
  readonly surfaces: readonly number[]
  /** How likely it is, regardless of its neighbours: a logarithm. */
  readonly score: number
  readonly isChanged: boolean
}

// As logarithms. A word that documents have is likelier to be meant than its frequency says, a word of which they only have
// other forms is less likely, and one that no document has is hardly ever meant. Spaces are forgotten and added less often
// than word frequencies suggest.
const KNOWN = 3
const OTHER_FORM = -6
const UNKNOWN = -12
const SPLIT = -3
const JOINED = -4

/** Positions of more frequent words are not looked up, which would take long. */
const MOST_STANDING = 10_000

/** A word in more documents than this, and in more than this share of them, is taken as typed correctly. */
const FREQUENT = 100
const FREQUENT_SHARE = 0.01

/** Up to this many words, each is compared with all similar ones; in longer texts, with the likeliest. */
const SHORT_TEXT = 8
const LIKE_IN_LONG = 3

/** By position in the text: the readings that begin there, the words as typed first. */
export function readingsOf(words: readonly string[], known: KnownWords): Reading[][] {
  const found = new Map<string, Reading[]>()
  const readings = words.map(word => {
    const before = found.get(word)
    if (before) return [...before]
    const own = readingsOfWord(word, words.length > SHORT_TEXT ? LIKE_IN_LONG : Infinity, known)
    found.set(word, own)
    return [...own]
  })
  for (const { first, last, alternative } of writtenTogether(words, known)) {
    const { kind, term } = alternative.expansion
    if (kind !== 'joined') continue
    const typed = readings.slice(first, last + 1).map(([own]) => own!)
    const score = joinedScore(term, typed, known)
    const joined = words.slice(first, last + 1).join('')
    readings[first]!.push({
      length: last + 1 - first,
      words: [joined],
      terms: [term],
      surfaces: [surfaceOf(joined, known)],
      score,
      isChanged: true,
    })
  }
  return readings
}

/** The greater of two: the likelihood of the joined word, or that of the typed words times how much rarer they are apart. */
function joinedScore(joined: number, typed: readonly Reading[], known: KnownWords): number {
  const { frequencies } = known.segments
  const documents = frequencies.of(joined)
  const alone = likelihood(documents, known) + JOINED
  const terms = typed.flatMap(({ terms }) => terms)
  const least = Math.min(...terms.map(term => (term < 0 ? 0 : frequencies.of(term))))
  if (least === 0 || least > MOST_STANDING) return alone
  const apart = known.standing(terms)?.size ?? 0
  const beside = typed.reduce((sum, { score }) => sum + score, Math.log(documents / (apart + 0.5)))
  return Math.max(alone, beside)
}

function readingsOfWord(word: string, mostLike: number, known: KnownWords): Reading[] {
  const { vocabulary } = known.dictionary
  const { frequencies } = known.segments
  const term = termOf(word, known)
  const documents = term < 0 ? 0 : frequencies.of(term)
  const surface = surfaceOf(word, known)
  const isKnown = surface >= 0
  const own = likelihood(documents || 1, known) + (isKnown ? KNOWN : documents > 0 ? OTHER_FORM : UNKNOWN)
  const readings: Reading[] = [
    { length: 1, words: [word], terms: [term], surfaces: [surface], score: own, isChanged: false },
  ]
  const isFrequent = isKnown && documents > Math.max(FREQUENT, known.segments.size * FREQUENT_SHARE)
  for (const { term: like, merit } of isFrequent ? [] : likeWords(word, known, 2).slice(0, mostLike)) {
    const family = familyOrSelf(like, vocabulary)
    // Another form of a word is not a correction of it.
    if (isKnown && family === term) continue
    const score = merit - Math.log(known.segments.size)
    readings.push({
      length: 1,
      words: [vocabulary.terms.term(like)],
      terms: [family],
      surfaces: [like],
      score,
      isChanged: true,
    })
  }
  const apart = documents === 0 ? partsOf(word, 0, known) : undefined
  if (apart) {
    const { parts, standing } = apart
    const score = likelihood(standing.size, known) + SPLIT
    const surfaces = parts.map(part => surfaceOf(part, known))
    readings.push({ length: 1, words: parts, terms: standing.terms, surfaces, score, isChanged: true })
  }
  return readings
}

const likelihood = (documents: number, { segments }: KnownWords): number =>
  Math.log(documents / Math.max(1, segments.size))
