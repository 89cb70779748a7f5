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
  queryListOptions,
  topListOptions,
} from 'findling/schemas'
import * as z from 'zod'
import { camel, pascal, toWire } from './casing.ts'
import { derived } from './derived.ts'
import { moment, momentIn } from './moments.ts'
import { dataSetName, timeText } from './rules.ts'

const { Service, Call, Tag, Per } = derived(analyticsScope, {
  Service: 'Id or alias of a service. Default: calls of services and of datasets',
  Call: 'What kind of call',
  Tag: 'Only calls that had this one among their Tags',
  Per: 'The steps in which time counts. Hours are kept for 14 days; what is older counts as its day',
})

const range = {
  DataSet: dataSetName.optional().describe('Default: all'),
  Service,
  Tag,
  From: moment
    .optional()
    .describe('A day, as it begins in the time zone of the analytics, or a moment. Default: all there is'),
  To: moment.optional().describe('Counts no more, as a day or a moment. Default: now'),
}
const scope = { ...range, Call, Per }

/** Contract, 20. */
export const AnalyticsQuery = z.strictObject(scope)
export const QueriesQuery = z.strictObject({
  ...scope,
  ...derived(queryListOptions, {
    Kind:
      'Top: the most frequent. WithoutHits, WithFew: found nothing, or 1 to 3 documents. Corrected, Relaxed: with words that were ' +
      'corrected or dropped. NeverClicked, LateClicks: found something that nobody clicked, or that is clicked late in the list',
    Limit: '',
  }),
})
export const TopQuery = z.strictObject({ ...scope, ...derived(topListOptions, { Limit: '' }) })
export const SuggestionsQuery = z.strictObject({
  ...range,
  Per,
  ...derived(analyticsSuggestionOptions, {
    AtLeast: 'The least count that is evidence enough',
    Limit: 'How many of each kind',
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
      Text: 'A text as it was typed; upper and lower case and blanks around it make no difference',
      User: 'A user, as calls have named it',
    }),
    Before: moment.optional().describe('Everything before this day or moment'),
  })
  .refine(({ Text, User, Before }) => [Text, User, Before].some(one => one !== undefined), {
    error: 'at least one of Text, User and Before',
  })
  .meta({ id: 'AnalyticsErase' })

const count = z.int()
const figures = {
  Calls: count.describe('Calls that were answered, later pages among them'),
  WithoutHits: count.describe('Of these, those that found nothing'),
  Corrected: count,
  Relaxed: count.describe('Those of which words were dropped since nothing matched with them'),
  Clicked: count.describe('Those of which a hit was clicked'),
  Clicks: count,
  Views: count,
  Conversions: count,
  Value: z.number().describe('Sum of the values of the conversions'),
  MeanPlace: z.number().nullable().describe('Of all clicks, from 1'),
  MeanReciprocalRank: z
    .number()
    .nullable()
    .describe('Mean of 1 / place of the first click of each call that was clicked'),
}
const Users = z
  .object({ Count: count, Exact: z.boolean() })
  .describe('Those that the calls have named; an estimate unless Exact')
const share = z.number().min(0).max(1).nullable()
const milliseconds = z.number().nullable()

export const AnalyticsOverviewModel = z
  .object({
    ...figures,
    Users,
    Shares: z
      .object({ WithoutHits: share, Corrected: share, Relaxed: share, Clicked: share })
      .describe('Parts of the calls; Clicked is the click-through rate'),
    Latency: z
      .object({ P50: milliseconds, P95: milliseconds, P99: milliseconds })
      .describe('Milliseconds that so many of a hundred calls took at most'),
    Exact: z.boolean().describe('False where more kinds of calls came than are counted apart'),
    Lost: count.describe('Calls that could not be counted since the server was started'),
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
      Exact: z.boolean().describe('False where some may be missing, and each count be less by up to Missed'),
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
      .describe('What the same users typed within 5 minutes after it'),
  }),
)

export const AnalyticsHits = listOf(
  'AnalyticsHits',
  z.object({
    Id: z.string().describe('Of completions the text, of recommendations the id of the tag'),
    Shown: count.describe(
      'How often it was among the first 5. The rows are in the order of Shown and Clicks together',
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
      .describe('Typed was not clicked, and the same users then typed Meant and clicked'),
    Missing: z
      .array(z.object({ DataSet, Text: z.string(), WithoutHits: count, Calls: count }))
      .describe('Texts that found nothing'),
    StopWords: z
      .array(z.object({ DataSet, Word: z.string(), Dropped: count }))
      .describe('Words that were dropped so that the others found something'),
    Pins: z
      .array(z.object({ DataSet, Text: z.string(), Id: z.string(), Clicks: count, MeanPlace: z.number() }))
      .describe('Documents that are clicked for a text, but stand late'),
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
  return {
    ...(dataset !== undefined && { dataset }),
    ...(service !== undefined && { service }),
    ...(tag !== undefined && { tag }),
    ...(From !== undefined && { from: momentIn(From, timeZone) }),
    ...(To !== undefined && { to: momentIn(To, timeZone) }),
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
