import type { JsonObject } from '../json.ts'
import type { QueryFields } from './fields.ts'
import { parseQuery } from './parser.ts'
import { compileQuery } from './predicate.ts'
import { whereQuery } from './where.ts'

/**
 * Compiles what says which documents are meant: a query string or a where object.
 * @throws FindlingError QUERY_INVALID for a query string and INVALID_ARGUMENT for anything else that cannot be read
 */
export function compileCondition(where: unknown, fields: QueryFields): (document: JsonObject) => boolean {
  const query =
    typeof where === 'string' ? parseQuery(where, fields, { what: 'where' }) : whereQuery(where, fields)
  return compileQuery(query, fields)
}
