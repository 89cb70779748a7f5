import type { Completion, CompletionOptions, TagView } from 'findling'
import { completionOptions as engine } from 'findling/schemas'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { askedMembers } from '../analytics/asking.ts'
import { camel, pascal, toWire } from './casing.ts'
import { derived } from './derived.ts'
import { Tag, tagModel } from './tags.ts'

const kind = z.enum(['Title', 'Tag', 'Query'])

export const CompletionRequest = z
  .strictObject({
    Text: z.string(),
    ...derived(engine, { Limit: '', Kinds: 'Kinds of completions to return' }),
    TypoTolerance: z
      .int()
      .min(0)
      .max(1)
      .default(1)
      .describe('1: if nothing begins with what was typed, a word may be one edit away'),
    ...askedMembers,
  })
  .meta({ id: 'CompletionRequest' })

export const CompletionResult = z
  .object({
    Completions: z
      .array(
        z.object({
          Text: z
            .string()
            .describe(
              'A title (its first 200 characters at most), the name of a tag, or a text that was searched for',
            ),
          Kind: kind,
          Id: z.string().optional().describe('Id of the tag, if the completion is one'),
          Count: z.int().optional().describe('How many documents have this title'),
          Ranges: z
            .array(z.object({ Start: z.int(), End: z.int() }))
            .describe('The parts that match what was typed, in UTF-16 units'),
          Corrected: z.boolean().describe('True if a typed word was corrected'),
        }),
      )
      .describe('Best first; at most half of them are tags if there are enough titles'),
    Tags: z
      .array(Tag)
      .describe(
        'Tags with a word that begins with what was typed, in full, best first; empty if Kinds has no tags',
      ),
    ...identifiedMembers,
  })
  .meta({ id: 'CompletionResult' })

export function completionOptions(request: z.output<typeof CompletionRequest>): CompletionOptions {
  const { Limit, Kinds, TypoTolerance } = request
  return {
    limit: Limit,
    kinds: Kinds.map(camel),
    typoTolerance: TypoTolerance as NonNullable<CompletionOptions['typoTolerance']>, // the schema limits it to 0 or 1
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
