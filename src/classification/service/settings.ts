import * as z from 'zod'
import { parallel } from '../../jobs/parallel.ts'
import type { PrepareSettings } from '../../services/service.ts'
import type { Compression } from '../model/compression.ts'
import {
  compressionInput,
  learntTags,
  nGramSizes,
  type RecommendOptions,
  refuseTooMany,
  shownTags,
} from '../options.ts'

/** What a classifier service is prepared from. */
export interface ClassifierPrepareSettings extends PrepareSettings {
  /**
   * Ids of the tags to learn. A document belongs to a tag if it names that very id. Default: all leaves of the tag tree or, without
   * a tree, all tags that documents name.
   */
  tags?: readonly string[]
  /** Sizes of the word n-grams to learn, each from 1 to the dataset's `nGramCount`. Default [1, 2]. */
  nGrams?: readonly number[]
  /**
   * Which features are too rare to be learnt: 0 (default) none, 1 those that occur once, 2 those that occur at most twice in each
   * tag; or limits per tag and per dataset, of which both must hold (`AND`) or either (`OR`). A limit of 0 leaves nothing out.
   */
  compression?: 0 | 1 | 2 | Compression
  /** Maximum number of worker threads. Default: all processors but one. The result does not depend on it. */
  parallel?: number
}

/** How a classifier service answers, all of it optional. */
export interface ClassifierServiceSettings {
  /** Sizes of the word n-grams to use, among those that were learnt; null for all of them. */
  nGrams?: readonly number[] | null | undefined
  /** Ids of the tags that may be recommended, among those that the service was prepared for; null for all of them. */
  tags?: readonly string[] | null | undefined
  /** Ids of tags that come first if `emphasize` is set and the text contains every word of their name. Default none. */
  emphasizedTags?: readonly string[] | undefined
}

/** Options of `recommend` of a classifier service, all of them optional. */
export interface ServiceRecommendOptions extends Pick<RecommendOptions, 'limit' | 'explain'> {
  /** Whether emphasized tags come to the top. Default false. */
  emphasize?: boolean
  /** Only descendants of these tags, each of which must have a descendant that the service knows. */
  below?: readonly string[]
}

export const prepareSettings = {
  tags: learntTags.min(1).optional(),
  nGrams: nGramSizes.optional(),
  compression: compressionInput.default(0),
  parallel,
}

export const givenSettings = {
  nGrams: nGramSizes.nullable().optional(),
  tags: learntTags.min(1).nullable().optional(),
  emphasizedTags: learntTags.optional(),
}

/** As an exported model says them. */
export const exportedSettings = {
  prepared: z.object({ tags: z.array(z.string()), nGrams: nGramSizes, compression: compressionInput }),
  recommended: z.object(givenSettings).required(),
}

export const serviceRecommendOptions = z
  .strictObject({
    ...shownTags,
    emphasize: z.boolean().default(false),
    below: learntTags.min(1).optional(),
  })
  .check(refuseTooMany)

/** The complete settings by which a model was made. */
export interface Prepared {
  readonly tags: readonly string[]
  readonly nGrams: readonly number[]
  readonly compression: 0 | 1 | 2 | Compression
}

/** The complete settings by which it answers. */
export interface Activation {
  readonly nGrams: readonly number[] | null
  readonly tags: readonly string[] | null
  readonly emphasizedTags: readonly string[]
}

/** Settings that preparation recommends. */
export const recommended: Activation = { nGrams: null, tags: null, emphasizedTags: [] }
