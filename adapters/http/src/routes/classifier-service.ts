import type { ClassifierService, Engine, Job } from 'findling'
import * as z from 'zod'
import { dictionaryFiles } from '../files/dictionary-files.ts'
import type { Files } from '../files/files.ts'
import { zipped } from '../files/zip.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { exampleClassifier, sampleDataset } from '../sample/example.ts'
import { workerThreads } from '../transport/parallel.ts'
import {
  activateInput,
  ClassifierActivateSettings,
  ClassifierPrepareSettings,
  ClassifierRecommendation,
  ClassifierRecommendationRequest,
  ClassifierServiceModel,
  classifierServiceModel,
  ExportDictionariesSettings,
  given,
  prepareInput,
  recommendationModel,
} from '../wire/classifier-service.ts'
import { serviceMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'
import { refusedAs } from './refusals.ts'

const path = { id: exampleClassifier }
const noService = { when: 'There is no such service' }

const classifierOf = ({ services }: Engine, id: string): ClassifierService => services.get(id, 'classifier')

/** Contract, 8. In the order in which the examples need each other. */
export function classifierServiceRoutes(processes: Processes, files: Files): Route[] {
  const started = async (engine: Engine, job: Job<void>, base: string) => ({
    status: 202 as const,
    body: await processes.model(engine, job.state, base),
  })
  return [
    defineRoute({
      method: 'POST',
      path: '/api/Services/Classifier/{id}/Prepare',
      action: 'Classifier/Prepare',
      summary: 'Prepares a classifier: learns from the documents of a dataset which tags texts belong to',
      members: serviceMember,
      writes: true,
      body: ClassifierPrepareSettings,
      example: {
        path,
        body: {
          DataSetName: sampleDataset,
          NGramList: [1, 2],
          TagIdList: ['drills', 'lawn-mowers', 'headphones'],
        },
      },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: {
          when: 'It is of another type or not new, the body breaks its model, or there is no such dataset, tag or n-gram',
        },
        404: noService,
      },
      handle: async ({ engine, path, body, base, parallel }) => {
        const service = classifierOf(engine, path.id)
        const prepare = async () => {
          const tags = given(body.TagIdList)
          // What is wrong with its status comes first.
          if (tags && service.status === 'new') await requireTags(engine.datasets.get(body.DataSetName), tags)
          return { job: service.prepare({ ...prepareInput(body), parallel: workerThreads(parallel) }) }
        }
        const { job } = await refusedAs('DATASET_NOT_FOUND', 400, prepare)
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Classifier/{id}/Activate',
      action: 'Classifier/Activate',
      summary: 'Activates a classifier, with all that was prepared or with parts of it',
      members: serviceMember,
      body: ClassifierActivateSettings,
      bodyOptional: true,
      example: { path, body: { NGramList: [1, 2], EmphasizedTagIdList: ['drills'] } },
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'It is of another type or not prepared, or was not prepared for what the body names' },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) =>
        await started(engine, classifierOf(engine, path.id).activate(activateInput(body)), base),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/Services/Classifier/{id}',
      action: 'Classifier/Get',
      summary: 'Reads a classifier with its settings',
      members: serviceMember,
      example: { path },
      responses: {
        200: { when: 'The service', body: ClassifierServiceModel },
        400: { when: 'It is of another type' },
        404: noService,
      },
      handle: async ({ engine, path }) => ({
        status: 200,
        body: classifierServiceModel(classifierOf(engine, path.id)),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Classifier/{id}/Recommend',
      action: 'Classifier/Recommend',
      summary: 'Recommends tags for a text, likeliest first',
      members: serviceMember,
      body: ClassifierRecommendationRequest,
      example: { path, body: { Text: 'cordless drill with two batteries', NeedTagInResult: true } },
      responses: {
        200: {
          when: 'The tags; none when no word of the text is known',
          body: z.array(ClassifierRecommendation),
        },
        400: {
          when: 'There is no active classifier of that id or alias, the body breaks its model, or no prepared tag is below a parent',
        },
      },
      handle: async ({ engine, path, body }) => {
        const { Text, Count, UseEmphasizing, NeedTagInResult, ParentTagIdList } = body
        const below = given(ParentTagIdList)
        const found = await refusedAs('SERVICE_NOT_FOUND', 400, async () =>
          classifierOf(engine, path.id).recommend(Text, {
            count: Math.max(0, Count),
            emphasize: UseEmphasizing,
            ...(below && { below }),
          }),
        )
        const shown = Count < 0 ? [] : found
        return { status: 200, body: shown.map(one => recommendationModel(one, NeedTagInResult)) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Classifier/{id}/ExportDictionaries',
      action: 'Classifier/ExportDictionaries',
      summary: 'Writes what was learnt into a file: the words that speak for each tag, with scores',
      members: serviceMember,
      writes: true,
      body: ExportDictionariesSettings,
      example: { path, body: { TagIdList: ['drills'], NGramList: [1, 2] } },
      responses: {
        202: { when: 'The process that does it; its ResultMessage has the link to the file', body: Process },
        400: {
          when: 'It is of another type, or neither prepared nor active, or was not prepared for what the body names',
        },
        404: noService,
      },
      handle: async ({ engine, path, body, base }) => {
        const job: Job<void> = classifierOf(engine, path.id).exportDictionaries(
          // Once the job has begun it has an id.
          async dictionaries => await files.put(`${job.id}.zip`, zipped(dictionaryFiles(dictionaries))),
          { tags: given(body.TagIdList), nGrams: body.NGramList },
        )
        return await started(engine, job, base)
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Services/Classifier/{id}/Deactivate',
      action: 'Classifier/Deactivate',
      summary: 'Deactivates a classifier; what was learnt stays',
      members: serviceMember,
      example: { path },
      responses: {
        200: { when: 'The service is prepared' },
        400: { when: 'It is of another type or not active' },
        404: noService,
      },
      handle: async ({ engine, path }) => {
        await classifierOf(engine, path.id).deactivate()
        return { status: 200 }
      },
    }),
  ]
}
