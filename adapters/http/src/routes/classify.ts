import type { Dataset, Engine, Job, TagClassifier } from 'findling'
import { type Answering, identified } from '../analytics/answering.ts'
import { askedBy } from '../analytics/asking.ts'
import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import {
  ClassifierTraining,
  ClassifyRequest,
  ClassifyResult,
  classifyOptions,
  classifyResult,
  DoubtfulTagsRequest,
  trainingOptions,
} from '../wire/classify.ts'
import { fileStarted } from '../wire/processes.ts'
import { tagOrigins } from '../wire/tags.ts'
import { datasetJobRoute } from './dataset-job.ts'
import { defineRoute } from './define-route.ts'
import { requireTags } from './known-tags.ts'
import { refusedAs } from './refusals.ts'

const notTrained = 'The dataset has no classifier yet: train one first'
const examination = {
  answer: fileStarted.when,
  refused: 'The name is not a valid dataset name, or the body is invalid',
  conflict: notTrained,
}

/** Contract, 20: tags for texts without a service. Ordered so that each example can build on those before it. */
export function classifyRoutes(processes: Processes, answering: Answering): Route[] {
  /** For a job whose result does not fit into the process: the rest is written to a file. */
  const told = async (engine: Engine, job: Job<unknown>) => {
    await processes.follow(engine, job, [])
    return { job }
  }
  return [
    datasetJobRoute(processes, {
      path: '/api/DataSets/{name}/Classifier/Train',
      action: 'DataSets/TrainClassifier',
      summary: 'Learns from the documents of a dataset which tags fit which texts',
      body: ClassifierTraining,
      origins: { ...tagOrigins, fields: 'FieldList' },
      example: { TagIdList: ['drills', 'lawn-mowers', 'headphones'] },
      answer: 'The started process; the previous classifier keeps answering until it has finished',
      refused: 'The body is invalid, or names unknown tags',
      conflict: 'A classifier is already being trained: wait for that process, or cancel it',
      start: async (dataset, body, { parallel }) => {
        const options = trainingOptions(body)
        if (options.tags) await requireTags(dataset, options.tags)
        return { job: dataset.classifier({ ...options, parallel }) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/Documents/Classify',
      action: 'DocumentsClassify/Post',
      summary: 'Recommends tags for a text with the classifier of a dataset, likeliest first',
      extension: true,
      dataset: true,
      body: ClassifyRequest,
      origins: tagOrigins,
      example: { body: { Text: 'cordless drill with two batteries', Count: 2 } },
      responses: {
        200: { when: 'The tags; empty if no word of the text is known', body: ClassifyResult },
        400: { when: 'The body is invalid, or names tags that were not learnt' },
        409: { when: notTrained },
      },
      handle: async ({ engine, dataset, body, caller, headers, deadline }) => {
        const options = { ...classifyOptions(body), ...deadline, ...askedBy({ headers, caller }, body) }
        const classify = async () => await engine.datasets.get(dataset).classify(body.Text, options)
        const found = await refusedAs('TAG_NOT_FOUND', 400, classify)
        return { status: 200, body: await identified(classifyResult(found), found, answering) }
      },
    }),
    datasetJobRoute(processes, {
      path: '/api/DataSets/{name}/Classifier/Evaluate',
      action: 'DataSets/EvaluateClassifier',
      summary:
        'Measures how good the classifier of a dataset is: trains on four fifths of the documents and tests with the rest',
      ...examination,
      start: async (dataset, _, { engine }) => await told(engine, (await trained(dataset)).evaluate()),
    }),
    datasetJobRoute(processes, {
      path: '/api/DataSets/{name}/Classifier/DoubtfulTags',
      action: 'DataSets/DoubtfulTags',
      summary: 'Lists documents whose tags are probably wrong',
      body: DoubtfulTagsRequest,
      example: { Limit: 20 },
      ...examination,
      start: async (dataset, { Limit }, { engine }) =>
        await told(engine, (await trained(dataset)).doubtful({ limit: Limit })),
    }),
  ]
}

async function trained(dataset: Dataset): Promise<TagClassifier> {
  const classifier = await dataset.savedClassifier()
  if (classifier) return classifier
  throw new HttpError(409, `The dataset ${dataset.name} has no classifier yet: train one first.`)
}
