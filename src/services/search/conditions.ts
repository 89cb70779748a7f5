import type { DatasetState } from '../../datasets/state.ts'
import { Filter, type FilterCondition } from '../../filters/filter.ts'
import { readQuery } from '../../fulltext/ranking/query-text.ts'
import type { QueryFields } from '../../query/fields.ts'
import { inFields } from '../../query/in-fields.ts'
import { parseQuery } from '../../query/parser.ts'
import { any, every, type Query } from '../../query/query.ts'
import { type ConditionContext, filterFields } from '../../search/condition.ts'
import type { Weight } from '../../search/weights.ts'
import type { RequestSettings } from './merging.ts'

type Given = Pick<RequestSettings, 'filters' | 'weights'>

interface Queries {
  readonly filters: readonly Query[]
  readonly weights: readonly Query[]
}

/** @throws FindlingError QUERY_INVALID where a query cannot be read */
export function readQueries({ filters, weights }: Given, fields: QueryFields): Queries {
  const read = (text: string, what: string) => parseQuery(text, fields, { what })
  return {
    filters: filters.flatMap(({ query = '' }) =>
      query.trim() === '' ? [] : read(query, 'search.filter.query'),
    ),
    weights: weights.map(({ query }, i) => read(query, `search.weights[${i}].query`)),
  }
}

/** What is asked of each document besides the words of the text. */
export interface Conditions {
  readonly condition: FilterCondition
  readonly weights: readonly Weight[]
}

/** @param query what documents must match besides */
export function conditionsOf(given: Given, { state }: ConditionContext, query: Query): Conditions {
  const fields = filterFields(state)
  const { filters, weights } = readQueries(given, fields.query)
  const tags = given.filters.flatMap(({ tags = [] }) => (tags.length === 0 ? [] : [tags]))
  const { rules } = state
  return {
    condition: { query: every([query, ...filters]), tags },
    weights: weights.map((query, i) => ({
      filter: new Filter({ query }, fields, document => rules.tagIds(document)),
      value: given.weights[i]!.value,
    })),
  }
}

/**
 * Documents that have words of a text, one or all of them, as they stand there: other forms of them do not count. Stop
 * words may be missing.
 */
export function surfacesOf(
  text: string,
  { settings, queryFields: { analyzer } }: DatasetState,
  { operator, fields }: { readonly operator: 'or' | 'and'; readonly fields: readonly string[] },
): Query {
  const words = new Set(readQuery(text, analyzer).words)
  const stopWords = new Set(settings.stopWords.flatMap(word => analyzer.tokens(word)))
  const telling = [...words].filter(word => !stopWords.has(word))
  const leaves = (telling.length > 0 ? telling : [...words]).map(
    word => ({ kind: 'word', field: null, word }) as const,
  )
  return inFields(operator === 'and' ? every(leaves) : any(leaves), fields)
}
