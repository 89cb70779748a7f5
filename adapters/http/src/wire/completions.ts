import type { Completion, CompletionOptions, TagView } from 'findling'
import * as z from 'zod'
import { camel, pascal, toWire } from './casing.ts'
import { Tag, tagModel } from './tags.ts'

const kind = z.enum(['Title', 'Tag'])

export const CompletionRequest = z
  .strictObject({
    Text: z.string(),
    Limit: z.int().min(1).max(100).default(10),
    Kinds: z.array(kind).min(1).default(['Title', 'Tag']).describe('What completions may be'),
    TypoTolerance: z
      .int()
      .min(0)
      .max(1)
      .default(1)
      .describe('1: where nothing begins as typed, a word may begin one edit away from it'),
  })
  .meta({ id: 'CompletionRequest' })

export const CompletionResult = z
  .object({
    Completions: z
      .array(
        z.object({
          Text: z
            .string()
            .describe('A title, or the name of a tag; of a longer title its first 200 characters'),
          Kind: kind,
          Id: z.string().optional().describe('Of a tag'),
          Count: z.int().optional().describe('How many documents have this title'),
          Ranges: z
            .array(z.object({ Start: z.int(), End: z.int() }))
            .describe('What of it was typed, in UTF-16 units'),
          Corrected: z.boolean().describe('Some typed word is taken for another'),
        }),
      )
      .describe('Best first; tags take half of the places at most where there are titles for the others'),
    Tags: z
      .array(Tag)
      .describe(
        'Tags of which a word begins as typed, whole, best first; none where tags are not among the kinds',
      ),
  })
  .meta({ id: 'CompletionResult' })

export function completionOptions(request: z.output<typeof CompletionRequest>): CompletionOptions {
  const { Limit, Kinds, TypoTolerance } = request
  return {
    limit: Limit,
    kinds: Kinds.map(camel),
    typoTolerance: TypoTolerance as NonNullable<CompletionOptions['typoTolerance']>, // 0 or 1 by its schema
  }
}

export function completionResult(
  completions: readonly Completion[],
  tags: readonly TagView[],
): z.output<typeof CompletionResult> {
  return {
    Completions: completions.map(one => toWire({ ...one, kind: pascal(one.kind) })),
    Tags: tags.map(tag => tagModel(tag)),
  }
}
