import type { MatchedWord } from '../fulltext/words/slot.ts'
import type { ChangeKind } from '../store/transaction.ts'

/** Who makes a call, and why: the engine only passes it on to the observer. */
export interface ObservationContext {
  /** Up to 200 characters. */
  user?: string | undefined
  /** At most 100, each of up to 200 characters. */
  tags?: readonly string[] | undefined
  /** The name of the key that the call was made with, never its secret: up to 200 characters. */
  key?: string | undefined
}

/** An answer that analytics count. */
export interface IdentifiedAnswer {
  /**
   * For `engine.analytics.event()`, which records what was done with the answer. Absent if the engine was opened without
   * analytics, or if they ignore the call. On an answer that is an array it is a non-enumerable property.
   */
  queryId?: string
}

/** Context of a call, for the observer. */
export interface ContextOptions {
  /** Passed on with the observation of the call: see the option `observer` of `Engine.open`. */
  context?: ObservationContext | undefined
}

/** What was answered, and to whom. */
export interface Answered {
  /** The name of the dataset at the time of the answer. */
  readonly dataset: string
  /** The service that was asked; absent if it was the dataset. */
  readonly service?: { readonly id: string; readonly name: string } | undefined
  /** Time of the answer: milliseconds since 1970. */
  readonly at: number
  /** Milliseconds from the call to its answer. */
  readonly took: number
  /** As given in the call. */
  readonly context?: ObservationContext | undefined
}

/** A document that was shown, and its position: the first one of the first page is at 1. */
export interface ShownHit {
  readonly id: string
  readonly place: number
}

/** Which documents a call asked for. These are the caller's own objects: do not change them. */
export interface AskedFor {
  readonly filter?: unknown
  /** Ids of tags. */
  readonly tags?: readonly string[] | undefined
  /** Fields of the facets. */
  readonly facets?: readonly string[] | undefined
  readonly sort?: readonly string[] | undefined
}

/**
 * A text was searched for, by `dataset.search`, `engine.searchMany` or a search service. For later pages of a cursor, `filter`,
 * `tags`, `facets` and `sort` are those of the call for that page, which had no effect.
 */
export interface SearchObservation extends Answered, AskedFor {
  readonly type: 'search'
  /** As typed. */
  readonly text: string
  readonly total: { readonly count: number; readonly exact: boolean }
  readonly hits: readonly ShownHit[]
  /** How each word was understood; empty for a query string. */
  readonly words: readonly MatchedWord[]
  /** Words that were dropped because nothing matched with them. */
  readonly relaxed: readonly string[]
  /** The field by which vectors were compared, and the document that gave its own; absent where only words were searched for. */
  readonly vector?: { readonly field: string; readonly like?: string } | undefined
  /** Corrections that a service offered, likeliest first. */
  readonly corrections?: readonly string[] | undefined
}

/** Documents were listed, by `dataset.filter`; for later pages of a cursor, see `SearchObservation`. */
export interface ListObservation extends Answered, AskedFor {
  readonly type: 'list'
  readonly total: { readonly count: number; readonly exact: true }
  readonly hits: readonly ShownHit[]
}

/** The beginning of a text was completed, by `dataset.complete`. */
export interface CompletionObservation extends Answered {
  readonly type: 'completion'
  readonly text: string
  /** In the order in which they were shown. */
  readonly completions: readonly { readonly text: string; readonly kind: 'title' | 'tag' | 'query' }[]
}

/** Corrected versions of a text were asked for, by `dataset.suggest`. */
export interface SuggestionObservation extends Answered {
  readonly type: 'suggestion'
  readonly text: string
  /** Likeliest first. */
  readonly suggestions: readonly string[]
}

/** Tags were recommended for a text, by a classifier service or `dataset.classify`. */
export interface RecommendationObservation extends Answered {
  readonly type: 'recommendation'
  readonly text: string
  /** Likeliest first. */
  readonly recommended: readonly { readonly tagId: string; readonly score: number }[]
}

/**
 * Recommended documents were asked for: similar ones, by `dataset.similar` or a service of similar documents, or those of baskets,
 * by `dataset.boughtTogether` or `dataset.trending`.
 */
export interface SimilarObservation extends Answered {
  readonly type: 'similar'
  /**
   * What they were compared with: a text, or a document of the dataset; neither if the document itself was given, or several, or
   * none.
   */
  readonly text?: string | undefined
  readonly id?: string | undefined
  readonly hits: readonly ShownHit[]
}

/**
 * Documents of one dataset were written, in one commit. Concurrent writes share a commit, and a large import takes many.
 */
export interface WriteObservation {
  readonly type: 'write'
  readonly dataset: string
  readonly at: number
  /**
   * In the order of `seq`. `content`: the document was inserted or changed; `tags`: it lost tags that were removed from the tree;
   * `removal`: it was deleted.
   */
  readonly changes: readonly { readonly id: string; readonly seq: number; readonly kind: ChangeKind }[]
}

/** What an observer receives. */
export type Observation =
  | SearchObservation
  | ListObservation
  | CompletionObservation
  | SuggestionObservation
  | RecommendationObservation
  | SimilarObservation
  | WriteObservation

/**
 * Called after every query and write, once the caller has the answer. What it throws or rejects with goes to the logger and
 * nowhere else. It runs in the same thread, so a slow observer holds up everything. Calls that it makes to the engine are
 * observed, too.
 */
export type Observer = (observation: Observation) => unknown
