import { Filter, type FilterCondition } from '../../filters/filter.ts'
import { boundedWeights } from '../../query/bounds.ts'
import type { QueryFields } from '../../query/fields.ts'
import { readingQuery } from '../../query/parser.ts'
import { every, type Query } from '../../query/query.ts'
import { type ConditionContext, filterFields } from '../condition.ts'
import type { Weight } from '../weights.ts'
import type { RequestSettings } from './merging.ts'

type Given = Pick<RequestSettings, 'filters' | 'weights'>

interface Queries {
  readonly filters: readonly Query[]
  readonly weights: readonly Query[]
}

/**
 * Reads queries piece by piece: there may be a hundred weights, each with a thousand words.
 * @throws FindlingError QUERY_INVALID where a query cannot be read
 */
export function* readingQueries({ filters, weights }: Given, fields: QueryFields): Generator<void, Queries> {
  const read: { filters: Query[]; weights: Query[] } = { filters: [], weights: [] }
  for (const { query = '' } of filters)
    if (query.trim() !== '')
      read.filters.push(yield* readingQuery(query, fields, { what: 'search.filter.query' }))
  const bounds = boundedWeights(fields, 'search.weights')
  for (const [i, { query }] of weights.entries()) {
    const weight = yield* readingQuery(query, fields, { what: `search.weights[${i}].query` })
    bounds.add(weight)
    read.weights.push(weight)
    yield
  }
  return read
}

/** Conditions on each document in addition to the words of the text. */
export interface Conditions {
  readonly condition: FilterCondition
  readonly weights: readonly Weight[]
}

/**
 * The conditions, also read piece by piece.
 * @param query what documents must match in addition
 */
export function* readingConditions(
  given: Given,
  { state }: ConditionContext,
  query: Query,
): Generator<void, Conditions> {
  const fields = filterFields(state)
  const queries = yield* readingQueries(given, fields.query)
  const tags = given.filters.flatMap(({ tags = [] }) => (tags.length === 0 ? [] : [tags]))
  const { rules } = state
  const weights: Weight[] = []
  for (const [i, query] of queries.weights.entries()) {
    const filter = new Filter({ query }, fields, document => rules.tagIds(document))
    weights.push({ filter, value: given.weights[i]!.value })
    yield
  }
  return { condition: { query: every([query, ...queries.filters]), tags }, weights }
}
