import type { Compounding } from '../../analysis/compounding.ts'
import type { AffixIndex } from '../dictionary/affix-index.ts'
import { unitsOf } from '../dictionary/term-table.ts'
import { familyOrSelf, type KnownWords, type Meaning, surfaceOf, surfacesOf, type Words } from './meaning.ts'
import { COST_WEIGHT, type TypoTolerance } from './misspellings.ts'
import type { Expansion, PartOfWord } from './slot.ts'
import { oneEditFrom } from './unfinished.ts'

// The end of a compound is its head: a `Gartenstuhl` is a chair, and only has to do with a garden.
const HEAD_WEIGHT = 0.5
const BEGINNING_WEIGHT = 0.35
/** For words whose other part is not known elsewhere. */
const UNSURE = 0.7
const MOST_HEADS = 256
const MOST_BEGINNINGS = 128

const LEAST_PART = 3
const LONGEST_PART = 40
const LEAST_WORD = 6
/** Minimum length of a part whose other part is not known elsewhere. */
const LEAST_UNSURE = 5
const LEAST_UNKNOWN = 4
/** A part that is not a word itself must be a part of this many other words. */
const LEAST_WITNESSES = 2
const MOST_WITNESSES_READ = 256

const onlyLetters = /^[\p{L}\p{M}]+$/u
const vowel = /[aeiouyäöüåæø]/

/** Where the part is in a surface, in UTF-16 units. */
type PartRange = readonly [from: number, to: number]

interface Found {
  readonly surface: number
  readonly weight: number
  readonly range: PartRange
}

/**
 * The words of the documents that end in any form of a word, or begin with it, in languages that write several words
 * as one. The rest of such a word must be a word, too, or a part of other words (after Koehn and Knight, "Empirical
 * methods for compound splitting", 2003): `Horn` is not a part of `Ahorn`.
 */
export function withPartsOfWords(
  meaning: Meaning | undefined,
  word: string,
  known: KnownWords,
): Meaning | undefined {
  const { compounding } = known.dictionary
  if (!compounding || word.length < LEAST_PART || word.length > LONGEST_PART || !onlyLetters.test(word))
    return meaning
  const found = wordsWith(word, new PartSearch(compounding, known))
  return found.length === 0 ? meaning : withParts(meaning, found, known)
}

function wordsWith(word: string, search: PartSearch): Found[] {
  const seen = new Set<string>()
  return [...search.ending(word, seen), ...search.beginning(word, seen)]
}

/** How much less likely a misspelt part is than a misspelt word, as a logarithm. */
const PART_DOUBT = 1
const LEAST_MISSPELT = 4
const MOST_MISSPELT = 16
/** Number of parts that a misspelt word may be taken for. */
const MOST_MEANT = 2

/** Adds compounds to what a misspelt word was taken for: those of the guessed words or, if none, of parts that are no words. */
export function withMisspeltParts(
  meaning: Meaning | undefined,
  word: string,
  known: KnownWords,
  tolerance: TypoTolerance,
): Meaning | undefined {
  const { compounding, vocabulary } = known.dictionary
  if (!compounding || tolerance === 0 || !onlyLetters.test(word)) return meaning
  if (word.length < LEAST_MISSPELT || word.length > MOST_MISSPELT) return meaning
  const search = new PartSearch(compounding, known)
  const meant =
    meaning?.suggestion === undefined
      ? likelyParts(word, search, known)
      : [{ part: vocabulary.terms.term(meaning.suggestion), weight: 1 }]
  const found = meant.flatMap(({ part, weight }) =>
    wordsWith(part, search).map(one => ({ ...one, weight: one.weight * weight })),
  )
  if (found.length === 0) return meaning
  return { ...withParts(meaning, found, known), kind: 'typo', suggestion: meaning?.suggestion }
}

/** The parts one edit from the word that occur in most documents, likeliest first, with likelihoods relative to the first. */
function likelyParts(
  word: string,
  search: PartSearch,
  known: KnownWords,
): { part: string; weight: number }[] {
  known.typed.set(word)
  const merits = new Map<string, number>()
  for (const part of oneEditFrom(word)) {
    if (merits.has(part)) continue
    const documents = search.documentsWith(part)
    if (documents === 0) continue
    const units = unitsOf(part)
    merits.set(
      part,
      Math.log(documents) - COST_WEIGHT * known.typed.cost(units, 0, units.length) - PART_DOUBT,
    )
  }
  const best = [...merits].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MOST_MEANT)
  return best.map(([part, merit]) => ({ part, weight: Math.exp((merit - best[0]![1]) / 2) }))
}

