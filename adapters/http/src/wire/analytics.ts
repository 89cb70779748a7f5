import type {
  AnalyticsErasure,
  AnalyticsOverview,
  AnalyticsPoint,
  AnalyticsScope,
  AnalyticsSuggestions,
  FigureList,
  FilterFigures,
  HitFigures,
  QueryFigures,
} from 'findling'
import {
  analyticsErasure,
  analyticsScope,
  analyticsSuggestionOptions,
  hitListOptions,
  queryListOptions,
  topListOptions,
} from 'findling/schemas'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { camel, pascal, toWire } from './casing.ts'
import { derived } from './derived.ts'
import { moment, momentIn } from './moments.ts'
import { dataSetName, timeText } from './rules.ts'

const { Service, Call, Tag, Per } = derived(analyticsScope, {
  Service: 'Id or alias of a service. Default: calls to services and to datasets',
  Call: 'Only calls of this kind',
  Tag: 'Only calls with this tag among their Tags',
  Per: 'Resolution in time. Hours are kept for 14 days; older calls are counted by day',
})

const range = {
  DataSet: dataSetName.optional().describe('Default: all'),
  Service,
  Tag,
  From: moment
    .optional()
    .describe(
      'Start, as a moment or as a day, which begins in the time zone of the analytics. Default: everything that is kept',
    ),
  To: moment.optional().describe('End (exclusive), as a day or a moment. Default: now'),
}
const scope = { ...range, Call, Per }

/** Contract, 20. */
export const AnalyticsQuery = z.strictObject(scope)
export const QueriesQuery = z.strictObject({
  ...scope,
  ...derived(queryListOptions, {
    Kind:
      'Top: the most frequent. WithoutHits, WithFew: those that found nothing, or 1 to 3 documents. Corrected, Relaxed: those with words that were ' +
      'corrected or dropped. NeverClicked, LateClicks: those whose hits nobody clicked, or were clicked far down the list',
    Limit: '',
  }),
})
export const HitsQuery = z.strictObject({
  ...scope,
  ...derived(hitListOptions, {
    By:
      'Seen: how often they were among the first five hits, plus their clicks. Value: what their conversions were worth. Documents ' +
      'that have none of it are left out',
    Limit: '',
  }),
})
export const TopQuery = z.strictObject({ ...scope, ...derived(topListOptions, { Limit: '' }) })
export const SuggestionsQuery = z.strictObject({
  ...range,
  Per,
  ...derived(analyticsSuggestionOptions, {
    AtLeast: 'Minimum count for a suggestion to be made',
    Limit: 'Maximum number of suggestions of each kind',
  }),
})
export const AnalyticsExportQuery = z.strictObject({
  ...range,
  Format: z.enum(['Csv', 'Jsonl']).default('Jsonl'),
})

export const AnalyticsErase = z
  .strictObject({
    DataSet: dataSetName.optional().describe('Default: all'),
    ...derived(analyticsErasure, {
      Text: 'A text as it was typed; case and surrounding spaces are ignored',
      User: 'A user, as named in the calls',
    }),
    Before: moment.optional().describe('Everything before this day or moment'),
  })
  .refine(({ Text, User, Before }) => [Text, User, Before].some(one => one !== undefined), {
    error: 'at least one of Text, User and Before',
  })
  .meta({ id: 'AnalyticsErase' })

const count = z.int()
const figures = {
  Calls: count.describe('Answered calls, including those for later pages'),
  WithoutHits: count.describe('Calls that found nothing'),
  Corrected: count,
  Relaxed: count.describe('Calls from which words were dropped because nothing matched with them'),
  Clicked: count.describe('Calls with at least one clicked hit'),
  Clicks: count,
  Views: count,
  Conversions: count,
  Value: z.number().describe('Sum of the values of the conversions'),
  MeanPlace: z.number().nullable().describe('Mean position of all clicks; the first position is 1'),
  MeanReciprocalRank: z
    .number()
    .nullable()
    .describe('Mean over all calls with a click: 1 divided by the position of the first click'),
}
const Users = z
  .object({ Count: count, Exact: z.boolean() })
  .describe('Distinct users named in the calls; an estimate unless Exact')
const share = z.number().min(0).max(1).nullable()
const milliseconds = z.number().nullable()

export const AnalyticsOverviewModel = z
  .object({
    ...figures,
    Users,
    Shares: z
      .object({ WithoutHits: share, Corrected: share, Relaxed: share, Clicked: share })
      .describe('Shares of all calls; Clicked is the click-through rate'),
    Latency: z
      .object({ P50: milliseconds, P95: milliseconds, P99: milliseconds })
      .describe('Percentiles of the time to answer, in milliseconds'),
    Exact: z.boolean().describe('False if there were more kinds of calls than can be counted separately'),
    Lost: count.describe('Calls since the start of the server that could not be counted'),
  })
  .meta({ id: 'AnalyticsOverview' })

export const AnalyticsSeries = z
  .object({
    Points: z.array(
      z.object({
        At: z.string().describe('When the hour or day begins'),
        Per: z.enum(['Hour', 'Day']),
        ...figures,
        Users,
      }),
    ),
  })
  .meta({ id: 'AnalyticsSeries' })

const listOf = <Row extends z.ZodType>(id: string, row: Row) =>
  z
    .object({
      Rows: z.array(row),
      Exact: z
        .boolean()
        .describe('False if rows may be missing and each count may be too low by up to Missed'),
      Missed: count,
    })
    .meta({ id })

