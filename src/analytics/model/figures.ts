/** What kind of call a figure is about. */
export type AnalyzedCall = 'search' | 'list' | 'completion' | 'recommendation' | 'similar'

/** `click`: it was chosen; `view`: it was looked at; `conversion`: it was bought, or whatever else the goal is. */
export type EventType = 'click' | 'conversion' | 'view'

/** Which queries `analytics.queries()` lists. */
export type QueryListKind =
  /** The most frequent. */
  | 'top'
  /** Those that found nothing. */
  | 'withoutHits'
  /** Those that found 1 to 3 documents. */
  | 'withFew'
  /** Those in which a word was corrected. */
  | 'corrected'
  /** Those from which words were dropped. */
  | 'relaxed'
  /** Those that found something, but nobody clicked it. */
  | 'neverClicked'
  /** Those with clicks late in the list, the latest mean position first. */
  | 'lateClicks'

/** What `analytics.hits()` orders documents by. */
export type HitMeasure =
  /** The number of times that they were among the first 5 hits, plus that of their clicks. */
  | 'seen'
  | 'clicks'
  | 'views'
  | 'conversions'
  /** The sum of what their conversions were worth. */
  | 'value'

/** A number of distinct things: an estimate unless `exact`. */
export interface DistinctFigure {
  count: number
  exact: boolean
}

/** How many calls there were, and what became of their answers. */
export interface CallFigures {
  /** Calls that were answered, including later pages. */
  calls: number
  /** Of these, those that found nothing. */
  withoutHits: number
  /** Those in which a word was corrected. */
  corrected: number
  /** Those from which words were dropped because nothing matched with them. */
  relaxed: number
  /** Those with a clicked hit. */
  clicked: number
  clicks: number
  views: number
  conversions: number
  /** Sum of the values of the conversions. */
  value: number
  /** Mean position of all clicks; null if there are none. */
  meanPlace: number | null
  /** Mean of 1 / position of the first click, over calls with clicks; null if there are none. */
  meanReciprocalRank: number | null
}

/** What `analytics.overview()` returns. */
export interface AnalyticsOverview extends CallFigures {
  /** The users that calls named, distinguished by a hash. */
  users: DistinctFigure
  /** Shares of the calls, 0 to 1; null if there are none. */
  shares: {
    withoutHits: number | null
    corrected: number | null
    relaxed: number | null
    /** Click-through rate. */
    clicked: number | null
  }
  /** Duration of calls in milliseconds, as the 50th, 95th and 99th percentile, within 2 %; null if there are none. */
  latency: { p50: number | null; p95: number | null; p99: number | null }
  /**
   * False if more kinds of calls (service and tags of the context) came within an hour than are counted separately: further
   * calls count as if they had no tags.
   */
  exact: boolean
  /**
   * Calls to the dataset, or to all datasets, that could not be counted because they came faster than they could be written: of
   * all kinds, times and services, since the engine was opened.
   */
  lost: number
}

/** The calls within one hour or day. */
export interface AnalyticsPoint extends CallFigures {
  /** When it begins: milliseconds since 1970. */
  at: number
  /** Whether it is an hour or a day: hours older than 14 days are merged into days. */
  per: 'hour' | 'day'
  users: DistinctFigure
}

/** A query text, and what became of its answers. Texts that differ only in case and surrounding spaces count as one. */
export interface QueryFigures extends CallFigures {
  text: string
  /** Calls that found 1 to 3 documents. */
  withFew: number
  /** Mean number of documents found. */
  meanTotal: number
  /** What the same users typed within the following 5 minutes: up to 5 texts, most frequent first. */
  next: { text: string; times: number }[]
}

/** A list of figures. */
export interface FigureList<Row> {
  rows: Row[]
  /** Whether the counts are exact: if not, each may be less than the true one by up to `missed`. */
  exact: boolean
  missed: number
}

/** A document that was shown. For completions `id` is the text, for recommendations the id of a tag. */
export interface HitFigures {
  id: string
  /** How often it was among the first 5 that an answer showed. */
  shown: number
  clicks: number
  views: number
  conversions: number
  value: number
  /** Mean position of its clicks; null if there are none. */
  meanPlace: number | null
}

/** A filter, facet, tag or order that calls asked for. */
export interface FilterFigures {
  /** `filter`: a condition; `facet`: values were counted; `tag`: documents of a tag; `sort`: a sort order. */
  kind: 'filter' | 'facet' | 'tag' | 'sort'
  /** Empty for a query string and for tags. */
  field: string
  /** The value asked for, as text, or the query string; null for facets. Up to 100 characters. */
  value: string | null
  calls: number
}

/** What the owner of a dataset might do, and why. */
export interface AnalyticsSuggestions {
  /** The same users typed `typed` and clicked nothing, then typed `meant` and clicked; `times`: how often this happened. */
  synonyms: { dataset: string; typed: string; meant: string; times: number }[]
  /** Texts that found nothing. */
  missing: { dataset: string; text: string; withoutHits: number; calls: number }[]
  /** Words that were dropped so that the others found something. */
  stopWords: { dataset: string; word: string; dropped: number }[]
  /** Documents that are clicked for a text despite a late position: after the first 3 on average. */
  pins: { dataset: string; text: string; id: string; clicks: number; meanPlace: number }[]
}

/** One row of `analytics.export()`: a call, or what was done with its answer. All rows have all members. */
export interface AnalyticsRow {
  /** Milliseconds since 1970. */
  at: number
  type: AnalyzedCall | EventType
  dataset: string
  service: string | null
  queryId: string
  /** A hash of the user. */
  user: string | null
  /** The name of the key. */
  key: string | null
  tags: string[]
  text: string | null
  total: number | null
  took: number | null
  corrected: boolean | null
  relaxed: boolean | null
  /** How many hits were shown. */
  shown: number | null
  /** The id of what was clicked. */
  id: string | null
  position: number | null
  value: number | null
}
