import { inverseDocumentFrequency } from '../segments/bm25f.ts'
import { type KnownWords, type Meaning, meaningOf, termOf, textsOf } from './meaning.ts'
import { exactMeanings, MAX_GUESSES, type Meanings, meaningsOf, type Tolerance } from './meanings.ts'
import { isMeasure } from './measures.ts'
import { type QueryText, withParts } from './query-text.ts'
import { type MeaningRules, ruledMeanings } from './ruled-meanings.ts'
import type { Expansion, Slot } from './slot.ts'
import { knownParts, mayBeApart } from './written-apart.ts'
import { type UnderstoodWord, writtenAs } from './written-texts.ts'

/** A query with what its words stand for. */
export interface ResolvedQuery {
  /** What is excluded. */
  readonly excluded: readonly Expansion[]
  /** One per distinct word that stands for something. */
  readonly slots: readonly Slot[]
  /** For each word of the query, in order: its slot; undefined if it stands for nothing. */
  readonly sequence: readonly (Slot | undefined)[]
  /** One per distinct word. */
  readonly words: UnderstoodWord[]
}

/** Resolves what the words of a query, as it was read, stand for. */
export function resolveQuery(
  read: QueryText,
  known: KnownWords,
  options: Tolerance,
  rules?: MeaningRules,
): { text: QueryText; resolved: ResolvedQuery } {
  const meant = (text: QueryText) => {
    const meanings = meaningsOf(text, known, options)
    return rules ? ruledMeanings(meanings, text, known, rules) : meanings
  }
  const excluded = excludedOf(read, known)
  if (options.isExact) {
    const meanings = exactMeanings(read.words, known)
    return { text: read, resolved: resolved(read.words, meanings, excluded, known) }
  }
  const meanings = meant(read)
  const cut = cutsOf(read.words, meanings, known)
  if (cut.size === 0) return { text: read, resolved: resolved(read.words, meanings, excluded, known) }
  const text = withParts(read, cut)
  return { text, resolved: resolved(text.words, meant(text), excluded, known) }
}

const UNCUT: ReadonlyMap<string, readonly string[]> = new Map()

/** By word that stands for nothing: its parts. */
function cutsOf(
  words: readonly string[],
  meanings: Meanings,
  known: KnownWords,
): ReadonlyMap<string, readonly string[]> {
  // Mostly, each word stands for something.
  if (words.every(word => meanings.has(word))) return UNCUT
  const cut = new Map<string, readonly string[]>()
  for (const word of words) {
    if (meanings.has(word) || cut.has(word)) continue
    const parts = cut.size < MAX_GUESSES ? knownParts(word, known) : undefined
    if (parts) cut.set(word, parts)
  }
  return cut
}

const NOTHING: readonly Expansion[] = []

/** All spellings of what is excluded, but no guesses of what may have been meant. */
function excludedOf({ excluded }: QueryText, known: KnownWords): readonly Expansion[] {
  if (excluded.length === 0) return NOTHING
  const options: Tolerance = { typoTolerance: 0, prefix: false }
  return excluded.flatMap(words => {
    const meanings = [...meaningsOf({ words, spellings: new Map() }, known, options).values()]
    const all = meanings.flatMap(({ cover }) => cover.filter(({ kind }) => kind !== 'prefix'))
    if (words.length === 1) return all
    const terms = words.map(word => termOf(word, known))
    const standing = terms.includes(-1) ? undefined : known.standing(terms)
    const together = all.filter(({ kind }) => kind === 'joined')
    return standing ? [...together, { kind: 'compound', term: terms[0]!, weight: 1, standing }] : together
  })
}

function resolved(
  words: readonly string[],
  meanings: Meanings,
  excluded: readonly Expansion[],
  known: KnownWords,
): ResolvedQuery {
  const occurrences = new Map<string, number>()
  for (const word of words) occurrences.set(word, (occurrences.get(word) ?? 0) + 1)
  const slots: Slot[] = []
  const distinct: (Slot | undefined)[] = []
  const matched: UnderstoodWord[] = []
  for (const [word, count] of occurrences) {
    const meaning = meanings.get(word)
    const slot = meaning && slotOf(word, count, meaning, known.segments.size)
    distinct.push(slot)
    if (slot) slots.push(slot)
    matched.push(slot ? matchOf(slot, meaning, known) : { word, kind: 'none', surfaces: [], idf: 0 })
  }
  const sequence = distinct.length === words.length ? distinct : inSequence(words, slots)
  return { excluded, slots, sequence, words: matched }
}

function inSequence(words: readonly string[], slots: readonly Slot[]): (Slot | undefined)[] {
  const ofWords = new Map(slots.map(slot => [slot.word, slot]))
  return words.map(word => ofWords.get(word))
}

// Everything that stands for a word shares one idf: a rare form must not outweigh the common one.
function slotOf(word: string, occurrences: number, meaning: Meaning, documents: number): Slot {
  const { kind, cover, exact, surfaces, parts } = meaning
  const idf = inverseDocumentFrequency(documents, Math.min(meaning.documents, documents))
  return { word, kind, occurrences, idf, share: 1, cover, exact, surfaces, parts }
}

function matchOf(slot: Slot, meaning: Meaning, known: KnownWords): UnderstoodWord {
  const { word, kind, surfaces, parts, idf } = slot
  const { suggestion } = meaning
  const { terms } = known.dictionary.vocabulary
  const texts = textsOf(surfaces, known)
  const written = writtenAs(slot, meaning, texts, known)
  // A copy, since callers may change it.
  const own = [...texts]
  // Copying members into an object takes longer than making one, and most words have no others.
  if (!parts && !written && suggestion === undefined) return { word, kind, surfaces: own, idf }
  const matched: UnderstoodWord = {
    word,
    kind,
    surfaces: own,
    ...(parts && { parts: [...parts] }),
    idf,
    ...(written && { written }),
  }
  if (suggestion === undefined) return matched
  return { ...matched, suggestion: terms.term(suggestion) }
}

/** Whether forward lists are needed to tell what the word means. */
export function needsForwardLists(word: string, known: KnownWords): boolean {
  return isMeasure(word, known) || mayBeApart(word, meaningOf(word, known)?.documents ?? 0, known)
}
