import type { Units } from '../../analysis/units.ts'
import type { TermDictionary } from '../dictionary/dictionary.ts'
import type { TypedWord } from '../dictionary/edit-distance.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { KnownSegments } from './known-segments.ts'
import type { Expansion, ExpansionKind, PartOfWord } from './slot.ts'
import type { Standing } from './standing.ts'
import { WordMemory } from './word-memory.ts'
import type { WordSource } from './word-reads.ts'

// This share of a word's score is for any of its forms, the rest for the form as typed. Measured against separate
// expansions per form (nDCG +.005) and against stems alone (+.006) on product search and abstracts.
export const FAMILY_WEIGHT = 0.8
const EXACT_WEIGHT = 0.2

/** What words are resolved against. */
export interface KnownWords {
  readonly dictionary: TermDictionary
  readonly segments: KnownSegments
  /** The documents that have these words in sequence, if any; requires forward lists. */
  readonly standing: (terms: readonly number[]) => Standing | undefined
  /** The language of the texts, as named by the analyzer. */
  readonly language: string
  readonly units: Units
  /** For the current word. */
  readonly typed: TypedWord
  readonly memory: WordMemory<Meaning | undefined>
  /** By adjacent words of a query: what they stand for as one word. */
  readonly joined: WordMemory<readonly Alternative[]>
  /** The texts of a meaning's surfaces, by the array of these. */
  readonly texts: WeakMap<readonly number[], readonly string[]>
  /** The same in the documents' spelling; undefined if some documents are hidden, as the spelling may be theirs. */
  readonly written: WeakMap<readonly number[], readonly string[]> | undefined
  /** By piece of a word: how certain it is that it is a part of words, 0 to 1. */
  readonly parts: WordMemory<number>
}

/** Empty memories. @param source absent for an index that does not change */
export const wordMemories = (source?: WordSource): Pick<KnownWords, 'memory' | 'joined' | 'parts'> => ({
  memory: new WordMemory(bytesOfMeaning, source),
  joined: new WordMemory(bytesOfAlternatives, source),
  parts: new WordMemory(() => 0, source),
})

export type Words = Pick<KnownWords, 'dictionary' | 'segments'>

/** What a word of the query stands for. */
export interface Meaning {
  readonly kind: ExpansionKind
  readonly cover: readonly Expansion[]
  readonly exact: Expansion | undefined
  /** The likeliest first. */
  readonly surfaces: readonly number[]
  /** Those of the surfaces that are only matched by a part. */
  readonly parts?: readonly PartOfWord[] | undefined
  /** Number of documents that have it, from which its weight follows. */
  readonly documents: number
  /** What was probably meant instead. */
  readonly suggestion?: number | undefined
}

/** Something else that may stand for a word. */
export interface Alternative {
  readonly expansion: Expansion
  readonly surfaces: readonly number[]
  /** By how many documents this increases the word's frequency. */
  readonly documents: number
}

/** Approximate sizes, as objects of JavaScript. */
const bytesOfMeaning = (meaning: Meaning | undefined): number =>
  meaning
    ? 128 +
      80 * meaning.cover.length +
      8 * meaning.surfaces.length +
      160 * (meaning.parts?.length ?? 0) +
      meaning.cover.reduce((sum, { standing }) => sum + 2 * (standing?.size ?? 0), 0)
    : 0

const bytesOfAlternatives = (alternatives: readonly Alternative[]): number =>
  alternatives.reduce((sum, { surfaces }) => sum + 160 + 8 * surfaces.length, 0)

/** The word itself, as far as it or a word of its family occurs. */
export function meaningOf(word: string, known: Words): Meaning | undefined {
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

/** The word itself; -1 if it does not occur. */
export const surfaceOf = (word: string, known: Words): number =>
  occurring(known.dictionary.vocabulary.terms.find(word), known)

/** The family of a word, or the word itself if it has none; -1 if neither occurs. */
export function termOf(word: string, known: Words, stemOf?: () => string): number {
  const { vocabulary } = known.dictionary
  const itself = vocabulary.terms.find(word)
  return itself < 0 ? occurring(vocabulary.relatedTo(word, stemOf?.()), known) : familyFor(itself, known)
}

/** The same for a word that itself occurs in documents: nothing is found only by its stem. */
export function wordOf(word: string, known: Words): number {
  const itself = surfaceOf(word, known)
  return itself < 0 ? -1 : familyFor(itself, known)
}

function familyFor(surface: number, known: Words): number {
  return occurring(familyOrSelf(surface, known.dictionary.vocabulary), known)
}

const occurring = (term: number, { segments }: Words): number =>
  term >= 0 && segments.frequencies.of(term) > 0 ? term : -1

/** The family of a surface, or the surface itself if it has none. */
export function familyOrSelf(surface: number, vocabulary: Vocabulary): number {
  const family = vocabulary.familyOf(surface)
  return family < 0 ? surface : family
}

/** The members of a family that occur: `first` first, the others by frequency. */
export function surfacesOf(family: number, first: number, { dictionary, segments }: Words): number[] {
  const { vocabulary } = dictionary
  const { frequencies } = segments
  const members: number[] = []
  vocabulary.visitMembers(family, surface => {
    if (frequencies.of(surface) > 0) members.push(surface)
  })
  const rank = (surface: number) => (surface === first ? Infinity : frequencies.of(surface))
  return members.sort((a, b) => rank(b) - rank(a) || compareTerms(a, b, vocabulary))
}

/** The word with one more alternative; guesses no longer count beside that. */
export function withAlternative(meaning: Meaning | undefined, alternative: Alternative): Meaning {
  const { expansion, surfaces, documents } = alternative
  if (!meaning || meaning.kind === 'typo')
    return { kind: expansion.kind, cover: [expansion], exact: undefined, surfaces, documents }
  return {
    ...meaning,
    cover: [...meaning.cover, expansion],
    surfaces: [...new Set([...meaning.surfaces, ...surfaces])],
    documents: meaning.documents + documents,
  }
}

/** A term or family that stands for a word, with all its surfaces. */
export function alternativeOf(kind: ExpansionKind, term: number, weight: number, known: Words): Alternative {
  const documents = known.segments.frequencies.of(term)
  return { expansion: { kind, term, weight }, surfaces: surfacesOf(term, term, known), documents }
}

/** Words in sequence that stand for a word. */
export function standingAlternative(
  kind: ExpansionKind,
  standing: Standing,
  weight: number,
  known: Words,
): Alternative {
  const surfaces = [...new Set(standing.terms.flatMap(term => surfacesOf(term, term, known)))]
  return {
    expansion: { kind, term: standing.terms[0]!, weight, standing },
    surfaces,
    documents: standing.size,
  }
}

export function compareTerms(a: number, b: number, { terms }: Vocabulary): number {
  const [one, other] = [terms.term(a), terms.term(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

/** The texts of a meaning's surfaces, cached since they are usually requested again. */
export function textsOf(surfaces: readonly number[], { dictionary, texts }: KnownWords): readonly string[] {
  const known = texts.get(surfaces)
  if (known) return known
  const { terms } = dictionary.vocabulary
  const found = surfaces.map(term => terms.term(term))
  texts.set(surfaces, found)
  return found
}
