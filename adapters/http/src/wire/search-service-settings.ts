import type { SearchServiceSettings } from 'findling'
import * as z from 'zod'
import { camel, fromWire, pascal, toWire } from './casing.ts'
import { facetOptions, facetRequests, facetsAsked } from './facets.ts'
import { Filter, Order } from './filter.ts'
import type { Origins } from './origins.ts'
import { requiredText } from './rules.ts'
import { highlight, typoTolerance } from './search-request.ts'

const limitNumber = z.number().min(0).max(10_000)
const count = z.int().min(0).max(10_000)
const names = z.array(z.string().min(1).max(1000)).max(1000)

export const weight = z.object({ Query: z.string(), Value: limitNumber })

const AutoCompleteSettings = z
  .object({
    Confidence: limitNumber.optional().describe('How many times as likely as the text a suggestion must be'),
    MaximumErrors: limitNumber
      .optional()
      .describe(
        'Maximum number of corrected words: below 1 a share of all words, from 1 on an absolute number',
      ),
    Count: count.optional().describe('Maximum number of suggestions; 0: none'),
  })
  .meta({ id: 'AutoCompleteSettings' })

const SearchSettings = z
  .object({
    Type: z.enum(['Match', 'Query']).optional().describe('Query: the text is a query string'),
    Operator: z.enum(['OR', 'AND']).optional(),
    Fuzziness: z
      .int()
      .min(-1)
      .max(2)
      .optional()
      .describe(
        'Maximum number of edits for a word that no document has; -1: depends on its length; 0: inflected forms do not match either',
      ),
    CutOffFrequency: limitNumber
      .optional()
      .describe('Stored and returned, but without effect: frequent words count little anyway'),
    Count: count.optional().describe('0: no search, unless there are Facets'),
    SearchFieldList: names
      .nullable()
      .optional()
      .describe(
        'Fields of the dataset; title^2 counts twice as much. Fields that are not interpreted are read from the documents, which takes longer',
      ),
    ResponseFieldList: names.nullable().optional().describe('Fields returned for each document; * for all'),
    Filter: Filter.nullable().optional(),
    UseDefaultFilter: z
      .boolean()
      .optional()
      .describe('In a search: whether the filter of the activation applies as well'),
    Weights: z
      .array(weight)
      .max(100)
      .nullable()
      .optional()
      .describe('Each value is added to the score of the documents that match its query'),
    UseDefaultWeights: z
      .boolean()
      .optional()
      .describe('In a search: whether the weights of the activation apply as well'),
    Order: Order.nullable()
      .optional()
      .describe('Sort by a field instead of by score; documents without it come last'),
    TypoTolerance: typoTolerance
      .optional()
      .describe(
        'As in Documents/Search, and takes precedence over Fuzziness: inflected forms match whatever the number of edits',
      )
      .meta({ 'x-extension': true }),
    Facets: facetRequests
      .nullable()
      .optional()
      .describe('As in Documents/Search; an empty list: none. With Count 0, only they and Total are returned')
      .meta({ 'x-extension': true }),
    Highlight: highlight
      .optional()
      .describe(
        'As in Documents/Search; with Type Query, marks the words, phrases and prefixes of the query. Count is at most 1000',
      )
      .meta({ 'x-extension': true }),
    Explain: z
      .boolean()
      .optional()
      .describe(
        'Shows why each hit has its score; not available with Type Query or with fields that are not interpreted. Count is at most 1000',
      )
      .meta({ 'x-extension': true }),
  })
  .meta({ id: 'SearchSettings' })

const ClassifierSearchSettings = z
  .object({
    Id: requiredText.describe('Id or alias of an active classifier'),
    Count: count
      .optional()
      .describe(
        'Number of tags. Default: in the activation 3, which 0 means as well; in a search that of the activation, where 0 means no tags',
      ),
    CategoryBoost: z
      .number()
      .min(0)
      .max(10)
      .optional()
      .describe(
        'Without Order, the score of each of the 100 best documents is multiplied by 1 + CategoryBoost x the likelihood of its tags',
      )
      .meta({ 'x-extension': true }),
  })
  .meta({ id: 'ClassifierSearchSettings' })

export const settingsMembers = {
  AutoCompleteSettings: AutoCompleteSettings.nullable().optional(),
  SearchSettings: SearchSettings.nullable().optional(),
  ClassifierSettings: ClassifierSearchSettings.nullable().optional(),
}

/** Contract, 10.3. */
export const SearchActivateSettings = z.object(settingsMembers).meta({ id: 'SearchActivateSettings' })

type Given = z.output<typeof SearchActivateSettings>
type GivenSearch = NonNullable<Given['SearchSettings']>
type TypoTolerance = NonNullable<SearchServiceSettings['search']>['typoTolerance']

export const serviceOrigins: Origins = {
  dataset: 'DataSetName',
  corrections: 'AutoCompleteSettings',
  'corrections.maxErrors': 'AutoCompleteSettings.MaximumErrors',
  search: 'SearchSettings',
  'search.limit': 'SearchSettings.Count',
  'search.fields': 'SearchSettings.SearchFieldList',
  'search.responseFields': 'SearchSettings.ResponseFieldList',
  'search.filter.tags': 'SearchSettings.Filter.TagIdList',
  'search.order.field': 'SearchSettings.Order.OrderByField',
  classifier: 'ClassifierSettings',
}

