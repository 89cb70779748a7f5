import type { Analyzer } from '../analysis/analyzer.ts'
import { inverseDocumentFrequency } from './bm25f.ts'
import { typingCost } from './edit-distance.ts'
import type { Slot, Surface } from './slot-postings.ts'
import { textOf } from './term-table.ts'
import type { TypoIndex } from './typo-index.ts'
import type { Vocabulary } from './vocabulary.ts'

/** What a word of the query was taken for. */
export interface MatchedWord {
  readonly word: string
  /** `exact`: it occurs; `stem`: only words of its family do; `typo`: only words like it do; `none`: nothing. */
  readonly kind: 'exact' | 'stem' | 'typo' | 'none'
  /** The words searched for, the best first. */
  readonly surfaces: readonly string[]
}

/** The most edits a word unknown to the index may be away from the words it is taken for. */
export type TypoTolerance = 0 | 1 | 2

/** Distinct words of a query beyond these are not looked at. */
export const MAX_QUERY_WORDS = 1024

/** Unknown words of a query beyond these are not taken for typos: looking for them is not free. */
export const MAX_TYPO_WORDS = 32

const STEM_WEIGHT = 0.9
const MAX_CANDIDATES = 8
// A noisy channel: candidates are ordered by log frequency - 5.86 x cost, both fitted together.
const COST_WEIGHT = 5.86
const WORST_CANDIDATE = 4
const LEAST_WEIGHT = 0.15

interface WeighedTerm extends Surface {
  readonly frequency: number
}

/** What words are resolved against. */
export interface KnownWords {
  readonly vocabulary: Vocabulary
  readonly typos: TypoIndex
  /** Living documents, and how many of them have the term. */
  readonly documents: number
  frequency(term: number): number
}

/** The slots of a query, one per distinct word that stands for something, and what each word was taken for. */
export function resolveQuery(
  query: string,
  analyzer: Analyzer,
  known: KnownWords,
  tolerance: TypoTolerance,
): { slots: Slot[]; words: MatchedWord[] } {
  const slots: Slot[] = []
  const words: MatchedWord[] = []
  let typos = 0
  for (const [word, occurrences] of countWords(query, analyzer)) {
    let kind: MatchedWord['kind'] = 'exact'
    let terms = familyOf(word, known)
    if (terms.length > 0) kind = terms[0]!.weight === 1 ? 'exact' : 'stem'
    else if (typos++ < MAX_TYPO_WORDS) {
      terms = misspelt(word, known, tolerance)
      kind = 'typo'
    }
    if (terms.length === 0) kind = 'none'
    else slots.push({ surfaces: terms, weight: occurrences * slotIdf(terms, known.documents) })
    words.push({ word, kind, surfaces: terms.map(({ term }) => known.vocabulary.terms.term(term)) })
  }
  return { slots, words }
}

function countWords(query: string, analyzer: Analyzer): Map<string, number> {
  const counts = new Map<string, number>()
  analyzer.scan(query, (chars, length) => {
    const word = textOf(chars, 0, length)
    const count = counts.get(word)
    if (count !== undefined) counts.set(word, count + 1)
    else if (counts.size < MAX_QUERY_WORDS) counts.set(word, 1)
  })
  return counts
}

// All that stands for a word shares one idf: a rare form must not outweigh the common one.
function slotIdf(terms: readonly WeighedTerm[], documents: number): number {
  const having = terms.reduce((sum, { frequency }) => sum + frequency, 0)
  return inverseDocumentFrequency(documents, Math.min(having, documents))
}

/** The word itself and those of its stem, as far as they occur. */
function familyOf(word: string, { vocabulary, frequency }: KnownWords): WeighedTerm[] {
  const itself = vocabulary.terms.find(word)
  const family: WeighedTerm[] = []
  for (const term of vocabulary.family(word, itself)) {
    const having = frequency(term)
    if (having > 0) family.push({ term, weight: term === itself ? 1 : STEM_WEIGHT, frequency: having })
  }
  return family.sort(byWeight(vocabulary))
}

/** The likeliest words that `word` was meant to be, and their families. */
function misspelt(word: string, known: KnownWords, tolerance: TypoTolerance): WeighedTerm[] {
  const meant = candidates(word, known, Math.min(tolerance, plausibleEdits(word)))
  const best = meant[0]?.merit ?? 0
  const terms = new Map<number, WeighedTerm>()
  for (const { text, merit } of meant) {
    if (merit < best - WORST_CANDIDATE) break
    const share = Math.max(LEAST_WEIGHT, Math.exp((merit - best) / 2))
    for (const term of familyOf(text, known)) {
      const weight = share * term.weight
      if (weight > (terms.get(term.term)?.weight ?? 0)) terms.set(term.term, { ...term, weight })
    }
  }
  return [...terms.values()].sort(byWeight(known.vocabulary))
}

function candidates(word: string, known: KnownWords, edits: number): { text: string; merit: number }[] {
  if (edits === 0) return []
  const { vocabulary, typos } = known
  const found: { text: string; merit: number }[] = []
  for (const term of typos.near(word, edits)) {
    const frequency = known.frequency(term)
    if (frequency === 0) continue
    const text = vocabulary.terms.term(term)
    found.push({ text, merit: Math.log(frequency) - COST_WEIGHT * typingCost(word, text) })
  }
  return found.sort((a, b) => b.merit - a.merit || compareTexts(a.text, b.text)).slice(0, MAX_CANDIDATES)
}

/** Short words and numbers are too close to others to guess. */
function plausibleEdits(word: string): number {
  if (word.length < 3 || /^\p{N}+$/u.test(word)) return 0
  return word.length < 6 ? 1 : 2
}

function byWeight({ terms }: Vocabulary): (a: WeighedTerm, b: WeighedTerm) => number {
  return (a, b) =>
    b.weight - a.weight || b.frequency - a.frequency || compareTexts(terms.term(a.term), terms.term(b.term))
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
