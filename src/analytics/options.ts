import * as z from 'zod'
import type { AnalyzedCall, EventType, HitMeasure, QueryListKind } from './model/figures.ts'

/** The option `analytics` of `Engine.open()`: how to record what people ask. */
export interface AnalyticsOptions {
  /**
   * `counts`: a text is stored once 5 users have typed it or, if calls name no user, once it was typed 5 times on at least 2 days;
   * until then it is kept in memory only. `full`: every text is stored.
   */
  mode: 'counts' | 'full'
  /** The IANA name of the time zone in which days begin and end, such as `Europe/Berlin`. Default `UTC`. */
  timeZone?: string
  /** Data older than `days` (default 400) is dropped, and so is the oldest beyond `bytes` (default 1 GB). */
  retention?: { days?: number; bytes?: number }
  /** With the mode `full`: how long texts are kept, in days; counts stay. Default: as long as everything else. */
  texts?: { days: number }
  /** Calls that are not counted: those of these users, with one of these tags, or by keys of these names. */
  ignore?: { users?: readonly string[]; tags?: readonly string[]; keys?: readonly string[] }
}

/** Which calls are counted in a figure. */
export interface AnalyticsScope {
  /** The name of a dataset. Default: all. */
  dataset?: string
  /** Id or alias of a service; the id works even after the service was removed. Default: all calls, of services and datasets. */
  service?: string
  /** Default `search`. */
  call?: AnalyzedCall
  /** A tag of the context of the calls. */
  tag?: string
  /** Milliseconds since 1970, rounded down to the hour or day, as `per` says. Default: the earliest. */
  from?: number
  /** Milliseconds since 1970: hours or days that begin before this moment count. Default: now. */
  to?: number
  /** The unit of time. Hours are kept for 14 days; older ones have been merged into days. Default `day`. */
  per?: 'hour' | 'day'
}

/** What `analytics.queries()` takes. */
export interface QueryListOptions extends AnalyticsScope {
  kind?: QueryListKind
  /** 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.hits()` takes. */
export interface HitListOptions extends AnalyticsScope {
  /** What the documents are ordered by, highest first; those that have none of it are left out. Default `seen`. */
  by?: HitMeasure
  /** 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.filters()` takes. */
export interface TopListOptions extends AnalyticsScope {
  /** 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.suggestions()` takes. */
export interface AnalyticsSuggestionOptions extends Omit<AnalyticsScope, 'call'> {
  /** The minimum count for a suggestion. Default 2. */
  atLeast?: number
  /** Maximum number of suggestions of each kind, 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.export()` takes. `from` and `to` are exact to the millisecond. */
export interface AnalyticsExportOptions extends Omit<AnalyticsScope, 'per' | 'call'> {
  format: 'csv' | 'jsonl'
  /** Whether rows have the `queryId`, which reveals how many calls there are. Default true. */
  queryIds?: boolean
}

/** What `analytics.erase()` takes: `text`, `user` or `before`, at least one of them; whatever matches any of them is erased. */
export interface AnalyticsErasure {
  /** The name of a dataset. Default: all. */
  dataset?: string
  /** A text as it was typed; case and surrounding spaces make no difference. */
  text?: string
  /** A user, as named by calls. */
  user?: string
  /** Milliseconds since 1970: everything before this moment is erased. */
  before?: number
}

/** What somebody did with an answer. */
export interface AnalyticsEvent {
  type: EventType
  /** The `queryId` of the answer. */
  queryId: string
  /** The id of a document that the answer has shown; for a completion its text, for a recommendation the id of the tag. */
  id: string
  /** Its position in the list, from 1. Default: the position at which the answer showed it. */
  position?: number
  /** For a conversion only: what it was worth, such as a price, 0 to 1,000,000,000. */
  value?: number
  /** Default: the user of the call. */
  user?: string
}

const shortText = z.string().max(200)
const ignored = z.array(shortText).max(10_000).optional()
const days = z.number().min(1).max(36_500)

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const analyticsOptions = z
  .strictObject({
    mode: z.enum(['counts', 'full']),
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, 'the IANA name of a time zone, such as "Europe/Berlin"')
      .optional(),
    retention: z
      .strictObject({
        days: days.optional(),
        bytes: z
          .int()
          .min(2 ** 20)
          .optional(),
      })
      .optional(),
    texts: z.strictObject({ days }).optional(),
    ignore: z.strictObject({ users: ignored, tags: ignored, keys: ignored }).optional(),
  })
  .refine(({ mode, texts }) => mode === 'full' || !texts, {
    path: ['texts'],
    error: 'no value in the mode "counts", which stores no rare text',
  })

/** Limited to times that every time zone can express. */
const moment = z.number('milliseconds since 1970, as Date.now() returns them').min(-1e14).max(1e14)
const scopeMembers = {
  dataset: z.string().optional(),
  service: z.string().max(1000).optional(),
  call: z.enum(['search', 'list', 'completion', 'recommendation', 'similar']).default('search'),
  tag: shortText.optional(),
  from: moment.optional(),
  to: moment.optional(),
  per: z.enum(['hour', 'day']).default('day'),
}
const limit = z.int().min(1).max(1000).default(10)

const isInOrder = ({ from, to }: { from?: number | undefined; to?: number | undefined }) =>
  from === undefined || to === undefined || from <= to
const order = { path: ['to'], error: 'a moment that is not before from' }

export const analyticsScope = z.strictObject(scopeMembers).refine(isInOrder, order)
export const queryListOptions = z
  .strictObject({
    ...scopeMembers,
    kind: z
      .enum(['top', 'withoutHits', 'withFew', 'corrected', 'relaxed', 'neverClicked', 'lateClicks'])
      .default('top'),
    limit,
  })
  .refine(isInOrder, order)
export const hitListOptions = z
  .strictObject({
    ...scopeMembers,
    by: z.enum(['seen', 'clicks', 'views', 'conversions', 'value']).default('seen'),
    limit,
  })
  .refine(isInOrder, order)
export const topListOptions = z.strictObject({ ...scopeMembers, limit }).refine(isInOrder, order)
export const analyticsSuggestionOptions = z
  .strictObject({ ...scopeMembers, atLeast: z.int().min(1).default(2), limit })
  .omit({ call: true })
  .refine(isInOrder, order)
export const analyticsExportOptions = z
  .strictObject({
    ...scopeMembers,
    format: z.enum(['csv', 'jsonl']),
    queryIds: z.boolean().default(true),
  })
  .omit({ per: true, call: true })
  .refine(isInOrder, order)

export const analyticsErasure = z
  .strictObject({
    dataset: z.string().optional(),
    text: z.string().max(65_536).optional(),
    user: shortText.optional(),
    before: moment.optional(),
  })
  .refine(({ text, user, before }) => text !== undefined || user !== undefined || before !== undefined, {
    error: 'one with text, user or before',
  })

export const analyticsEvent = z
  .strictObject({
    type: z.enum(['click', 'conversion', 'view']),
    queryId: z.string().max(100),
    id: z.string().max(1000),
    position: z.int().min(1).max(10_000_000).optional(),
    value: z.number().min(0).max(1e9).optional(),
    user: shortText.optional(),
  })
  .refine(({ type, value }) => type === 'conversion' || value === undefined, {
    path: ['value'],
    error: 'no value unless the type is "conversion"',
  })

export type CheckedAnalytics = z.output<typeof analyticsOptions>
export type CheckedScope = z.output<typeof analyticsScope>
