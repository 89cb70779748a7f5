import type {
  AnalyticsErase,
  AnalyticsFilters,
  AnalyticsHits,
  AnalyticsOverview,
  AnalyticsQueries,
  AnalyticsSeries,
  AnalyticsSuggestions,
} from '../api/models.ts'
import * as api from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import type { QueryOf } from '../operation.ts'
import type { Result } from '../result.ts'

/** What people ask, what they find and what they do with it. */
export class Analytics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** How much is asked, how often nothing is found, how often hits are clicked, and how long answers take. */
  overview(
    query: QueryOf<typeof api.getAnalyticsOverview> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsOverview>> {
    return this.#connection.send(api.getAnalyticsOverview, { query }, options)
  }

  /**
   * Texts that were asked: the most frequent, or those of another kind.
   *
   * @example
   * const { rows } = await unwrap(client.analytics.queries({ kind: 'WithoutHits', limit: 20 }))
   */
  queries(
    query: QueryOf<typeof api.getAnalyticsQueries> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsQueries>> {
    return this.#connection.send(api.getAnalyticsQueries, { query }, options)
  }

  /** The figures of every hour or day in which something was asked, oldest first. */
  series(
    query: QueryOf<typeof api.getAnalyticsSeries> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsSeries>> {
    return this.#connection.send(api.getAnalyticsSeries, { query }, options)
  }

  /** The documents that were shown or clicked most often (shown among the first 5, plus clicks), and what was done with them. */
  hits(
    query: QueryOf<typeof api.getAnalyticsHits> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsHits>> {
    return this.#connection.send(api.getAnalyticsHits, { query }, options)
  }

  /** The filters, facets, tags and orders that were asked for most often. */
  filters(
    query: QueryOf<typeof api.getAnalyticsFilters> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsFilters>> {
    return this.#connection.send(api.getAnalyticsFilters, { query }, options)
  }

  /** Synonyms, stop words and pins that may help, and what is asked for and missing. */
  suggestions(
    query: QueryOf<typeof api.getAnalyticsSuggestions> = {},
    options?: CallOptions,
  ): Promise<Result<AnalyticsSuggestions>> {
    return this.#connection.send(api.getAnalyticsSuggestions, { query }, options)
  }

  /** All calls and what was done with their answers, as a stream of flat rows. */
  export(
    query: QueryOf<typeof api.getAnalyticsExport> = {},
    options?: CallOptions,
  ): Promise<Result<ReadableStream<Uint8Array>>> {
    return this.#connection.send(api.getAnalyticsExport, { query }, options)
  }

  /** Erases a text, all that a user did, or everything before a moment. */
  erase(what: AnalyticsErase, options?: CallOptions): Promise<Result> {
    return this.#connection.send(api.postAnalyticsErase, { body: what }, options)
  }
}
