import type { Job } from 'findling'
import * as z from 'zod'
import { askedBy } from '../analytics/asking.ts'
import { dictionaryFiles } from '../files/dictionary-files.ts'
import { zipped } from '../files/zip.ts'
import type { ProcessFiles } from '../processes/process-files.ts'
import type { Processes } from '../processes/processes.ts'
import { workerThreads } from '../request/parallel.ts'
import type { Route } from '../route.ts'
import { exampleClassifier, sampleDataset } from '../sample/example.ts'
import {
  activateInput,
  ClassifierActivateSettings,
  ClassifierPrepareSettings,
  ClassifierRecommendation,
  ClassifierRecommendationRequest,
  ClassifierServiceModel,
  classifierServiceModel,
  ExportDictionariesSettings,
  prepareInput,
  recommendationModel,
} from '../wire/classifier-service.ts'
import { given } from '../wire/lists.ts'
import { fileStarted } from '../wire/processes.ts'
import { tagOrigins } from '../wire/tags.ts'
import { defineRoute } from './define-route.ts'
import { noService, servicesOf, typedService } from './typed-service.ts'

const services = servicesOf('classifier', 'Classifier')
const { of, asked, post } = services
const path = { id: exampleClassifier }

/** Contract, 8. Ordered so that each example can build on those before it. */
export function classifierServiceRoutes(processes: Processes, files: ProcessFiles): Route[] {
  const { prepare, activate, read, deactivate } = typedService(processes, {
    services,
    name: 'a classifier',
    example: exampleClassifier,
    prepare: {
      body: ClassifierPrepareSettings,
      example: {
        DataSetName: sampleDataset,
        NGramList: [1, 2],
        TagIdList: ['drills', 'lawn-mowers', 'headphones'],
      },
      does: 'learns from the documents of a dataset which tags fit which texts',
      names: 'dataset, tag or n-gram',
      start: (service, body, parallel) =>
        service.prepare({ ...prepareInput(body), parallel: workerThreads(parallel) }),
    },
    activate: {
      body: ClassifierActivateSettings,
      example: { NGramList: [1, 2], EmphasizedTagIdList: ['drills'] },
      summary: 'Activates a classifier, with everything that was prepared or a part of it',
      unfit: 'the body names something for which it was not prepared',
      start: (service, body) => service.activate(activateInput(body)),
    },
    origins: tagOrigins,
    model: ClassifierServiceModel,
    show: classifierServiceModel,
    stays: 'what it has learnt is kept',
  })
  return [prepare, activate, read, recommend, exportDictionaries(processes, files), deactivate]
}

const recommend = defineRoute({
  ...post('Recommend'),
  summary: 'Recommends tags for a text, likeliest first',
  body: ClassifierRecommendationRequest,
  origins: tagOrigins,
  example: { path, body: { Text: 'cordless drill with two batteries', NeedTagInResult: true } },
  responses: {
    200: {
      when: 'The tags; empty if no word of the text is known',
      body: z.array(ClassifierRecommendation),
    },
    400: {
      when: 'There is no active classifier with that id or alias, the body is invalid, or no prepared tag is below a parent',
    },
  },
  handle: async ({ engine, path, body, deadline, ...call }) => {
    const ends = { ...deadline, ...askedBy(call) }
    const { Text, Count, UseEmphasizing, NeedTagInResult, ParentTagIdList, Explain } = body
    const below = given(ParentTagIdList)
    const options = {
      limit: Math.max(0, Count),
      emphasize: UseEmphasizing,
      explain: Explain,
      ...(below && { below }),
    }
    const found = await asked(engine, path.id, service => service.recommend(Text, options, ends))
    const shown = Count < 0 ? [] : found
    return { status: 200, body: shown.map(one => recommendationModel(one, NeedTagInResult)) }
  },
})

const exportDictionaries = (processes: Processes, files: ProcessFiles) =>
  defineRoute({
    ...post('ExportDictionaries'),
    summary: 'Writes what was learnt to a file: the words that indicate each tag, with scores',
    writes: true,
    body: ExportDictionariesSettings,
    origins: tagOrigins,
    example: { path, body: { TagIdList: ['drills'], NGramList: [1, 2] } },
    responses: {
      202: fileStarted,
      400: {
        when: 'The service has another type, is neither prepared nor active, or was not prepared for something that the body names',
      },
      404: noService,
    },
    handle: async ({ engine, path, body, base }) => {
      const job: Job<void> = of(engine, path.id).exportDictionaries(
        async dictionaries => await files.put(job, zipped(dictionaryFiles(dictionaries))),
        { tags: given(body.TagIdList), nGrams: body.NGramList },
      )
      return await processes.started(job, { engine, base })
    },
  })
