import { invalid, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { BoundedList, mostConditions, mostVisible } from './bounds.ts'
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
   * had no others. A word that occurs only in hidden documents is unknown; totals are exact. A list has at
   * most 16 conditions, each with the limits of a filter.
   */
  visible?: Condition<T>
}

/**
 * Reads a condition piece by piece. The members of a list are read separately, so that no text can change the meaning of
 * another.
 * @param what names it in errors
 * @throws FindlingError QUERY_INVALID for a query string and INVALID_ARGUMENT for anything else that cannot be read
 */
export function* readingCondition(
  given: unknown,
  fields: QueryFields,
  what = 'filter',
): Generator<void, Query> {
  return yield* readingAll(given, fields, {
    what,
    most: mostConditions,
    bounds: new BoundedList(fields, what),
  })
}

/**
 * Reads which documents are visible. The conditions of a list are not bounded together: they may come from several who do not
 * know of each other, such as a key and one that was signed with it.
 */
export function* readingVisible(given: unknown, fields: QueryFields): Generator<void, Query> {
  return yield* readingAll(given, fields, { what: 'visible', most: mostVisible })
}

interface ListBounds {
  readonly what: string
  readonly most: number
  /** Of all conditions together. */
  readonly bounds?: BoundedList
}

function* readingAll(
  given: unknown,
  fields: QueryFields,
  { what, most, bounds }: ListBounds,
): Generator<void, Query> {
  if (!Array.isArray(given)) return yield* readingOne(given, fields, what)
  if (given.length === 0)
    throw invalid('INVALID_ARGUMENT', '', [problem(what, given, 'at least one condition; {} is everything')])
  if (given.length === 1) return yield* readingOne(given[0], fields, `${what}[0]`)
  if (given.length > most)
    throw invalid('INVALID_ARGUMENT', '', [problem(what, given, `a list of at most ${most}`)])
  const queries: Query[] = []
  for (const [i, one] of given.entries()) {
    const query = yield* readingOne(one, fields, `${what}[${i}]`)
    bounds?.add(query)
    queries.push(query)
    yield
  }
  return every(queries)
}

function* readingOne(given: unknown, fields: QueryFields, what: string): Generator<void, Query> {
  return typeof given === 'string'
    ? yield* readingQuery(given, fields, { what })
    : yield* readingWhere(given, fields, what)
}

/** The same as a predicate over documents. */
export function* compilingCondition(
  given: unknown,
  fields: QueryFields,
  what: string,
): Generator<void, Predicate> {
  return compileQuery(yield* readingCondition(given, fields, what), fields)
}

/** Which documents are visible, as a predicate over documents. */
export function* compilingVisible(given: unknown, fields: QueryFields): Generator<void, Predicate> {
  return compileQuery(yield* readingVisible(given, fields), fields)
}