/** A meaning with the words of which it is a part, after what it already had. */
function withParts(meaning: Meaning | undefined, found: readonly Found[], known: KnownWords): Meaning {
  const { frequencies } = known.segments
  const own = new Set(meaning?.cover.map(({ term }) => term))
  const cover: Expansion[] = []
  const { terms } = known.dictionary.vocabulary
  const parts = new Map<number, PartOfWord>()
  let documents = meaning?.documents ?? 0
  for (const [term, ones] of byTerm(found, known)) {
    if (own.has(term)) continue
    const best = ones.reduce((a, b) => (b.weight > a.weight ? b : a))
    cover.push({ kind: 'part', term, weight: best.weight })
    documents += frequencies.of(term)
    for (const surface of surfacesOf(term, best.surface, known)) {
      const [from, to] = ones.find(one => one.surface === surface)?.range ?? rangeLike(best, surface, known)
      parts.set(surface, Object.freeze({ surface: terms.term(surface), from, to }))
    }
  }
  return {
    kind: meaning?.kind ?? 'part',
    cover: [...(meaning?.cover ?? []), ...cover],
    exact: meaning?.exact,
    surfaces: [...new Set([...(meaning?.surfaces ?? []), ...parts.keys()])],
    parts: [...parts.values()],
    documents,
  }
}

function byTerm(found: readonly Found[], { dictionary }: Words): ReadonlyMap<number, readonly Found[]> {
  const terms = new Map<number, Found[]>()
  for (const one of found) {
    const term = familyOrSelf(one.surface, dictionary.vocabulary)
    const others = terms.get(term)
    if (others) others.push(one)
    else terms.set(term, [one])
  }
  return terms
}

/** The range of the part in another form of the same word: a beginning keeps its range, an end extends to the word's end. */
function rangeLike({ surface, range: [from, to] }: Found, other: number, { dictionary }: Words): PartRange {
  const { terms } = dictionary.vocabulary
  const end = terms.length(other)
  return [Math.min(from, end), to === terms.length(surface) ? end : Math.min(to, end)]
}

class PartSearch {
  readonly #compounding: Compounding
  readonly #known: KnownWords

  constructor(compounding: Compounding, known: KnownWords) {
    this.#compounding = compounding
    this.#known = known
  }

  /** Number of documents with words that end in exactly these letters, or begin with them, whatever the rest is. */
  documentsWith(part: string): number {
    const { suffixes, prefixes } = this.#known.dictionary
    const { frequencies } = this.#known.segments
    const count = (sum: number, term: number) => sum + frequencies.of(term)
    const ending = this.#amongBest(suffixes, part, MOST_MISSPELT).reduce(count, 0)
    return ending + this.#amongBest(prefixes, part, MOST_MISSPELT).reduce(count, 0)
  }

  /** `Gartenstuhl`, `Gartenstühle` for `stuhl`. */
  ending(word: string, seen: Set<string>): Found[] {
    const { suffixes } = this.#known.dictionary
    const found: Found[] = []
    for (const form of this.#formsOf(word)) {
      for (const surface of this.#best(suffixes, form, MOST_HEADS)) {
        const text = this.#textOf(surface)
        const end = text.length - form.length
        if (seen.has(text) || text.length < LEAST_WORD || !onlyLetters.test(text)) continue
        const sureness = this.#isFirst(text.slice(0, end), form)
        if (sureness === 0) continue
        seen.add(text)
        found.push({ surface, weight: HEAD_WEIGHT * sureness, range: [end, text.length] })
      }
    }
    return found
  }

  /** `Gartenstuhl`, `Gartentisch` for `garten`. */
  beginning(word: string, seen: Set<string>): Found[] {
    const { prefixes } = this.#known.dictionary
    const found: Found[] = []
    for (const form of beginningsOf(word)) {
      if (form.length < LEAST_PART || this.#compounding.prefixes.has(form)) continue
      for (const surface of this.#best(prefixes, form, MOST_BEGINNINGS)) {
        const text = this.#textOf(surface)
        if (seen.has(text) || text.length < LEAST_WORD || !onlyLetters.test(text)) continue
        const sureness = this.#isLast(text.slice(form.length), form)
        if (sureness === 0) continue
        seen.add(text)
        found.push({ surface, weight: BEGINNING_WEIGHT * sureness, range: [0, form.length] })
      }
    }
    return found
  }

  /** The word and its forms that may end compounds: those of its stem with the endings of the language. */
  #formsOf(word: string): ReadonlySet<string> {
    const { vocabulary } = this.#known.dictionary
    const stem = vocabulary.stemOf(word)
    const forms = new Set([word])
    for (const ending of this.#compounding.endings) {
      const form = stem + ending
      if (form.length >= LEAST_PART && vocabulary.stemOf(form) === stem) forms.add(form)
    }
    return forms
  }

