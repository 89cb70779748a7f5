import type { SearchOptions } from 'findling'
import * as z from 'zod'
import { camel, fromWire } from './casing.ts'
import { facetOptions, facetRequests } from './facets.ts'
import { Filter } from './filter.ts'
import type { Origins } from './origins.ts'
import { dataSetName, namedByUser } from './rules.ts'
import { groupPath, hiddenList, pinnedList, stopWordsList, synonymsList, typoMembers } from './settings.ts'

/** Marking and explaining reads each hit's texts again, with nothing else served meanwhile. */
const mostExamined = 1000

const edits = z.int().min(0).max(2)

export const typoTolerance = z
  .union([edits, z.strictObject({ Edits: edits.default(2), ...typoMembers })])
  .describe(
    'How many edits a word that no document has may be off; or settings in place of those of the dataset',
  )

export const highlight = z
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
  .describe('Shows where in each document the words were found')

const members = {
  Text: z
    .string()
    .describe('Words in double quotes are a phrase; ~2 after it allows two other words between them'),
  Filter: Filter.nullable()
    .optional()
    .describe('Which documents may be found; scores stay as they are. An empty Query means all'),
  TagsBelow: z
    .boolean()
    .default(false)
    .describe('True: documents with a tag below one of the TagIdList of Filter may be found too'),
  Limit: z.int().min(0).max(10_000).default(10).describe(`At most ${mostExamined} with Highlight or Explain`),
  Offset: z.int().min(0).max(1_000_000).default(0),
  Sort: z
    .array(z.string())
    .min(1)
    .max(16)
    .optional()
    .describe(
      'Fields to order by in place of the score, as price:asc or released:desc; documents without one last',
    ),
  Cursor: z
    .union([z.boolean(), z.string()])
    .default(false)
    .describe(
      'True: the answer has a cursor if there is more. A cursor: the next page, whatever else is asked. It leads through ' +
        'the first 20,000 hits as they were at the first moment. Not with Explain',
    ),
  Facets: facetRequests.optional(),
  Operator: z.enum(['Or', 'And']).default('Or'),
  TypoTolerance: typoTolerance.default(2),
  Exclusion: z
    .boolean()
    .default(true)
    .describe('False: a hyphen before a word or a phrase does not leave out documents that have it'),
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
  Highlight: highlight.default(false),
  Explain: z.boolean().default(false).describe('Shows why each hit has its score'),
  Synonyms: z
    .union([z.boolean(), synonymsList])
    .default(true)
    .describe('False: the synonyms of the dataset are ignored. A list takes their place'),
  StopWords: z
    .union([z.boolean(), stopWordsList])
    .default(true)
    .describe('False: the stop words of the dataset count as words. A list takes their place'),
  Curations: z.boolean().default(true).describe('False: the curations of the dataset are ignored'),
  Pinned: pinnedList
    .optional()
    .describe(
      'Documents at fixed places, from 1, whether they match or not; they come before those of curations',
    ),
  Hidden: hiddenList.optional().describe('Ids of documents that are not found, beside those of curations'),
  GroupBy: groupPath
    .optional()
    .describe(
      'Of documents with the same value in this field only the best are found. Empty: all are. Default: the setting',
    ),
  GroupLimit: z.int().min(1).max(100).default(1).describe('How many documents of each value are found'),
  Relax: z
    .boolean()
    .optional()
    .describe(
      'Whether words are dropped when no document has all of them (Operator And): first those that stand for ' +
        'nothing, then the most frequent. Default: the setting',
    ),
}

type Examined = z.core.ParsePayload<{ Limit: number; Highlight: unknown; Explain: boolean }>

function refuseTooMany({ value: { Limit, Highlight, Explain }, issues }: Examined): void {
  if (Limit <= mostExamined || !(Highlight || Explain)) return
  const message = `at most ${mostExamined} with Highlight or Explain`
  issues.push({ code: 'custom', path: ['Limit'], input: Limit, message })
}

/** A search without a service. */
export const SearchRequest = z
  .strictObject(members)
  .check(refuseTooMany)
  .meta({ id: 'SearchRequest', examples: [{ Text: '"garden hose" bras', Prefix: true, Highlight: true }] })

/** Several searches at once. */
export const MultiSearchRequest = z
  .strictObject({
    Searches: z
      .array(
        z
          .strictObject({ DataSet: dataSetName.describe('The dataset that is searched'), ...members })
          .check(refuseTooMany),
      )
      .max(100),
  })
  .meta({ id: 'MultiSearchRequest' })

export const searchOrigins: Origins = {
  dataset: 'DataSet',
  query: 'Text',
  filter: 'Filter.Query',
  tags: 'Filter.TagIdList',
}

export function searchOptions(request: z.output<typeof SearchRequest>): SearchOptions {
  const { Text: _, Operator, Total, TypoTolerance, GroupBy, Facets, Filter: filter, ...same } = request
  return {
    ...fromWire(same),
    operator: camel(Operator),
    total: camel(Total),
    // Edits are 0 to 2 by their schema.
    typoTolerance: fromWire(TypoTolerance) as NonNullable<SearchOptions['typoTolerance']>,
    ...(GroupBy !== undefined && { groupBy: GroupBy === '' ? null : GroupBy }),
    ...(Facets && { facets: facetOptions(Facets) }),
    ...(filter?.Query && { filter: filter.Query }),
    ...(filter?.TagIdList && filter.TagIdList.length > 0 && { tags: filter.TagIdList }),
  }
}
