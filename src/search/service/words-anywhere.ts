import type { QueryText } from '../../fulltext/words/query-text.ts'
import type { MatchedWord } from '../../fulltext/words/slot.ts'
import { mostClauses } from '../../query/bounds.ts'
import { any, every, not, type Query } from '../../query/query.ts'

interface Fields {
  readonly operator: 'and' | 'or'
  /** Whether words match only as they were typed. */
  readonly isExact: boolean
  /** Interpreted fields. */
  readonly searched: readonly string[]
  /** Fields without an index of their words. */
  readonly others: readonly string[]
}

/** How many indexed words one typed word may stand for. */
const MOST_SURFACES = 10

/**
 * A text as a query tree: each word in any of the fields; in indexed fields also as the words that the index takes it for,
 * in the others only as typed.
 */
export function wordsAnywhere(
  { words, phrases, excluded }: QueryText,
  understood: readonly MatchedWord[],
  { operator, isExact, searched, others }: Fields,
): { readonly where: Query; readonly words: Query } {
  const byWord = new Map(understood.map(one => [one.word, one]))
  const typed = [...new Set(words)]
  const telling = typed.filter(word => byWord.get(word)?.kind !== 'stop')
  const wanted = telling.length > 0 ? telling : typed
  const places = Math.max(1, wanted.length * searched.length)
  const most = Math.max(1, Math.min(MOST_SURFACES, Math.floor(mostClauses / 2 / places)))
  const surfacesOf = (word: string): string[] => {
    const { kind, surfaces = [] } = byWord.get(word) ?? {}
    // The parts of a compound only stand for it together.
    const others = isExact || kind === 'compound' ? [] : surfaces
    return [...new Set([word, ...others])].slice(0, most + 1)
  }
  const inAll = (list: readonly string[], slop = 0): Query =>
    any([...searched, ...others].map(field => leafOf(field, list, slop)))
  const anywhere = (word: string): Query =>
    any([
      ...searched.flatMap(field => surfacesOf(word).map(one => leafOf(field, [one]))),
      ...others.map(field => leafOf(field, [word])),
    ])
  const found = wanted.map(anywhere)
  const where = every([
    // A text without a word finds nothing, not everything.
    operator === 'and' && found.length > 0 ? every(found) : any(found),
    ...phrases.map(({ words: at, slop }) =>
      inAll(
        at.map(place => words[place]!),
        slop,
      ),
    ),
    ...excluded.map(list => not(inAll(list))),
  ])
  return { where, words: any(wanted.flatMap(word => surfacesOf(word).map(one => leafOf(null, [one])))) }
}

const leafOf = <Field extends string | null>(field: Field, words: readonly string[], slop = 0) =>
  words.length === 1
    ? ({ kind: 'word', field, word: words[0]! } as const)
    : ({ kind: 'words', field, words, slop } as const)
