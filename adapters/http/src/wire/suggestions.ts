import type { Suggestion, SuggestOptions } from 'findling'
import * as z from 'zod'
import { fromWire, toWire } from './casing.ts'

const most = 10_000

export const SuggestionRequest = z
  .strictObject({
    Text: z.string(),
    Count: z.int().min(0).max(100).default(3),
    Confidence: z
      .number()
      .min(0)
      .max(most)
      .default(2)
      .describe('How many times likelier than the text itself a suggestion must be'),
    MaximumErrors: z
      .number()
      .min(0)
      .max(most)
      .default(4)
      .describe('How many words may be changed: below 1 their share, at least one; from 1 on their number'),
  })
  .meta({ id: 'SuggestionRequest' })

export const SuggestionResult = z
  .object({
    Suggestions: z
      .array(
        z.object({
          Text: z.string().describe('Words that occur together in some document, in lower case'),
          Score: z.number().describe('How likely it is that this was meant, from 0 to 1'),
        }),
      )
      .describe('The likeliest first; none if the text is likely as it is'),
  })
  .meta({ id: 'SuggestionResult' })

export const suggestionOptions = ({
  Text: _,
  ...options
}: z.output<typeof SuggestionRequest>): SuggestOptions => fromWire(options)

export const suggestionResult = (suggestions: readonly Suggestion[]): z.output<typeof SuggestionResult> => ({
  Suggestions: suggestions.map(one => toWire(one)),
})
