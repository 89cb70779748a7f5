import * as z from 'zod'
import { checkId } from '../datasets/schema/ids.ts'
import { type FieldVisibilityOptions, fieldVisibilityMembers } from '../datasets/visible-fields.ts'
import { parseInput } from '../input.ts'
import { deadlineMembers } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import type { Condition, VisibilityOptions } from '../query/condition-query.ts'
import type { DeadlineOptions } from '../scheduling/deadline.ts'
import { type TagOptions, tagMembers, visibilityMembers } from '../search/read.ts'

/** What `dataset.boughtTogether()` takes, all of it optional. */
export interface BoughtTogetherOptions<T extends object = JsonObject>
  extends TagOptions,
    VisibilityOptions<T>,
    FieldVisibilityOptions,
    DeadlineOptions {
  /** Maximum number of documents, 0 to 1,000. Default 10. */
  limit?: number
  /** How often a document must have been in the baskets, from 1. Default 2. */
  least?: number
  /** Only baskets of the last so many days, above 0; the setting `baskets` must name their `time`. Default: all. */
  days?: number
  /** Only documents that match: an object of conditions, a query string, or a list of these, all of which must match. */
  filter?: Condition<T>
  /** Ids of documents to leave out. */
  exclude?: readonly (string | number)[]
}

/** What `dataset.trending()` takes, all of it optional. */
export interface TrendingOptions<T extends object = JsonObject> extends BoughtTogetherOptions<T> {
  /** Baskets of the last so many days count, above 0. Default 7. */
  days?: number
  /**
   * `growth` (default): documents that are in more of these baskets than in all baskets, relatively, those that chance explains
   * least first. `count`: those in most of these baskets first.
   */
  by?: 'growth' | 'count'
}

/** Ids of one request. */
const mostAsked = 100

const id = z.union([z.string(), z.number()])
const days = z.number().gt(0).max(36_500)

export const boughtTogetherOptions = z.strictObject({
  limit: z.int().min(0).max(1000).default(10),
  least: z.int().min(1).max(1_000_000_000).default(2),
  days: days.optional(),
  filter: z.unknown().optional(),
  ...tagMembers,
  ...visibilityMembers,
  ...fieldVisibilityMembers,
  exclude: z.array(id).max(100_000).default([]),
  ...deadlineMembers,
})

export const trendingOptions = boughtTogetherOptions.extend({
  days: days.default(7),
  by: z.enum(['growth', 'count']).default('growth'),
})

const askedIds = z.union([id, z.array(id).min(1).max(mostAsked)], {
  error: `an id, or a list of 1 to ${mostAsked} ids`,
})

export type CheckedTogether = z.output<typeof boughtTogetherOptions>
export type CheckedTrending = z.output<typeof trendingOptions>

/** Each id once. @throws FindlingError INVALID_ARGUMENT */
export function readAskedIds(given: unknown): string[] {
  const ids = [parseInput(askedIds, given, 'ids')].flat()
  return [...new Set(ids.map((one, i) => checkId(one, Array.isArray(given) ? `ids[${i}]` : 'ids')))]
}

export const excludedIds = (exclude: readonly (string | number)[]): string[] =>
  exclude.map((one, i) => checkId(one, `options.exclude[${i}]`))
