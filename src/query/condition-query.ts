import { invalid, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { BoundedList, mostConditions } from './bounds.ts'
import type { QueryFields } from './fields.ts'
import { readingQuery } from './parser.ts'
import { compileQuery, type Predicate } from './predicate.ts'
import { every, type Query } from './query.ts'
import { readingWhere, type Where } from './where.ts'

/** Which documents are meant: a query string, an object of conditions, or a list of up to 1,024 of these, all of which must match and which together have the limits of one. */
export type Condition<T = JsonObject> = Where<T> | string | readonly (Where<T> | string)[]

/** Restricts a call to visible documents. */
export interface VisibilityOptions<T = JsonObject> {
  /**
   * The visible documents, in the form of a filter: everything but the scores is as if the dataset
   * had no others. A word that occurs only in hidden documents is unknown; totals are exact.
   */
  visible?: Condition<T>
}

/**
 * Reads a condition. The members of a list are read separately, so that no text can change the meaning of another.
 * @param what names it in errors
 * @throws FindlingError QUERY_INVALID for a query string and INVALID_ARGUMENT for anything else that cannot be read
 */
const conditionQuery = (given: unknown, fields: QueryFields, what: string): Query =>
  atOnce(readingCondition(given, fields, what))

/** The same piece by piece. */
export function* readingCondition(given: unknown, fields: QueryFields, what: string): Generator<void, Query> {
  if (!Array.isArray(given) || given.length === 0) return yield* readingOne(given, fields, what)
  if (given.length === 1) return yield* readingOne(given[0], fields, `${what}[0]`)
  if (given.length > mostConditions)
    throw invalid('INVALID_ARGUMENT', '', [problem(what, given, `a list of at most ${mostConditions}`)])
  const queries: Query[] = []
  const bounds = new BoundedList(fields, what)
  for (const [i, one] of given.entries()) {
    const query = yield* readingOne(one, fields, `${what}[${i}]`)
    bounds.add(query)
    queries.push(query)
  }
  return every(queries)
}

function* readingOne(given: unknown, fields: QueryFields, what: string): Generator<void, Query> {
  return typeof given === 'string'
    ? yield* readingQuery(given, fields, { what })
    : yield* readingWhere(given, fields, what)
}

/** The same as a predicate over documents. */
export function compileCondition(given: unknown, fields: QueryFields, what: string): Predicate {
  return compileQuery(conditionQuery(given, fields, what), fields)
}
