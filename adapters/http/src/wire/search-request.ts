import type { SearchOptions } from 'findling'
import { searchOptions as engine, highlightOption } from 'findling/schemas'
import * as z from 'zod'
import { askedMembers } from '../analytics/asking.ts'
import { camel, fromWire } from './casing.ts'
import { derived } from './derived.ts'
import { facetOptions, facetRequests } from './facets.ts'
import { Filter } from './filter.ts'
import type { Origins } from './origins.ts'
import { dataSetName, namedByUser } from './rules.ts'
import { groupPath, hiddenList, pinnedList, typoMembers } from './settings.ts'

/** Hits with highlights or explanations: each hit's texts are read again, and nothing else is served meanwhile. */
const mostExamined = 1000

/** Maximum number of fields to order by. */
const mostKeys = 16

const edits = z.int().min(0).max(2)

export const typoTolerance = z
  .union([edits, z.strictObject({ Edits: edits.default(2), ...typoMembers })])
  .describe(
    'How many edits a word that no document has may be off; or settings in place of those of the dataset',
  )

export const highlight = z
  .union([
    z.boolean(),
    z.strictObject(
      derived(highlightOption.options[1], {
        Fields: 'Interpreted (searched) fields. Default: all',
        Snippet: 'Texts longer than this many UTF-16 units are cut to their best passage. Default 200',
        Marks:
          'Gives each text as escaped HTML too, with these before and behind what was found. True: <mark> and </mark>',
      }),
    ),
  ])
  .describe('Shows where in each document the words were found')

/** Accepts TagsBelow in the filter too, beside the tags it applies to, where users look for it first. */
const SearchFilter = Filter.extend({
  TagsBelow: z.boolean().optional().describe('In place of the TagsBelow beside Filter'),
}).meta({ id: 'SearchFilter' })

