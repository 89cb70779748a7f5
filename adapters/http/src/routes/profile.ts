import { HttpError } from '../http/errors.ts'
import type { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import { sampleDataset } from '../sample/example.ts'
import { dataSetMember } from '../wire/path-members.ts'
import { Process } from '../wire/processes.ts'
import { DataSetProfile, ProfileRequest, profileModel, profileSettings } from '../wire/profile.ts'
import { noDataSet } from './dataset-job.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 20: what is in a dataset. */
export function profileRoutes(processes: Processes): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/DataSets/{name}/Profile',
      action: 'DataSets/Profile',
      summary: 'Examines what is in the documents of a dataset, field by field, and what is unusual',
      extension: true,
      writes: true,
      members: dataSetMember,
      body: ProfileRequest,
      bodyOptional: true,
      example: { path: { name: sampleDataset }, body: { CrossTables: [['brand', 'tag']] } },
      responses: {
        202: { when: 'The started process; GET returns its result', body: Process },
        400: { when: 'The name is not a valid dataset name, or the body is invalid' },
        404: noDataSet,
      },
      handle: async ({ path, body, ...call }) =>
        await processes.started(call.engine.datasets.get(path.name).profile(profileSettings(body)), call),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/DataSets/{name}/Profile',
      action: 'DataSets/GetProfile',
      summary:
        'Returns the latest profile of a dataset, as of when it was made, with current counts of the documents',
      extension: true,
      members: dataSetMember,
      example: { path: { name: sampleDataset } },
      responses: {
        200: { when: 'The profile', body: DataSetProfile },
        400: { when: 'The name is not a valid dataset name' },
        404: { when: 'There is no such dataset, or it has no profile yet' },
      },
      handle: async ({ engine, path: { name } }) => {
        const profile = await engine.datasets.get(name).latestProfile()
        if (!profile) throw new HttpError(404, `The dataset ${name} has no profile yet: start one with POST.`)
        return { status: 200, body: await profileModel(profile) }
      },
    }),
  ]
}
