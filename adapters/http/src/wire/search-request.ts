import type { SearchOptions, VectorOptions } from 'findling'
import { searchOptions as engine, highlightOption, vectorOptions } from 'findling/schemas'
import * as z from 'zod'
import { askedMembers } from '../analytics/asking.ts'
import { camel, fromWire } from './casing.ts'
import { derived } from './derived.ts'
import { facetOptions, facetRequests } from './facets.ts'
import { Filter } from './filter.ts'
import type { Origins } from './origins.ts'
import { dataSetName, namedByUser } from './rules.ts'
import { documentId, groupPath, hiddenList, pinnedList, typoMembers } from './settings.ts'

/** Hits with highlights or explanations: each hit's texts are read again, and nothing else is served meanwhile. */
const mostExamined = 1000

/** Maximum number of fields to order by. */
const mostKeys = 16

const edits = z.int().min(0).max(2)

export const typoTolerance = z
  .union([edits, z.strictObject({ Edits: edits.default(2), ...typoMembers })])
  .describe(
    'Maximum edit distance for a word that few or no documents contain; or settings that replace those of the dataset',
  )

export const highlight = z
  .union([
    z.boolean(),
    z.strictObject(
      derived(highlightOption.options[1], {
        Fields: 'The interpreted fields to highlight. Default: those that were searched',
        Snippet: 'Texts longer than this many UTF-16 units are cut to their best passage. Default 200',
        Marks:
          'Also returns each text as escaped HTML, with these marks before and after each match. True: <mark> and </mark>',
      }),
    ),
  ])
  .describe('Shows where in each document the words were found')

export const vector = z
  .strictObject({
    Value: z
      .array(z.number())
      .min(1)
      .max(4096)
      .optional()
      .describe('As many numbers as the field has dimensions, not all 0; their length does not matter'),
    Like: documentId
      .optional()
      .describe(
        'In place of Value: the id of a document whose vector is used. The document itself is not found',
      ),
    ...derived(vectorOptions, {
      Field: 'The field with vectors to compare. Default: the only one',
      Nearest: 'Maximum number of documents that the vector finds',
      Least: 'Minimum similarity (cosine) of the documents that the vector finds',
      Ratio:
        'With a Text: the share of the vector in the score; the text has the rest. A document without a vector is scored by its text alone',
    }),
  })
  .describe(
    'Also finds the documents whose vectors are nearest to this one, or to that of a document; with an empty Text only these, nearest first. Not with Explain or Cursor',
  )
  .meta({ id: 'SearchVector' })

/** Accepts TagsBelow in the filter too, beside the tags it applies to, where users look for it first. */
const SearchFilter = z
  .strictObject({
    ...Filter.shape,
    TagsBelow: z.boolean().optional().describe('Takes precedence over the TagsBelow beside Filter'),
  })
  .meta({ id: 'SearchFilter' })

