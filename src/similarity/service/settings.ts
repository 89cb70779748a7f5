import * as z from 'zod'
import { boundedText } from '../../analysis/bounded-text.ts'
import type { Compression } from '../../classification/model/compression.ts'
import { compressionInput, learntTags } from '../../classification/options.ts'
import type { JobOptions } from '../../jobs/job.ts'
import { parallel } from '../../jobs/parallel.ts'
import { watching } from '../../jobs/watching.ts'
import type { PrepareSettings } from '../../services/service.ts'

/** What a service of similar documents is prepared from. */
export interface SimilarPrepareSettings extends PrepareSettings {
  /**
   * Ids of the tags within which documents are compared, at most 65,535. A document belongs to a tag if it names that very
   * id. Default: all leaves of the tag tree; all tags that documents name where there is no tree.
   */
  tags?: readonly string[]
  /**
   * Which words do not count: 0 (default) all count, 1 those that occur once do not, 2 those that occur at most twice in each
   * tag; or how rare a word has to be in the tag, in the dataset, or (`OR`) in one of them. With a limit of 0 all count.
   */
  compression?: 0 | 1 | 2 | Compression
}

/** How a service of similar documents answers. */
export interface SimilarServiceSettings {
  /** Searched fields by which documents are compared; null (default) for all of them. */
  fields?: readonly string[] | null | undefined
}

/** Which documents are meant. Both given: both must hold. */
export interface SimilarFilter {
  /** A query string. */
  query?: string | undefined
  /** Documents that have any of these tags, of those that the service was prepared for; an empty list is no restriction. */
  tags?: readonly string[] | undefined
}

/** Documents that match come further to the front. */
export interface SimilarWeight {
  /** A query string. */
  query: string
  /** 0 to 10,000. */
  value: number
}

interface Asking {
  /** Documents returned at most, 0 to 1,000. Default 3. */
  limit?: number
  /** A tag that the service was prepared for: only its documents. Default: see there. */
  tag?: string | undefined
  /**
   * Reorder what is found: with `w` the mean of the values, 0 for a query that does not match, hits are in the order of
   * `(1 + score) ^ (1 + w)`. At most 100.
   */
  weights?: readonly SimilarWeight[] | undefined
}

/** What `service.recommend()` takes, all of it optional. Without a tag, all documents of the dataset are meant. */
export interface SimilarRecommendOptions extends Asking {
  filter?: SimilarFilter | undefined
}

/** What `service.recommendById()` takes, all of it optional. Without a tag, the first of the document's is meant. */
export interface SimilarByIdOptions extends Asking {
  /** A query string: only documents that match, besides `filter`. */
  query?: string | undefined
  /** Only documents that it means, of those that `index` has found. */
  filter?: SimilarFilter | undefined
}

/** What `service.keywords()` takes, all of it optional. */
export interface SimilarKeywordsOptions {
  /** A tag that the service was prepared for. Default: that of most of the documents which are most like the text. */
  tag?: string | undefined
  /** Only words that score at least the mean of all. Default false. */
  strict?: boolean
}

/** What `service.index()` takes, all of it optional. */
export interface SimilarIndexOptions extends JobOptions {
  /** Only documents that match the query, within these tags. Default: all documents, within all tags. */
  filter?: SimilarFilter | undefined
  /** Maximum number of worker threads. Default: all processors but one. The result does not depend on it. */
  parallel?: number
}

const ids = z.array(z.string())
const query = boundedText(100_000)

export const prepareSettings = {
  tags: learntTags.min(1).optional(),
  compression: compressionInput.default(0),
}

export const givenSettings = { fields: ids.min(1).max(1000).nullable().optional() }

const filter = z.strictObject({ query: query.optional(), tags: ids.max(65_535).optional() })

const asking = {
  limit: z.int().min(0).max(1000).default(3),
  tag: z.string().optional(),
  weights: z
    .array(z.strictObject({ query, value: z.number().min(0).max(10_000) }))
    .max(100)
    .default([]),
}

export const byTextOptions = z.strictObject({ ...asking, filter: filter.default({}) })
export const byIdOptions = z.strictObject({ ...asking, query: query.optional(), filter: filter.default({}) })
export const tagKeywordsOptions = z.strictObject({
  tag: z.string().optional(),
  strict: z.boolean().default(false),
})
export const similarIndexOptions = z.strictObject({ filter: filter.default({}), parallel, ...watching })

export const partialOptions = z.strictObject({ parallel, ...watching })

export type CheckedRecommend = z.output<typeof byTextOptions>
export type CheckedById = z.output<typeof byIdOptions>
export type CheckedFilter = z.output<typeof filter>

/** Longer ones would hold the event loop. */
export const comparedText = boundedText(100_000)

/** By which settings a model was made, with nothing left out. */
export interface Prepared {
  readonly tags: readonly string[]
  readonly compression: 0 | 1 | 2 | Compression
}

/** By which settings it answers. */
export interface Activation {
  readonly fields: readonly string[] | null
}

/** What preparing recommends. */
export const recommended: Activation = { fields: null }
