import { withPartsOfWords } from './compound-parts.ts'
import {
  type Alternative,
  alternativeOf,
  FAMILY_WEIGHT,
  type KnownWords,
  type Meaning,
  standingAlternative,
  termOf,
  withAlternative,
} from './meaning.ts'
import type { Meanings } from './meanings.ts'
import type { QueryText } from './query-text.ts'
import type { Expansion } from './slot.ts'
import type { CompiledWordRules } from './word-rules.ts'

/** Equal to that of another form of a word: documents with the word as typed rank before those with a synonym. */
const SYNONYM_WEIGHT = FAMILY_WEIGHT

/** Rules for the words of a query. */
export interface MeaningRules {
  readonly rules: CompiledWordRules
  /** Whether some document has the term in a field in which it may be a typo of another. */
  readonly mayBeTypo: (term: number) => boolean
}

/** What words stand for, after rules have removed typos and added synonyms. */
export function ruledMeanings(
  meanings: Meanings,
  text: QueryText,
  known: KnownWords,
  given: MeaningRules,
): Meanings {
  const alternatives = given.rules.alternativesOf(text)
  const ruled = new Map<string, Meaning>()
  for (const word of new Set(text.words)) {
    const before = meanings.get(word)
    let meaning = before && withoutTypos(word, before, known, given)
    const synonyms = alternatives.get(word) ?? []
    for (const words of synonyms) {
      const synonym = synonymOf(words, known)
      if (synonym) meaning = withAlternative(meaning, synonym)
    }
    // Last, in whatever order they were given: what is a synonym itself is no mere part of another.
    for (const words of synonyms)
      if (words.length === 1) meaning = withPartsOfSynonym(meaning, words[0]!, known)
    if (meaning) ruled.set(word, meaning)
  }
  return ruled
}

/** Undefined if nothing is left. */
function withoutTypos(
  word: string,
  meaning: Meaning,
  known: KnownWords,
  { rules, mayBeTypo }: MeaningRules,
): Meaning | undefined {
  const allowed = rules.allowsTypos(word)
  const cover = meaning.cover.filter(({ kind, term }) => kind !== 'typo' || (allowed && mayBeTypo(term)))
  if (cover.length === meaning.cover.length) return meaning
  if (cover.length === 0) return undefined
  const left = new Set(cover.flatMap(expansion => membersOf(expansion, known)))
  const { frequencies } = known.segments
  return {
    kind: meaning.kind,
    exact: meaning.exact,
    cover,
    surfaces: meaning.surfaces.filter(surface => left.has(surface)),
    documents: cover.reduce((sum, { term, standing }) => sum + (standing?.size ?? frequencies.of(term)), 0),
  }
}

/** One or several consecutive words as a synonym; undefined if no document has them in sequence. */
function synonymOf(words: readonly string[], known: KnownWords): Alternative | undefined {
  const terms = words.map(word => termOf(word, known))
  if (terms.includes(-1)) return undefined
  if (terms.length === 1) return alternativeOf('synonym', terms[0]!, SYNONYM_WEIGHT, known)
  const standing = known.standing(terms)
  return standing && standingAlternative('synonym', standing, SYNONYM_WEIGHT, known)
}

/** With the words of which a synonym is a part: `Stehlampe` for `leuchte`, if that means `lampe`. */
function withPartsOfSynonym(
  meaning: Meaning | undefined,
  synonym: string,
  known: KnownWords,
): Meaning | undefined {
  const found = known.memory.of(`+${synonym}`, () => withPartsOfWords(undefined, synonym, known))
  if (!found) return meaning
  // Guesses do not count beside it.
  const sure = meaning?.kind === 'typo' ? undefined : meaning
  const own = new Set(sure?.cover.map(({ term }) => term))
  const surfaces = new Set(sure?.surfaces)
  const cover = found.cover
    .filter(({ term }) => !own.has(term))
    .map(part => ({ ...part, weight: part.weight * SYNONYM_WEIGHT }))
  if (cover.length === 0) return meaning
  const { frequencies } = known.segments
  return {
    ...sure,
    kind: sure?.kind ?? 'synonym',
    exact: sure?.exact,
    cover: [...(sure?.cover ?? []), ...cover],
    surfaces: [...new Set([...surfaces, ...found.surfaces])],
    // They are in the order of the surfaces.
    parts: [...(sure?.parts ?? []), ...found.parts!.filter((_, i) => !surfaces.has(found.surfaces[i]!))],
    documents: cover.reduce((sum, { term }) => sum + frequencies.of(term), sure?.documents ?? 0),
  }
}

function membersOf({ term, standing }: Expansion, { dictionary }: KnownWords): number[] {
  const members: number[] = []
  for (const part of standing?.terms ?? [term])
    dictionary.vocabulary.visitMembers(part, member => members.push(member))
  return members
}
