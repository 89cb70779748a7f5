import type {
  RecommendedDocument,
  Service,
  SimilarByIdOptions,
  SimilarFilter,
  SimilarPrepareSettings,
  SimilarRecommendOptions,
  SimilarServiceSettings,
} from 'findling'
import * as z from 'zod'
import { fromWire } from './casing.ts'
import { compressionIn, compressionMembers, compressionModel } from './compression.ts'
import { Filter } from './filter.ts'
import { given, ids } from './lists.ts'
import type { Origins } from './origins.ts'
import { content, dataSetName, requiredText } from './rules.ts'
import { again, commonModel, ServiceModel } from './services.ts'

const mostDocuments = 1000

/** Contract, 9.1. */
export const PrcPrepareSettings = z
  .object({
    DataSetName: dataSetName,
    TagIdList: ids
      .nullable()
      .optional()
      .describe('Tags within which documents are compared; empty: all leaves'),
    ...compressionMembers,
    Again: again,
  })
  .meta({ id: 'PrcPrepareSettings' })

/** Contract, 9.2. */
export const PrcActivateSettings = z
  .object({
    FieldsForRecommendation: ids
      .nullable()
      .optional()
      .describe('Interpreted fields by which documents are compared; empty: all of them'),
  })
  .meta({ id: 'PrcActivateSettings' })

/** Contract, 9.7. */
export const PrcIndexSettings = z
  .object({
    Filter: Filter.nullable()
      .optional()
      .describe('Which documents to compare, within which tags. Default: all'),
  })
  .meta({ id: 'PrcIndexSettings' })

/** Contract, 9.3. */
export const PrcServiceModel = ServiceModel.extend({
  PrepareSettings: PrcPrepareSettings.nullable().describe('Null unless the service is prepared or active'),
  ActivateSettings: PrcActivateSettings.nullable().describe('Null unless the service is active'),
  IndexSettings: PrcIndexSettings.nullable().describe('Null unless the service is active and indexed'),
}).meta({ id: 'PrcService' })

const asking = {
  TagId: z.string().nullable().optional(),
  Count: z.int().max(mostDocuments).default(3).describe('0: none'),
  Filter: Filter.nullable().optional(),
  Weights: z
    .array(z.object({ Query: z.string(), Value: z.number().min(0).max(10_000) }))
    .max(100)
    .nullable()
    .optional()
    .describe(
      'Reorders the documents: the score becomes (1 + Score) ^ (1 + w) - 1, where w is the mean of the values of the matching queries',
    ),
  NeedDocumentInResult: z.boolean().default(false),
}

/** Contract, 9.6. */
export const PrcRecommendationRequest = z
  .object({ Text: requiredText.describe('Up to 100,000 characters'), ...asking })
  .meta({ id: 'PrcRecommendationRequest' })

/** Contract, 9.9. */
export const PrcRecommendationByIdRequest = z
  .object({
    DocumentId: requiredText,
    Query: z
      .string()
      .nullable()
      .optional()
      .describe('Only documents that match this query as well as Filter'),
    ...asking,
  })
  .meta({ id: 'PrcRecommendationByIdRequest' })

export const PrcRecommendation = z
  .object({
    DocumentId: z.string(),
    Score: z.number().describe('Above 0, up to 1; with Weights, any number above 0'),
    Document: content.nullable().describe('If NeedDocumentInResult'),
  })
  .meta({ id: 'PrcRecommendationResult' })

/** Contract, 9.5. */
export const PrcKeywordsRequest = z
  .object({
    Text: requiredText.describe('Up to 100,000 characters'),
    TagId: z.string().nullable().optional(),
  })
  .meta({ id: 'PrcKeywordsRequest' })

export const PrcKeywordsQuery = z.object({
  isStrict: z.boolean().default(false).describe('true: only words with at least the mean score'),
})

export const PrcKeyword = z.object({ Word: z.string(), Score: z.number() }).meta({ id: 'PrcKeywordsResult' })

/** Contract, 9.10. */
export const PrcExportSettings = z
  .object({ TagIdList: ids.nullable().optional().describe('Some of those prepared; empty: all of them') })
  .meta({ id: 'PrcExportDictionariesSettings' })

export const similarOrigins: Origins = {
  dataset: 'DataSetName',
  tags: 'TagIdList',
  fields: 'FieldsForRecommendation',
  id: 'DocumentId',
  tag: 'TagId',
  'filter.tags': 'Filter.TagIdList',
}

export function prepareInput(settings: z.output<typeof PrcPrepareSettings>): SimilarPrepareSettings {
  const { DataSetName, TagIdList, Again = false } = settings
  const tags = given(TagIdList)
  return {
    ...{ dataset: DataSetName, compression: compressionIn(settings), again: Again },
    ...(tags && { tags }),
  }
}

/** Without a body, all settings keep their previous values. */
export function activateInput(
  settings: z.output<typeof PrcActivateSettings> | undefined,
): SimilarServiceSettings {
  return settings ? { fields: given(settings.FieldsForRecommendation) ?? null } : {}
}

export function filterInput(filter: z.output<typeof Filter> | null | undefined): SimilarFilter {
  return {
    ...(typeof filter?.Query === 'string' && { query: filter.Query }),
    ...(filter?.TagIdList?.length && { tags: filter.TagIdList }),
  }
}

type Asked = z.output<typeof PrcRecommendationRequest>

export function recommendInput({ Filter, ...asked }: Asked): SimilarRecommendOptions {
  return { ...common(asked), filter: filterInput(Filter) }
}

/** The query may also be in Filter.Query. */
export function byIdInput({
  Query,
  Filter,
  ...asked
}: z.output<typeof PrcRecommendationByIdRequest>): SimilarByIdOptions {
  return { ...common(asked), filter: filterInput(Filter), ...(Query && { query: Query }) }
}

function common({ TagId, Count, Weights }: Pick<Asked, 'TagId' | 'Count' | 'Weights'>) {
  return {
    limit: Math.max(0, Count),
    ...(TagId && { tag: TagId }),
    ...(Weights && { weights: fromWire(Weights) }),
  }
}

export function prcServiceModel(
  service: Service,
  filter: SimilarFilter | undefined,
): z.output<typeof PrcServiceModel> {
  const info = service.info()
  // The engine's settings of this service type, complete once it is prepared.
  const prepared = info.prepareSettings as Required<SimilarPrepareSettings> | null
  const active = info.activateSettings as Required<SimilarServiceSettings> | null
  const { status } = info
  return {
    ...commonModel(info),
    PrepareSettings: prepared && status !== 'busy' ? prepareModel(prepared) : null,
    ActivateSettings:
      active && status === 'active'
        ? { FieldsForRecommendation: [...active.fields!] } // `info()` replaces null by the searched fields
        : null,
    IndexSettings:
      filter && prepared
        ? { Filter: { Query: filter.query ?? null, TagIdList: [...(filter.tags ?? prepared.tags)] } }
        : null,
  }
}

function prepareModel({ dataset, tags, compression }: Required<SimilarPrepareSettings>) {
  return { DataSetName: dataset, TagIdList: [...tags], ...compressionModel(compression) }
}

export function recommendationModel(
  { id, score, weighed, document }: RecommendedDocument<object>,
  withDocument: boolean,
): z.output<typeof PrcRecommendation> {
  return {
    DocumentId: id,
    Score: weighed ?? score,
    Document: withDocument ? (document as Record<string, unknown>) : null,
  }
}
