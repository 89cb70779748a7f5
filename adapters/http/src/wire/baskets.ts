import type { BasketHit, BoughtTogetherOptions, TrendingOptions } from 'findling'
import { boughtTogetherOptions, trendingOptions } from 'findling/schemas'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { askedMembers } from '../analytics/asking.ts'
import { camel, fromWire } from './casing.ts'
import { counted, derived } from './derived.ts'
import type { Origins } from './origins.ts'
import { content, requiredText } from './rules.ts'

const mostAsked = 100

/** The default of Least. */
export const leastUnlessGiven = boughtTogetherOptions.parse({}).least

const chosen = {
  Filter: z.string().optional().describe('A query string'),
  TagIdList: z
    .array(requiredText)
    .max(65_535)
    .optional()
    .describe('Only documents with one of these tags, or with a tag below one of them'),
  Exclude: z.array(requiredText).max(100_000).optional().describe('Ids of documents to leave out'),
  ...askedMembers,
}

export const BoughtTogetherRequest = z
  .strictObject({
    Ids: z
      .array(requiredText)
      .min(1)
      .max(mostAsked)
      .describe('Ids of documents, such as those of a cart; others count for nothing'),
    ...derived(counted(boughtTogetherOptions), {
      Count: '',
      Least: 'How often a document must have been in the baskets',
      Days: 'Only baskets of the last days. Default: all',
    }),
    ...chosen,
  })
  .meta({ id: 'BoughtTogetherRequest' })

export const TrendingRequest = z
  .strictObject({
    ...derived(counted(trendingOptions), {
      Count: '',
      Least: 'How often a document must have been in the baskets',
      Days: 'Baskets of the last days count',
      By: 'Growth: documents that are in more of these baskets than in all, relatively. Count: those in most of them',
    }),
    ...chosen,
  })
  .meta({ id: 'TrendingRequest' })

export const BasketResult = z
  .object({
    Hits: z.array(
      z.object({
        Id: z.string(),
        Score: z
          .number()
          .describe('The higher, the less likely by chance; for keys that may not see numbers 1 / position'),
        Times: z
          .int()
          .optional()
          .describe('In how many of the baskets it was; absent for keys that may not see numbers'),
        Document: content,
      }),
    ),
    ...identifiedMembers,
  })
  .meta({ id: 'BasketResult' })

export const basketOrigins: Origins = {
  ids: 'Ids',
  tags: 'TagIdList',
  limit: 'Count',
  'baskets.dataset': 'Baskets.DataSet',
}

type Request = Omit<z.output<typeof BoughtTogetherRequest>, 'Ids'>

export function togetherOptions(request: Request): BoughtTogetherOptions<object> {
  const { Count: limit, TagIdList: tags, User: _u, Tags: _t, Analytics: _a, ...options } = request
  return { ...fromWire(options), limit, ...(tags && { tags }) }
}

export const trendingInput = ({
  By,
  ...request
}: z.output<typeof TrendingRequest>): TrendingOptions<object> => ({
  ...togetherOptions(request),
  by: camel(By),
})

/** @param seesNumbers whether the caller may know how often things are bought */
export const basketResult = (
  hits: readonly BasketHit<object>[],
  seesNumbers: boolean,
): z.output<typeof BasketResult> => ({
  Hits: hits.map(({ id, score, times, document }, place) => ({
    Id: id,
    ...(seesNumbers ? { Score: score, Times: times } : { Score: 1 / (place + 1) }),
    Document: document as Record<string, unknown>,
  })),
})
