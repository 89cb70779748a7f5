import type { Engine, Job, SimilarService } from 'findling'
import * as z from 'zod'
import { tagFiles } from '../files/dictionary-files.ts'
import type { Files } from '../files/files.ts'
import { zipped } from '../files/zip.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { exampleSimilar, sampleDataset, sampleProduct } from '../sample/example.ts'
import { HttpError } from '../transport/errors.ts'
import { workerThreads } from '../transport/parallel.ts'
import { given } from '../wire/classifier-service.ts'
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
} from '../wire/similar-service.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'
import { refusedAs } from './refusals.ts'

const path = { id: exampleSimilar }
const noService = { when: 'There is no such service' }
const notAsked = {
  when: 'There is no active service of similar documents of that id or alias, or the body breaks its model or names other tags than those prepared',
}
const emptyTag = { when: 'No document with words had the tag when the service was prepared' }

const similarOf = ({ services }: Engine, id: string): SimilarService => services.get(id, 'similar')

/** Contract, 9. In the order in which the examples need each other. */
export function similarServiceRoutes(processes: Processes, files: Files): Route[] {
  const started = async (engine: Engine, job: Job<void>, base: string) => ({
    status: 202 as const,
    body: await processes.model(engine, job.state, base),
  })
  return [
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Prepare',
      action: 'Prc/Prepare',
      summary:
        'Prepares a service of similar documents: weighs what the documents of a dataset are compared by',
      members: serviceMember,
      writes: true,
      body: PrcPrepareSettings,
      example: {
        path,
        body: { DataSetName: sampleDataset, TagIdList: ['drills', 'lawn-mowers', 'headphones'] },
      },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: {
          when: 'It is of another type or not new, the body breaks its model, or there is no such dataset or tag',
        },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const service = similarOf(engine, path.id)
        const prepare = async () => {
          const tags = given(body.TagIdList)
          // What is wrong with its status comes first.
          if (tags && service.status === 'new') await requireTags(engine.datasets.get(body.DataSetName), tags)
          return { job: service.prepare(prepareInput(body)) }
        }
        const { job } = await refusedAs('DATASET_NOT_FOUND', 400, prepare)
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Activate',
      action: 'Prc/Activate',
      summary: 'Activates a service of similar documents, which compare by all interpreted fields or by some',
      members: serviceMember,
      body: PrcActivateSettings,
      bodyOptional: true,
      example: { path, body: { FieldsForRecommendation: ['title', 'description'] } },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not prepared, or a field is not interpreted' },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) =>
        await started(engine, similarOf(engine, path.id).activate(activateInput(body)), base),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/Services/Prc/{id}',
      action: 'Prc/Get',
      summary: 'Reads a service of similar documents with its settings',
      members: serviceMember,
      example: { path },
      responses: {
        200: { when: 'The service', body: PrcServiceModel },
        400: { when: 'It is of another type' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        const service = similarOf(engine, path.id)
        const indexed = service.status === 'active' ? await service.indexed() : null
        return { status: 200, body: prcServiceModel(service, indexed?.filter) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Recommend',
      action: 'Prc/Recommend',
      summary: 'Recommends the documents that are most like a text, best first',
      members: serviceMember,
      body: PrcRecommendationRequest,
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
      handle: async ({ engine, path, body }) => {
        const { Text, NeedDocumentInResult } = body
        const found = await refusedAs('SERVICE_NOT_FOUND', 400, async () =>
          similarOf(engine, path.id).recommend<object>(Text, recommendInput(body)),
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
      example: { path, body: { Text: 'cordless drill with two batteries', TagId: 'drills' } },
      responses: {
        200: { when: 'The words', body: z.array(PrcKeyword) },
        400: notAsked,
        406: emptyTag,
      },
      handle: async ({ engine, path, query, body: { Text, TagId } }) => {
        const words = await refusedAs('SERVICE_NOT_FOUND', 400, async () =>
          similarOf(engine, path.id).keywords(Text, { strict: query.isStrict, ...(TagId && { tag: TagId }) }),
        )
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
      bodyOptional: true,
      example: { path, body: { Filter: { Query: 'price:>5', TagIdList: ['drills'] } } },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not active, is being indexed, or the filter does not fit' },
        404: noService,
      },
      handle: async ({ engine, path, body, base, parallel }) => {
        const filter = filterInput(body?.Filter)
        const job = similarOf(engine, path.id).index({ filter, parallel: workerThreads(parallel) })
        return await started(engine, job, base)
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
        const service = similarOf(engine, path.id)
        if (!(await service.indexed()))
          throw new HttpError(400, 'Index has to be called before IndexPartial.')
        return await started(engine, service.indexPartial({ parallel: workerThreads(parallel) }), base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/RecommendById',
      action: 'Prc/RecommendById',
      summary: 'Recommends the documents that are most like a stored one, as Index has found them',
      members: serviceMember,
      body: PrcRecommendationByIdRequest,
      example: { path, body: { DocumentId: sampleProduct.id, TagId: 'drills', Count: 5 } },
      responses: {
        200: {
          when: 'The documents; none for a document that is unknown or not indexed',
          body: z.array(PrcRecommendation),
        },
        400: notAsked,
      },
      handle: async ({ engine, path, body }) => {
        const { DocumentId, NeedDocumentInResult } = body
        const found = await refusedAs('SERVICE_NOT_FOUND', 400, async () =>
          similarOf(engine, path.id).recommendById<object>(DocumentId, byIdInput(body)),
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
      bodyOptional: true,
      example: { path, body: { TagIdList: ['drills'] } },
      responses: {
        202: { when: 'The process that does it; its ResultMessage has the link to the file', body: Process },
        400: { when: 'It is of another type, neither prepared nor active, or was not prepared for a tag' },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const job: Job<void> = similarOf(engine, path.id).exportDictionaries(
          // Once the job has begun it has an id.
          async dictionaries => await files.put(`${job.id}.zip`, zipped(tagFiles(dictionaries))),
          { tags: given(body?.TagIdList) },
        )
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Prc/{id}/Deactivate',
      action: 'Prc/Deactivate',
      summary: 'Deactivates a service of similar documents; what Index has found stays',
      members: serviceMember,
      example: { path },
      responses: {
        200: { when: 'The service is prepared' },
        400: { when: 'It is of another type or not active' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        await similarOf(engine, path.id).deactivate()
        return { status: 200 }
      },
    }),
  ]
}
