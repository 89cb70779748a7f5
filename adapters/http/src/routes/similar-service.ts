import type { Job } from 'findling'
import * as z from 'zod'
import { askedBy } from '../analytics/asking.ts'
import { tagFiles } from '../files/dictionary-files.ts'
import { zipped } from '../files/zip.ts'
import { HttpError } from '../http/errors.ts'
import type { ProcessFiles } from '../processes/process-files.ts'
import type { Processes } from '../processes/processes.ts'
import { workerThreads } from '../request/parallel.ts'
import type { Route } from '../route.ts'
import { exampleSimilar, sampleDataset, sampleProduct } from '../sample/example.ts'
import { given } from '../wire/lists.ts'
import { fileStarted, Process } from '../wire/processes.ts'
import {
  activateInput,
  byIdInput,
  filterInput,
  PrcActivateSettings,
  PrcExportSettings,
  PrcIndexSettings,
  PrcKeyword,
  PrcKeywordsQuery,
  PrcKeywordsRequest,
  PrcPrepareSettings,
  PrcRecommendation,
  PrcRecommendationByIdRequest,
  PrcRecommendationRequest,
  PrcServiceModel,
  prcServiceModel,
  prepareInput,
  recommendationModel,
  recommendInput,
  similarOrigins,
} from '../wire/similar-service.ts'
import { defineRoute } from './define-route.ts'
import { noService, servicesOf, typedService } from './typed-service.ts'

const services = servicesOf('similar', 'Prc')
const { of, asked, post } = services
const path = { id: exampleSimilar }
const notAsked = {
  when: 'There is no active similar-documents service with that id or alias, or the body is invalid or names tags that were not prepared',
}
const emptyTag = { when: 'When the service was prepared, no document with words had the tag' }

/** Contract, 9. Ordered so that each example can build on those before it. */
export function similarServiceRoutes(processes: Processes, files: ProcessFiles): Route[] {
  const { prepare, activate, read, deactivate } = typedService(processes, {
    services,
    name: 'a similar-documents service',
    example: exampleSimilar,
    origins: similarOrigins,
    prepare: {
      body: PrcPrepareSettings,
      example: { DataSetName: sampleDataset, TagIdList: ['drills', 'lawn-mowers', 'headphones'] },
      does: 'weights the terms by which the documents of a dataset are compared',
      names: 'dataset or tag',
      start: (service, body) => service.prepare(prepareInput(body)),
    },
    activate: {
      body: PrcActivateSettings,
      example: { FieldsForRecommendation: ['title', 'description'] },
      summary: 'Activates a similar-documents service, which compares by all or some interpreted fields',
      unfit: 'a field is not interpreted',
      start: (service, body) => service.activate(activateInput(body)),
    },
    model: PrcServiceModel,
    show: async service => {
      const indexed = service.status === 'active' ? await service.indexed() : null
      return prcServiceModel(service, indexed?.filter)
    },
    stays: 'what Index has found is kept',
  })
  return [
    prepare,
    activate,
    read,
    recommend,
    keywords,
    index(processes),
    indexPartial(processes),
    recommendById,
    exportDictionaries(processes, files),
    deactivate,
  ]
}

const recommend = defineRoute({
  ...post('Recommend'),
  summary: 'Recommends the documents that are most like a text, best first',
  body: PrcRecommendationRequest,
  origins: similarOrigins,
  example: {
    path,
    body: {
      Text: 'cordless drill',
      TagId: 'drills',
      Filter: { Query: 'price:<200' },
      NeedDocumentInResult: true,
    },
  },
  responses: {
    200: { when: 'The documents', body: z.array(PrcRecommendation) },
    400: notAsked,
    406: emptyTag,
  },
  handle: async ({ engine, path, body, deadline, ...call }) => {
    const ends = { ...deadline, ...askedBy(call) }
    const { Text, NeedDocumentInResult } = body
    const found = await asked(engine, path.id, service =>
      service.recommend<object>(Text, recommendInput(body), ends),
    )
    return { status: 200, body: found.map(one => recommendationModel(one, NeedDocumentInResult)) }
  },
})

