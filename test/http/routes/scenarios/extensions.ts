import { vi } from 'vitest'
import { sample } from '../shop.ts'
import type { Scenarios } from './scenario.ts'

const lines = `${JSON.stringify({ ...sample, id: '3' })}\n`
const asLines = { 'Content-Type': 'application/x-ndjson' }

export const extensionScenarios: Scenarios = {
  'POST /api/Documents/Search': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Search', { dataset: shop, body: { Text: 'headphons' } }),
    400: ({ send, shop }) =>
      send('POST', '/api/Documents/Search', { dataset: shop, body: { Text: 'x', TypoTolerance: 3 } }),
    404: ({ send, shop }) =>
      send('POST', '/api/Documents/Search', { dataset: shop, body: { Text: 'x', Cursor: 'gone' } }),
  },
  'GET /api/Documents/Search': {
    200: ({ send, shop }) => send('GET', '/api/Documents/Search?q=headphons', { dataset: shop }),
    304: async ({ send, shop }) => {
      const path = '/api/Documents/Search?q=headphons'
      const { headers } = await send('GET', path, { dataset: shop })
      return await send('GET', path, {
        dataset: shop,
        headers: { 'If-None-Match': headers.get('ETag') ?? '' },
      })
    },
  },
  'POST /api/Search/Multi': {
    200: ({ send, shop }) =>
      send('POST', '/api/Search/Multi', { body: { Searches: [{ DataSet: shop, Text: 'x' }] } }),
    400: ({ send }) => send('POST', '/api/Search/Multi', { body: { Searches: [{ Text: 'x' }] } }),
    404: ({ send }) =>
      send('POST', '/api/Search/Multi', { body: { Searches: [{ DataSet: 'nowhere', Text: 'x' }] } }),
  },
  'POST /api/Documents/Complete': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Complete', { dataset: shop, body: { Text: 'head' } }),
    400: ({ send, shop }) => send('POST', '/api/Documents/Complete', { dataset: shop, body: { Limit: 1 } }),
  },
  'POST /api/Documents/Suggest': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Suggest', { dataset: shop, body: { Text: 'headphons' } }),
    400: ({ send, shop }) =>
      send('POST', '/api/Documents/Suggest', { dataset: shop, body: { Text: 'x', Count: 101 } }),
  },
  'POST /api/Documents/Import': {
    202: ({ send, shop }) =>
      send('POST', '/api/Documents/Import', { dataset: shop, body: lines, headers: asLines }),
    400: ({ send }) => send('POST', '/api/Documents/Import', { body: lines, headers: asLines }),
    415: ({ send, shop }) =>
      send('POST', '/api/Documents/Import', {
        dataset: shop,
        body: lines,
        headers: { 'Content-Type': 'application/xml' },
      }),
    507: ({ sendFull, shop }) =>
      sendFull('POST', '/api/Documents/Import', { dataset: shop, body: lines, headers: asLines }),
  },
  'GET /api/Documents/Export': {
    200: ({ send, shop }) => send('GET', '/api/Documents/Export?format=csv', { dataset: shop }),
    400: ({ send, shop }) => send('GET', '/api/Documents/Export?format=xml', { dataset: shop }),
  },
  'GET /api/Documents/Changes': {
    200: ({ send, shop }) => send('GET', '/api/Documents/Changes?since=0', { dataset: shop }),
    400: ({ send, shop }) => send('GET', '/api/Documents/Changes?since=never', { dataset: shop }),
    410: async ({ api, send, shop }) => {
      const { documents } = api.engine.datasets.get<object>(shop)
      const ids = Array.from({ length: 1100 }, (_, i) => `gone-${i}`)
      await documents.bulk(ids.map(id => ({ ...sample, id })))
      await Promise.all(ids.map(id => documents.delete(id)))
      // They are forgotten behind the last of these writes.
      return await vi.waitUntil(
        async () => {
          const reply = await send('GET', '/api/Documents/Changes?since=1', { dataset: shop })
          return reply.status !== 200 && reply
        },
        { timeout: 60_000, interval: 20 },
      )
    },
  },
}
