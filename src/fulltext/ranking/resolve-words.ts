import type { Dictionary } from '../dictionary/dictionary.ts'
import type { TypedWord } from '../dictionary/edit-distance.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { inverseDocumentFrequency } from '../segments/bm25f.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import { type Cut, type Halves, likelyCuts } from './compound.ts'
import type { Expansion, MatchedWord, Slot } from './slot.ts'

/** The most edits a word unknown to the index may be away from the words it is taken for. */
export type TypoTolerance = 0 | 1 | 2

/** Looking for what an unknown word was meant to be is not free: it is done for so many words of a query. */
export const MAX_GUESSES = 64

/** To look for the halves of a word takes longer. */
const MAX_SPLITS = 4

/** Words that a beginning may stand for. */
export const MAX_COMPLETIONS = 128

// Of a word's score, so much goes to whatever form it has, and the rest to the form as typed. Measured against
// separate expansions per form (nDCG +.005) and against stems alone (+.006) on product search and abstracts.
const FAMILY_WEIGHT = 0.8
const EXACT_WEIGHT = 0.2

const COMPLETION_WEIGHT = 0.6
/** Words of so few documents are rare: they may have been written wrongly there, too. */
const RARE = 2
const MAX_CANDIDATES = 8
// A noisy channel: candidates are ordered by log frequency - 5.86 x cost, both fitted together.
const COST_WEIGHT = 5.86
const WORST_CANDIDATE = 4
const LEAST_WEIGHT = 0.15

/** What words are resolved against. */
export interface KnownWords {
  readonly dictionary: Dictionary
  readonly segments: SegmentList<Segment>
  /** Which of these cuts the documents bear out: only their forward lists tell. */
  readonly halvesOf: (cuts: readonly Cut[]) => Halves | undefined
  /** For the word at hand. */
  readonly typed: TypedWord
}

/** A query with what its words stand for. */
export interface ResolvedQuery {
  /** One per distinct word that stands for something. */
  readonly slots: readonly Slot[]
  /** By word of the query, in order: its slot, undefined where it stands for nothing. */
  readonly sequence: readonly (Slot | undefined)[]
  /** One per distinct word. */
  readonly words: MatchedWord[]
}

type Meaning = Pick<Slot, 'kind' | 'cover' | 'exact' | 'surfaces'> & { documents: number }

export function resolveWords(
  words: readonly string[],
  known: KnownWords,
  options: { typoTolerance: TypoTolerance; prefix: boolean },
): ResolvedQuery {
  const occurrences = new Map<string, number>()
  for (const word of words) occurrences.set(word, (occurrences.get(word) ?? 0) + 1)
  const slots = new Map<string, Slot>()
  const matched: MatchedWord[] = []
  const last = options.prefix ? words.at(-1) : undefined
  let guesses = 0
  let splits = 0
  for (const [word, count] of occurrences) {
    let meaning = word === last ? beginningOf(word, known) : meaningOf(word, known)
    if (!meaning && guesses++ < MAX_GUESSES) meaning = misspeltMeaning(word, known, options.typoTolerance)
    if ((meaning?.documents ?? 0) <= RARE && splits++ < MAX_SPLITS) meaning = withHalves(word, meaning, known)
    const slot = meaning && slotOf(word, count, meaning, known.segments.size)
    if (slot) slots.set(word, slot)
    matched.push(slot ? matchOf(slot, known) : { word, kind: 'none', surfaces: [], idf: 0 })
  }
  return { slots: [...slots.values()], sequence: words.map(word => slots.get(word)), words: matched }
}

// All that stands for a word shares one idf: a rare form must not outweigh the common one.
function slotOf(word: string, occurrences: number, meaning: Meaning, documents: number): Slot {
  const { kind, cover, exact, surfaces } = meaning
  const idf = inverseDocumentFrequency(documents, Math.min(meaning.documents, documents))
  return { word, kind, occurrences, idf, share: 1, cover, exact, surfaces }
}

function matchOf({ word, kind, surfaces, idf }: Slot, { dictionary }: KnownWords): MatchedWord {
  const { vocabulary } = dictionary
  return { word, kind, surfaces: surfaces.map(term => vocabulary.terms.term(term)), idf }
}

/** The word as far as it, or a word of its family, occurs. */
function meaningOf(word: string, known: KnownWords): Meaning | undefined {
  const { vocabulary } = known.dictionary
  const { frequencies } = known.segments
  const itself = vocabulary.terms.find(word)
  const family = itself < 0 ? vocabulary.relatedTo(word) : vocabulary.familyOf(itself)
  const isExact = itself >= 0 && frequencies.of(itself) > 0
  if (family < 0) {
    if (!isExact) return undefined
    const cover: Expansion[] = [{ kind: 'exact', term: itself, weight: 1 }]
    return { kind: 'exact', cover, exact: undefined, surfaces: [itself], documents: frequencies.of(itself) }
  }
  if (frequencies.of(family) === 0) return undefined
  return {
    kind: isExact ? 'exact' : 'stem',
    cover: [{ kind: 'stem', term: family, weight: FAMILY_WEIGHT }],
    exact: isExact ? { kind: 'exact', term: itself, weight: EXACT_WEIGHT } : undefined,
    surfaces: surfacesOf(family, itself, known),
    documents: frequencies.of(family),
  }
}