const keywords = defineRoute({
  ...post('Keywords'),
  summary: 'Finds the words of a text that indicate a tag, strongest first',
  query: PrcKeywordsQuery,
  body: PrcKeywordsRequest,
  origins: similarOrigins,
  example: { path, body: { Text: 'cordless drill with two batteries', TagId: 'drills' } },
  responses: {
    200: { when: 'The words', body: z.array(PrcKeyword) },
    400: notAsked,
    406: emptyTag,
  },
  handle: async ({ engine, path, query, body: { Text, TagId }, deadline }) => {
    const options = { strict: query.isStrict, ...(TagId && { tag: TagId }) }
    const words = await asked(engine, path.id, service => service.keywords(Text, options, deadline))
    return { status: 200, body: words.map(({ text, score }) => ({ Word: text, Score: score })) }
  },
})

const index = (processes: Processes) =>
  defineRoute({
    ...post('Index'),
    summary: 'Finds the 100 documents that are most like each document of each tag, for RecommendById',
    writes: true,
    body: PrcIndexSettings,
    origins: similarOrigins,
    bodyOptional: true,
    example: { path, body: { Filter: { Query: 'price:>5', TagIdList: ['drills'] } } },
    responses: {
      202: { when: 'The started process', body: Process },
      400: {
        when: 'The service has another type, is not active or is being indexed, or the filter does not match',
      },
      404: noService,
    },
    handle: async ({ engine, path, body, base, parallel }) => {
      const filter = filterInput(body?.Filter)
      const job = of(engine, path.id).index({ filter, parallel: workerThreads(parallel) })
      return await processes.started(job, { engine, base })
    },
  })

const indexPartial = (processes: Processes) =>
  defineRoute({
    ...post('IndexPartial'),
    summary: 'Updates what Index has found after changes to the documents',
    writes: true,
    example: { path },
    responses: {
      202: { when: 'The started process', body: Process },
      400: { when: 'The service has another type or is not active, or Index has not been called before' },
      404: noService,
    },
    handle: async ({ engine, path, base, parallel }) => {
      const service = of(engine, path.id)
      if (!(await service.indexed())) throw new HttpError(400, 'Index must be called before IndexPartial.')
      const job = service.indexPartial({ parallel: workerThreads(parallel) })
      return await processes.started(job, { engine, base })
    },
  })

const recommendById = defineRoute({
  ...post('RecommendById'),
  summary: 'Recommends the documents that are most like a stored one, as found by Index',
  body: PrcRecommendationByIdRequest,
  origins: similarOrigins,
  example: { path, body: { DocumentId: sampleProduct.id, TagId: 'drills', Count: 5 } },
  responses: {
    200: {
      when: 'The documents; empty if the document is unknown or not indexed',
      body: z.array(PrcRecommendation),
    },
    400: notAsked,
  },
  handle: async ({ engine, path, body, deadline, ...call }) => {
    const ends = { ...deadline, ...askedBy(call) }
    const { DocumentId, NeedDocumentInResult } = body
    const found = await asked(engine, path.id, service =>
      service.recommendById<object>(DocumentId, byIdInput(body), ends),
    )
    return { status: 200, body: found.map(one => recommendationModel(one, NeedDocumentInResult)) }
  },
})

const exportDictionaries = (processes: Processes, files: ProcessFiles) =>
  defineRoute({
    ...post('ExportDictionaries'),
    summary: 'Writes the words that indicate each tag to a file, with scores',
    writes: true,
    body: PrcExportSettings,
    origins: similarOrigins,
    bodyOptional: true,
    example: { path, body: { TagIdList: ['drills'] } },
    responses: {
      202: fileStarted,
      400: {
        when: 'The service has another type, is neither prepared nor active, or was not prepared for one of the tags',
      },
      404: noService,
    },
    handle: async ({ engine, path, body, base }) => {
      const job: Job<void> = of(engine, path.id).exportDictionaries(
        async dictionaries => await files.put(job, zipped(tagFiles(dictionaries))),
        { tags: given(body?.TagIdList) },
      )
      return await processes.started(job, { engine, base })
    },
  })
