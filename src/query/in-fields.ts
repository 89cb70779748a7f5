import { any, boosted, every, not, type Query } from './query.ts'
import { isWordLeaf } from './word-tests.ts'

/** The same query, with words without a field looked for in these fields only. */
export function inFields(query: Query, fields: readonly string[]): Query {
  switch (query.kind) {
    case 'every':
      return every(query.of.map(one => inFields(one, fields)))
    case 'any':
      return any(query.of.map(one => inFields(one, fields)))
    case 'not':
      return not(inFields(query.of, fields))
    case 'boosted':
      return boosted(inFields(query.of, fields), query.by)
    default:
      if (!isWordLeaf(query) || query.field !== null) return query
      return any(fields.map(field => ({ ...query, field })))
  }
}