const members = {
  Text: z
    .string()
    .describe(
      'Words in double quotes are a phrase; ~2 after it allows up to two other words between them. Empty: everything that matches Filter',
    ),
  Filter: z
    .union([z.string(), SearchFilter])
    .nullable()
    .optional()
    .describe(
      'Which documents may be found, without effect on scores. A text is the same as an object with that Query; empty: all',
    ),
  TagsBelow: z
    .boolean()
    .default(false)
    .describe(
      'True: documents with a tag below one in the TagIdList of Filter may be found, too. Filter has a TagsBelow of its own',
    ),
  ...derived(engine, {
    Limit: `At most ${mostExamined} with Highlight or Explain`,
    Offset: '',
  }),
  Sort: z
    .union([z.string(), z.array(z.string()).min(1).max(mostKeys)])
    .optional()
    .describe(
      'Fields to sort by instead of the score, such as price:asc or released:desc; documents without the field come last. ' +
        'location(52.5, 13.4) is the distance from this latitude and longitude. A text lists several separated by commas',
    ),
  ...derived(engine, {
    Cursor:
      'True: the answer has a cursor if there are more hits. A cursor: the next page, whatever else the request says. Cursors lead through ' +
      'the first 20,000 hits as of the first page. Not with Explain or Vector',
  }),
  Facets: facetRequests.optional(),
  ...derived(engine, { Operator: '' }),
  TypoTolerance: typoTolerance.default(2),
  ...derived(engine, {
    Exclusion: 'False: a hyphen before a word or a phrase does not exclude the documents with it',
    Prefix:
      'True: the last word is also matched as a prefix, unless a space or a closing quote follows it: for results while ' +
      'somebody types',
  }),
  Fields: z
    .union([z.array(z.string()).min(1), namedByUser(z.number().min(0).max(100))])
    .optional()
    .describe(
      'A list of the interpreted fields to search, or weights by field name: 0 leaves a field out, and ' +
        'fields not named keep their weights',
    ),
  ...derived(engine, {
    Signals: 'False: the signals of the dataset are ignored',
    Categories: 'False: what the text is about is neither returned nor used for the ranking',
  }),
  // Clients may send ordinal numbers of enumeration values, which the engine has in another order.
  Total: z.enum(['Estimate', 'Exact']).default('Estimate').describe('Exact: counts all matches'),
  ResponseFieldList: z
    .array(z.string().min(1).max(1000))
    .min(1)
    .max(1000)
    .optional()
    .describe('The fields returned for each document; * for all, -field leaves one out. Default: all'),
  ...derived(engine, {
    Documents: 'False: returns only ids and scores',
  }),
  Vector: vector.optional(),
  Highlight: highlight.default(false),
  ...derived(engine, {
    Explain: 'Shows why each hit has its score',
    Synonyms: 'False: the synonyms of the dataset are ignored. A list replaces them',
    StopWords: 'False: the stop words of the dataset count as words. A list replaces them',
    Curations: 'False: the curations of the dataset are ignored',
  }),
  Pinned: pinnedList
    .optional()
    .describe(
      'Documents at fixed positions, from 1, whether they match or not; they take precedence over those of curations',
    ),
  Hidden: hiddenList.optional().describe('Ids of documents to exclude, in addition to those of curations'),
  GroupBy: groupPath
    .optional()
    .describe(
      'Of documents with the same value in this field, only the best are found. Empty: no grouping. Default: the setting of the dataset',
    ),
  ...derived(engine, {
    GroupLimit: 'Maximum number of documents found for each value of GroupBy',
    Relax:
      'Whether words are dropped when no document has all of them (Operator And): first those without any ' +
      'match, then the most frequent. Default: the setting of the dataset',
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
  TagIdList: z
    .string()
    .optional()
    .describe('Ids of tags, separated by commas: only documents with one of them'),
  TagsBelow: z
    .boolean()
    .default(false)
    .describe('Whether documents with tags below those in TagIdList are found, too'),
  ...derived(engine, { Limit: `At most ${mostExamined} with Highlight`, Offset: '' }),
  Sort: z
    .string()
    .optional()
    .describe('Such as price:asc or location(52.5, 13.4); several are separated by commas'),
  Facets: z.string().optional().describe('Fields whose values are counted, separated by commas'),
  ResponseFieldList: z
    .string()
    .optional()
    .describe('The fields returned for each document, separated by commas. Default: all'),
  ...derived(engine, { Operator: '', Prefix: 'True: the last word is also matched as a prefix' }),
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
          .strictObject({ DataSet: dataSetName.describe('The dataset to search'), ...members })
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

/** The same, but commas in brackets separate the numbers of a point. */
function listedKeys(text: string): string[] {
  const keys: string[] = []
  let isOpen = false
  for (const part of text.split(',')) {
    if (isOpen) keys.push(`${keys.pop()},${part}`)
    else keys.push(part)
    isOpen = isOpen ? !part.includes(')') : part.lastIndexOf('(') > part.lastIndexOf(')')
  }
  return keys.map(key => key.trim())
}

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
    Vector,
    ...others
  } = request
  const { ResponseFieldList, Sort, User: __, Tags: ___, Analytics: ____, ...same } = others
  const filter: z.output<typeof SearchFilter> | null | undefined =
    typeof given === 'string' ? { Query: given } : given
  const sort = typeof Sort === 'string' ? listedKeys(Sort) : Sort
  return {
    ...fromWire(same),
    operator: camel(Operator),
    total: camel(Total),
    // The schema limits edits to 0 to 2.
    typoTolerance: fromWire(TypoTolerance) as NonNullable<SearchOptions['typoTolerance']>,
    // The engine checks that it is one of its two forms.
    ...(Vector && { vector: fromWire(Vector) as unknown as VectorOptions }),
    ...(sort && { sort }),
    ...(ResponseFieldList && { responseFields: ResponseFieldList }),
    ...(GroupBy !== undefined && { groupBy: GroupBy === '' ? null : GroupBy }),
    ...(Facets && { facets: facetOptions(Facets) }),
    ...(filter?.Query && { filter: filter.Query }),
    ...(filter?.TagIdList && filter.TagIdList.length > 0 && { tags: filter.TagIdList }),
    tagsBelow: filter?.TagsBelow ?? TagsBelow,
  }
}
