import type { Documents } from 'findling'
import { idText } from 'findling/schemas'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { DocumentTransfer, transferOrigins } from '../wire/documents.ts'
import { Process } from '../wire/processes.ts'
import { defineRoute } from './define-route.ts'
import { refusedAs } from './refusals.ts'

/** Contract, 6.6. */
export function transferRoutes(processes: Processes): Route[] {
  return [
    transferRoute(processes, {
      path: '/api/Documents/Copy',
      example: { body: { DocumentIdList: ['p-000002'], TargetDataSetName: 'first' } },
      action: 'DocumentsCopy/Post',
      summary: 'Copies documents into another dataset',
      start: (source, ...given) => source.copy(...given),
    }),
    transferRoute(processes, {
      path: '/api/Documents/Move',
      example: { dataset: 'first', body: { DocumentIdList: ['p-000002'], TargetDataSetName: sampleDataset } },
      action: 'DocumentsMove/Post',
      summary: 'Moves documents into another dataset; documents that it refuses stay where they are',
      start: (source, ...given) => source.move(...given),
    }),
  ]
}

interface Transfer extends Pick<Route, 'path' | 'action' | 'summary' | 'example'> {
  start(source: Documents, ...given: Parameters<Documents['copy']>): ReturnType<Documents['copy']>
}

function transferRoute(processes: Processes, { start, ...about }: Transfer): Route {
  return defineRoute({
    ...about,
    method: 'POST',
    dataset: true,
    writes: true,
    body: DocumentTransfer,
    bodySize: 'settings',
    rows: 'DocumentIdList',
    origins: transferOrigins,
    responses: {
      202: { when: 'The started process', body: Process },
      400: { when: 'The body is invalid, one of the datasets does not exist, or both are the same' },
    },
    handle: async ({ engine, dataset, body, base, caller }) => {
      const { DocumentIdList: ids, TargetDataSetName: targetName } = body
      const unknown = `TargetDataSetName is ${JSON.stringify(targetName)}; expected the name of a dataset`
      const find = async () => engine.datasets.get(targetName)
      const target = await refusedAs('DATASET_NOT_FOUND', 400, find, unknown)
      const source = engine.datasets.get(dataset).documents
      const there = await existing(source, ids)
      const job = start(source, ids, target.documents, { owner: caller.id })
      await processes.follow(engine, job, there)
      return await processes.started(job, { engine, base })
    },
  })
}

const GROUP = 200

/** The ids that have a document, without duplicates. */
async function existing(documents: Documents, ids: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(ids)].filter(id => idText(id) !== undefined)
  const found: string[] = []
  for (let at = 0; at < wanted.length; at += GROUP) {
    const records = await documents.records(wanted.slice(at, at + GROUP))
    for (const record of records) if (record) found.push(record.id)
  }
  return found
}
