import { randomBytes } from 'node:crypto'
import type { Access } from '../access/access.ts'
import type { Route } from '../route.ts'
import { ChangeSecret } from '../wire/maintenance.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 2.3. */
export function maintenanceRoute(access: Pick<Access, 'setSecret'>): Route {
  return defineRoute({
    method: 'POST',
    path: '/api/Maintenance/ChangeSecret',
    action: 'Maintenance/ChangeSecret',
    summary: 'Changes the secret; the next request already needs the new one',
    body: ChangeSecret,
    // New for each reader: a fixed one in the documentation would not be secret.
    example: { body: () => ({ Secret: randomBytes(18).toString('base64url') }) },
    responses: {
      200: { when: 'The secret is changed' },
      406: { when: 'The secret is too short or too long, or cannot be sent in a header' },
      409: { when: 'The secret has just been set on another server' },
    },
    handle: async ({ body }) => {
      await access.setSecret(body.Secret)
      return { status: 200 }
    },
  })
}
