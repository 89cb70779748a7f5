import type { Engine } from 'findling'
import type { Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'
import type { Call, Route } from '../route.ts'
import {
  AnalyticsErase,
  AnalyticsExportQuery,
  AnalyticsFilters,
  AnalyticsHits,
  AnalyticsOverviewModel,
  AnalyticsQueries,
  AnalyticsQuery,
  AnalyticsSeries,
  AnalyticsSuggestionsModel,
  type AskedAbout,
  erasureOf,
  filtersModel,
  hitsModel,
  overviewModel,
  QueriesQuery,
  queriesModel,
  SuggestionsQuery,
  scopeOf,
  seriesModel,
  suggestionsModel,
  TopQuery,
} from '../wire/analytics.ts'
import { camel } from '../wire/casing.ts'
import type { Origins } from '../wire/origins.ts'
import { defineRoute } from './define-route.ts'
import { streamOf } from './streamed-text.ts'

const origins: Origins = { dataset: 'DataSet' }
const off = { when: 'The analytics are off' }
const refused = { when: 'The request is invalid' }
const unknown = { when: 'There is no such dataset' }

interface AnalyticsParts {
  /** The time zone in which days begin. */
  readonly timeZone: string
}

/** Contract, 20: what people ask, and what they do with the answers. */
export function analyticsRoutes({ timeZone }: AnalyticsParts): Route[] {
  const scoped = (query: AskedAbout, { engine, caller }: Pick<Call, 'engine' | 'caller'>) => {
    requireAnalytics(engine)
    return scopeOf(query, datasetFor(caller, query.DataSet), timeZone)
  }
  const common = { method: 'GET', extension: true, origins } as const
  const others = { 400: refused, 404: unknown, 409: off } as const
  return [
    defineRoute({
      ...common,
      path: '/api/Analytics/Overview',
      action: 'Analytics/Overview',
      summary:
        'Returns how much is asked, how often nothing is found, how often hits are clicked, and how long answers take',
      query: AnalyticsQuery,
      example: { query: { from: '2026-01-01' } },
      responses: { 200: { when: 'The figures', body: AnalyticsOverviewModel }, ...others },
      handle: async ({ query, engine, caller }) => {
        const found = await engine.analytics.overview(scoped(query, { engine, caller }))
        return { status: 200, body: overviewModel(found) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Queries',
      action: 'Analytics/Queries',
      summary: 'Lists texts that people searched for: the most frequent, those without hits, and others',
      query: QueriesQuery,
      example: { query: { kind: 'WithoutHits', limit: 20 } },
      responses: { 200: { when: 'The texts, with their figures', body: AnalyticsQueries }, ...others },
      handle: async ({ query, engine, caller }) => {
        const { Kind, Limit: limit } = query
        const options = { ...scoped(query, { engine, caller }), kind: camel(Kind), limit }
        return { status: 200, body: queriesModel(await engine.analytics.queries(options)) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Series',
      action: 'Analytics/Series',
      summary: 'Returns the figures for every hour or day with calls, oldest first',
      query: AnalyticsQuery,
      example: { query: { per: 'Hour' } },
      responses: { 200: { when: 'The figures by time', body: AnalyticsSeries }, ...others },
      handle: async ({ query, engine, caller }) => {
        const points = await engine.analytics.series(scoped(query, { engine, caller }))
        return { status: 200, body: seriesModel(points) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Hits',
      action: 'Analytics/Hits',
      summary:
        'Lists the documents that were shown among the first five or clicked most often, and what users did with them',
      query: TopQuery,
      example: { query: { limit: 20 } },
      responses: { 200: { when: 'The documents', body: AnalyticsHits }, ...others },
      handle: async ({ query, engine, caller }) => {
        const options = { ...scoped(query, { engine, caller }), limit: query.Limit }
        return { status: 200, body: hitsModel(await engine.analytics.hits(options)) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Filters',
      action: 'Analytics/Filters',
      summary: 'Lists the filters, facets, tags and sort orders that were used most often',
      query: TopQuery,
      example: { query: { limit: 20 } },
      responses: {
        200: { when: 'The filters, facets, tags and sort orders', body: AnalyticsFilters },
        ...others,
      },
      handle: async ({ query, engine, caller }) => {
        const options = { ...scoped(query, { engine, caller }), limit: query.Limit }
        return { status: 200, body: filtersModel(await engine.analytics.filters(options)) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Suggestions',
      action: 'Analytics/Suggestions',
      summary: 'Suggests synonyms, stop words and pins, and lists what people ask for and do not find',
      query: SuggestionsQuery,
      example: { query: { atLeast: 2 } },
      responses: {
        200: { when: 'The suggestions, with their counts', body: AnalyticsSuggestionsModel },
        ...others,
      },
      handle: async ({ query, engine, caller }) => {
        const { AtLeast: atLeast, Limit: limit } = query
        const { call: _, ...scope } = scoped(query, { engine, caller })
        const found = await engine.analytics.suggestions({ ...scope, atLeast, limit })
        return { status: 200, body: suggestionsModel(found) }
      },
    }),
    defineRoute({
      ...common,
      path: '/api/Analytics/Export',
      action: 'Analytics/Export',
      summary: 'Streams all calls and what users did with the answers, as flat rows of one type',
      query: AnalyticsExportQuery,
      example: { query: { format: 'Csv' } },
      responses: {
        200: { when: 'JSON lines, or CSV', types: Object.values(exportTypes) },
        ...others,
      },
      handle: async ({ query, engine, caller }) => {
        const { call: _, per: __, ...scope } = scoped(query, { engine, caller })
        // The engine's query ids are sequential numbers, which events of this API do not accept.
        const options = { ...scope, format: camel(query.Format), queryIds: false }
        const stream = await streamOf(engine.analytics.export(options))
        return {
          status: 200,
          stream,
          headers: { 'Content-Type': `${exportTypes[query.Format]}; charset=utf-8` },
        }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Analytics/Erase',
      action: 'Analytics/Erase',
      summary: 'Erases from the analytics a text, everything that a user did, or everything before a moment',
      extension: true,
      origins,
      body: AnalyticsErase,
      example: { body: { User: 'visitor-7' } },
      responses: { 200: { when: 'Erased, including from the files of the store' }, ...others },
      handle: async ({ body, engine, caller }) => {
        requireAnalytics(engine)
        await engine.analytics.erase(erasureOf(body, datasetFor(caller, body.DataSet), timeZone))
        return { status: 200 }
      },
    }),
  ]
}

const exportTypes = { Jsonl: 'application/x-ndjson', Csv: 'text/csv' } as const

/** HttpError 409 if the analytics are off. */
export function requireAnalytics({ analytics }: Pick<Engine, 'analytics'>): void {
  if (!analytics.isOn) throw new HttpError(409, 'The analytics are off (FINDLING_ANALYTICS).')
}

/** The dataset that the request is about. HttpError 403 if the key is not for it. */
function datasetFor(caller: Caller, named: string | undefined): string | undefined {
  const own = caller.key?.datasets
  if (!own) return named
  const asked = named ?? caller.onlyDataset
  if (asked !== undefined && own.includes(asked)) return asked
  const are = own.length === 1 ? 'the dataset' : 'the datasets'
  const name = JSON.stringify(caller.key?.name)
  const missing = asked === undefined ? '; DataSet must name one of them' : ''
  throw new HttpError(403, `The key ${name} is for ${are} ${own.join(', ')} only${missing}.`)
}
