import type {
  ClassifierOptions,
  ClassifierQuality,
  DoubtfulTag,
  RecommendOptions,
  TagRecommendation,
} from 'findling'
import { doubtOptions, recommendOptions } from 'findling/schemas'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { askedMembers } from '../analytics/asking.ts'
import { toWire } from './casing.ts'
import { compressionIn, strictCompressionMembers } from './compression.ts'
import { counted, derived } from './derived.ts'
import { given, ids } from './lists.ts'
import { nGramList, requiredText } from './rules.ts'
import { explain, refuseTooMany, TagExplanation } from './tag-explanation.ts'
import { Tag, tagModel } from './tags.ts'

/** Contract, 20. */
export const ClassifierTraining = z
  .strictObject({
    NGramList: nGramList
      .default([1, 2])
      .describe('Lengths of the word sequences (n-grams) to learn: each from 1 to 6'),
    TagIdList: ids
      .nullable()
      .optional()
      .describe('Tags to learn; empty: all that documents have, except those with tags below them'),
    FieldList: ids
      .nullable()
      .optional()
      .describe('Searched fields to learn from; empty: all. Leave out a field that merely repeats the tag'),
    ...strictCompressionMembers,
  })
  .meta({ id: 'ClassifierTraining' })

export const ClassifyRequest = z
  .strictObject({
    Text: requiredText.describe('Up to 100,000 characters'),
    ...derived(counted(recommendOptions), { Count: '0: all' }),
    TagIdList: ids.nullable().optional().describe('Only these tags'),
    ParentTagIdList: ids.nullable().optional().describe('Only tags below one of these'),
    ...derived(recommendOptions, {
      Renormalise: 'true: the scores of the remaining tags add up to 1',
    }),
    Explain: explain,
    ...askedMembers,
  })
  .check(refuseTooMany)
  .meta({ id: 'ClassifyRequest' })

export const ClassifyResult = z
  .object({
    Recommendations: z.array(
      z.object({
        TagId: z.string(),
        Score: z.number().describe('How likely the tag is: above 0, up to 1'),
        Margin: z
          .number()
          .describe(
            'About 1 for texts like those of the tag; low for every tag if the text is about something else',
          ),
        Tag: Tag.nullable(),
        Explanation: TagExplanation.optional().describe('With Explain'),
      }),
    ),
    ...identifiedMembers,
  })
  .meta({ id: 'ClassifyResult' })

export const DoubtfulTagsRequest = z
  .strictObject(derived(doubtOptions, { Limit: 'Maximum number of documents in the file' }))
  .meta({ id: 'DoubtfulTagsRequest' })

export function trainingOptions(body: z.output<typeof ClassifierTraining>): ClassifierOptions {
  const [tags, fields] = [given(body.TagIdList), given(body.FieldList)]
  const options = { nGrams: body.NGramList, compression: compressionIn(body) }
  return { ...options, ...(tags && { tags }), ...(fields && { fields }) }
}

export function classifyOptions(request: z.output<typeof ClassifyRequest>): RecommendOptions {
  const [tags, below] = [given(request.TagIdList), given(request.ParentTagIdList)]
  const { Count: limit, Renormalise: renormalise, Explain: explain } = request
  return { limit, renormalise, explain, ...(tags && { tags }), ...(below && { below }) }
}

export function classifyResult(found: readonly TagRecommendation[]): z.output<typeof ClassifyResult> {
  return {
    Recommendations: found.map(({ tagId, score, margin, tag, explanation }) => ({
      TagId: tagId,
      Score: score,
      Margin: margin,
      Tag: tag && tagModel(tag),
      ...(explanation && { Explanation: toWire(explanation) }),
    })),
  }
}

/** The content of the files that processes write. */
export const qualityFile = (quality: ClassifierQuality) => toWire(quality)
export const doubtsFile = (doubts: readonly DoubtfulTag[]) => toWire(doubts)
