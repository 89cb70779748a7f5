import type { Dataset } from 'findling'
import type * as z from 'zod'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { workerThreads } from '../transport/parallel.ts'
import { dataSetMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { DataSetSettings, DataSetSettingsUpdate, settingsIn, settingsModel } from '../wire/settings.ts'
import { defineRoute } from './define-route.ts'

const noDataSet = { when: 'There is no such dataset' }

/** Contract, 20: how a dataset is searched. */
export function settingsRoutes(processes: Processes): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/DataSets/{name}/Settings',
      action: 'DataSets/GetSettings',
      summary: 'Shows how a dataset is searched',
      extension: true,
      members: dataSetMember,
      example: { path: { name: sampleDataset } },
      responses: {
        200: { when: 'The settings', body: DataSetSettings },
        400: { when: 'The name is not a valid name of a dataset' },
        404: noDataSet,
      },
      handle: async ({ engine, path }) => ({
        status: 200,
        body: settingsModel(engine.datasets.get(path.name).settings),
      }),
    }),
    indexingRoute(processes, {
      path: '/api/DataSets/{name}/Reconfigure',
      action: 'DataSets/Reconfigure',
      summary: 'Changes settings of a dataset, and rebuilds its index if they need it',
      body: DataSetSettingsUpdate,
      example: {
        Signals: [{ Field: 'rating', Pivot: 4, Boost: 0.2 }],
        Synonyms: [{ Synonyms: ['sofa', 'couch'] }],
        StopWords: ['the', 'for'],
      },
      refused: 'A name or a setting breaks its rule',
      start: (dataset, body, options) => dataset.reconfigure(settingsIn(body), options),
    }),
    indexingRoute(processes, {
      path: '/api/DataSets/{name}/Optimize',
      action: 'DataSets/Optimize',
      summary: 'Rebuilds the index of a dataset to make it small and fast; it is never necessary',
      refused: 'The name is not a valid name of a dataset',
      start: (dataset, _, options) => dataset.optimize(options),
    }),
  ]
}

interface Indexing<Body> extends Pick<Route, 'path' | 'action' | 'summary'> {
  body?: z.ZodType<Body>
  example?: unknown
  /** When the answer is 400. */
  refused: string
  start(dataset: Dataset, body: Body, options: { parallel: number }): ReturnType<Dataset['optimize']>
}

function indexingRoute<Body>(
  processes: Processes,
  { refused, start, example, ...about }: Indexing<Body>,
): Route {
  return defineRoute({
    ...about,
    method: 'POST',
    extension: true,
    writes: true,
    members: dataSetMember,
    example: { path: { name: sampleDataset }, ...(example !== undefined && { body: example }) },
    responses: {
      202: { when: 'The process that does it', body: Process },
      400: { when: refused },
      404: noDataSet,
      409: { when: 'The index is being rebuilt already: wait for that process, or cancel it' },
    },
    handle: async ({ engine, path, body, base, parallel }) => {
      const job = start(engine.datasets.get(path.name), body, { parallel: workerThreads(parallel) })
      return { status: 202, body: await processes.model(engine, job.state, base) }
    },
  })
}
