import type { Licence } from '../licence/licence.ts'
import type { Route } from '../route.ts'
import { toWire } from '../wire/casing.ts'
import { License, LicenseInput } from '../wire/licence.ts'
import { defineRoute } from './define-route.ts'

/** Contract, 2.5. */
export function licenceRoutes(licence: Pick<Licence, 'state' | 'store' | 'issueOpenSource'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/License',
      action: 'License/Get',
      summary: 'Shows the stored licence; everything works without one',
      responses: { 200: { when: 'The licence, or a statement that there is none', body: License } },
      handle: async () => ({ status: 200, body: toWire(await licence.state()) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/License',
      action: 'License/Post',
      summary: 'Stores a licence',
      body: LicenseInput,
      example: { body: async () => ({ License: await licence.issueOpenSource('you@example.com') }) },
      responses: {
        200: { when: 'The licence is stored' },
        400: { when: 'The licence is missing, unreadable or not valid here; the earlier one is kept' },
      },
      handle: async ({ body }) => {
        await licence.store(body.License)
        return { status: 200 }
      },
    }),
  ]
}