  #best(index: AffixIndex, affix: string, most: number): number[] {
    return this.#longer(index.best(affix, most, this.#known.segments.frequencies), affix)
  }

  /** The best terms, in no particular order. */
  #amongBest(index: AffixIndex, affix: string, most: number): number[] {
    return this.#longer(index.amongBest(affix, most, this.#known.segments.frequencies), affix)
  }

  #longer(terms: readonly number[], { length }: string): number[] {
    const { vocabulary } = this.#known.dictionary
    return terms.filter(term => !vocabulary.isFamily(term) && vocabulary.terms.length(term) > length)
  }

  #textOf(term: number): string {
    return this.#known.dictionary.vocabulary.terms.term(term)
  }

  /** How certain it is that what precedes a last part is a part, too: 0 to 1. */
  #isFirst(first: string, last: string): number {
    const question = `<${first}`
    const sureness = this.#known.parts.of(question, () => this.#firstSureness(first))
    if (sureness !== 0 || last.length < LEAST_UNSURE) return sureness
    return this.#mayBePart(first) ? UNSURE : 0
  }

  #firstSureness(first: string): number {
    if (this.#isRuledOut(first)) return 0
    if (this.#isWordWithLink(first)) return 1
    if (this.#isFirstElsewhere(first)) return 1
    return this.#isOfTwo(first) ? 1 : 0
  }

  /** The same for what follows a beginning, possibly after linking letters. */
  #isLast(last: string, first: string): number {
    const sureness = this.#known.parts.of(`>${last}`, () => this.#lastSureness(last))
    if (sureness !== 0 || first.length < LEAST_UNSURE) return sureness
    return this.#mayBePart(last) && !this.#isInflection(first, last) ? UNSURE : 0
  }

  #lastSureness(last: string): number {
    for (const link of this.#compounding.links) {
      if (!last.startsWith(link)) continue
      const part = last.slice(link.length)
      if (this.#isRuledOut(part)) continue
      if (this.#isWord(part)) return 1
      if (part.length >= LEAST_UNKNOWN && this.#isLastElsewhere(part)) return 1
    }
    return 0
  }

  /** `lampen` is a form of `lampe`, and `en` is not a part. */
  #isInflection(first: string, last: string): boolean {
    const { vocabulary } = this.#known.dictionary
    return vocabulary.stemOf(first + last) === vocabulary.stemOf(first)
  }

  #isRuledOut(part: string): boolean {
    return part.length < LEAST_PART || this.#compounding.prefixes.has(part)
  }

  #mayBePart(part: string): boolean {
    return part.length >= LEAST_UNKNOWN && vowel.test(part) && !this.#isRuledOut(part)
  }

  /** `kinder`, `küchen`, `woll`: the word with linking letters, or without its final vowel. */
  #isWordWithLink(first: string): boolean {
    for (const link of this.#compounding.links) {
      const part = first.slice(0, first.length - link.length)
      if (!first.endsWith(link) || this.#isRuledOut(part)) continue
      if (this.#isWord(part)) return true
    }
    return first.length >= LEAST_UNKNOWN && (this.#isWord(`${first}e`) || this.#isWord(`${first}en`))
  }

  #isWord(part: string): boolean {
    return surfaceOf(part, this.#known) >= 0
  }

  /** `schreib` of `Schreibtisch`: it also begins `Schreibpapier`. */
  #isFirstElsewhere(first: string): boolean {
    let witnesses = 0
    for (const surface of this.#amongBest(this.#known.dictionary.prefixes, first, MOST_WITNESSES_READ)) {
      const rest = this.#textOf(surface).slice(first.length)
      if (
        this.#compounding.links.some(
          link => rest.startsWith(link) && this.#isLongWord(rest.slice(link.length)),
        )
      )
        witnesses++
      if (witnesses === LEAST_WITNESSES) return true
    }
    return false
  }

  /** `messer` of `Santokumesser`: it also ends `Brotmesser`, and `Brot` is a word. */
  #isLastElsewhere(last: string): boolean {
    return this.#known.parts.of(`~${last}`, () => (this.#hasLastWitnesses(last) ? 1 : 0)) === 1
  }

  #hasLastWitnesses(last: string): boolean {
    let witnesses = 0
    for (const surface of this.#amongBest(this.#known.dictionary.suffixes, last, MOST_WITNESSES_READ)) {
      const text = this.#textOf(surface)
      if (this.#isWordWithLink(text.slice(0, text.length - last.length))) witnesses++
      if (witnesses === LEAST_WITNESSES) return true
    }
    return false
  }

  #isLongWord(part: string): boolean {
    return part.length >= LEAST_UNKNOWN && (this.#isWord(part) || this.#isLastElsewhere(part))
  }

  /** `kinderschreibtisch` of `Kinderschreibtischstuhl`. */
  #isOfTwo(first: string): boolean {
    if (this.#isWord(first)) return true
    for (let at = LEAST_PART; at <= first.length - LEAST_UNKNOWN; at++) {
      if (this.#isWordWithLink(first.slice(0, at)) && this.#isWordWithLink(first.slice(at))) return true
    }
    return false
  }
}

/** `woll` of `Wolldecke` for `wolle`, `brat` of `Bratpfanne` for `braten`. */
function beginningsOf(word: string): string[] {
  if (word.endsWith('en') && word.length >= LEAST_UNKNOWN + 2) return [word, word.slice(0, -2)]
  return word.endsWith('e') && word.length > LEAST_UNKNOWN ? [word, word.slice(0, -1)] : [word]
}
