import type { DatasetState } from '../../datasets/state.ts'
import { type JsonObject, valueAt } from '../../json.ts'
import { parseQuery } from '../../query/parser.ts'
import { compileQuery } from '../../query/predicate.ts'
import type { RequestSettings } from './merging.ts'

/** What is asked of each document besides the words of the text. */
export interface Conditions {
  matches(document: JsonObject): boolean
  /** What is added to its score. */
  weight(document: JsonObject): number
}

/** QUERY_INVALID where a query cannot be read. */
export function compileConditions(
  state: DatasetState,
  { filters, weights }: Pick<RequestSettings, 'filters' | 'weights'>,
): Conditions {
  const fields = state.queryFields
  const compiled = (text: string, what: string) => compileQuery(parseQuery(text, fields, { what }), fields)
  const tests = filters.flatMap(({ query = '', tags = [] }) => [
    ...(query.trim() === '' ? [] : [compiled(query, 'search.filter.query')]),
    ...(tags.length === 0 ? [] : [taggedWith(tags, state)]),
  ])
  const clauses = weights.map(({ query, value }, i) => ({
    test: compiled(query, `search.weights[${i}].query`),
    value,
  }))
  return {
    matches: document => tests.every(test => test(document)),
    weight: document => clauses.reduce((sum, { test, value }) => sum + (test(document) ? value : 0), 0),
  }
}

function taggedWith(tags: readonly string[], { settings }: DatasetState): (document: JsonObject) => boolean {
  const wanted = new Set(tags)
  return document => tagsOf(document, settings.tagField).some(tag => wanted.has(tag))
}

/** The ids of a document's tags, as text. */
export function tagsOf(document: JsonObject, tagField: string): string[] {
  const tags = valueAt(document, tagField)
  return (Array.isArray(tags) ? tags : [tags]).filter(tag => tag !== undefined && tag !== null).map(String)
}
