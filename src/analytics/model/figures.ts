/** What kind of call a figure is about. */
export type AnalyzedCall = 'search' | 'list' | 'completion' | 'recommendation' | 'similar'

/** `click`: it was chosen; `view`: it was looked at; `conversion`: it was bought, or what else is the aim. */
export type EventType = 'click' | 'conversion' | 'view'

/** Which queries `analytics.queries()` lists. */
export type QueryListKind =
  /** The most frequent. */
  | 'top'
  /** Those that found nothing. */
  | 'withoutHits'
  /** Those that found 1 to 3 documents. */
  | 'withFew'
  /** Those of which a word was corrected. */
  | 'corrected'
  /** Those of which words were dropped. */
  | 'relaxed'
  /** Those that found something that nobody clicked. */
  | 'neverClicked'
  /** Those whose clicks come late in the list: the latest mean place first. */
  | 'lateClicks'

/** A number of different things: an estimate unless `exact`. */
export interface DistinctFigure {
  count: number
  exact: boolean
}

/** How often something was asked, and what became of it. */
export interface CallFigures {
  /** Calls that were answered, later pages among them. */
  calls: number
  /** Of these, those that found nothing. */
  withoutHits: number
  /** Those of which a word was corrected. */
  corrected: number
  /** Those of which words were dropped since nothing matched with them. */
  relaxed: number
  /** Those of which a hit was clicked. */
  clicked: number
  clicks: number
  views: number
  conversions: number
  /** Sum of the values of the conversions. */
  value: number
  /** Mean place of all clicks; null where there are none. */
  meanPlace: number | null
  /** Mean of 1 / place of the first click of each call that was clicked; null where there is none. */
  meanReciprocalRank: number | null
}

/** What `analytics.overview()` answers. */
export interface AnalyticsOverview extends CallFigures {
  /** Those that the calls named, told apart by a hash. */
  users: DistinctFigure
  /** The share of the calls, 0 to 1; null where there are none. */
  shares: {
    withoutHits: number | null
    corrected: number | null
    relaxed: number | null
    /** Click-through rate. */
    clicked: number | null
  }
  /** Milliseconds that at most 50, 95 and 99 % of the calls took, within 2 %; null where there are none. */
  latency: { p50: number | null; p95: number | null; p99: number | null }
  /**
   * False where more kinds of calls (service and tags of the context) came within an hour than are counted apart: calls
   * beyond count as if they had no tags.
   */
  exact: boolean
  /**
   * Calls of the dataset, or of all, that could not be counted, since more came than could be written: of all kinds, times
   * and services, since the engine was opened.
   */
  lost: number
}

/** What was asked within one hour or day. */
export interface AnalyticsPoint extends CallFigures {
  /** When it begins: milliseconds since 1970. */
  at: number
  /** Whether it is an hour or, older than 14 days, a day. */
  per: 'hour' | 'day'
  users: DistinctFigure
}

/** A text that was asked, and what became of it. Texts count as one when they differ only in case and outer blanks. */
export interface QueryFigures extends CallFigures {
  text: string
  /** Calls that found 1 to 3 documents. */
  withFew: number
  /** Mean number of documents found. */
  meanTotal: number
  /** What the same users typed within 5 minutes after it, most frequent first: up to 5. */
  next: { text: string; times: number }[]
}

/** What a list of figures answers. */
export interface FigureList<Row> {
  rows: Row[]
  /** Whether all are known: if not, each count may be less than the true one by up to `missed`. */
  exact: boolean
  missed: number
}

/** A document that was shown. Of completions `id` is the text, of recommendations the id of a tag. */
export interface HitFigures {
  id: string
  /** How often it was among the first 5 that an answer showed. */
  shown: number
  clicks: number
  views: number
  conversions: number
  value: number
  /** Mean place of its clicks; null where there are none. */
  meanPlace: number | null
}

/** A filter, facet, tag or order that calls asked for. */
export interface FilterFigures {
  /** `filter`: a condition, `facet`: values were counted, `tag`: documents of a tag, `sort`: an order. */
  kind: 'filter' | 'facet' | 'tag' | 'sort'
  /** Empty for a query string and for tags. */
  field: string
  /** The value asked for, as text, or the query string; null for facets. Up to 100 characters. */
  value: string | null
  calls: number
}

/** What the owner of a dataset might do, and why. */
export interface AnalyticsSuggestions {
  /** `typed` was not clicked, and the same users then typed `meant` and clicked; `times`: how often they typed the one after the other. */
  synonyms: { dataset: string; typed: string; meant: string; times: number }[]
  /** Texts that found nothing. */
  missing: { dataset: string; text: string; withoutHits: number; calls: number }[]
  /** Words that were dropped so that the others found something. */
  stopWords: { dataset: string; word: string; dropped: number }[]
  /** Documents that are clicked for a text, but stand late: behind the first 3 on average. */
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
  /** Of what was clicked. */
  id: string | null
  position: number | null
  value: number | null
}
