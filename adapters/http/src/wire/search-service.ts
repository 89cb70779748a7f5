import type {
  Correction,
  FoundTag,
  SearchServiceSettings,
  Service,
  ServiceAnswer,
  ServiceInfo,
} from 'findling'
import * as z from 'zod'
import { camel, pascal } from './casing.ts'
import { Filter, Order } from './filter.ts'
import { content, dataSetName, requiredText } from './rules.ts'
import { commonModel, ServiceModel } from './services.ts'
import { Tag, tagModel } from './tags.ts'

const limitNumber = z.number().min(0).max(10_000)
const count = z.int().min(0).max(10_000)
const names = z.array(z.string().min(1))

const AutoCompleteSettings = z
  .object({
    Confidence: limitNumber.optional().describe('How many times likelier than the text a phrase must be'),
    MaximumErrors: limitNumber
      .optional()
      .describe('How many words may be corrected: below 1 a share of all, from 1 a number'),
    Count: count.optional().describe('0: none are looked for'),
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
        'The most edits for a word that no document has; -1: by its length; 0: other forms of the words do not count either',
      ),
    CutOffFrequency: limitNumber
      .optional()
      .describe('Is kept and shown, without effect: frequent words count little by themselves'),
    Count: count.optional().describe('0: no search'),
    SearchFieldList: names.nullable().optional().describe('Interpreted fields; title^2 counts twice as much'),
    ResponseFieldList: names.nullable().optional().describe('Fields that are shown; * for all'),
    Filter: Filter.nullable().optional(),
    UseDefaultFilter: z
      .boolean()
      .optional()
      .describe('In a search: whether the filter of the activation holds besides'),
    Weights: z
      .array(z.object({ Query: z.string(), Value: limitNumber }))
      .nullable()
      .optional()
      .describe('Documents that match a query have the value added to their score'),
    UseDefaultWeights: z
      .boolean()
      .optional()
      .describe('In a search: whether those of the activation count besides'),
    Order: Order.nullable().optional().describe('By a field instead of by score, documents without it last'),
  })
  .meta({ id: 'SearchSettings' })

const ClassifierSearchSettings = z
  .object({ Id: requiredText.describe('Id or alias of an active classifier'), Count: count.default(3) })
  .meta({ id: 'ClassifierSearchSettings' })

const settingsMembers = {
  AutoCompleteSettings: AutoCompleteSettings.nullable().optional(),
  SearchSettings: SearchSettings.nullable().optional(),
  ClassifierSettings: ClassifierSearchSettings.nullable().optional(),
}

/** Contract, 10.1. */
export const SearchPrepareSettings = z
  .object({ DataSetName: dataSetName })
  .meta({ id: 'SearchPrepareSettings' })

/** Contract, 10.3. */
export const SearchActivateSettings = z.object(settingsMembers).meta({ id: 'SearchActivateSettings' })

/** Contract, 10.4. */
export const SearchServiceRequest = z
  .object({ Text: requiredText, ...settingsMembers })
  .meta({ id: 'SearchServiceRequest' })

/** Contract, 7.2 and 10.3. */
export const SearchServiceModel = ServiceModel.extend({
  PrepareSettings: SearchPrepareSettings.nullable(),
  ActivateSettings: SearchActivateSettings.nullable().describe('Before activation: the recommended ones'),
}).meta({ id: 'SearchService' })

const ClassifierResult = z
  .object({
    TagId: z.string(),
    Score: z.number(),
    Tag: Tag.nullable(),
    IsEmphasized: z.boolean(),
    SearchResultMatch: z.boolean().describe('One of the documents in SearchResultList has the tag'),
  })
  .meta({ id: 'SearchClassifierRecommendationResult' })

export const SearchResultWrapper = z
  .object({
    AutoCompleteResultList: z
      .array(
        z.object({
          Text: z.string(),
          Score: z.number(),
          ClassifierResultList: z.array(ClassifierResult).nullable().describe('For this text'),
        }),
      )
      .nullable()
      .describe('The text as it was likely meant, best first; null if none were looked for'),
    ClassifierResultList: z.array(ClassifierResult).nullable(),
    SearchResultList: z.array(z.object({ DocumentId: z.string(), Score: z.number(), Document: content })),
    Total: z.int().describe('All documents that match, however many are listed'),
  })
  .meta({ id: 'SearchResultWrapper' })

