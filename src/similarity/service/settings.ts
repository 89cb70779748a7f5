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
   * Ids of the tags within which documents are compared, at most 65,535. A document belongs to a tag if it names exactly that
   * id. Default: all leaves of the tag tree; if there is no tree, all tags that documents name.
   */
  tags?: readonly string[]
  /**
   * Which words are ignored: 0 (default) none, 1 those that occur once, 2 those that occur at most twice in each tag; or limits
   * on the occurrences in the tag and in the dataset, of which both must hold, or one (`OR`). With a limit of 0 none are ignored.
   */
  compression?: 0 | 1 | 2 | Compression
}

/** How a service of similar documents answers. */
export interface SimilarServiceSettings {
  /** Searched fields in which documents are compared; null (default) for all of them. */
  fields?: readonly string[] | null | undefined
}

/** Which documents are meant. If both are given, both must hold. */
export interface SimilarFilter {
  /** A query string. */
  query?: string | undefined
  /** Documents that have any of these tags, which the service must be prepared for; an empty list is no restriction. */
  tags?: readonly string[] | undefined
}

/** Documents that match rank higher. */
export interface SimilarWeight {
  /** A query string. */
  query: string
  /** 0 to 10,000. */
  value: number
}

interface Asking {
  /** Maximum number of documents, 0 to 1,000. Default 3. */
  limit?: number
  /** A tag that the service was prepared for: only documents with it. The default depends on the method. */
  tag?: string | undefined
  /**
   * Reorder the documents found: with `w` the mean of the values, where a query that does not match counts as 0, hits are
   * ordered by `(1 + score) ^ (1 + w)`. At most 100.
   */
  weights?: readonly SimilarWeight[] | undefined
}

/** What `service.recommend()` takes, all of it optional. Without a tag, it covers all documents of the dataset. */
export interface SimilarRecommendOptions extends Asking {
  filter?: SimilarFilter | undefined
}

/** What `service.recommendById()` takes, all of it optional. Without a tag, it uses the document's first one. */
export interface SimilarByIdOptions extends Asking {
  /** A query string: only documents that match, in addition to `filter`. */
  query?: string | undefined
  /** Only documents that match it, among those that `index` has found. */
  filter?: SimilarFilter | undefined
}

/** What `service.keywords()` takes, all of it optional. */
export interface SimilarKeywordsOptions {
  /** A tag that the service was prepared for. Default: the tag of most of the documents nearest to the text. */
  tag?: string | undefined
  /** Returns only words whose score is at least the mean of all. Default false. */
  strict?: boolean
}

/** What `service.index()` takes, all of it optional. */
export interface SimilarIndexOptions extends JobOptions {
  /** Only documents that match the query, within these tags. Default: all documents, within all tags. */
  filter?: SimilarFilter | undefined
  /** Maximum number of worker threads. Default: one less than the number of processors. The result does not depend on it. */
  parallel?: number
}

const ids = z.array(z.string())
const query = boundedText(100_000)

export const prepareSettings = {
  tags: learntTags.min(1).optional(),
  compression: compressionInput.default(0),
}

export const givenSettings = { fields: ids.min(1).max(1000).nullable().optional() }

/** As an exported model says them. */
export const exportedSettings = {
  prepared: z.object({ tags: ids, compression: compressionInput }),
  recommended: z.object(givenSettings).required(),
}

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

/** Longer texts would block the event loop. */
export const comparedText = boundedText(100_000)

/** The settings from which a model was made, complete. */
export interface Prepared {
  readonly tags: readonly string[]
  readonly compression: 0 | 1 | 2 | Compression
}

/** The settings by which it answers. */
export interface Activation {
  readonly fields: readonly string[] | null
}

/** The settings that preparing recommends. */
export const recommended: Activation = { fields: null }
