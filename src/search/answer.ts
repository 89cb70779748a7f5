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
  /**
   * With a distance as the first in `sort`: how many meters the nearest point of the document is away. Absent where it has none, and
   * with `documents: false` unless there are highlights.
   */
  distance?: number
  /** With `vector`: the cosine between it and the vector of the document, -1 to 1. Absent where the document has none. */
  similarity?: number
  /** If requested. */
  explanation?: HitExplanation
  /**
   * With `groupBy`, for a document that has a value in the field: the value (a date as ISO text in UTC), and how many matching
   * documents have it, including those that are not among the hits.
   */
  group?: { value: string | number | boolean; documents: number }
  /** Whether it was pinned to its position. Its score is 0 if it does not match. */
  pinned?: true
}

/** A hit without its document. */
export type BareHit<T> = Omit<Hit<T>, 'document'>

/** What a search found. Hits have no `document` where the option `documents` is false (`Shown` is false). */
export interface SearchAnswer<T, Shown extends boolean = true> extends IdentifiedAnswer {
  /** Best first; equal scores by id. */
  hits: ([Shown] extends [false] ? BareHit<T> : Hit<T>)[]
  /** How each word of the query was understood. */
  words: MatchedWord[]
  /** Number of hits on all pages: exact, or an estimate between the number of hits seen and the number of all documents. */
  total: { count: number; exact: boolean }
  /** Whether the query was cut, because it was longer than 65,536 characters or 1,024 words. */
  truncated: boolean
  /** Words that were dropped because no document matched with them, in query order. Absent if there are none. */
  relaxed?: string[]
  /**
   * The tags that the query is likely about, likeliest first: at most three, each with a probability of at least .05. Absent
   * if none is known, as while the dataset has fewer than 1,000 documents or its tree fewer than two tags with ten documents.
   */
  categories?: QueryCategory[]
  /** By field, if requested; only on the first page of a cursor. */
  facets?: Record<string, Facet>
  /** If requested: fetches the next page; null if there is none. */
  cursor?: string | null
}

/** An answer whose hits may be bare. */
export type PresentedAnswer<T> = Omit<SearchAnswer<T>, 'hits'> & { hits: (BareHit<T> & { document?: T })[] }
