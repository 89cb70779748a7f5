import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { dataSetMember } from '../wire/path-members.ts'
import {
  DataSetSettings,
  DataSetSettingsUpdate,
  settingsIn,
  settingsModel,
  settingsOrigins,
} from '../wire/settings.ts'
import { requireBaskets } from './basket-rights.ts'
import { datasetJobRoute, noDataSet } from './dataset-job.ts'
import { defineRoute } from './define-route.ts'

const rebuilding = 'The index is already being rebuilt: wait for that process, or cancel it'

/** Contract, 20: how a dataset is searched. */
export function settingsRoutes(processes: Processes): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/DataSets/{name}/Settings',
      action: 'DataSets/GetSettings',
      summary: 'Shows the search settings of a dataset',
      extension: true,
      members: dataSetMember,
      example: { path: { name: sampleDataset } },
      responses: {
        200: { when: 'The settings', body: DataSetSettings },
        400: { when: 'The name is not a valid dataset name' },
        404: noDataSet,
      },
      handle: async ({ engine, path }) => ({
        status: 200,
        body: settingsModel(engine.datasets.get(path.name).settings),
      }),
    }),
    datasetJobRoute(processes, {
      path: '/api/DataSets/{name}/Reconfigure',
      action: 'DataSets/Reconfigure',
      summary: 'Changes settings of a dataset, and rebuilds its index if they need it',
      body: DataSetSettingsUpdate,
      bodySize: 'settings',
      // Newly chosen fields are checked against the existing sample or schema.
      origins: {
        ...settingsOrigins,
        sample: { content: 'SampleDocument' },
        schema: { content: 'Schema' },
      },
      example: {
        Signals: [{ Field: 'rating', Pivot: 4, Boost: 0.2 }],
        Synonyms: [{ Synonyms: ['sofa', 'couch'] }],
        StopWords: ['the', 'for'],
      },
      refused: 'A name or a setting is invalid',
      conflict: rebuilding,
      start: async (dataset, body, { caller, parallel }) => {
        requireBaskets(body, caller)
        return { job: dataset.reconfigure(settingsIn(body), { parallel }) }
      },
    }),
    datasetJobRoute(processes, {
      path: '/api/DataSets/{name}/Optimize',
      action: 'DataSets/Optimize',
      summary: 'Rebuilds the index of a dataset to make it small and fast; this is never necessary',
      refused: 'The name is not a valid dataset name',
      conflict: rebuilding,
      start: async (dataset, _, { parallel }) => ({ job: dataset.optimize({ parallel }) }),
    }),
  ]
}
