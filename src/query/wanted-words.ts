import type { Query } from './query.ts'

/** A word that a query asks for. */
export interface WantedWord {
  readonly word: string
  /** Null for all fields that are searched. */
  readonly field: string | null
  /** How much it counts in the ranking. */
  readonly boost: number
}

/** The words that a document is the better for: those that must be missing are left out. */
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
