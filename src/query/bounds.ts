import { FindlingError } from '../errors.ts'
import type { QueryFields } from './fields.ts'
import type { Leaf, Query } from './query.ts'

/** Maximum number of words, patterns, phrases, ranges and groups in one condition; the values of one field count as one. */
export const mostClauses = 1_024

/** Maximum number of field values in one condition, as in `id:(a b c)`. */
export const mostValues = 65_536

/** Maximum number of conditions in a list, which together have the bounds of one. */
export const mostConditions = 1_024

/** Maximum number of conditions that say together what is visible; each of them has the bounds of one. */
export const mostVisible = 16

/** A `contains` reads all distinct texts of a field, an area all its points: each counts as this many clauses. */
const ofScanned = 16

/** Maximum nesting of brackets and lists. */
export const deepestQuery = 256

/** So far over the limit that nothing that follows can bring the count below it. */
const clearlyOver = 4 * mostClauses

/** Counts what a query asks for while it is read, so that reading stops early if it asks for far too much. */
export class ClauseCounter {
  readonly #fields: QueryFields
  readonly #what: string
  readonly #code: Code
  #clauses = 0
  #values = 0

  /** @param code of the error */
  constructor(fields: QueryFields, what: string, code: Code) {
    this.#fields = fields
    this.#what = what
    this.#code = code
  }

  /** @throws FindlingError */
  take(clause: Query): void {
    // What `count` leaves out.
    if (clause.kind === 'everything' || clause.kind === 'nothing') return
    if (isOfValues(clause, this.#fields)) this.#values++
    else this.#clauses++
    if (this.#clauses > clearlyOver)
      refuse(this.#what, `more than ${clearlyOver} ${clauses}`, fewerClauses, this.#code)
    if (this.#values > mostValues + clearlyOver)
      refuse(this.#what, `more than ${mostValues + clearlyOver} values`, fewerValues, this.#code)
  }
}

/**
 * Refuses conditions that are clearly too many before they are read.
 * @param mayBeValues whether values of one field among them count as one
 * @throws FindlingError INVALID_ARGUMENT
 */
export function checkNumber(conditions: number, what: string, mayBeValues = false): void {
  if (conditions <= (mayBeValues ? mostValues + clearlyOver : clearlyOver)) return
  if (mayBeValues)
    refuse(
      what,
      `${conditions} conditions`,
      `at most ${mostValues} values, or ${fewerOthers}`,
      'INVALID_ARGUMENT',
    )
  refuse(what, `${conditions} ${clauses}`, fewerClauses, 'INVALID_ARGUMENT')
}

/** @throws FindlingError INVALID_ARGUMENT for too many values of one field */
export function checkValues(values: number, what: string): void {
  if (values > mostValues) refuse(what, `${values} values`, fewerValues, 'INVALID_ARGUMENT')
}

/**
 * The query, unless it exceeds the limits.
 * @param what names it in errors
 * @param code of the error
 * @throws FindlingError
 */
export function bounded(query: Query, fields: QueryFields, what: string, code: Code): Query {
  // The outermost group does not count.
  const counted = { clauses: query.kind === 'every' || query.kind === 'any' ? -1 : 0, values: 0 }
  count(query, fields, counted)
  check(counted, what, code)
  return query
}

interface ListManner {
  /** Of the error. Default `INVALID_ARGUMENT`. */
  readonly code?: Code
  /** Maximum number of clauses in all. Default: as many as in one condition. */
  readonly clauses?: number
}

/** A list of conditions: together they have the bounds of one. */
export class BoundedList {
  readonly #fields: QueryFields
  readonly #what: string
  readonly #manner: ListManner
  readonly #counted: Counted = { clauses: 0, values: 0 }

  /** @param what names the list in errors */
  constructor(fields: QueryFields, what: string, manner: ListManner = {}) {
    this.#fields = fields
    this.#what = what
    this.#manner = manner
  }

  /** @throws FindlingError where this one is too much */
  add(query: Query): void {
    // A group of conditions that must all match is no group within the list.
    if (query.kind === 'every') this.#counted.clauses--
    count(query, this.#fields, this.#counted)
    const { code = 'INVALID_ARGUMENT', clauses } = this.#manner
    check(this.#counted, this.#what, code, clauses)
  }
}

/** The queries of weights: each has the bounds of one condition, and together they have no more values. */
export const boundedWeights = (fields: QueryFields, what: string): BoundedList =>
  new BoundedList(fields, what, { code: 'QUERY_INVALID', clauses: Number.POSITIVE_INFINITY })

type Code = 'QUERY_INVALID' | 'INVALID_ARGUMENT'

const clauses = 'words, patterns, phrases, ranges and groups'
const fewerOthers = `${mostClauses} ${clauses}`
const fewerClauses = `at most ${mostClauses}; values of one field, as in id:(a b c), count as one`
const fewerValues = `at most ${mostValues}`

function refuse(what: string, received: string, expected: string, code: Code): never {
  throw new FindlingError(code, `${what} has ${received}; expected ${expected}`, {
    field: what,
    received,
    expected,
  })
}

interface Counted {
  clauses: number
  values: number
}

function check(counted: Counted, what: string, code: Code, most = mostClauses): void {
  if (counted.clauses > most) refuse(what, `${counted.clauses} ${clauses}`, fewerClauses, code)
  if (counted.values > mostValues) refuse(what, `${counted.values} values`, fewerValues, code)
}

function count(query: Query, fields: QueryFields, counted: Counted): void {
  switch (query.kind) {
    case 'everything':
    case 'nothing':
      return
    case 'not':
    case 'boosted':
      count(query.of, fields, counted)
      return
    case 'every':
      counted.clauses++
      for (const one of query.of) count(one, fields, counted)
      return
    case 'any':
      counted.clauses++
      countAny(query.of, fields, counted)
      return
    case 'contains':
    case 'inside':
      counted.clauses += ofScanned
      return
    default:
      counted.clauses++
  }
}

/** All values of one field count as one clause. */
function countAny(queries: readonly Query[], fields: QueryFields, counted: Counted): void {
  const valued = new Set<string | null>()
  for (const one of queries) {
    if (!isOfValues(one, fields)) {
      count(one, fields, counted)
      continue
    }
    counted.values++
    if (!valued.has(one.field)) counted.clauses++
    valued.add(one.field)
  }
}

/** Whether it asks for a value of a field; this includes the words of a field that is not searched. */
function isOfValues(query: Query, fields: QueryFields): query is Leaf {
  if (query.kind === 'value') return true
  if (query.kind === 'range') return query.over === 'times'
  const isWords = query.kind === 'word' || (query.kind === 'words' && query.slop === 0)
  return isWords && query.field !== null && fields.find(query.field)?.searched !== true
}
