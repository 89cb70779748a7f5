import type { Dataset, Engine, Job, TagClassifier } from 'findling'
import type * as z from 'zod'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { HttpError } from '../transport/errors.ts'
import { workerThreads } from '../transport/parallel.ts'
import {
  ClassifierTraining,
  ClassifyRequest,
  ClassifyResult,
  classifyOptions,
  classifyResult,
  DoubtfulTagsRequest,
  trainingOptions,
} from '../wire/classify.ts'
import { dataSetMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'
import { refusedAs } from './refusals.ts'

const noDataSet = { when: 'There is no such dataset' }
const notTrained = { when: 'The dataset has no classifier yet: train one first' }

/** Contract, 20: tags for texts without a service. In the order in which the examples need each other. */
export function classifyRoutes(processes: Processes): Route[] {
  const started = async (engine: Engine, job: Job<unknown>, base: string) => {
    await processes.follow(engine, job, [])
    return { status: 202 as const, body: await processes.model(engine, job.state, base) }
  }
  return [
    defineRoute({
      method: 'POST',
      path: '/api/DataSets/{name}/Classifier/Train',
      action: 'DataSets/TrainClassifier',
      summary: 'Learns from the documents of a dataset which tags texts belong to',
      extension: true,
      writes: true,
      members: dataSetMember,
      body: ClassifierTraining,
      example: {
        path: { name: sampleDataset },
        body: { TagIdList: ['drills', 'lawn-mowers', 'headphones'] },
      },
      responses: {
        202: {
          when: 'The process that does it; the classifier before answers until it has finished',
          body: Process,
        },
        400: { when: 'The body breaks its model, or names unknown tags' },
        404: noDataSet,
        409: { when: 'A classifier is being trained already: wait for that process, or cancel it' },
      },
      handle: async ({ engine, path, body, base, parallel }) => {
        const dataset = engine.datasets.get(path.name)
        const options = trainingOptions(body)
        if (options.tags) await requireTags(dataset, options.tags)
        const job: Job<unknown> = dataset.classifier({ ...options, parallel: workerThreads(parallel) })
        return { status: 202, body: await processes.model(engine, job.state, base) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Documents/Classify',
      action: 'DocumentsClassify/Post',
      summary: 'Recommends tags for a text by the classifier of a dataset, likeliest first',
      extension: true,
      dataset: true,
      body: ClassifyRequest,
      example: { body: { Text: 'cordless drill with two batteries', Count: 2 } },
      responses: {
        200: { when: 'The tags; none when no word of the text is known', body: ClassifyResult },
        400: { when: 'The body breaks its model, or names tags that were not learnt' },
        409: notTrained,
      },
      handle: async ({ engine, dataset, body }) => {
        const classify = async () =>
          await engine.datasets.get(dataset).classify(body.Text, classifyOptions(body))
        return { status: 200, body: classifyResult(await refusedAs('TAG_NOT_FOUND', 400, classify)) }
      },
    }),
    examinationRoute(started, {
      path: '/api/DataSets/{name}/Classifier/Evaluate',
      action: 'DataSets/EvaluateClassifier',
      summary:
        'Tells how good the classifier of a dataset is: learns from four fifths of the documents and asks for the others',
      start: classifier => classifier.evaluate(),
    }),
    examinationRoute(started, {
      path: '/api/DataSets/{name}/Classifier/DoubtfulTags',
      action: 'DataSets/DoubtfulTags',
      summary: 'Lists documents whose tags are likely to be wrong',
      body: DoubtfulTagsRequest,
      example: { Limit: 20 },
      start: (classifier, { Limit }) => classifier.doubtful({ limit: Limit }),
    }),
  ]
}

type Started = (
  engine: Engine,
  job: Job<unknown>,
  base: string,
) => Promise<{ status: 202; body: z.output<typeof Process> }>

interface Examination<Body> extends Pick<Route, 'path' | 'action' | 'summary'> {
  body?: z.ZodType<Body>
  example?: unknown
  start(classifier: TagClassifier, body: Body): Job<unknown>
}

function examinationRoute<Body>(started: Started, { start, example, ...about }: Examination<Body>): Route {
  return defineRoute({
    ...about,
    method: 'POST',
    extension: true,
    writes: true,
    members: dataSetMember,
    example: { path: { name: sampleDataset }, ...(example !== undefined && { body: example }) },
    responses: {
      202: { when: 'The process that does it; its ResultMessage has the link to the file', body: Process },
      400: { when: 'The name is not a valid name of a dataset, or the body breaks its model' },
      404: noDataSet,
      409: notTrained,
    },
    handle: async ({ engine, path, body, base }) =>
      await started(engine, start(await trained(engine.datasets.get(path.name)), body), base),
  })
}

async function trained(dataset: Dataset): Promise<TagClassifier> {
  const classifier = await dataset.savedClassifier()
  if (classifier) return classifier
  throw new HttpError(409, `The dataset ${dataset.name} has no classifier yet: train one first.`)
}
