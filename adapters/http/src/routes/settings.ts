import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { workerThreads } from '../transport/parallel.ts'
import { Process } from '../wire/processes.ts'
import { DataSetSettings, DataSetSettingsUpdate, settingsIn, settingsModel } from '../wire/settings.ts'
import { defineRoute } from './define-route.ts'

const noDataSet = { when: 'There is no such dataset' }
const busy = { when: 'The dataset is being indexed anew: wait for that process, or cancel it' }

/** Contract, 20: how a dataset is searched. */
export function settingsRoutes(processes: Processes): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/DataSets/{name}/Settings',
      action: 'DataSets/GetSettings',
      summary: 'Reads how a dataset is searched',
      extension: true,
      responses: {
        200: { when: 'The settings', body: DataSetSettings },
        400: { when: 'The name breaks the rule of names' },
        404: noDataSet,
      },
      handle: async ({ engine, path }) => ({
        status: 200,
        body: settingsModel(engine.datasets.get(path.name!).settings),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/DataSets/{name}/Reconfigure',
      action: 'DataSets/Reconfigure',
      summary: 'Changes settings of a dataset and indexes it anew where they ask for it',
      extension: true,
      writes: true,
      body: DataSetSettingsUpdate,
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'A name or a setting breaks its rule' },
        404: noDataSet,
        409: busy,
      },
      handle: async ({ engine, path, body, base, parallel }) => {
        const options = { parallel: workerThreads(parallel) }
        const job = engine.datasets.get(path.name!).reconfigure(settingsIn(body), options)
        return { status: 202, body: await processes.model(engine, job.state, base) }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/DataSets/{name}/Optimize',
      action: 'DataSets/Optimize',
      summary: 'Indexes a dataset anew, to have its index small and quick; it is never necessary',
      extension: true,
      writes: true,
      responses: {
        202: { when: 'The process that does it', body: Process },
        400: { when: 'The name breaks the rule of names' },
        404: noDataSet,
        409: busy,
      },
      handle: async ({ engine, path, base, parallel }) => {
        const job = engine.datasets.get(path.name!).optimize({ parallel: workerThreads(parallel) })
        return { status: 202, body: await processes.model(engine, job.state, base) }
      },
    }),
  ]
}
