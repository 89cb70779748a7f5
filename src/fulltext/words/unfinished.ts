import { isCode, isNumber } from './codes.ts'
import { compareTerms, type KnownWords, type Meaning, meaningOf } from './meaning.ts'
import { COST_WEIGHT } from './misspellings.ts'
import type { Expansion } from './slot.ts'

/** Maximum number of words that a prefix may stand for. */
const MAX_COMPLETIONS = 128

const COMPLETION_WEIGHT = 0.6
const LEAST_MISSPELT = 4
const MOST_MISSPELT = 12
/** Maximum number of words per corrected prefix, and for all of these. */
const MOST_EACH = 8
const MOST_NEAR = 16
const letters = [...'abcdefghijklmnopqrstuvwxyz']
const LEAST_WEIGHT = 0.15

/** The last word while it is being typed: itself, and the most frequent words that begin with it. */
export function beginningOf(word: string, known: KnownWords): Meaning | undefined {
  const { vocabulary, prefixes } = known.dictionary
  const { frequencies } = known.segments
  const whole = meaningOf(word, known)
  const begun = prefixes
    .best(word, MAX_COMPLETIONS, frequencies)
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

/** The words with a prefix one edit from the typed one, given that the first letter is right. */
export function misspeltBeginning(word: string, known: KnownWords): Meaning | undefined {
  if (word.length < LEAST_MISSPELT || word.length > MOST_MISSPELT || isNumber(word) || isCode(word))
    return undefined
  const { vocabulary, prefixes } = known.dictionary
  const { frequencies } = known.segments
  const { units, starts } = vocabulary.terms
  known.typed.set(word)
  const merits = new Map<number, number>()
  for (const beginning of oneEditFrom(word, 1)) {
    for (const term of prefixes.best(beginning, MOST_EACH, frequencies)) {
      if (vocabulary.isFamily(term)) continue
      const cost = known.typed.cost(units, starts[term]!, starts[term]! + beginning.length)
      const merit = Math.log(frequencies.of(term)) - COST_WEIGHT * cost
      merits.set(term, Math.max(merit, merits.get(term) ?? -Infinity))
    }
  }
  const near = [...merits]
    .sort(([a, x], [b, y]) => y - x || compareTerms(a, b, vocabulary))
    .slice(0, MOST_NEAR)
  if (near.length === 0) return undefined
  const best = near[0]![1]
  return {
    kind: 'typo',
    cover: near.map(([term, merit]) => ({
      kind: 'typo',
      term,
      weight: COMPLETION_WEIGHT * Math.max(LEAST_WEIGHT, Math.exp((merit - best) / 2)),
    })),
    exact: undefined,
    surfaces: near.map(([term]) => term),
    documents: near.reduce((sum, [term]) => sum + frequencies.of(term), 0),
    suggestion: near[0]![0],
  }
}

/** Everything one edit from a word, with the letters before a place unchanged. */
export function* oneEditFrom(word: string, first = 0): Generator<string> {
  for (let at = first; at <= word.length; at++) {
    const before = word.slice(0, at)
    const after = word.slice(at + 1)
    const own = word[at]
    for (const letter of letters) {
      yield before + letter + word.slice(at)
      if (own !== undefined && letter !== own) yield before + letter + after
    }
    if (own === undefined) continue
    yield before + after
    if (after !== '' && after[0] !== own) yield before + after[0] + own + after.slice(1)
  }
}
