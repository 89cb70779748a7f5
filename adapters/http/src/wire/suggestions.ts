import type { Suggestion, SuggestOptions } from 'findling'
import { suggestOptions } from 'findling/schemas'
import * as z from 'zod'
import { fromWire, toWire } from './casing.ts'
import { counted, derived } from './derived.ts'

export const SuggestionRequest = z
  .strictObject({
    Text: z.string(),
    ...derived(counted(suggestOptions), {
      Count: '',
      Confidence: 'How many times as likely as the text itself a suggestion must be',
      MaximumErrors:
        'Maximum number of changed words: below 1 a share of all words, at least one; from 1 on an absolute number',
    }),
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
      .describe('Likeliest first; empty if the text is likely as it is'),
  })
  .meta({ id: 'SuggestionResult' })

export const suggestionOptions = ({
  Text: _,
  Count: limit,
  ...options
}: z.output<typeof SuggestionRequest>): SuggestOptions => ({ ...fromWire(options), limit })

export const suggestionResult = (suggestions: readonly Suggestion[]): z.output<typeof SuggestionResult> => ({
  Suggestions: suggestions.map(one => toWire(one)),
})
