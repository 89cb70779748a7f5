import type { AnalyticsScope, Engine } from 'findling'
import type * as z from 'zod'
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
  HitsQuery,
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
import { defineRoute } from './define-route.ts'
import { streamOf } from './streamed-text.ts'

const others = {
  400: { when: 'The request is invalid' },
  404: { when: 'There is no such dataset' },
  409: { when: 'The analytics are off' },
} as const

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
  const figures = <Query extends AskedAbout, Model extends z.ZodType>(
    name: string,
    { summary, query, example, when, model, read }: Figures<Query, Model>,
  ) =>
    defineRoute({
      ...common(name),
      summary,
      query,
      example: { query: example },
      responses: { 200: { when, body: model }, ...others },
      handle: async ({ query, engine, caller }) => {
        const scope = scoped(query, { engine, caller })
        const body: z.output<Model> = await read(engine.analytics, scope, query)
        return { status: 200, body }
      },
    })
  return [
    figures('Overview', {
      summary:
        'Returns how much is asked, how often nothing is found, how often hits are clicked, and how long answers take',
      query: AnalyticsQuery,
      example: { from: '2026-01-01' },
      when: 'The figures',
      model: AnalyticsOverviewModel,
      read: async (analytics, scope) => overviewModel(await analytics.overview(scope)),
    }),
    figures('Queries', {
      summary: 'Lists texts that people searched for: the most frequent, those without hits, and others',
      query: QueriesQuery,
      example: { kind: 'WithoutHits', limit: 20 },
      when: 'The texts, with their figures',
      model: AnalyticsQueries,
      read: async (analytics, scope, { Kind, Limit: limit }) =>
        queriesModel(await analytics.queries({ ...scope, kind: camel(Kind), limit })),
    }),
    figures('Series', {
      summary: 'Returns the figures for every hour or day with calls, oldest first',
      query: AnalyticsQuery,
      example: { per: 'Hour' },
      when: 'The figures by time',
      model: AnalyticsSeries,
      read: async (analytics, scope) => seriesModel(await analytics.series(scope)),
    }),
    figures('Hits', {
      summary:
        'Lists the documents that were shown, clicked, viewed or bought most often, and what users did with them',
      query: HitsQuery,
      example: { by: 'Clicks', limit: 20 },
      when: 'The documents',
      model: AnalyticsHits,
      read: async (analytics, scope, { By, Limit: limit }) =>
        hitsModel(await analytics.hits({ ...scope, by: camel(By), limit })),
    }),
    figures('Filters', {
      summary: 'Lists the filters, facets, tags and sort orders that were used most often',
      query: TopQuery,
      example: { limit: 20 },
      when: 'The filters, facets, tags and sort orders',
      model: AnalyticsFilters,
      read: async (analytics, scope, { Limit: limit }) =>
        filtersModel(await analytics.filters({ ...scope, limit })),
    }),
    figures('Suggestions', {
      summary: 'Suggests synonyms, stop words and pins, and lists what people ask for and do not find',
      query: SuggestionsQuery,
      example: { atLeast: 2 },
      when: 'The suggestions, with their counts',
      model: AnalyticsSuggestionsModel,
      read: async (analytics, { call: _, ...scope }, { AtLeast: atLeast, Limit: limit }) =>
        suggestionsModel(await analytics.suggestions({ ...scope, atLeast, limit })),
    }),
    defineRoute({
      ...common('Export'),
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
      ...common('Erase'),
      method: 'POST',
      summary: 'Erases from the analytics a text, everything that a user did, or everything before a moment',
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

/** What a route answers from the figures that are kept. */
interface Figures<Query, Model extends z.ZodType> extends Pick<Route, 'summary'> {
  readonly query: z.ZodType<Query>
  readonly example: Readonly<Record<string, unknown>>
  readonly when: string
  readonly model: Model
  read(analytics: Engine['analytics'], scope: AnalyticsScope, query: Query): Promise<z.output<Model>>
}

const common = (name: string) =>
  ({
    method: 'GET',
    path: `/api/Analytics/${name}`,
    action: `Analytics/${name}`,
    extension: true,
    origins: { dataset: 'DataSet' },
  }) as const

const exportTypes = { Jsonl: 'application/x-ndjson', Csv: 'text/csv' } as const

/** HttpError 409 if the analytics are off. */
export function requireAnalytics({ analytics }: Pick<Engine, 'analytics'>): void {
  if (!analytics.isOn)
    throw new HttpError(
      409,
      'The analytics are off; the server keeps them with FINDLING_ANALYTICS=counts or full.',
    )
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