type Given = z.output<typeof SearchActivateSettings>
type GivenSearch = NonNullable<Given['SearchSettings']>

/** Empty lists and null are the same as left out. */
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
    ...(classifier && { classifier: { id: classifier.Id, count: classifier.Count } }),
  }
}

function searchPart(given: GivenSearch): NonNullable<SearchServiceSettings['search']> {
  const { Fuzziness, Filter: filter, Weights, Order: order } = given
  const { SearchFieldList: fields, ResponseFieldList: shown } = given
  return {
    type: given.Type && camel(given.Type),
    operator: given.Operator && (given.Operator.toLowerCase() as 'or' | 'and'), // in small letters they are these
    typoTolerance: Fuzziness === undefined ? undefined : Fuzziness === -1 ? 'auto' : (Fuzziness as 0 | 1 | 2),
    cutOffFrequency: given.CutOffFrequency,
    limit: given.Count,
    fields: fields?.length ? fields : undefined,
    responseFields: shown?.length ? shown : undefined,
    filter: filter ? { query: filter.Query ?? undefined, tags: filter.TagIdList ?? undefined } : undefined,
    useDefaultFilter: given.UseDefaultFilter,
    weights: Weights?.map(({ Query, Value }) => ({ query: Query, value: Value })),
    useDefaultWeights: given.UseDefaultWeights,
    order: order ? { field: order.OrderByField, direction: camel(order.OrderDirection) } : undefined,
  }
}

export function searchServiceModel(service: Service): z.output<typeof SearchServiceModel> {
  const info = service.info()
  const { dataset, prepareSettings } = info
  return {
    ...commonModel(info),
    PrepareSettings: prepareSettings === null ? null : { DataSetName: dataset! }, // prepared is from a dataset
    ActivateSettings: activateSettings(info),
  }
}

function activateSettings(info: ServiceInfo): z.output<typeof SearchActivateSettings> | null {
  if (info.activateSettings === null) return null
  // Complete, as the engine has them of a service of this type.
  const { corrections, search, classifier } = info.activateSettings as Required<SearchServiceSettings>
  const { typoTolerance, operator, type, filter, weights, order } = search!
  return {
    AutoCompleteSettings: {
      Confidence: corrections!.confidence,
      MaximumErrors: corrections!.maxErrors,
      Count: corrections!.count,
    },
    SearchSettings: {
      Type: pascal(type!),
      Operator: operator!.toUpperCase() as 'OR' | 'AND',
      Fuzziness: typoTolerance === 'auto' ? -1 : typoTolerance,
      CutOffFrequency: search!.cutOffFrequency,
      Count: search!.limit,
      SearchFieldList: [...search!.fields!],
      ResponseFieldList: [...search!.responseFields!],
      Filter: filter ? { Query: filter.query, TagIdList: filter.tags ? [...filter.tags] : null } : null,
      UseDefaultFilter: search!.useDefaultFilter,
      Weights: weights?.map(({ query, value }) => ({ Query: query, Value: value })) ?? null,
      UseDefaultWeights: search!.useDefaultWeights,
      Order: order ? { OrderByField: order.field, OrderDirection: pascal(order.direction!) } : null,
    },
    ClassifierSettings: classifier ? { Id: classifier.id, Count: classifier.count! } : null,
  }
}

export function searchServiceResult(found: ServiceAnswer<object>): z.output<typeof SearchResultWrapper> {
  return {
    AutoCompleteResultList: found.corrections?.map(correctionModel) ?? null,
    ClassifierResultList: found.tags?.map(recommendationModel) ?? null,
    SearchResultList: found.hits.map(({ id, score, document }) => {
      return { DocumentId: id, Score: score, Document: document as Record<string, unknown> }
    }),
    Total: found.total,
  }
}

function correctionModel({ text, score, tags }: Correction) {
  return { Text: text, Score: score, ClassifierResultList: tags?.map(recommendationModel) ?? null }
}

function recommendationModel({ tagId, score, tag, isEmphasized, isFound }: FoundTag) {
  return {
    TagId: tagId,
    Score: score,
    Tag: tag && tagModel(tag),
    IsEmphasized: isEmphasized,
    SearchResultMatch: isFound,
  }
}
