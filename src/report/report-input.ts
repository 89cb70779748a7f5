import * as z from 'zod'
import { parseInput } from '../input.ts'
import type { DatasetMap } from '../mapping/model/dataset-map.ts'
import type { DatasetProfile } from '../profile/model/profile.ts'

/** How often something was asked, and what became of it. */
export interface AskedFigures {
  readonly calls: number
  readonly withoutHits: number
  readonly corrected: number
  readonly relaxed: number
  readonly clicked: number
  readonly clicks: number
  readonly conversions: number
}

/** A text that was asked. */
export interface AskedText extends AskedFigures {
  readonly text: string
  readonly withFew: number
}

/** A list of what was asked; not `exact` if the counts may be too small. */
interface AskedList<Row> {
  readonly rows: readonly Row[]
  readonly exact: boolean
}

/** What people asked: the results of the methods of `engine.analytics` with these names. Omitted parts are not reported. */
export interface ReportAnalytics {
  readonly overview: AskedFigures & { readonly users: { readonly count: number; readonly exact: boolean } }
  /** Calls by hour and day. */
  readonly series?: readonly { readonly at: number; readonly calls: number; readonly withoutHits: number }[]
  /** `queries({ kind: 'top' })` and so on. */
  readonly top?: AskedList<AskedText>
  readonly withoutHits?: AskedList<AskedText>
  readonly neverClicked?: AskedList<AskedText>
  readonly suggestions?: {
    readonly synonyms: readonly { readonly typed: string; readonly meant: string; readonly times: number }[]
    readonly missing: readonly {
      readonly text: string
      readonly withoutHits: number
      readonly calls: number
    }[]
    readonly stopWords: readonly { readonly word: string; readonly dropped: number }[]
    readonly pins: readonly {
      readonly text: string
      readonly id: string
      readonly clicks: number
      readonly meanPlace: number
    }[]
  }
}

/** What a report is made of. */
export interface ReportInput {
  /** Default: the name of the dataset. At most 200 UTF-16 units. */
  readonly title?: string
  /** The result of `dataset.profile()`. */
  readonly profile: DatasetProfile
  readonly analytics?: ReportAnalytics
  /** The result of `dataset.map()`. */
  readonly map?: DatasetMap
}

const number = z.number('a number')
const count = number.min(0)
const text = z.string().max(100_000)
const texts = z.array(text).max(1_000)
const value = z.union([text, number, z.boolean()])
const valueCounts = z.array(z.object({ value, count })).max(10_000)
const quantiles = z.object({ p5: number, p50: number, p95: number })

/** The parts of a profile that the report uses; the rest is not checked. */
const profile = z.object({
  dataset: text,
  at: count,
  documents: count,
  fields: z
    .array(
      z.object({
        field: text,
        present: count,
        missing: count,
        types: z.record(z.string(), count),
        distinct: z.object({ count, exact: z.boolean() }),
        top: z.object({ values: valueCounts, exact: z.boolean() }),
        numbers: z
          .object({
            count,
            min: number,
            max: number,
            mean: number,
            quantiles,
            outliers: z.array(z.object({ id: text, value: number })).max(1_000),
          })
          .optional(),
        texts: z
          .object({
            count,
            length: z.object({ min: count, max: count, mean: count }),
            patterns: z.record(z.string(), count),
            wrongCheckDigits: z.object({ count, examples: texts }),
            languages: z.record(z.string(), count),
            months: z.record(z.string(), count),
            variants: z.array(z.object({ values: valueCounts })).max(1_000),
          })
          .optional(),
      }),
    )
    .max(1_000),
  tags: z.object({
    tagged: count,
    untagged: count,
    used: z
      .array(
        z.object({
          id: text,
          name: text,
          documents: count,
          documentsBelow: count,
          words: count,
          wordsBelow: count,
        }),
      )
      .max(10_000),
    unused: z.array(text).max(10_000),
    unknown: valueCounts,
  }),
  mistakes: z
    .array(
      z.object({
        kind: z.enum(['doubtful-tag', 'duplicate-across-tags', 'duplicate', 'unusual-number']),
        ids: texts,
        tagIds: texts,
        field: text.nullable(),
        reason: text,
      }),
    )
    .max(10_000),
  judged: count,
  tellingFields: texts,
  duplicates: z.object({ groups: count, acrossTags: count, exact: z.boolean() }),
  crossTables: z
    .array(
      z.object({
        fields: z.tuple([text, text]),
        pairs: z.array(z.object({ values: z.tuple([text, text]), count })).max(1_000),
        exact: z.boolean(),
      }),
    )
    .max(100),
})

const asked = {
  calls: count,
  withoutHits: count,
  corrected: count,
  relaxed: count,
  clicked: count,
  clicks: count,
  conversions: count,
}
const askedList = z.object({
  rows: z.array(z.object({ ...asked, text, withFew: count })).max(10_000),
  exact: z.boolean(),
})
const suggested = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.array(z.object(shape)).max(10_000)

const analytics = z.object({
  overview: z.object({ ...asked, users: z.object({ count, exact: z.boolean() }) }),
  series: z
    .array(z.object({ at: count, calls: count, withoutHits: count }))
    .max(20_000)
    .optional(),
  top: askedList.optional(),
  withoutHits: askedList.optional(),
  neverClicked: askedList.optional(),
  suggestions: z
    .object({
      synonyms: suggested({ typed: text, meant: text, times: count }),
      missing: suggested({ text, withoutHits: count, calls: count }),
      stopWords: suggested({ word: text, dropped: count }),
      pins: suggested({ text, id: text, clicks: count, meanPlace: count }),
    })
    .optional(),
})

const map = z.object({
  of: z.enum(['documents', 'tags']),
  documents: count,
  points: z.array(z.object({ id: text, x: number, y: number, tagId: text.nullable().optional() })).max(5_000),
  labels: z.array(z.object({ x: number, y: number, words: texts, points: count })).max(100),
})

const reportInput = z.strictObject({
  title: z.string().max(200).optional(),
  profile,
  analytics: analytics.optional(),
  map: map.optional(),
})

export type CheckedReport = z.output<typeof reportInput>

/** INVALID_ARGUMENT */
export const readReport = (input: unknown): CheckedReport => parseInput(reportInput, input, 'input')
