import { every, type Query } from './query.ts'

/** The same query without those of its conjuncts that ask for this field only. */
export function withoutField(query: Query, field: string): Query {
  const all = query.kind === 'every' ? query.of : [query]
  return every(all.filter(one => !asksAlone(one, field)))
}

function asksAlone(query: Query, field: string): boolean {
  switch (query.kind) {
    case 'everything':
    case 'nothing':
      return false
    case 'every':
    case 'any':
      return query.of.every(one => asksAlone(one, field))
    case 'not':
    case 'boosted':
      return asksAlone(query.of, field)
    default:
      return query.field === field
  }
}
