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
import { serviceMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
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
import { noService, typedService } from './typed-service.ts'

const path = { id: exampleSimilar }
const notAsked = {
  when: 'There is no active service of similar documents of that id or alias, or the body breaks its model or names other tags than those prepared',
}
const emptyTag = { when: 'No document with words had the tag when the service was prepared' }

/** Contract, 9. Ordered so that each example can build on those before it. */
export function similarServiceRoutes(processes: Processes, files: ProcessFiles): Route[] {
  const { of, asked, prepare, activate, read, deactivate } = typedService(processes, {
    type: 'similar',
    wire: 'Prc',
    name: 'a service of similar documents',
    example: exampleSimilar,
    origins: similarOrigins,
    prepare: {
      body: PrcPrepareSettings,
      example: { DataSetName: sampleDataset, TagIdList: ['drills', 'lawn-mowers', 'headphones'] },
      does: 'weighs what the documents of a dataset are compared by',
      names: 'dataset or tag',
      start: (service, body) => service.prepare(prepareInput(body)),
    },
    activate: {
      body: PrcActivateSettings,
      example: { FieldsForRecommendation: ['title', 'description'] },
      summary: 'Activates a service of similar documents, which compare by all interpreted fields or by some',
      unfit: 'a field is not interpreted',
      start: (service, body) => service.activate(activateInput(body)),
    },
    model: PrcServiceModel,
    show: async service => {
      const indexed = service.status === 'active' ? await service.indexed() : null
      return prcServiceModel(service, indexed?.filter)
    },
    stays: 'what Index has found stays',
  })
  return [
    prepare,
    activate,
    read,
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Recommend',
      action: 'Prc/Recommend',
      summary: 'Recommends the documents that are most like a text, best first',
      members: serviceMember,
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
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Keywords',
      action: 'Prc/Keywords',
      summary: 'Finds the words of a text that speak for a tag, strongest first',
      members: serviceMember,
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
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Index',
      action: 'Prc/Index',
      summary: 'Finds the 100 documents that are most like each document of each tag, for RecommendById',
      members: serviceMember,
      writes: true,
      body: PrcIndexSettings,
      origins: similarOrigins,
      bodyOptional: true,
      example: { path, body: { Filter: { Query: 'price:>5', TagIdList: ['drills'] } } },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not active, is being indexed, or the filter does not fit' },
        404: noService,
      },
      handle: async ({ engine, path, body, base, parallel }) => {
        const filter = filterInput(body?.Filter)
        const job = of(engine, path.id).index({ filter, parallel: workerThreads(parallel) })
        return await processes.started(job, { engine, base })
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/IndexPartial',
      action: 'Prc/IndexPartial',
      summary: 'Brings what Index has found up to date with the documents',
      members: serviceMember,
      writes: true,
      example: { path },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not active, or Index was not called before' },
        404: noService,
      },
      handle: async ({ engine, path, base, parallel }) => {
        const service = of(engine, path.id)
        if (!(await service.indexed()))
          throw new HttpError(400, 'Index has to be called before IndexPartial.')
        const job = service.indexPartial({ parallel: workerThreads(parallel) })
        return await processes.started(job, { engine, base })
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/RecommendById',
      action: 'Prc/RecommendById',
      summary: 'Recommends the documents that are most like a stored one, as Index has found them',
      members: serviceMember,
      body: PrcRecommendationByIdRequest,
      origins: similarOrigins,
      example: { path, body: { DocumentId: sampleProduct.id, TagId: 'drills', Count: 5 } },
      responses: {
        200: {
          when: 'The documents; none for a document that is unknown or not indexed',
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
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/ExportDictionaries',
      action: 'Prc/ExportDictionaries',
      summary: 'Writes the words that speak for each tag into a file, with scores',
      members: serviceMember,
      writes: true,
      body: PrcExportSettings,
      origins: similarOrigins,
      bodyOptional: true,
      example: { path, body: { TagIdList: ['drills'] } },
      responses: {
        202: { when: 'The process that does it; its ResultMessage has the link to the file', body: Process },
        400: { when: 'It is of another type, neither prepared nor active, or was not prepared for a tag' },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const job: Job<void> = of(engine, path.id).exportDictionaries(
          async dictionaries => await files.put(job, zipped(tagFiles(dictionaries))),
          { tags: given(body?.TagIdList) },
        )
        return await processes.started(job, { engine, base })
      },
    }),
    deactivate,
  ]
}
