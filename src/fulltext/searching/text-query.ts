import type { MatchSet } from '../matching/match-set.ts'
import type { Selection } from '../matching/selection.ts'
import type { Total } from '../matching/total.ts'
import type { View } from '../matching/views.ts'
import type { Boosts } from '../ranking/boosted-scores.ts'
import type { CategoryShares } from '../ranking/tag-classes.ts'
import type { HitList, ScoredId } from '../reordering/hit-list.ts'
import type { TypoTolerance } from '../words/misspellings.ts'
import type { WordRules } from '../words/word-rules.ts'
import type { UnderstoodWord } from '../words/written-texts.ts'
import type { PageOptions, PinnedId } from './arrange.ts'

/** The query that all documents match. */
export const EVERYTHING: unique symbol = Symbol('all documents')

/** The text as typed, or all documents. */
export type TextQuery = string | typeof EVERYTHING

/** Which documents match, and how they are ranked. */
export interface MatchOptions {
  /** Whether a document must match one word or all. */
  readonly operator: 'or' | 'and'
  /** Maximum edit distance between a word that occurs nowhere and the words it is taken for; 0: no typos. */
  readonly typoTolerance: TypoTolerance
  /** Whether words match only as typed, not in other forms or spellings, nor by synonyms. Default false. */
  readonly isExact?: boolean
  /** Whether a hyphen before a word or phrase excludes it. Default true. */
  readonly exclusion?: boolean
  /** Whether the last word is also a prefix, unless a space or the end of a phrase follows. Default false. */
  readonly prefix?: boolean
  /** Field weights for this query instead of the index's own; a field of weight 0 is not searched. */
  readonly weights?: readonly number[] | undefined
  /** Whether signals affect the ranking. Default true. */
  readonly signals?: boolean
  /** Milliseconds since 1970, to compute the age of documents. Default 0. */
  readonly now?: number
  /** Default none. */
  readonly rules?: WordRules | undefined
  /** Ids of documents to leave out. Default none. */
  readonly hidden?: readonly string[]
  /** The only documents that may match. Default all, or the visible ones of a view. */
  readonly selection?: Selection | undefined
  /** The view that determines which words are known. Default all documents. */
  readonly view?: View | undefined
}

export interface QueryOptions extends MatchOptions, PageOptions {
  /** Whether the topics of the best hits affect the ranking, where topics are known. Default true. */
  readonly topics?: boolean
  /** What the query is about, which affects the ranking. Default nothing. */
  readonly categories?: CategoryShares | undefined
  /** What is added to the scores of some documents. Default nothing. */
  readonly boosts?: Boosts
  /** Whether words are dropped when no document matches all. Default false. */
  readonly relax?: boolean
  /** Default none. */
  readonly pinned?: readonly PinnedId[]
  /** For each selection, the matching documents in it are returned. Default none. */
  readonly collect?: readonly (Selection | undefined)[]
  /** Number of documents returned per value at a path; without a path, no grouping. */
  readonly groupBy?: { readonly path: string; readonly limit: number } | undefined
}

/** A phrase of the query: for each place, the surfaces that may stand there. */
export interface MatchedPhrase {
  readonly places: readonly (readonly string[])[]
  readonly slop: number
}

export interface QueryAnswer {
  /** Best first; equal scores by id, in byte order. */
  readonly hits: ScoredId[]
  /** These hits and those after them, if `keeps` asks for some. */
  readonly kept?: HitList | undefined
  /** What each distinct word was taken for, in query order. */
  readonly words: UnderstoodWord[]
  readonly phrases: MatchedPhrase[]
  /** The last word, if it may be a prefix. */
  readonly beginning: string | undefined
  /** Whether the query has more text or words than are read. */
  readonly isCut: boolean
  /** Number of documents found. */
  readonly total: Total
  /** Words that were dropped because nothing matched with them. */
  readonly relaxed: readonly string[]
  /** One for each selection of `collect`: the matching documents, without hidden ones, and with pinned ones. */
  readonly matches: readonly MatchSet[]
}
