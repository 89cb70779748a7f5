import type { QueryCategory } from '../classification/query-categories.ts'
import type { Facet } from '../facets/facet.ts'
import type { MatchedWord } from '../fulltext/words/slot.ts'
import type { FieldHighlight } from '../highlighting/document-highlights.ts'
import type { IdentifiedAnswer } from '../observing/observation.ts'
import type { HitExplanation } from './explanation.ts'

/** A document that was found. */
export interface Hit<T> {
  id: string
  /** Higher is better. Scores can be compared within one answer only. */
  score: number
  document: T
  /** The highlights by field, if requested. */
  highlights?: Record<string, FieldHighlight[]>
  /** If requested. */
  explanation?: HitExplanation
  /**
   * With `groupBy`, for a document that has a value in the field: the
   * value, and how many matching documents have it, however few of them are hits.
   */
  group?: { value: string | number | boolean; documents: number }
  /** Whether it was pinned to its position. Its score is 0 if it does not match. */
  pinned?: true
}

/** A hit of which the document was not asked for. */
export type BareHit<T> = Omit<Hit<T>, 'document'>

/** What a search found. Hits come without documents where the option `documents` says so (`Shown` is false). */
export interface SearchAnswer<T, Shown extends boolean = true> extends IdentifiedAnswer {
  /** Best first; equal scores by id. */
  hits: ([Shown] extends [false] ? BareHit<T> : Hit<T>)[]
  /** How each word of the query was understood. */
  words: MatchedWord[]
  /** Number of hits on all pages: an estimate unless `exact`, at least the number seen and at most that of all documents. */
  total: { count: number; exact: boolean }
  /** Whether the query was longer than the 65,536 characters and 1,024 words that are used. */
  truncated: boolean
  /** Words that were dropped because nothing matched with them, in the order of the query. Absent if there are none. */
  relaxed?: string[]
  /**
   * The tags that the query is likely about, likeliest first, at most three of a probability of .05 or more. Absent if none is
   * known: while the dataset has fewer than 1,000 documents, or its tree fewer than two tags of ten.
   */
  categories?: QueryCategory[]
  /** By field, if requested; only on the first page of a cursor. */
  facets?: Record<string, Facet>
  /** If requested: fetches the next page; null if there is none. */
  cursor?: string | null
}

/** An answer whose hits may be bare. */
export type PresentedAnswer<T> = Omit<SearchAnswer<T>, 'hits'> & { hits: (BareHit<T> & { document?: T })[] }
