import type { ListAnswer, ListOptions, SampleOptions } from 'findling'
import * as z from 'zod'
import { camel } from './casing.ts'
import type { Origins } from './origins.ts'
import { content, fieldName, requiredText } from './rules.ts'

/** Contract, 6.1. */
export const Filter = z
  .object({
    Query: z.string().nullable().optional().describe('A query string. Empty: none'),
    TagIdList: z
      .array(z.string())
      .max(10_000)
      .nullable()
      .optional()
      .describe('Documents that have any of these tags. Empty: documents with and without tags'),
  })
  .meta({ id: 'Filter' })

export const Order = z
  .object({ OrderByField: fieldName, OrderDirection: z.enum(['Asc', 'Desc']).default('Asc') })
  .meta({ id: 'Order' })

const FieldList = z
  .array(z.string().min(1).max(1000))
  .max(1000)
  .nullable()
  .optional()
  .describe(
    'Fields of the documents, as dotted paths; * for all. Default: id, tag and interpreted fields, without attachments',
  )

/** Maximum number of documents in one answer. */
const mostListed = 1000
const mostSampled = 100_000

/** Contract, 6.1. */
export const DocumentFilterSettings = z
  .object({
    Pagination: z.object({
      Limit: z
        .int()
        .default(0)
        .describe(
          `Maximum number of documents per page, up to ${mostListed}; a negative number means ${mostListed}`,
        ),
    }),
    Order: Order.nullable()
      .optional()
      .describe(
        'Sort by a field with a single value; documents without one come last. Default: by how well the words of Query match',
      ),
    Filter: Filter.nullable().optional(),
    FieldList,
  })
  .meta({ id: 'DocumentFilterSettings' })

/** Contract, 6.5. */
export const DocumentSampleSettings = z
  .object({
    Id: requiredText.describe('The same id returns the same documents as long as they do not change'),
    Size: z
      .int()
      .default(0)
      .describe(
        `Number of documents, at most ${mostSampled}. A number above 0 takes precedence over Percent`,
      ),
    Percent: z.number().min(0).max(100).default(0).describe('Share of the documents, in percent'),
    TagIdList: z.array(z.string()).max(10_000).nullable().optional(),
    FieldList,
  })
  .refine(({ Size, Percent }) => Size > 0 || Percent > 0, {
    path: ['Size'],
    error: 'Size or Percent above 0',
  })
  .meta({ id: 'DocumentSampleSettings' })

export const PaginatedList = z
  .object({
    Items: z.array(content),
    Count: z.int().describe('Documents in this answer'),
    Total: z.int().describe('All documents that match'),
    ScrollId: z.string().nullable().describe('For getting the next page; null if there is none'),
  })
  .meta({ id: 'PaginatedList' })

/** The answer for an unknown or expired id. */
export const endOfScroll: z.output<typeof PaginatedList> = { Items: [], Count: 0, Total: 0, ScrollId: null }

type Page = Omit<ListAnswer<Record<string, unknown>>, 'cursor'>

export function paginatedList(
  { hits, total }: Page,
  ScrollId: string | null,
): z.output<typeof PaginatedList> {
  return { Items: hits.map(({ document }) => document), Count: hits.length, Total: total.count, ScrollId }
}

export const listOrigins: Origins = {
  'sort[0]': 'Order.OrderByField',
  filter: 'Filter.Query',
  tags: 'Filter.TagIdList',
  responseFields: 'FieldList',
}

/** The arguments of `filter()`, except the fields to return. */
export function listSettings({ Pagination, Order, Filter }: z.output<typeof DocumentFilterSettings>): {
  filter: string | Record<string, never>
  options: ListOptions
} {
  const { Limit } = Pagination
  const query = Filter?.Query ?? ''
  return {
    filter: query.trim() === '' ? {} : query,
    options: {
      limit: Limit < 0 ? mostListed : Math.min(Limit, mostListed),
      cursor: true,
      ...(Order && { sort: [`${Order.OrderByField}:${camel(Order.OrderDirection)}`] }),
      ...tagOptions(Filter?.TagIdList),
    },
  }
}

export const sampleOrigins: Origins = { seed: 'Id', tags: 'TagIdList', responseFields: 'FieldList' }

/** The options of `sample()`, except the fields to return. */
export function sampleSettings(sample: z.output<typeof DocumentSampleSettings>): SampleOptions {
  const { Id, Size, Percent, TagIdList } = sample
  return {
    seed: Id,
    size: Math.max(0, Math.min(Size, mostSampled)),
    percent: Percent,
    ...tagOptions(TagIdList),
  }
}

/** Only these tags, not those below them in the tree. */
function tagOptions(tags: readonly string[] | null | undefined) {
  return tags?.length ? { tags, tagsBelow: false } : {}
}
