import * as z from 'zod'
import type { Route } from '../route.ts'
import { defineRoute } from '../routes/define-route.ts'
import type { Setup } from './setup.ts'

const formToken = z.string().optional().describe('Provided by the page; without it, nothing is changed')

const OwnersForm = z
  .object({
    FormToken: formToken,
    ApplicationId: z.string().optional().describe('Id of the installation; may be left out'),
    Secret: z.string().optional(),
    SecretConfirm: z.string().optional(),
    LicenseKey: z.string().optional(),
  })
  .meta({ id: 'SetupForm' })

const LicenceForm = z
  .object({
    FormToken: formToken,
    Email: z.string().optional(),
    Accepted: z.string().optional().describe('true to accept the licence'),
  })
  .meta({ id: 'LicenseRequestForm' })

const html = ['text/html']

/** The pages of the setup (contract, 2.4). */
export function setupRoutes(setup: Pick<Setup, 'handle'>): Route[] {
  const form = (path: string, about: Pick<Route, 'action' | 'summary' | 'form'>) =>
    defineRoute({
      ...about,
      method: 'POST',
      path: `/setup${path}`,
      responses: { 302: { when: 'Always. The page to which it redirects shows the result' } },
      handle: async ({ request, address }) => {
        const { headers } = await setup.handle(request, `/setup${path.toLowerCase()}`, address)
        return { status: 302, headers: Object.fromEntries(headers) }
      },
    })
  return [
    defineRoute({
      method: 'GET',
      path: '/setup',
      action: 'Setup/Index',
      summary: 'The page on which the owner sets the licence and the secret',
      query: z.object({
        token: z.string().optional().describe('The token shown on the console at the start'),
      }),
      responses: {
        200: { when: 'The page', types: html },
        403: {
          when: 'The token is not from this start. The answer is a page that asks for it',
          types: html,
        },
      },
      handle: async ({ request, address }) => {
        const { status, body, headers } = await setup.handle(request, '/setup', address)
        return { status: status as 200 | 403, stream: body!, headers: Object.fromEntries(headers) } // always so for a page
      },
    }),
    form('', { action: 'Setup/Index', summary: 'Sets the secret. Works once', form: OwnersForm }),
    form('/RequestOpenSourceLicense', {
      action: 'Setup/RequestOpenSourceLicense',
      summary: 'Creates the free licence and stores it',
      form: LicenceForm,
    }),
  ]
}