const members = {
  Text: z
    .string()
    .describe(
      'Words in double quotes are a phrase; ~2 after it allows two other words between them. Empty: everything that Filter lets through',
    ),
  Filter: z
    .union([z.string(), SearchFilter])
    .nullable()
    .optional()
    .describe(
      'Which documents may be found; scores stay as they are. Text stands for its Query; an empty one means all',
    ),
  TagsBelow: z
    .boolean()
    .default(false)
    .describe(
      'True: documents with a tag below one of the TagIdList of Filter may be found too. Filter may say so itself',
    ),
  ...derived(engine, {
    Limit: `At most ${mostExamined} with Highlight or Explain`,
    Offset: '',
  }),
  Sort: z
    .union([z.string(), z.array(z.string()).min(1).max(mostKeys)])
    .optional()
    .describe(
      'Fields to order by in place of the score, as price:asc or released:desc; documents without one last. Text has them ' +
        'with commas between',
    ),
  ...derived(engine, {
    Cursor:
      'True: the answer has a cursor if there is more. A cursor: the next page, whatever else is asked. It leads through ' +
      'the first 20,000 hits as they were at the first moment. Not with Explain',
  }),
  Facets: facetRequests.optional(),
  ...derived(engine, { Operator: '' }),
  TypoTolerance: typoTolerance.default(2),
  ...derived(engine, {
    Exclusion: 'False: a hyphen before a word or a phrase does not leave out documents that have it',
    Prefix:
      'The last word may be the beginning of one, unless a space or a closing quote follows: for results while ' +
      'somebody types',
  }),
  Fields: z
    .union([z.array(z.string()).min(1), namedByUser(z.number().min(0).max(100))])
    .optional()
    .describe(
      'Interpreted fields that alone are searched, or weights by the name of the field, where 0 leaves it out and ' +
        'fields without one keep theirs',
    ),
  ...derived(engine, {
    Signals: 'False: the signals of the dataset are ignored',
    Categories: 'False: what the text is about is neither told nor counted in the ranking',
  }),
  // Clients may send ordinal numbers of enumeration values, which the engine has in another order.
  Total: z.enum(['Estimate', 'Exact']).default('Estimate').describe('Exact: all matches are counted'),
  ResponseFieldList: z
    .array(z.string().min(1).max(1000))
    .min(1)
    .max(1000)
    .optional()
    .describe('The fields that documents are shown with; * for all, -field leaves one out. Default: all'),
  ...derived(engine, {
    Documents: 'False: ids and scores only',
  }),
  Highlight: highlight.default(false),
  ...derived(engine, {
    Explain: 'Shows why each hit has its score',
    Synonyms: 'False: the synonyms of the dataset are ignored. A list takes their place',
    StopWords: 'False: the stop words of the dataset count as words. A list takes their place',
    Curations: 'False: the curations of the dataset are ignored',
  }),
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
  ...derived(engine, {
    GroupLimit: 'How many documents of each value are found',
    Relax:
      'Whether words are dropped when no document has all of them (Operator And): first those that stand for ' +
      'nothing, then the most frequent. Default: the setting',
  }),
  ...askedMembers,
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

/** The options of a search that fit into an address. */
export const SearchQuery = z.strictObject({
  Q: z.string().default('').describe('The Text of a search'),
  Filter: z.string().optional().describe('A query string'),
  TagIdList: z.string().optional().describe('Ids of tags, with commas between: documents have one of them'),
  TagsBelow: z.boolean().default(false).describe('Whether tags below those of TagIdList count too'),
  ...derived(engine, { Limit: `At most ${mostExamined} with Highlight`, Offset: '' }),
  Sort: z.string().optional().describe('As price:asc, several with commas between'),
  Facets: z.string().optional().describe('Fields whose values are counted, with commas between'),
  ResponseFieldList: z
    .string()
    .optional()
    .describe('The fields that documents are shown with, with commas between. Default: all'),
  ...derived(engine, { Operator: '', Prefix: 'The last word may be the beginning of one' }),
  Relax: z.boolean().optional().describe('Whether words are dropped when no document has all of them'),
  Highlight: z.boolean().default(false).describe('Shows where in each document the words were found'),
})

export const searchQueryOrigins: Origins = {
  query: 'Q',
  filter: 'Filter',
  tags: 'TagIdList',
  sort: 'Sort',
  facets: 'Facets',
  responseFields: 'ResponseFieldList',
}

/** Converts the query of an address to the body of the same search, still to be validated. */
export function searchBody({
  Q,
  Filter,
  TagIdList,
  Facets,
  ResponseFieldList,
  ...same
}: z.output<typeof SearchQuery>): object {
  return {
    ...same,
    Text: Q,
    Filter: { Query: Filter, ...(TagIdList !== undefined && { TagIdList: listed(TagIdList) }) },
    ...(Facets !== undefined && { Facets: listed(Facets) }),
    ...(ResponseFieldList !== undefined && { ResponseFieldList: listed(ResponseFieldList) }),
  }
}

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
  sort: 'Sort',
  filter: 'Filter.Query',
  tags: 'Filter.TagIdList',
  responseFields: 'ResponseFieldList',
}

/** The entries of a comma-separated text. */
export const listed = (text: string): string[] => text.split(',').map(one => one.trim())

export function searchOptions(request: z.output<typeof SearchRequest>): SearchOptions {
  const {
    Text: _,
    Operator,
    Total,
    TypoTolerance,
    GroupBy,
    Facets,
    Filter: given,
    TagsBelow,
    ...others
  } = request
  const { ResponseFieldList, Sort, User: __, Tags: ___, Analytics: ____, ...same } = others
  const filter: z.output<typeof SearchFilter> | null | undefined =
    typeof given === 'string' ? { Query: given } : given
  const sort = typeof Sort === 'string' ? listed(Sort) : Sort
  return {
    ...fromWire(same),
    operator: camel(Operator),
    total: camel(Total),
    // The schema limits edits to 0 to 2.
    typoTolerance: fromWire(TypoTolerance) as NonNullable<SearchOptions['typoTolerance']>,
    ...(sort && { sort }),
    ...(ResponseFieldList && { responseFields: ResponseFieldList }),
    ...(GroupBy !== undefined && { groupBy: GroupBy === '' ? null : GroupBy }),
    ...(Facets && { facets: facetOptions(Facets) }),
    ...(filter?.Query && { filter: filter.Query }),
    ...(filter?.TagIdList && filter.TagIdList.length > 0 && { tags: filter.TagIdList }),
    tagsBelow: filter?.TagsBelow ?? TagsBelow,
  }
}
