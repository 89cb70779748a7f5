import { otherReadings } from '../../analysis/numbers.ts'
import { otherSpellings } from '../../analysis/spellings.ts'
import {
  type Alternative,
  alternativeOf,
  compareTerms,
  type KnownWords,
  type Meaning,
  termOf,
} from './meaning.ts'

const SPELLING_WEIGHT = 0.8
/** Maximum number of words that contain a single character of a script without spaces. */
const MAX_CONTAINING = 128

/** By leaving out letters, a word is only taken for another that is this many times as frequent. */
const FAR_MORE = 4

/** The word in its other spellings that occur; `typed`: those that follow from its letters as typed. */
export function alsoSpelt(
  word: string,
  meaning: Meaning | undefined,
  typed: readonly string[],
  known: KnownWords,
): Alternative[] {
  const found = new Map<number, Alternative>()
  const own = new Set(meaning?.cover.map(({ term }) => term))
  const offer = (spelling: string, least: number) => {
    const term = termOf(spelling, known)
    if (term < 0 || own.has(term) || found.has(term)) return
    if (known.segments.frequencies.of(term) < least) return
    found.set(term, alternativeOf('spelling', term, SPELLING_WEIGHT, known))
  }
  const knows = (other: string) => termOf(other, known) >= 0
  for (const spelling of typed) offer(spelling, 1)
  if (/^\d/.test(word)) for (const reading of otherReadings(word)) offer(reading, 1)
  for (const spelling of otherSpellings(word, known.language, knows)) {
    const isShorter = spelling.length < word.length && !spelling.endsWith('or')
    offer(spelling, isShorter ? FAR_MORE * (meaning?.documents ?? 0) : 1)
  }
  return [...found.values()]
}

const single =
  /^(?!\p{N})[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]\p{M}*$/u

/** The words that contain a single character, in a script whose words are pairs of characters. */
export function containing(word: string, known: KnownWords): Alternative[] {
  if (!single.test(word)) return []
  const { terms } = known.dictionary.vocabulary
  const { frequencies } = known.segments
  terms.reader?.readMore()
  const found: number[] = []
  for (let term = 0; term < terms.size; term++) {
    if (terms.length(term) > word.length + 4 || frequencies.atMost(term) === 0) continue
    const text = terms.length(term) > word.length ? terms.term(term) : ''
    if ((text.startsWith(word) || text.endsWith(word)) && frequencies.of(term) > 0) found.push(term)
  }
  return found
    .sort((a, b) => frequencies.of(b) - frequencies.of(a) || compareTerms(a, b, known.dictionary.vocabulary))
    .slice(0, MAX_CONTAINING)
    .map(term => alternativeOf('prefix', term, SPELLING_WEIGHT, known))
}
