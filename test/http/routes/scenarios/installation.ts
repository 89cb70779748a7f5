import { randomUUID } from 'node:crypto'
import { onTestFinished, vi } from 'vitest'
import { createUpdater } from '../../../../adapters/http/src/update/update.ts'
import { temporaryFolder } from '../../../engine/engines.ts'
import { type Api, type Given, startApi } from '../api.ts'
import type { Scenario, Scenarios } from './scenario.ts'

async function another(given: Given): Promise<Api> {
  const api = await startApi(given)
  onTestFinished(api.stop)
  return api
}

/** An installation that updates itself with a command which ends so. */
async function updating(outcome: () => Promise<string>): Promise<Api> {
  return await another({
    updater: createUpdater([{ name: 'findling', check: async () => false, update: outcome }]),
  })
}

const withBackups = async () => await another({ config: { backupFolder: await temporaryFolder() } })

const done = async () => 'updated to 1.5.1'
const failed = () => Promise.reject(new Error('no network'))

/** A row that holds for whatever lies below /api. */
const any =
  (scenario: Scenario): Scenario =>
  async scene => ({ ...(await scenario(scene)), endpoint: 'any /api' })

const wrongKey = { headers: { Authorization: 'Findling wrong-secret' } }

export const installationScenarios: Scenarios = {
  'any /api': {
    400: any(({ send }) => send('GET', '/api/Status', { headers: { 'X-Sdk-Version': '1.4.0' } })),
    401: any(({ send }) => send('GET', '/api/nowhere', wrongKey)),
    403: any(async ({ send, key }) => send('DELETE', '/api/DataSets/none', await key({ Scopes: ['Read'] }))),
    404: any(({ send }) => send('PUT', '/api/DataSets')),
    412: any(async () => (await another({ secret: false })).send('GET', '/api/Status')),
    413: any(async () =>
      (await another({ config: { maxRequestMb: 0 } })).send('POST', '/api/License', { body: {} }),
    ),
    415: any(({ send }) =>
      send('POST', '/api/License', { body: '<License/>', headers: { 'Content-Type': 'text/xml' } }),
    ),
    429: any(async ({ send, key }) => {
      const once = await key({ Scopes: ['Read'], RequestsPerMinute: 1 })
      await send('GET', '/api/DataSets', once)
      return await send('GET', '/api/DataSets', once)
    }),
  },
  'GET /api/Keys': { 200: ({ send }) => send('GET', '/api/Keys') },
  'POST /api/Keys': {
    201: ({ send }) => send('POST', '/api/Keys', { body: { Name: randomUUID(), Scopes: ['Read'] } }),
    400: ({ send }) => send('POST', '/api/Keys', { body: { Name: 'reader', Scopes: [] } }),
    409: async ({ send }) => {
      const body = { Name: randomUUID(), Scopes: ['Read'] }
      await send('POST', '/api/Keys', { body })
      return await send('POST', '/api/Keys', { body })
    },
  },
  'POST /api/Keys/{id}/Exchange': {
    200: async ({ send }) => {
      const made = await send('POST', '/api/Keys', { body: { Name: randomUUID(), Scopes: ['Read'] } })
      return await send('POST', `/api/Keys/${made.body.Id}/Exchange`)
    },
    404: ({ send }) => send('POST', '/api/Keys/none/Exchange'),
  },
  'DELETE /api/Keys/{id}': {
    200: async ({ send }) => {
      const made = await send('POST', '/api/Keys', { body: { Name: randomUUID(), Scopes: ['Read'] } })
      return await send('DELETE', `/api/Keys/${made.body.Id}`)
    },
    404: ({ send }) => send('DELETE', '/api/Keys/none'),
  },
  'GET /metrics': { 200: ({ send }) => send('GET', '/metrics') },
  'POST /api/Maintenance/ChangeSecret': {
    200: async () =>
      (await another({})).send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret: 'another-one' } }),
    400: ({ send }) => send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret: ' ' } }),
    406: ({ send }) => send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret: 'short' } }),
    409: async () => {
      const { engine, send } = await another({})
      const namespace = engine.namespace('http-access')
      const stored = (await namespace.get('secret')) as object
      const puts = vi.spyOn(Object.getPrototypeOf(namespace) as typeof namespace, 'put')
      onTestFinished(() => puts.mockRestore())
      // Another server is a moment earlier.
      puts.mockImplementationOnce(async (key, value, options) => {
        await namespace.write([{ key, value: { ...stored, of: 'another server' } }])
        return await namespace.put(key, value, options)
      })
      return await send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret: 'another-one' } })
    },
  },
  'POST /api/Maintenance/Backup': {
    202: async () => (await withBackups()).send('POST', '/api/Maintenance/Backup'),
    404: ({ send }) => send('POST', '/api/Maintenance/Backup'),
    409: async () => {
      const { send } = await withBackups()
      const replies = await Promise.all([1, 2].map(() => send('POST', '/api/Maintenance/Backup')))
      return replies.find(({ status }) => status !== 202)!
    },
    507: async () => {
      const config = { backupFolder: await temporaryFolder(), diskMinimumMb: 1e12 }
      return await (await another({ config })).send('POST', '/api/Maintenance/Backup')
    },
  },
  'GET /setup': {
    200: ({ send }) => send('GET', '/setup'),
    403: async () => (await another({ secret: false })).send('GET', '/setup?token=guessed'),
  },
  'GET /health': { 200: ({ send }) => send('GET', '/health') },
  'GET /ready': {
    200: ({ send }) => send('GET', '/ready'),
    503: async () => (await another({ secret: false })).send('GET', '/ready'),
  },
  'POST /setup': { 302: ({ send }) => send('POST', '/setup') },
  'POST /setup/RequestOpenSourceLicense': {
    302: ({ send }) => send('POST', '/setup/RequestOpenSourceLicense'),
  },
  'GET /api/License': { 200: ({ send }) => send('GET', '/api/License') },
  'POST /api/License': {
    200: async ({ send, api }) => {
      const License = await api.licence.issueOpenSource('someone@example.org')
      return await send('POST', '/api/License', { body: { License } })
    },
    400: ({ send }) => send('POST', '/api/License', { body: { License: 'nothing of the kind' } }),
  },
  'GET /': { 200: ({ send }) => send('GET', '/') },
  'GET /update': {
    200: async () => (await updating(done)).send('GET', '/update'),
    401: async () => (await updating(done)).send('GET', '/update', wrongKey),
    404: ({ send }) => send('GET', '/update'),
  },
  'POST /update': {
    200: async () => (await updating(done)).send('POST', '/update'),
    401: async () => (await updating(done)).send('POST', '/update', wrongKey),
    404: ({ send }) => send('POST', '/update'),
    500: async () => (await updating(failed)).send('POST', '/update'),
  },
  'GET /api/Statistics': { 200: ({ send }) => send('GET', '/api/Statistics') },
  'GET /api/Statistics/{year}': {
    200: ({ send }) => send('GET', '/api/Statistics/2026'),
    400: ({ send }) => send('GET', '/api/Statistics/999'),
  },
  'GET /api/Statistics/{year}/{month}': {
    200: ({ send }) => send('GET', '/api/Statistics/2026/08'),
    400: ({ send }) => send('GET', '/api/Statistics/2026/13'),
  },
  'GET /api/Status': {
    200: ({ send }) => send('GET', '/api/Status'),
    400: ({ send }) => send('GET', '/api/Status?withMemory=much'),
  },
}
