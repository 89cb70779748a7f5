import type {
  ClassifierPrepareSettings as PrepareSettings,
  Service,
  ServiceRecommendation,
  ClassifierServiceSettings as ServiceSettings,
} from 'findling'
import * as z from 'zod'
import { toWire } from './casing.ts'
import { compressionIn, compressionMembers, compressionModel } from './compression.ts'
import { given, ids } from './lists.ts'
import { dataSetName, nGram, nGramList, requiredText } from './rules.ts'
import { again, commonModel, ServiceModel } from './services.ts'
import { explain, refuseTooMany, TagExplanation } from './tag-explanation.ts'
import { Tag, tagModel } from './tags.ts'

/** Contract, 8.1. */
export const ClassifierPrepareSettings = z
  .object({
    DataSetName: dataSetName,
    NGramList: nGramList.describe(
      'Lengths of the word sequences (n-grams) to learn: each from 1 to the NGramCount of the dataset',
    ),
    TagIdList: ids.nullable().optional().describe('Tags to learn; empty: all leaves'),
    ...compressionMembers,
    Again: again,
  })
  .meta({ id: 'ClassifierPrepareSettings' })

/** Contract, 8.2. */
export const ClassifierActivateSettings = z
  .object({
    NGramList: z.array(nGram).nullable().optional().describe('Some of those prepared; empty: all of them'),
    TagIdList: ids.nullable().optional().describe('Some of those prepared; empty: all of them'),
    EmphasizedTagIdList: ids
      .nullable()
      .optional()
      .describe(
        'Tags that move to the top of the answer if the text contains every word of their name and the call asks for it (UseEmphasizing)',
      ),
  })
  .meta({ id: 'ClassifierActivateSettings' })

/** Contract, 8.3. */
export const ClassifierServiceModel = ServiceModel.extend({
  PrepareSettings: ClassifierPrepareSettings.nullable().describe(
    'Null unless the service is prepared or active',
  ),
  ActivateSettings: ClassifierActivateSettings.nullable().describe('Null unless the service is active'),
}).meta({ id: 'ClassifierService' })

/** Contract, 8.5. */
export const ClassifierRecommendationRequest = z
  .object({
    Text: requiredText.describe('Up to 100,000 characters'),
    Count: z.int().default(3).describe('0: all'),
    UseEmphasizing: z.boolean().default(false),
    NeedTagInResult: z.boolean().default(false),
    ParentTagIdList: ids.nullable().optional().describe('Only tags below one of these'),
    Explain: explain.meta({ 'x-extension': true }),
  })
  .check(refuseTooMany)
  .meta({ id: 'ClassifierRecommendationRequest' })

export const ClassifierRecommendation = z
  .object({
    TagId: z.string(),
    Score: z.number(),
    Tag: Tag.nullable().describe('If NeedTagInResult'),
    IsEmphasized: z.boolean(),
    Explanation: TagExplanation.optional().meta({ 'x-extension': true }),
  })
  .meta({ id: 'ClassifierRecommendationResult' })

/** Contract, 8.8. */
export const ExportDictionariesSettings = z
  .object({
    TagIdList: ids.nullable().optional().describe('Some of those prepared; empty: all of them'),
    NGramList: nGramList.describe('Some of those prepared'),
  })
  .meta({ id: 'ExportDictionariesSettings' })

export function prepareInput(settings: z.output<typeof ClassifierPrepareSettings>): PrepareSettings {
  const { DataSetName, NGramList, TagIdList, Again = false } = settings
  const tags = given(TagIdList)
  const compression = compressionIn(settings)
  return {
    ...{ dataset: DataSetName, nGrams: NGramList, compression, again: Again },
    ...(tags && { tags }),
  }
}

/** Without a body, all settings keep their previous values; in a body, lists left out mean all n-grams and tags, none emphasized. */
export function activateInput(
  settings: z.output<typeof ClassifierActivateSettings> | undefined,
): ServiceSettings {
  if (!settings) return {}
  const { NGramList, TagIdList, EmphasizedTagIdList } = settings
  return {
    nGrams: NGramList?.length ? NGramList : null,
    tags: given(TagIdList) ?? null,
    emphasizedTags: EmphasizedTagIdList ?? [],
  }
}

export function classifierServiceModel(service: Service): z.output<typeof ClassifierServiceModel> {
  const info = service.info()
  // The engine's settings of this service type, complete once it is prepared.
  const prepared = info.prepareSettings as Required<PrepareSettings> | null
  const active = info.activateSettings as Required<ServiceSettings> | null
  const { status } = info
  return {
    ...commonModel(info),
    PrepareSettings: prepared && status !== 'busy' ? prepareModel(prepared) : null,
    ActivateSettings: prepared && active && status === 'active' ? activateModel(active, prepared) : null,
  }
}

function prepareModel({ dataset, nGrams, tags, compression }: Required<PrepareSettings>) {
  return {
    DataSetName: dataset,
    NGramList: [...nGrams],
    TagIdList: [...tags],
    ...compressionModel(compression),
  }
}

function activateModel(active: Required<ServiceSettings>, prepared: Required<PrepareSettings>) {
  return {
    NGramList: [...(active.nGrams ?? prepared.nGrams)],
    TagIdList: [...(active.tags ?? prepared.tags)],
    EmphasizedTagIdList: [...(active.emphasizedTags ?? [])],
  }
}

export function recommendationModel(
  { tagId, score, tag, isEmphasized, explanation }: ServiceRecommendation,
  withTag: boolean,
): z.output<typeof ClassifierRecommendation> {
  return {
    TagId: tagId,
    Score: score,
    Tag: withTag && tag ? tagModel(tag) : null,
    IsEmphasized: isEmphasized,
    ...(explanation && { Explanation: toWire(explanation) }),
  }
}
