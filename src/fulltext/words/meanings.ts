import { codesBegunBy, isCode } from './codes.ts'
import { withMisspeltParts, withPartsOfWords } from './compound-parts.ts'
import { inContext } from './context.ts'
import {
  type Alternative,
  type KnownWords,
  type Meaning,
  meaningOf,
  surfaceOf,
  withAlternative,
} from './meaning.ts'
import { isMeasure, otherMeasures } from './measures.ts'
import {
  misspeltMeaning,
  neighbouringCodes,
  remoteWords,
  type TypoTolerance,
  withFrequentNeighbours,
} from './misspellings.ts'
import { alsoSpelt, containing } from './other-spellings.ts'
import type { QueryText } from './query-text.ts'
import type { Expansion } from './slot.ts'
import { beginningOf, misspeltBeginning } from './unfinished.ts'
import { writtenApart } from './written-apart.ts'
import { writtenTogether } from './written-together.ts'

/** Maximum number of words in a query for which typos and other spellings are looked up, which takes time. */
export const MAX_GUESSES = 64
/** Maximum number of these that are also taken for misspelt parts of words, which takes longest. */
const MAX_PART_GUESSES = 8

export interface Tolerance {
  readonly typoTolerance: TypoTolerance
  /** Whether the last word may be unfinished. */
  readonly prefix: boolean
  /** Whether words stand for themselves only, not for other forms or spellings. Default false. */
  readonly isExact?: boolean
}

/** By word; without words that stand for nothing. */
export type Meanings = ReadonlyMap<string, Meaning>

/** What each distinct word stands for: first everything that is certain, then guesses for the rest. */
export function meaningsOf(
  { words, spellings }: Pick<QueryText, 'words' | 'spellings'>,
  known: KnownWords,
  { typoTolerance, prefix }: Tolerance,
): Meanings {
  const last = prefix ? words.at(-1) : undefined
  const meanings = new Map<string, Meaning>()
  const distinct = new Set(words)
  let looked = 0
  for (const word of distinct) {
    const isWhole = looked++ < MAX_GUESSES
    const meaning = sureMeaning(word, isWhole, word === last, spellings.get(word), known)
    if (meaning) meanings.set(word, meaning)
  }
  const together = addNeighbours(words, meanings, known)
  let sure: readonly Meaning[] | undefined
  let guesses = 0
  for (const word of distinct) {
    if (together.has(word) || guesses >= MAX_GUESSES) continue
    const meaning = meanings.get(word)
    const isPart = guesses < MAX_PART_GUESSES
    const guess = guessed(word, meaning, { isLast: word === last, isPart }, known, typoTolerance)
    if (!guess || guess !== meaning) guesses++
    if (!guess || guess === meaning) continue
    sure ??= [...meanings.values()]
    meanings.set(word, guess.kind === 'typo' ? inContext(guess, sure, known) : guess)
  }
  if (meanings.size === 0) addRemote([...distinct], meanings, known, typoTolerance)
  return meanings
}

/** The words that occur as typed, which stand for nothing else. */
export function exactMeanings(words: readonly string[], known: KnownWords): Meanings {
  const meanings = new Map<string, Meaning>()
  for (const word of new Set(words)) {
    const term = surfaceOf(word, known)
    if (term < 0) continue
    const documents = known.segments.frequencies.of(term)
    const cover: Expansion[] = [{ kind: 'exact', term, weight: 1 }]
    meanings.set(word, { kind: 'exact', cover, exact: undefined, surfaces: [term], documents })
  }
  return meanings
}

/** The word itself in every spelling that occurs; `isWhole`: including spellings that require a look at documents. */
function sureMeaning(
  word: string,
  isWhole: boolean,
  isLast: boolean,
  typed: readonly string[] | undefined,
  known: KnownWords,
): Meaning | undefined {
  const find = () => {
    let meaning = isLast ? beginningOf(word, known) : meaningOf(word, known)
    if (!isWhole) return meaning
    const apart = isMeasure(word, known) ? undefined : writtenApart(word, meaning, known)
    if (apart) meaning = withAlternative(meaning, apart)
    const others = [...alsoSpelt(word, meaning, typed ?? [], known), ...containing(word, known)]
    if (isCode(word)) others.push(...codesBegunBy(word, known))
    return withPartsOfWords(others.reduce<Meaning | undefined>(withAlternative, meaning), word, known)
  }
  // Spellings as typed are specific to the query, so they are not cached.
  if (typed) return find()
  return known.memory.of(`${isLast ? '*' : '='}${isWhole ? '' : '-'}${word}`, find)
}

/** Adds what words stand for together with adjacent ones; returns these words, which need no guesses. */
function addNeighbours(
  words: readonly string[],
  meanings: Map<string, Meaning>,
  known: KnownWords,
): ReadonlySet<string> {
  const together = new Set<string>()
  const add = (word: string, alternative: Alternative) => {
    const meaning = meanings.get(word)
    // Does not make an occurring word more frequent: otherwise a rare word would weigh less beside a frequent joined one.
    const added = meaning ? { ...alternative, documents: 0 } : alternative
    meanings.set(word, withAlternative(meaning, added))
    together.add(word)
  }
  for (const { first, last, alternative } of writtenTogether(words, known))
    for (const word of new Set(words.slice(first, last + 1))) add(word, alternative)
  for (const { word, alternative } of otherMeasures(words, known)) add(word, alternative)
  return together
}

function guessed(
  word: string,
  meaning: Meaning | undefined,
  { isLast, isPart }: { readonly isLast: boolean; readonly isPart: boolean },
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning | undefined {
  if (meaning) return withFrequentNeighbours(word, meaning, known, tolerance)
  return known.memory.of(`${isLast ? '*' : '='}${isPart ? '?' : '!'}${tolerance}${word}`, () => {
    const beginning = isLast && tolerance > 0 ? misspeltBeginning(word, known) : undefined
    if (beginning) return beginning
    const whole = misspeltMeaning(word, known, tolerance)
    return isPart ? withMisspeltParts(whole, word, known, tolerance) : whole
  })
}

/** For a query that finds nothing else: what is similar to its codes and short words. */
function addRemote(
  words: readonly string[],
  meanings: Map<string, Meaning>,
  known: KnownWords,
  tolerance: TypoTolerance,
): void {
  for (const word of words.slice(0, MAX_GUESSES)) {
    const meaning = (isCode(word) ? neighbouringCodes : remoteWords)(word, known, tolerance)
    if (meaning) meanings.set(word, meaning)
  }
}
