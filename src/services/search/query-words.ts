import type { Query } from '../../query/query.ts'

/** The words that a query asks for, those left out that must be missing. */
export function wordsOf(query: Query): string[] {
  switch (query.kind) {
    case 'every':
    case 'any':
      return query.of.flatMap(wordsOf)
    case 'boosted':
      return wordsOf(query.of)
    case 'word':
      return [query.word]
    case 'words':
      return [...query.words]
    default:
      return []
  }
}
