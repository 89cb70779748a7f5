import type { Correction, FoundTag, Service, ServiceAnswer, ServiceHit } from 'findling'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { toWire } from './casing.ts'
import { Facet, facetsModel } from './facets.ts'
import { content, dataSetName, requiredText } from './rules.ts'
import { explanationModel, HitExplanation, highlightsModel, hitHighlights } from './search-result.ts'
import { SearchActivateSettings, settingsMembers, settingsModel, weight } from './search-service-settings.ts'
import { again, commonModel, ServiceModel } from './services.ts'
import { Tag, tagModel } from './tags.ts'

/** Contract, 10.1. */
export const SearchPrepareSettings = z
  .object({ DataSetName: dataSetName, Again: again })
  .meta({ id: 'SearchPrepareSettings' })

/** Contract, 10.4. */
export const SearchServiceRequest = z
  .object({
    Text: requiredText,
    ...settingsMembers,
    WithQueryId: z
      .boolean()
      .default(false)
      .describe('True: the answer has a QueryId for Events')
      .meta({ 'x-extension': true }),
  })
  .meta({ id: 'SearchServiceRequest' })

/** Contract, 7.2 and 10.3. */
export const SearchServiceModel = ServiceModel.extend({
  PrepareSettings: SearchPrepareSettings.nullable(),
  ActivateSettings: SearchActivateSettings.nullable().describe('Before activation: the recommended settings'),
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

const ServiceExplanation = HitExplanation.extend({
  Weights: z.array(weight).describe('The weights whose queries the document matches'),
}).meta({ id: 'SearchServiceHitExplanation' })

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
      .describe('What the text was probably meant to be, best first; null if no suggestions were asked for'),
    ClassifierResultList: z.array(ClassifierResult).nullable(),
    SearchResultList: z.array(
      z.object({
        DocumentId: z.string(),
        Score: z.number(),
        Document: content,
        Highlights: hitHighlights.optional().meta({ 'x-extension': true }),
        Explanation: ServiceExplanation.optional()
          .describe(
            'If asked for. The score is the sum over all words, times every factor, plus the values of Weights',
          )
          .meta({ 'x-extension': true }),
        CategoryFactor: z
          .number()
          .optional()
          .describe('With CategoryBoost: the additional factor of the score')
          .meta({ 'x-extension': true }),
      }),
    ),
    Total: z.int().describe('Number of all matching documents, however many are listed'),
    Facets: z
      .record(z.string(), Facet)
      .optional()
      .describe('If asked for, by field')
      .meta({ 'x-extension': true }),
    Relaxed: z
      .array(z.string())
      .optional()
      .describe('Words that were dropped because nothing matched with them')
      .meta({ 'x-extension': true }),
    QueryId: identifiedMembers.QueryId.meta({ 'x-extension': true }),
  })
  .meta({ id: 'SearchResultWrapper' })

export function searchServiceModel(service: Service): z.output<typeof SearchServiceModel> {
  const info = service.info()
  const { dataset, prepareSettings, activateSettings } = info
  return {
    ...commonModel(info),
    PrepareSettings: prepareSettings === null ? null : { DataSetName: dataset! }, // a prepared service has a dataset
    ActivateSettings: activateSettings && settingsModel(activateSettings),
  }
}

export function searchServiceResult(found: ServiceAnswer<object>): z.output<typeof SearchResultWrapper> {
  return {
    AutoCompleteResultList: found.corrections?.map(correctionModel) ?? null,
    ClassifierResultList: found.tags?.map(recommendationModel) ?? null,
    SearchResultList: found.hits.map(hitModel),
    Total: found.total,
    ...(found.facets && { Facets: facetsModel(found.facets) }),
    ...(found.relaxed && { Relaxed: found.relaxed }),
  }
}

function hitModel({ id, score, document, highlights, explanation, categoryFactor }: ServiceHit<object>) {
  return {
    DocumentId: id,
    Score: score,
    Document: document as Record<string, unknown>,
    ...(highlights && { Highlights: highlightsModel(highlights) }),
    ...(explanation && { Explanation: toWire(explanationModel(explanation)) }),
    ...(categoryFactor !== undefined && { CategoryFactor: categoryFactor }),
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
