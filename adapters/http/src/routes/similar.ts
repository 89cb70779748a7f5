import type { Job } from 'findling'
import { type Answering, identified } from '../analytics/answering.ts'
import { askedBy } from '../analytics/asking.ts'
import type { ProcessFiles } from '../processes/process-files.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleProduct } from '../sample/example.ts'
import { fileStarted } from '../wire/processes.ts'
import {
  DuplicatesRequest,
  duplicatesFile,
  KeywordsRequest,
  KeywordsResult,
  keywordsResult,
  SimilarRequest,
  SimilarResult,
  similarOptions,
  similarOrigins,
  similarResult,
  similarTo,
} from '../wire/similar.ts'
import { defineRoute } from './define-route.ts'
import { heldFields, requireFewPatterns } from './held-searches.ts'
import { refusedAs } from './refusals.ts'

/** Contract, 20: similar documents and typical words, without a service. */
export function similarRoutes(
  processes: Processes,
  { processFiles: files, ...answering }: Answering & { readonly processFiles: ProcessFiles },
): Route[] {
  return [similarRoute(answering), keywordsRoute, duplicatesRoute(processes, files)]
}

const similarRoute = (answering: Answering) =>
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Similar',
    action: 'DocumentsSimilar/Post',
    summary: 'Finds the documents that are most like a text or a document, best first',
    extension: true,
    dataset: true,
    body: SimilarRequest,
    origins: similarOrigins,
    example: {
      body: { Document: { title: sampleProduct.title }, Count: 3, Filter: 'price:<200', Explain: true },
    },
    responses: {
      200: { when: 'The documents', body: SimilarResult },
      404: { when: 'There is no document with that id' },
    },
    handle: async ({ engine, dataset, body, caller, headers, deadline }) => {
      caller.refuseNumbers(body.Explain, 'Explain')
      caller.refuseBeyondLimit(body.Count, 'Count')
      requireFewPatterns(body.Filter, caller)
      const held = { ...caller.held(similarOptions(body)), ...heldFields(engine, dataset, caller) }
      const found = await engine.datasets
        .get<object>(dataset)
        .similar(similarTo(body), { ...held, ...deadline, ...askedBy({ headers, caller }, body) })
      return { status: 200, body: await identified(similarResult(found), found, answering) }
    },
  })

const keywordsRoute = defineRoute({
  method: 'POST',
  path: '/api/Documents/Keywords',
  action: 'DocumentsKeywords/Post',
  summary: 'Finds the words that are typical of the documents of a tag',
  extension: true,
  dataset: true,
  body: KeywordsRequest,
  example: { body: { TagId: 'drills', Count: 10 } },
  responses: { 200: { when: 'The words, most typical first', body: KeywordsResult } },
  handle: async ({ engine, dataset, body: { TagId, Count, Text, Strict }, deadline }) => {
    const asked = {
      tagId: TagId,
      limit: Count,
      strict: Strict,
      ...(Text !== undefined && { text: Text }),
      ...deadline,
    }
    const words = await refusedAs('TAG_NOT_FOUND', 400, () => engine.datasets.get(dataset).keywords(asked))
    return { status: 200, body: keywordsResult(words) }
  },
})

const duplicatesRoute = (processes: Processes, files: ProcessFiles) =>
  defineRoute({
    method: 'POST',
    path: '/api/Documents/Duplicates',
    action: 'DocumentsDuplicates/Post',
    summary: 'Finds documents that are probably duplicates, and writes them to a file',
    extension: true,
    dataset: true,
    writes: true,
    body: DuplicatesRequest,
    example: { body: { Threshold: 0.8 } },
    responses: {
      202: fileStarted,
    },
    handle: async ({ engine, dataset, body, base }) => {
      const job: Job<void> = engine.datasets
        .get(dataset)
        .exportDuplicates(async groups => await files.put(job, duplicatesFile(groups)), {
          threshold: body.Threshold,
        })
      return await processes.started(job, { engine, base })
    },
  })
