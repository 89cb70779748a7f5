import * as z from 'zod'
import type { AnalyzedCall, EventType, QueryListKind } from './model/figures.ts'

/** What `Engine.open()` takes to keep what people ask. */
export interface AnalyticsOptions {
  /**
   * `counts`: a text is stored once 5 users have typed it, or, where calls name no user, once it was typed 5 times on at
   * least 2 days; until then it is in memory only. `full`: every text is stored.
   */
  mode: 'counts' | 'full'
  /** The IANA name of the time zone in which days begin and end, such as `Europe/Berlin`. Default `UTC`. */
  timeZone?: string
  /** What is older than `days` (default 400) goes, and the oldest beyond `bytes` (default 1 GB). */
  retention?: { days?: number; bytes?: number }
  /** With the mode `full`: how long texts are kept, in days; counts stay. Default: as long as everything else. */
  texts?: { days: number }
  /** Calls that are not counted: those of these users, with one of these tags, or by keys of these names. */
  ignore?: { users?: readonly string[]; tags?: readonly string[]; keys?: readonly string[] }
}

/** Which calls a figure is about. */
export interface AnalyticsScope {
  /** The name of a dataset. Default: all. */
  dataset?: string
  /** Id or alias of a service; its id also after it was removed. Default: all calls, of services and of datasets. */
  service?: string
  /** Default `search`. */
  call?: AnalyzedCall
  /** A tag of the context of the calls. */
  tag?: string
  /** Milliseconds since 1970: counts from the beginning of its hour or day, as `per` says. Default: the first there is. */
  from?: number
  /** Milliseconds since 1970: hours or days that begin before it count. Default: now. */
  to?: number
  /** In which steps time counts. Hours are kept for 14 days; what is older counts as the day that it is part of. Default `day`. */
  per?: 'hour' | 'day'
}

/** What `analytics.queries()` takes. */
export interface QueryListOptions extends AnalyticsScope {
  kind?: QueryListKind
  /** 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.hits()` and `analytics.filters()` take. */
export interface TopListOptions extends AnalyticsScope {
  /** 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.suggestions()` takes. */
export interface AnalyticsSuggestionOptions extends Omit<AnalyticsScope, 'call'> {
  /** The least count that is evidence enough. Default 2. */
  atLeast?: number
  /** How many of each kind, 1 to 1,000. Default 10. */
  limit?: number
}

/** What `analytics.export()` takes. `from` and `to` are met to the millisecond. */
export interface AnalyticsExportOptions extends Omit<AnalyticsScope, 'per' | 'call'> {
  format: 'csv' | 'jsonl'
  /** Whether rows have the `queryId`, which tells how many calls there are. Default true. */
  queryIds?: boolean
}

/** What `analytics.erase()` takes: at least one of them; what meets any of them goes. */
export interface AnalyticsErasure {
  /** The name of a dataset. Default: all. */
  dataset?: string
  /** A text as it was typed; upper and lower case and blanks around it make no difference. */
  text?: string
  /** A user, as calls have named it. */
  user?: string
  /** Milliseconds since 1970: everything before goes. */
  before?: number
}

/** What somebody did with an answer. */
export interface AnalyticsEvent {
  type: EventType
  /** That of the answer. */
  queryId: string
  /** The document: one that the answer has shown. Of a completion its text, of a recommendation the id of the tag. */
  id: string
  /** Its place in the list, from 1. Default: where the answer has shown it. */
  position?: number
  /** What it was worth, such as a price: 0 to 1,000,000,000. Only of a conversion. */
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
    error: 'none in the mode "counts", which stores no rare text',
  })

/** Within what every time zone has a name for. */
const moment = z.number().min(-1e14).max(1e14)
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

export const analyticsScope = z.strictObject(scopeMembers)
export const queryListOptions = z.strictObject({
  ...scopeMembers,
  kind: z
    .enum(['top', 'withoutHits', 'withFew', 'corrected', 'relaxed', 'neverClicked', 'lateClicks'])
    .default('top'),
  limit,
})
export const topListOptions = z.strictObject({ ...scopeMembers, limit })
export const analyticsSuggestionOptions = z
  .strictObject({ ...scopeMembers, atLeast: z.int().min(1).default(2), limit })
  .omit({ call: true })
export const analyticsExportOptions = z
  .strictObject({
    ...scopeMembers,
    format: z.enum(['csv', 'jsonl']),
    queryIds: z.boolean().default(true),
  })
  .omit({ per: true, call: true })

export const analyticsErasure = z
  .strictObject({
    dataset: z.string().optional(),
    text: z.string().max(65_536).optional(),
    user: shortText.optional(),
    before: moment.optional(),
  })
  .refine(({ text, user, before }) => text !== undefined || user !== undefined || before !== undefined, {
    error: 'an object with text, user or before',
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
    error: 'none, unless the type is "conversion"',
  })

export type CheckedAnalytics = z.output<typeof analyticsOptions>
export type CheckedScope = z.output<typeof analyticsScope>
