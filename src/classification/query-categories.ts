import type { CategoryShares } from '../fulltext/ranking/tag-classes.ts'

/** A tag that a query is likely about. */
export interface QueryCategory {
  /** Its id. */
  tag: string
  /** The names of the tags above it, from the root down, and its own. */
  path: string[]
  /** Above 0, up to 1. */
  probability: number
}

/** What one query is about. */
export interface QuerySubject {
  /** For the ranking; undefined if it is not known reliably enough for that. */
  readonly weighs: CategoryShares | undefined
  /** For people, likeliest first. */
  shown(): Promise<QueryCategory[]>
}

/** Tells what queries are about. */
export interface QueryCategories {
  /** A promise if something has to be loaded; undefined if nothing is known. */
  of(query: string, exclusion: boolean): QuerySubject | undefined | Promise<QuerySubject | undefined>
}
