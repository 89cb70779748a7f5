import type { Query } from './query.ts'

/** A word that a query asks for. */
export interface WantedWord {
  readonly word: string
  /** Null for all searched fields. */
  readonly field: string | null
  /** Its weight in the ranking. */
  readonly boost: number
}

/** The words that raise a document's score: negated ones are left out. */
export function wantedWords(query: Query, boost = 1): WantedWord[] {
  switch (query.kind) {
    case 'every':
    case 'any':
      return query.of.flatMap(one => wantedWords(one, boost))
    case 'boosted':
      return wantedWords(query.of, boost * query.by)
    case 'word':
      return [{ word: query.word, field: query.field, boost }]
    case 'words':
      return query.words.map(word => ({ word, field: query.field, boost }))
    default:
      return []
  }
}