/** Treats empty lists and null as left out. */
export function serviceSettings({
  AutoCompleteSettings: completion,
  SearchSettings: search,
  ClassifierSettings: classifier,
}: Given): SearchServiceSettings {
  return {
    ...(completion && {
      corrections: {
        count: completion.Count,
        confidence: completion.Confidence,
        maxErrors: completion.MaximumErrors,
      },
    }),
    ...(search && { search: searchPart(search) }),
    ...(classifier && {
      classifier: { id: classifier.Id, count: classifier.Count, categoryBoost: classifier.CategoryBoost },
    }),
  }
}

/** Contract, 10.3: 0 tags means the default number. */
export function activateInput(given: Given | undefined): SearchServiceSettings {
  const { classifier, ...settings } = serviceSettings(given ?? {})
  return {
    ...settings,
    ...(classifier && { classifier: { ...classifier, count: classifier.count || undefined } }),
  }
}

function searchPart(given: GivenSearch): NonNullable<SearchServiceSettings['search']> {
  const { Filter: filter, Weights, Order: order, Facets, Highlight } = given
  const { SearchFieldList: fields, ResponseFieldList: shown } = given
  return {
    type: given.Type && camel(given.Type),
    operator: given.Operator && (given.Operator.toLowerCase() as 'or' | 'and'), // the only values, in lower case
    typoTolerance: typosIn(given),
    cutOffFrequency: given.CutOffFrequency,
    limit: given.Count,
    fields: fields?.length ? fields : undefined,
    responseFields: shown?.length ? shown : undefined,
    filter: filter ? { query: filter.Query ?? undefined, tags: filter.TagIdList ?? undefined } : undefined,
    useDefaultFilter: given.UseDefaultFilter,
    weights: Weights ? fromWire(Weights) : undefined,
    useDefaultWeights: given.UseDefaultWeights,
    order: order ? { field: order.OrderByField, direction: camel(order.OrderDirection) } : undefined,
    facets: Facets ? facetOptions(Facets) : undefined,
    highlight: fromWire(Highlight),
    explain: given.Explain,
  }
}

/** The schema limits edits to 0 to 2. */
function typosIn({ TypoTolerance, Fuzziness }: GivenSearch): TypoTolerance {
  if (typeof TypoTolerance === 'number') return { edits: TypoTolerance as 0 | 1 | 2 }
  if (TypoTolerance) return fromWire(TypoTolerance) as TypoTolerance
  return Fuzziness === -1 ? 'auto' : (Fuzziness as 0 | 1 | 2 | undefined)
}

/** @param settings the engine's settings of a prepared service, which are complete */
export function settingsModel(settings: object): z.output<typeof SearchActivateSettings> {
  const { corrections, search, classifier } = settings as Required<SearchServiceSettings> // as above
  const { typoTolerance: typos, operator, type, filter, weights, order } = search!
  return {
    AutoCompleteSettings: {
      Confidence: corrections!.confidence,
      MaximumErrors: corrections!.maxErrors,
      Count: corrections!.count,
    },
    SearchSettings: {
      Type: pascal(type!),
      Operator: operator!.toUpperCase() as 'OR' | 'AND',
      Fuzziness: typeof typos === 'object' ? typos.edits : typos === 'auto' ? -1 : typos,
      CutOffFrequency: search!.cutOffFrequency,
      Count: search!.limit,
      SearchFieldList: [...search!.fields!],
      ResponseFieldList: [...search!.responseFields!],
      Filter: filter ? { Query: filter.query ?? null, TagIdList: [...(filter.tags ?? [])] } : null,
      UseDefaultFilter: search!.useDefaultFilter,
      Weights: weights?.map(({ query, value }) => ({ Query: query, Value: value })) ?? null,
      UseDefaultWeights: search!.useDefaultWeights,
      Order: order ? { OrderByField: order.field, OrderDirection: pascal(order.direction!) } : null,
      ...extras(search!),
    },
    ClassifierSettings: classifier
      ? {
          Id: classifier.id,
          Count: classifier.count!,
          ...(classifier.categoryBoost && { CategoryBoost: classifier.categoryBoost }),
        }
      : null,
  }
}

/** Settings that 1.5.0 does not have, if given. */
function extras({ typoTolerance, facets, highlight, explain }: NonNullable<SearchServiceSettings['search']>) {
  return {
    // Stored settings always include the edits.
    ...(typeof typoTolerance === 'object' && {
      TypoTolerance: toWire(typoTolerance) as GivenSearch['TypoTolerance'],
    }),
    ...(facets && { Facets: facetsAsked(facets) }),
    ...(highlight !== undefined && { Highlight: toWire(highlight) as GivenSearch['Highlight'] }),
    ...(explain !== undefined && { Explain: explain }),
  }
}
