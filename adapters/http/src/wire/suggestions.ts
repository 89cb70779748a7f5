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
      Confidence: 'How many times likelier than the text itself a suggestion must be',
      MaximumErrors:
        'How many words may be changed: below 1 their share, at least one; from 1 on their number',
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
      .describe('The likeliest first; none if the text is likely as it is'),
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
