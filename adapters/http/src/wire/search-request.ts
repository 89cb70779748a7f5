import type { SearchOptions } from 'findling'
import * as z from 'zod'
import { camel, fromWire } from './casing.ts'
import { namedByUser } from './rules.ts'

/** Marking and explaining reads each hit's texts again, with nothing else served meanwhile. */
const mostExamined = 1000

/** A search without a service. */
export const SearchRequest = z
  .strictObject({
    Text: z
      .string()
      .describe('Words in double quotes are a phrase; ~2 after it allows two other words between them'),
    Limit: z
      .int()
      .min(0)
      .max(10_000)
      .default(10)
      .describe(`At most ${mostExamined} with Highlight or Explain`),
    Offset: z.int().min(0).max(1_000_000).default(0),
    Operator: z.enum(['Or', 'And']).default('Or'),
    TypoTolerance: z
      .int()
      .min(0)
      .max(2)
      .default(2)
      .describe('How many edits a word that no document has may be off'),
    Prefix: z
      .boolean()
      .default(false)
      .describe(
        'The last word may be the beginning of one, unless a blank or a closing quote follows: for results while ' +
          'somebody types',
      ),
    Fields: z
      .union([z.array(z.string()).min(1), namedByUser(z.number().min(0).max(100))])
      .optional()
      .describe(
        'Interpreted fields that alone are searched, or weights by the name of the field, where 0 leaves it out and ' +
          'fields without one keep theirs',
      ),
    Signals: z.boolean().default(true).describe('False: the signals of the dataset are ignored'),
    Total: z.enum(['Estimate', 'Exact']).default('Estimate').describe('Exact: all matches are counted'),
    Documents: z.boolean().default(true).describe('False: ids and scores only'),
    Highlight: z
      .union([
        z.boolean(),
        z.strictObject({
          Fields: z.array(z.string()).optional().describe('Interpreted (searched) fields. Default: all'),
          Snippet: z
            .int()
            .min(20)
            .max(100_000)
            .optional()
            .describe('Texts longer than this many UTF-16 units are cut to their best passage. Default 200'),
          Marks: z
            .union([z.boolean(), z.tuple([z.string().max(200), z.string().max(200)])])
            .optional()
            .describe(
              'Gives each text as escaped HTML too, with these before and behind what was found. True: <mark> and </mark>',
            ),
        }),
      ])
      .default(false)
      .describe('Shows where in each document the words were found'),
    Explain: z.boolean().default(false).describe('Shows why each hit has its score'),
  })
  .check(({ value: { Limit, Highlight, Explain }, issues }) => {
    if (Limit <= mostExamined || !(Highlight || Explain)) return
    const message = `at most ${mostExamined} with Highlight or Explain`
    issues.push({ code: 'custom', path: ['Limit'], input: Limit, message })
  })
  .meta({ id: 'SearchRequest', examples: [{ Text: '"garden hose" bras', Prefix: true, Highlight: true }] })

export function searchOptions(request: z.output<typeof SearchRequest>): SearchOptions {
  const { Text: _, Operator, Total, TypoTolerance, Fields, Highlight, ...same } = request
  return {
    ...fromWire(same),
    operator: camel(Operator),
    total: camel(Total),
    typoTolerance: TypoTolerance as NonNullable<SearchOptions['typoTolerance']>, // 0 to 2 by its schema
    ...(Fields && { fields: Array.isArray(Fields) ? Fields : Object.fromEntries(Fields) }),
    highlight: typeof Highlight === 'boolean' ? Highlight : fromWire(Highlight),
  }
}
