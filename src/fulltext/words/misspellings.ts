import { isCode, isNumber } from './codes.ts'
import { compareTerms, familyOrSelf, type KnownWords, type Meaning, surfacesOf } from './meaning.ts'
import type { Expansion } from './slot.ts'

/** Maximum edit distance between a word that the index does not know and the words it is taken for. */
export type TypoTolerance = 0 | 1 | 2

const MAX_CANDIDATES = 8
// A noisy channel: candidates are ordered by log frequency - 5.86 x cost, both fitted together.
export const COST_WEIGHT = 5.86
const WORST_CANDIDATE = 4
const LEAST_WEIGHT = 0.15

/** A word in more documents than this, or in more than this share of them, is taken to be intended. */
const RARE = 2
const RARE_SHARE = 1 / 20_000
/** A rare word is only taken for words that this many times more documents contain. */
const FAR_MORE = 8
/** The weight of guesses beside a word that occurs itself. */
const BESIDE_WEIGHT = 0.7
const LEAST_BESIDE = -3

/** A word that another may have been meant to be. */
export interface Candidate {
  readonly term: number
  /** How likely it is, relative to others: a logarithm. */
  readonly merit: number
}

/** The likeliest words that `word` was meant to be, and their families. */
export function misspeltMeaning(
  word: string,
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning | undefined {
  return meaningOfCandidates(likeWords(word, known, tolerance), known)
}

/** The words that `word` may have been meant to be, the likeliest first. */
export const likeWords = (word: string, known: KnownWords, tolerance: TypoTolerance): Candidate[] =>
  candidates(word, known, Math.min(tolerance, plausibleEdits(word)))

function meaningOfCandidates(meant: readonly Candidate[], known: KnownWords): Meaning | undefined {
  const { vocabulary } = known.dictionary
  const { frequencies } = known.segments
  const best = meant[0]?.merit ?? 0
  const cover = new Map<number, Expansion>()
  const surfaces: number[] = []
  for (const { term: surface, merit } of meant) {
    if (merit < best - WORST_CANDIDATE) break
    const term = familyOrSelf(surface, vocabulary)
    if (cover.has(term)) continue
    const weight = Math.max(LEAST_WEIGHT, Math.exp((merit - best) / 2))
    cover.set(term, { kind: 'typo', term, weight })
    surfaces.push(...surfacesOf(term, surface, known))
  }
  if (cover.size === 0) return undefined
  const documents = [...cover.keys()].reduce((sum, term) => sum + frequencies.of(term), 0)
  const suggestion = meant[0]!.term
  return { kind: 'typo', cover: [...cover.values()], exact: undefined, surfaces, documents, suggestion }
}

/** A rare word, also taken for similar words with far more documents: in those few documents it may be a mistake, too. */
export function withFrequentNeighbours(
  word: string,
  meaning: Meaning,
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning {
  if (meaning.documents > Math.max(RARE, known.segments.size * RARE_SHARE)) return meaning
  const guess = known.memory.of(`~${tolerance} ${meaning.documents} ${meaning.surfaces.join()} ${word}`, () =>
    frequentNeighbours(word, meaning, known, tolerance),
  )
  if (!guess) return meaning
  return {
    ...meaning,
    cover: [...meaning.cover, ...guess.cover.map(part => ({ ...part, weight: BESIDE_WEIGHT * part.weight }))],
    surfaces: [...new Set([...meaning.surfaces, ...guess.surfaces])],
    documents: meaning.documents + guess.documents,
    suggestion: guess.suggestion,
  }
}

function frequentNeighbours(
  word: string,
  { documents, surfaces }: Meaning,
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning | undefined {
  const { vocabulary } = known.dictionary
  const { frequencies } = known.segments
  const frequency = (surface: number) => frequencies.of(familyOrSelf(surface, vocabulary))
  const own = Math.log(documents)
  const meant = likeWords(word, known, tolerance).filter(
    ({ term, merit }) =>
      merit - own >= LEAST_BESIDE && frequency(term) >= FAR_MORE * documents && !surfaces.includes(term),
  )
  return meaningOfCandidates(meant, known)
}

function candidates(word: string, known: KnownWords, edits: number): Candidate[] {
  if (edits === 0) return []
  const { vocabulary, typos } = known.dictionary
  const { frequencies } = known.segments
  const { units, starts } = vocabulary.terms
  known.typed.set(word)
  const found: Candidate[] = []
  typos.near(word, edits === 1 ? 1 : 2, term => {
    const frequency = vocabulary.isFamily(term) ? 0 : frequencies.of(term)
    if (frequency === 0) return
    const cost = known.typed.cost(units, starts[term]!, starts[term + 1]!)
    found.push({ term, merit: Math.log(frequency) - COST_WEIGHT * cost })
  })
  return found
    .sort((a, b) => b.merit - a.merit || compareTerms(a.term, b.term, vocabulary))
    .slice(0, MAX_CANDIDATES)
}

/** Short words, numbers and codes are too close to others for guesses. */
function plausibleEdits(word: string): number {
  if (word.length < 3 || isNumber(word) || isCode(word)) return 0
  return word.length < 6 ? 1 : 2
}

/** For a query that finds nothing else: what a short word may have been meant to be, at two edits. */
export function remoteWords(word: string, known: KnownWords, tolerance: TypoTolerance): Meaning | undefined {
  if (word.length < 4 || plausibleEdits(word) !== 1) return undefined
  return meaningOfCandidates(candidates(word, known, tolerance), known)
}

/** For a query that finds nothing else: codes similar to this one. */
export function neighbouringCodes(
  word: string,
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning | undefined {
  if (word.length < 4) return undefined
  return meaningOfCandidates(candidates(word, known, Math.min(tolerance, 1)), known)
}
