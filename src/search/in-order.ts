import { readDocuments } from '../datasets/stored-documents.ts'
import type { Filter } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import { type JsonObject, valuesAt } from '../json.ts'
import { askFiltered, type Selections } from './condition.ts'
import { idAt, type MatchList } from './match-list.ts'
import { longTexts, Order, type OrderKey } from './order.ts'
import type { Searchable } from './search.ts'

/** Documents of one moment and their order. */
export interface OrderedMatches {
  readonly matches: MatchList
  /** By document, below 0 where the first one comes first; undefined where they are in order. */
  readonly compare: ((one: number, other: number) => number) | undefined
  /** Number of the last change of this moment. */
  readonly seq: number
}

interface Ordering<T> {
  readonly filters: readonly (Filter | undefined)[]
  /** None: by score. */
  readonly keys: readonly OrderKey[]
  readonly matchesOf: (whole: FulltextIndex, selections: Selections) => MatchList
  /** Is called once, at this moment. */
  readonly take: (ordered: OrderedMatches) => T
}

/** What matches at one moment, in an order: what columns do not have of it is read before. */
export async function inOrder<T>(
  { index, documents }: Pick<Searchable, 'index' | 'documents'>,
  { filters, keys, matchesOf, take }: Ordering<T>,
): Promise<T> {
  /** By key and id. */
  const texts = keys.map(() => new Map<string, string | undefined>())
  for (;;) {
    const answer = await askFiltered(index, documents, filters, (whole, selections, seq) => {
      const matches = matchesOf(whole, selections)
      const long = keys.map(() => new Map<number, string>())
      const missing: string[] = []
      for (const [k, { field }] of keys.entries()) {
        for (const document of longTexts(matches, field)) {
          const id = idAt(matches.segments, document)
          const known = texts[k]!
          if (!known.has(id)) missing.push(id)
          else if (known.get(id) !== undefined) long[k]!.set(document, known.get(id)!)
        }
      }
      if (missing.length > 0) return { missing }
      const compare =
        keys.length > 0
          ? new Order(keys, matches.segments, long).compare
          : matches.scores?.size
            ? byScore(matches.scores)
            : undefined
      return { taken: take({ matches, compare, seq }) }
    })
    if (!answer.missing) return answer.taken
    const stored = await readDocuments(documents, answer.missing)
    for (const [i, id] of answer.missing.entries())
      for (const [k, { field }] of keys.entries()) texts[k]!.set(id, firstText(stored[i], field))
  }
}

function firstText(document: JsonObject | undefined, field: string): string | undefined {
  const values = document ? valuesAt(document, field).flat() : []
  return values.find(value => typeof value === 'string')
}

const byScore =
  (scores: ReadonlyMap<number, number>) =>
  (one: number, other: number): number =>
    (scores.get(other) ?? 0) - (scores.get(one) ?? 0) || one - other
