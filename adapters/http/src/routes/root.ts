import * as z from 'zod'
import type { Access } from '../access/access.ts'
import { type Readiness, refuseReopening, refuseUnready } from '../cluster/readiness.ts'
import { HttpError } from '../http/errors.ts'
import { apiVersion } from '../http/version.ts'
import type { Route } from '../route.ts'
import { defineRoute } from './define-route.ts'

const Description = z
  .object({
    Name: z.string(),
    Version: z.string(),
    InstanceId: z.guid(),
    Information: z.string().describe('Address of the documentation'),
  })
  .meta({ id: 'Description' })

/**
 * Calls that programs make before they have a key (contract, 2.6 and 20).
 * @param instanceId returns that of the client whose address is called, if there are clients
 * @param readiness of a server in a cluster
 */
export function rootRoutes(
  access: Pick<Access, 'isSet'>,
  instanceId: (client: string) => string,
  readiness?: Readiness,
): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      action: '',
      summary: 'Describes this installation',
      responses: { 200: { when: 'Name, version and id of the installation', body: Description } },
      handle: async ({ base, client }) => ({
        status: 200,
        body: {
          Name: 'Findling',
          Version: apiVersion,
          InstanceId: instanceId(client),
          Information: `${base}/docs`,
        },
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/health',
      action: '',
      summary: 'Answers as long as the server runs',
      extension: true,
      responses: {
        200: { when: 'The server runs', body: z.object({ Status: z.literal('Up'), ApiVersion: z.string() }) },
      },
      handle: async () => ({ status: 200, body: { Status: 'Up', ApiVersion: apiVersion } }),
    }),
    defineRoute({
      method: 'GET',
      path: '/ready',
      action: '',
      summary:
        'Reports whether calls can be answered: the store is open, a secret is set, and in a cluster the server keeps up with the others and has loaded its models',
      extension: true,
      responses: {
        200: { when: 'Calls can be answered', body: z.object({ Status: z.literal('Ready') }) },
        503: { when: 'Calls cannot be answered yet, or no longer' },
      },
      handle: async ({ engine }) => {
        if (!access.isSet()) throw new HttpError(503, 'No secret is set yet: open /setup.')
        if (readiness) {
          refuseUnready(readiness)
          await refuseReopening(readiness)
        }
        await engine.namespace('http').get('ready') // throws if the engine is closed
        return { status: 200, body: { Status: 'Ready' } }
      },
    }),
  ]
}
