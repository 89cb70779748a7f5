import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { Given } from '../options-reader.ts'
import type {
  AnalyticsOverview,
  AnalyticsPoint,
  AnalyticsSuggestions,
  FigureList,
  FilterFigures,
  HitFigures,
  QueryFigures,
} from './model/figures.ts'
import {
  type AnalyticsErasure,
  type AnalyticsEvent,
  type AnalyticsExportOptions,
  type AnalyticsScope,
  type AnalyticsSuggestionOptions,
  analyticsErasure,
  analyticsEvent,
  analyticsExportOptions,
  analyticsScope,
  analyticsSuggestionOptions,
  type HitListOptions,
  hitListOptions,
  type QueryListOptions,
  queryListOptions,
  type TopListOptions,
  topListOptions,
} from './options.ts'
import type { QueryStatistics } from './query-statistics.ts'

/**
 * What people ask, what they find and what they do with it. Without the option `analytics` of `Engine.open`, every method fails
 * with ANALYTICS_OFF. Figures include everything that was answered before they are requested. Calls, and what was done with
 * their answers, count in the hour and on the day of the call.
 */
export class Analytics {
  readonly #statistics: QueryStatistics | undefined

  /** @internal */
  constructor(statistics: QueryStatistics | undefined) {
    this.#statistics = statistics
  }

  /** Whether the engine records what people ask. */
  get isOn(): boolean {
    return this.#statistics !== undefined
  }

  /**
   * Records what somebody did with an answer, by its `queryId`. A repeated event of the same type and document is not counted
   * again: `counted` is then false. QUERY_ID_UNKNOWN for an id that no answer has, or that of an answer older than 7 days or than
   * `retention`; EVENT_REFUSED for a document or position that the answer has not shown; INVALID_ARGUMENT.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.documents.insert({ id: 'l1', title: 'Desk lamp' })
   * const { queryId = '', hits } = await lamps.search('lamp')
   * console.log(await shop.analytics.event({ type: 'click', queryId, id: hits[0].id })) // { counted: true }
   * console.log(await shop.analytics.event({ type: 'click', queryId, id: hits[0].id })) // { counted: false }
   */
  async event(event: Given<AnalyticsEvent>): Promise<{ counted: boolean }> {
    return await this.#on.event(parseInput(analyticsEvent, event, 'event'))
  }

  /**
   * How many calls there were, how often nothing was found, how often hits were clicked, and how long answers took.
   * INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.documents.insert({ id: 'l1', title: 'Desk lamp' })
   * await lamps.search('lamp')
   * await lamps.search('violin')
   * const { calls, shares } = await shop.analytics.overview({ dataset: 'lamps' })
   * console.log(calls, shares.withoutHits) // 2 0.5
   */
  async overview(scope: Given<AnalyticsScope> = {}): Promise<AnalyticsOverview> {
    return await this.#on.overview(parseInput(analyticsScope, scope, 'scope'))
  }

  /**
   * The query texts: the most frequent, those without hits, and others by `kind`. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.documents.insert({ id: 'l1', title: 'Desk lamp' })
   * await lamps.search('violin')
   * const { rows } = await shop.analytics.queries({ kind: 'withoutHits' })
   * console.log(rows.map(({ text, calls }) => `${text}: ${calls}`)) // [ 'violin: 1' ]
   */
  async queries(options: Given<QueryListOptions> = {}): Promise<FigureList<QueryFigures>> {
    return await this.#on.queries(parseInput(queryListOptions, options, 'options'))
  }

  /**
   * The figures of an overview for each hour or day with calls, oldest first. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' }, clock: () => Date.UTC(2027, 4, 1, 12) })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.search('violin')
   * const [day] = await shop.analytics.series({ per: 'day' })
   * console.log(new Date(day.at).toISOString(), day.calls) // 2027-05-01T00:00:00.000Z 1
   */
  async series(scope: Given<AnalyticsScope> = {}): Promise<AnalyticsPoint[]> {
    return await this.#on.series(parseInput(analyticsScope, scope, 'scope'))
  }

  /**
   * The documents that were shown or clicked most often, and what was done with them; others `by` another measure, such as those
   * that sold best. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.documents.insert({ id: 'l1', title: 'Desk lamp' })
   * await lamps.search('lamp')
   * const { rows } = await shop.analytics.hits()
   * console.log(rows[0].id, rows[0].shown, rows[0].clicks) // l1 1 0
   */
  async hits(options: Given<HitListOptions> = {}): Promise<FigureList<HitFigures>> {
    return await this.#on.hits(parseInput(hitListOptions, options, 'options'))
  }

  /**
   * The filters, facets, tags and sort orders that were requested most often. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.search('lamp', { filter: { price: { lt: 50 } } })
   * const { rows } = await shop.analytics.filters()
   * console.log(rows[0].field, rows[0].value, rows[0].calls) // price < 50 1
   */
  async filters(options: Given<TopListOptions> = {}): Promise<FigureList<FilterFigures>> {
    return await this.#on.filters(parseInput(topListOptions, options, 'options'))
  }

  /**
   * What the owner of the data might do: synonyms, missing products, stop words and pins, each with the counts that support it.
   * INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.documents.insert({ id: 'l1', title: 'Desk lamp' })
   * for (let i = 0; i < 3; i++) await lamps.search('violin')
   * const { missing } = await shop.analytics.suggestions()
   * console.log(missing[0].text, missing[0].withoutHits) // violin 3
   */
  async suggestions(options: Given<AnalyticsSuggestionOptions> = {}): Promise<AnalyticsSuggestions> {
    return await this.#on.suggestions(parseInput(analyticsSuggestionOptions, options, 'options'))
  }

  /**
   * All calls and what was done with their answers, as text with one line per row; CSV begins with the names of the columns.
   * Rows come in the order in which they were recorded. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.search('violin')
   * let text = ''
   * for await (const part of shop.analytics.export({ format: 'jsonl' })) text += part
   * console.log(JSON.parse(text).text, JSON.parse(text).total) // violin 0
   */
  export(options: Given<AnalyticsExportOptions>): AsyncGenerator<string> {
    return this.#on.export(parseInput(analyticsExportOptions, options, 'options'))
  }

  /**
   * Erases a text, everything that a user did, or everything before a moment, from stored calls, counts and completions, and makes
   * the database give back the space. A text is erased everywhere, and the counts of calls stay. For a user, the calls are erased
   * as well, along with their counts, as far as the calls are still stored individually. INVALID_ARGUMENT, DATASET_NOT_FOUND.
   * @example
   * await using shop = await Engine.open({ analytics: { mode: 'full' } })
   * const lamps = await shop.datasets.create('lamps')
   * await lamps.search('my name', { context: { user: 'u1' } })
   * await shop.analytics.erase({ user: 'u1' })
   * console.log((await shop.analytics.overview()).calls) // 0
   */
  async erase(what: Given<AnalyticsErasure>): Promise<void> {
    await this.#on.erase(parseInput(analyticsErasure, what, 'what'))
  }

  get #on(): QueryStatistics {
    if (this.#statistics) return this.#statistics
    throw new FindlingError(
      'ANALYTICS_OFF',
      'The engine was opened without analytics; expected the option analytics of Engine.open, such as { mode: "counts" }.',
      { field: 'analytics', received: 'missing', expected: 'the option analytics of Engine.open' },
    )
  }
}