/** The members of a family that occur, `first` before the others, which come by frequency. */
function surfacesOf(family: number, first: number, { dictionary, segments }: KnownWords): number[] {
  const { vocabulary } = dictionary
  const { frequencies } = segments
  const members: number[] = []
  vocabulary.visitMembers(family, surface => {
    if (frequencies.of(surface) > 0) members.push(surface)
  })
  const rank = (surface: number) => (surface === first ? Infinity : frequencies.of(surface))
  return members.sort((a, b) => rank(b) - rank(a) || compareTerms(a, b, vocabulary))
}

/** The last word of what is being typed: itself, and the most frequent words that begin with it. */
function beginningOf(word: string, known: KnownWords): Meaning | undefined {
  const { vocabulary, prefixes } = known.dictionary
  const { frequencies } = known.segments
  const whole = meaningOf(word, known)
  const begun = prefixes
    .best(word, MAX_COMPLETIONS, frequencies.counts)
    .filter(term => !vocabulary.isFamily(term) && !whole?.surfaces.includes(term))
  if (begun.length === 0) return whole
  const completions = begun.map((term): Expansion => ({ kind: 'prefix', term, weight: COMPLETION_WEIGHT }))
  return {
    kind: whole?.kind ?? 'prefix',
    cover: [...(whole?.cover ?? []), ...completions],
    exact: whole?.exact,
    surfaces: [...(whole?.surfaces ?? []), ...begun],
    documents: begun.reduce((sum, term) => sum + frequencies.of(term), whole?.documents ?? 0),
  }
}

/** Whether it can be told only from forward lists what the word means. */
export function mayBeTwo(word: string, known: Pick<KnownWords, 'dictionary' | 'segments'>): boolean {
  const term = known.dictionary.vocabulary.terms.find(word)
  const isCommon = term >= 0 && known.segments.frequencies.of(term) > RARE
  return !isCommon && cutsOf(word, known).length > 0
}

const cutsOf = (word: string, { dictionary, segments }: Pick<KnownWords, 'dictionary' | 'segments'>): Cut[] =>
  likelyCuts(word, segments.frequencies, dictionary.vocabulary)

/** An unknown or rare word may be two words written as one. */
function withHalves(word: string, meaning: Meaning | undefined, known: KnownWords): Meaning | undefined {
  const halves = known.halvesOf(cutsOf(word, known))
  if (!halves) return meaning
  const [term, secondHalf] = [halves.first, halves.second].map(half => {
    const family = known.dictionary.vocabulary.familyOf(half)
    return family < 0 ? half : family
  }) as [number, number]
  const compound: Expansion = { kind: 'compound', term, weight: FAMILY_WEIGHT, secondHalf }
  const isKnown = meaning !== undefined && meaning.kind !== 'typo'
  return {
    kind: isKnown ? meaning.kind : 'compound',
    cover: [...(meaning?.cover ?? []), compound],
    exact: meaning?.exact,
    surfaces: [
      ...new Set([
        ...(meaning?.surfaces ?? []),
        ...surfacesOf(term, halves.first, known),
        ...surfacesOf(secondHalf, halves.second, known),
      ]),
    ],
    documents: halves.documents + (meaning?.documents ?? 0),
  }
}

/** The likeliest words that `word` was meant to be, and their families. */
function misspeltMeaning(word: string, known: KnownWords, tolerance: TypoTolerance): Meaning | undefined {
  const { vocabulary } = known.dictionary
  const { frequencies } = known.segments
  const meant = candidates(word, known, Math.min(tolerance, plausibleEdits(word)))
  const best = meant[0]?.merit ?? 0
  const cover = new Map<number, Expansion>()
  const surfaces: number[] = []
  for (const { term: surface, merit } of meant) {
    if (merit < best - WORST_CANDIDATE) break
    const family = vocabulary.familyOf(surface)
    const term = family < 0 ? surface : family
    if (cover.has(term)) continue
    const weight = Math.max(LEAST_WEIGHT, Math.exp((merit - best) / 2))
    cover.set(term, { kind: 'typo', term, weight })
    surfaces.push(...surfacesOf(term, surface, known))
  }
  if (cover.size === 0) return undefined
  const documents = [...cover.keys()].reduce((sum, term) => sum + frequencies.of(term), 0)
  return { kind: 'typo', cover: [...cover.values()], exact: undefined, surfaces, documents }
}

function candidates(word: string, known: KnownWords, edits: number): { term: number; merit: number }[] {
  if (edits === 0) return []
  const { vocabulary, typos } = known.dictionary
  const { frequencies } = known.segments
  const { units, starts } = vocabulary.terms
  known.typed.set(word)
  const found: { term: number; merit: number }[] = []
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

/** Short words and numbers are too close to others to guess. */
function plausibleEdits(word: string): number {
  if (word.length < 3 || /^\p{N}+$/u.test(word)) return 0
  return word.length < 6 ? 1 : 2
}

function compareTerms(a: number, b: number, { terms }: Vocabulary): number {
  const [one, other] = [terms.term(a), terms.term(b)]
  return one < other ? -1 : one > other ? 1 : 0
}
