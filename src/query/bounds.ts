import { FindlingError } from '../errors.ts'
import type { QueryFields } from './fields.ts'
import type { Leaf, Query } from './query.ts'

/** Maximum number of words, patterns, phrases, ranges and groups in one condition; the values of one field count as one. */
export const mostClauses = 1_024

/** Maximum number of field values in one condition, as in `id:(a b c)`. */
export const mostValues = 65_536

/** Maximum number of conditions in a list, each of which has bounds of its own. */
export const mostConditions = 1_024

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
  #clauses = 0
  #values = 0

  constructor(fields: QueryFields, what: string) {
    this.#fields = fields
    this.#what = what
  }

  /** @throws FindlingError QUERY_INVALID */
  take(clause: Query): void {
    if (isOfValues(clause, this.#fields)) this.#values++
    else this.#clauses++
    if (this.#clauses > clearlyOver)
      refuse(this.#what, `more than ${clearlyOver} ${clauses}`, fewerClauses, 'QUERY_INVALID')
    if (this.#values > mostValues + clearlyOver)
      refuse(this.#what, `more than ${mostValues + clearlyOver} values`, fewerValues, 'QUERY_INVALID')
  }
}

/**
 * Refuses conditions that are clearly too many before they are read.
 * @param areValues whether values of one field among them count as one
 * @throws FindlingError INVALID_ARGUMENT
 */
export function checkNumber(conditions: number, what: string, areValues = false): void {
  if (areValues && conditions > mostValues + clearlyOver)
    refuse(what, `${conditions} values`, fewerValues, 'INVALID_ARGUMENT')
  if (!areValues && conditions > clearlyOver)
    refuse(what, `${conditions} ${clauses}`, fewerClauses, 'INVALID_ARGUMENT')
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
  if (counted.clauses > mostClauses) refuse(what, `${counted.clauses} ${clauses}`, fewerClauses, code)
  if (counted.values > mostValues) refuse(what, `${counted.values} values`, fewerValues, code)
  return query
}

type Code = 'QUERY_INVALID' | 'INVALID_ARGUMENT'

const clauses = 'words, patterns, phrases, ranges and groups'
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
