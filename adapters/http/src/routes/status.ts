import type { Route } from '../route.ts'
import type { StatusProbe } from '../status/status.ts'
import { loadedModel, Status, StatusQuery } from '../wire/status.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 13. */
export function statusRoute(status: Pick<StatusProbe, 'read'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/Status',
    action: 'Status/Get',
    summary: 'Shows the load of the machine and its free resources',
    query: StatusQuery,
    example: { query: { withMemory: true } },
    responses: {
      200: { when: 'The status, no more than a few seconds old', body: Status },
      400: { when: 'withMemory is neither true nor false' },
    },
    handle: async ({ engine, query }) => ({
      status: 200,
      body: { ...(await status.read()), ...(query.withMemory && { Loaded: loadedModel(engine.memory()) }) },
    }),
  })
}
