import * as z from 'zod'
import type { Route } from '../route.ts'
import { defineRoute } from '../routes/define-route.ts'
import type { Updater } from './update.ts'

export const UpdateResult = z
  .object({ Log: z.string().describe('One line for each component, separated by newlines') })
  .meta({ id: 'UpdateResult' })

/** They exist only with an updater, and need the key although they are outside /api (contract, 2.7). */
export function updateRoutes(updater: Updater): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/update',
      action: 'Update/Get',
      summary: 'Checks whether this installation can update itself',
      responses: { 200: { when: 'The text OK: it can', types: ['text/plain'] } },
      handle: async () => ({
        status: 200,
        stream: new Blob(['OK']).stream(),
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/update',
      action: 'Update/Post',
      summary: 'Updates the components of this installation',
      responses: {
        200: { when: 'All components are up to date', body: UpdateResult },
        500: { when: 'A component failed, or an update is already running' },
      },
      handle: async () => ({ status: 200, body: { Log: (await updater.run()).log } }),
    }),
  ]
}
