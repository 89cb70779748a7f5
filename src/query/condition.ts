import type { JsonObject } from '../json.ts'
import type { QueryFields } from './fields.ts'
import { parseQuery } from './parser.ts'
import { compileQuery } from './predicate.ts'
import type { Query } from './query.ts'
import { whereQuery } from './where.ts'

/**
 * Reads what says which documents are meant: a query string or a where object.
 * @param what names it in errors
 * @throws FindlingError QUERY_INVALID for a query string and INVALID_ARGUMENT for anything else that cannot be read
 */
export function conditionQuery(given: unknown, fields: QueryFields, what: string): Query {
  return typeof given === 'string' ? parseQuery(given, fields, { what }) : whereQuery(given, fields, what)
}

/** The same as a predicate over documents. */
export function compileCondition(where: unknown, fields: QueryFields): (document: JsonObject) => boolean {
  return compileQuery(conditionQuery(where, fields, 'where'), fields)
}
