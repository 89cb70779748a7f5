import * as z from 'zod'

/** Maximum number of explained tags, the same as in the engine. */
const mostExplained = 100

export const explain = z
  .boolean()
  .default(false)
  .describe('Shows the evidence for and against each tag; Count must then be 1 to 100')

/** Limited because explaining reads the text again and lists all of its parts. */
export function refuseTooMany({
  value: { Count, Explain },
  issues,
}: z.core.ParsePayload<{ Count: number; Explain: boolean }>): void {
  if (!Explain || (Count > 0 && Count <= mostExplained)) return
  issues.push({
    code: 'custom',
    path: ['Count'],
    input: Count,
    message: `1 to ${mostExplained} with Explain`,
  })
}

export const TagExplanation = z
  .object({
    Margin: z
      .number()
      .describe(
        'The bias and all weights together: about 1 for texts like those of the tag, below 0 for others',
      ),
    Bias: z.number(),
    Evidence: z
      .array(
        z.object({
          Text: z.string().describe('The words as they were read'),
          Words: z.int().describe('Number of words; 0: a part of a word'),
          Weight: z.number(),
        }),
      )
      .describe('The strongest first'),
  })
  .meta({ id: 'TagExplanation' })
