import { sample } from '../shop.ts'
import type { Scenarios } from './scenario.ts'

const fresh = { ...sample, id: '3' }

export const documentScenarios: Scenarios = {
  'GET /api/Documents/{id}': {
    200: ({ send, shop }) => send('GET', '/api/Documents/1', { dataset: shop }),
    400: ({ send }) => send('GET', '/api/Documents/1'),
    404: ({ send, shop }) => send('GET', '/api/Documents/none', { dataset: shop }),
  },
  'POST /api/Documents': {
    201: ({ send, shop }) => send('POST', '/api/Documents', { dataset: shop, body: fresh }),
    400: ({ send, shop }) => send('POST', '/api/Documents', { dataset: shop, body: { id: '3' } }),
    409: ({ send, shop }) => send('POST', '/api/Documents', { dataset: shop, body: { ...fresh, id: 1 } }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/Documents', { dataset: shop, body: fresh }),
  },
  'PUT /api/Documents/{id}': {
    200: ({ send, shop }) => send('PUT', '/api/Documents/1', { dataset: shop, body: { price: 2 } }),
    400: ({ send, shop }) => send('PUT', '/api/Documents/1', { dataset: shop, body: { colour: 'red' } }),
    404: ({ send, shop }) => send('PUT', '/api/Documents/none', { dataset: shop, body: { colour: 'red' } }),
    409: ({ send, shop }) => send('PUT', '/api/Documents/1', { dataset: shop, body: { id: '2' } }),
    507: ({ sendFull, shop }) => sendFull('PUT', '/api/Documents/1', { dataset: shop, body: { price: 2 } }),
  },
  'DELETE /api/Documents/{id}': {
    200: ({ send, shop }) => send('DELETE', '/api/Documents/1', { dataset: shop }),
    400: ({ send }) => send('DELETE', '/api/Documents/1', { dataset: 'nothing' }),
    404: ({ send, shop }) => send('DELETE', '/api/Documents/none', { dataset: shop }),
  },
  'POST /api/Helper/FileParser': {
    200: ({ send }) => send('POST', '/api/Helper/FileParser', { body: { Content: 'QSBob3Nl' } }),
    400: ({ send }) => send('POST', '/api/Helper/FileParser', { body: { Content: 'QSBob3N' } }),
  },
  'POST /api/Documents/Filter': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Filter', { dataset: shop, body: { Pagination: { Limit: 1 } } }),
    400: ({ send, shop }) => send('POST', '/api/Documents/Filter', { dataset: shop, body: {} }),
  },
  'POST /api/Documents/Filter/{scrollId}': {
    200: async ({ send, shop }) => {
      const body = { Pagination: { Limit: 1 } }
      const first = await send('POST', '/api/Documents/Filter', { dataset: shop, body })
      return await send('POST', `/api/Documents/Filter/${first.body.ScrollId}`, { dataset: shop })
    },
    400: ({ send }) => send('POST', '/api/Documents/Filter/none'),
  },
  'POST /api/Documents/Sample': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Sample', { dataset: shop, body: { Id: 'x', Percent: 50 } }),
    400: ({ send, shop }) => send('POST', '/api/Documents/Sample', { dataset: shop, body: { Id: 'x' } }),
  },
  'POST /api/Documents/Bulk': {
    200: ({ send, shop }) =>
      send('POST', '/api/Documents/Bulk', { dataset: shop, body: { Documents: [fresh] } }),
    400: ({ send, shop }) =>
      send('POST', '/api/Documents/Bulk', { dataset: shop, body: { Documents: null } }),
    507: ({ sendFull, shop }) =>
      sendFull('POST', '/api/Documents/Bulk', { dataset: shop, body: { Documents: [fresh] } }),
  },
}