export const AnalyticsQueries = listOf(
  'AnalyticsQueries',
  z.object({
    Text: z.string(),
    ...figures,
    WithFew: count.describe('Calls that found 1 to 3 documents'),
    MeanTotal: z.number().describe('Mean number of documents found'),
    Next: z
      .array(z.object({ Text: z.string(), Times: count }))
      .describe('What the same users typed within the next 5 minutes'),
  }),
)

export const AnalyticsHits = listOf(
  'AnalyticsHits',
  z.object({
    Id: z.string().describe('For completions the text, for recommendations the id of the tag'),
    Shown: count.describe(
      'How often it was among the first 5. Rows are sorted by the sum of Shown and Clicks',
    ),
    Clicks: count,
    Views: count,
    Conversions: count,
    Value: z.number(),
    MeanPlace: z.number().nullable(),
  }),
)

export const AnalyticsFilters = listOf(
  'AnalyticsFilters',
  z.object({
    Kind: z.enum(['Filter', 'Facet', 'Tag', 'Sort']),
    Field: z.string().describe('Empty for a query string and for tags'),
    Value: z.string().nullable().describe('What was asked for, or the query string; null for facets'),
    Calls: count,
  }),
)

const DataSet = z.string()
export const AnalyticsSuggestionsModel = z
  .object({
    Synonyms: z
      .array(z.object({ DataSet, Typed: z.string(), Meant: z.string(), Times: count }))
      .describe('Users typed Typed and clicked nothing, then typed Meant and clicked a hit'),
    Missing: z
      .array(z.object({ DataSet, Text: z.string(), WithoutHits: count, Calls: count }))
      .describe('Texts that found nothing'),
    StopWords: z
      .array(z.object({ DataSet, Word: z.string(), Dropped: count }))
      .describe('Words that were dropped so that the others found something'),
    Pins: z
      .array(z.object({ DataSet, Text: z.string(), Id: z.string(), Clicks: count, MeanPlace: z.number() }))
      .describe('Documents that are clicked for a text although they are far down the list'),
  })
  .meta({ id: 'AnalyticsSuggestions' })

/** The members of a request that select the calls it asks about. */
export interface AskedAbout {
  readonly DataSet?: string | undefined
  readonly Service?: string | undefined
  readonly Tag?: string | undefined
  readonly From?: string | undefined
  readonly To?: string | undefined
  readonly Per?: 'Hour' | 'Day' | undefined
  readonly Call?: z.output<typeof Call> | undefined
}

/** @param dataset the one in the request, or the only one that its key is for */
export function scopeOf(
  { Service: service, Tag: tag, From, To, Per: per, Call: call }: AskedAbout,
  dataset: string | undefined,
  timeZone: string,
): AnalyticsScope {
  const from = From === undefined ? undefined : momentIn(From, timeZone)
  const to = To === undefined ? undefined : momentIn(To, timeZone)
  // The engine would name the milliseconds.
  if (from !== undefined && to !== undefined && from > to)
    throw new HttpError(400, `To is ${JSON.stringify(To)}; expected a day or moment that is not before From`)
  return {
    ...(dataset !== undefined && { dataset }),
    ...(service !== undefined && { service }),
    ...(tag !== undefined && { tag }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(per && { per: camel(per) }),
    ...(call && { call: camel(call) }),
  }
}

export function erasureOf(
  { Text, User, Before }: z.output<typeof AnalyticsErase>,
  dataset: string | undefined,
  timeZone: string,
): AnalyticsErasure {
  return {
    ...(dataset !== undefined && { dataset }),
    ...(Text !== undefined && { text: Text }),
    ...(User !== undefined && { user: User }),
    ...(Before !== undefined && { before: momentIn(Before, timeZone) }),
  }
}

export const overviewModel = (found: AnalyticsOverview): z.output<typeof AnalyticsOverviewModel> =>
  toWire(found)

export const seriesModel = (points: readonly AnalyticsPoint[]): z.output<typeof AnalyticsSeries> => ({
  Points: points.map(({ at, per, ...others }) => ({ At: timeText(at), Per: pascal(per), ...toWire(others) })),
})

export const queriesModel = (list: FigureList<QueryFigures>): z.output<typeof AnalyticsQueries> =>
  toWire(list)

export const hitsModel = (list: FigureList<HitFigures>): z.output<typeof AnalyticsHits> => toWire(list)

export const filtersModel = ({
  rows,
  ...others
}: FigureList<FilterFigures>): z.output<typeof AnalyticsFilters> => ({
  Rows: rows.map(({ kind, ...row }) => ({ Kind: pascal(kind), ...toWire(row) })),
  ...toWire(others),
})

export function suggestionsModel(found: AnalyticsSuggestions): z.output<typeof AnalyticsSuggestionsModel> {
  const { synonyms, missing, stopWords, pins } = found
  return {
    Synonyms: synonyms.map(({ dataset, ...row }) => ({ DataSet: dataset, ...toWire(row) })),
    Missing: missing.map(({ dataset, ...row }) => ({ DataSet: dataset, ...toWire(row) })),
    StopWords: stopWords.map(({ dataset, ...row }) => ({ DataSet: dataset, ...toWire(row) })),
    Pins: pins.map(({ dataset, ...row }) => ({ DataSet: dataset, ...toWire(row) })),
  }
}
