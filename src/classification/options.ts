import * as z from 'zod'
import { boundedText } from '../analysis/bounded-text.ts'
import type { JobOptions } from '../jobs/job.ts'
import { parallel } from '../jobs/parallel.ts'
import { deadlineMembers, watching } from '../jobs/watching.ts'
import type { DeadlineOptions } from '../scheduling/deadline.ts'
import { type Compression, compressionLevels } from './model/compression.ts'
import { LONGEST_N_GRAM } from './model/feature-scanner.ts'
import { MOST_TAGS } from './tasks.ts'

/** Options to watch, cancel and parallelize training. */
export interface LearningJobOptions extends JobOptions {
  /** Maximum number of worker threads. Default: all processors but one. The result does not depend on it. */
  parallel?: number
}

/** Options of `dataset.classifier()`, all of them optional. */
export interface ClassifierOptions extends LearningJobOptions {
  /**
   * Ids of the tags to learn, at most 65,535. A document belongs to a tag if it names that very id. Default: all tags that
   * documents name, except those with tags below them.
   */
  tags?: readonly string[]
  /** Sizes of the word n-grams to learn, each from 1 to 6. Default [1, 2]. */
  nGrams?: readonly number[]
  /**
   * Which features are too rare to be learnt: 0 (default) none, 1 those that occur once, 2 those that occur at most twice in each
   * tag; or limits per tag and per dataset, of which both must hold (`AND`) or either (`OR`). A limit of 0 leaves nothing out.
   */
  compression?: 0 | 1 | 2 | Compression
  /**
   * The searched fields to learn from. Default: all of them. Leave out a field that only names the tag, such as the path of a
   * category: with it, the others are hardly learnt, and mistakes are not found.
   */
  fields?: readonly string[]
}

/** Options of `classifier.recommend()`, all of them optional. */
export interface RecommendOptions extends DeadlineOptions {
  /** Maximum number of tags; 0 for all. Default 3. */
  limit?: number
  /** Only descendants of these tags. TAG_NOT_FOUND */
  below?: readonly string[]
  /** Only these tags. TAG_NOT_FOUND for one that was not learnt. */
  tags?: readonly string[]
  /** Whether the scores of the remaining tags are normalized to a sum of 1. Default false. */
  renormalise?: boolean
  /** Whether each tag comes with the evidence for and against it, for at most 100 tags. Default false. */
  explain?: boolean
}

const count = z.int().nonnegative()

export const learningOptions = z.strictObject({ parallel, ...watching })

export const learntTags = z.array(z.string()).max(MOST_TAGS)

export const usualNGrams = [1, 2]

/** Repetitions included. */
const mostSizes = 100

export const nGramSizes = z
  .array(z.int().min(1).max(LONGEST_N_GRAM))
  .min(1)
  .max(mostSizes)
  .transform(sizes => [...new Set(sizes)].sort())

export const compressionInput = z.union(
  [z.literal([0, 1, 2]), z.strictObject({ inTag: count, inDataset: count, operator: z.enum(['AND', 'OR']) })],
  { error: 'a level from 0 to 2, or an object with inTag, inDataset and operator' },
)

/** The limits that a level stands for. */
export const compressionOf = (given: z.output<typeof compressionInput>): Compression =>
  typeof given === 'number' ? compressionLevels[given]! : given

export const classifierOptions = z.strictObject({
  tags: learntTags.optional(),
  nGrams: nGramSizes.default(usualNGrams),
  compression: compressionInput.default(0).transform(compressionOf),
  fields: z.array(z.string()).min(1).max(64).optional(),
  parallel,
  ...watching,
})

/** Explanations read the text again, and list all of its parts. */
const mostExplained = 100

/** How many tags are returned, and whether they are explained. */
export const shownTags = { limit: count.default(3), explain: z.boolean().default(false) }

export function refuseTooMany({
  value,
  issues,
}: z.core.ParsePayload<{ limit: number; explain: boolean }>): void {
  if (!value.explain || (value.limit > 0 && value.limit <= mostExplained)) return
  const message = `1 to ${mostExplained} with explain`
  issues.push({ code: 'custom', path: ['limit'], input: value.limit, message })
}

export const recommendOptions = z
  .strictObject({
    ...shownTags,
    below: learntTags.min(1).optional(),
    tags: learntTags.min(1).optional(),
    renormalise: z.boolean().default(false),
    ...deadlineMembers,
  })
  .check(refuseTooMany)

export const doubtOptions = z.strictObject({
  limit: z.int().min(1).max(10_000).default(50),
  parallel,
  ...watching,
})

/** Longer texts would block the event loop. */
const LONGEST = 100_000

export const classifiedText = boundedText(LONGEST)
export const classifiedTexts = z.array(classifiedText)
