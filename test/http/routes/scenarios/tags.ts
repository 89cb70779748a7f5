import type { Scenarios } from './scenario.ts'

const tag = { Id: 'c', Name: 'Cookery', ParentId: null }

const words = { NGramList: [1] }

export const tagScenarios: Scenarios = {
  'GET /api/Tags': {
    200: ({ send, shop }) => send('GET', '/api/Tags?withDetails=True', { dataset: shop }),
    400: ({ send }) => send('GET', '/api/Tags'),
  },
  'GET /api/Tags/{id}': {
    200: ({ send, shop }) => send('GET', '/api/Tags/a1', { dataset: shop }),
    400: ({ send }) => send('GET', '/api/Tags/a1', { dataset: 'nothing' }),
    404: ({ send, shop }) => send('GET', '/api/Tags/none', { dataset: shop }),
  },
  'POST /api/Tags': {
    201: ({ send, shop }) => send('POST', '/api/Tags', { dataset: shop, body: tag }),
    400: ({ send, shop }) => send('POST', '/api/Tags', { dataset: shop, body: { ...tag, Id: ' ' } }),
    406: ({ send, shop }) => send('POST', '/api/Tags', { dataset: shop, body: { ...tag, ParentId: 'none' } }),
    409: ({ send, shop }) => send('POST', '/api/Tags', { dataset: shop, body: { ...tag, Id: 'a' } }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/Tags', { dataset: shop, body: tag }),
  },
  'PUT /api/Tags/{id}': {
    200: ({ send, shop }) => send('PUT', '/api/Tags/b', { dataset: shop, body: tag }),
    400: ({ send, shop }) => send('PUT', '/api/Tags/b', { dataset: shop, body: { Id: 'b' } }),
    404: ({ send, shop }) => send('PUT', '/api/Tags/none', { dataset: shop, body: tag }),
    406: ({ send, shop }) => send('PUT', '/api/Tags/b', { dataset: shop, body: { ...tag, Id: 'a' } }),
    507: ({ sendFull, shop }) => sendFull('PUT', '/api/Tags/b', { dataset: shop, body: tag }),
  },
  'DELETE /api/Tags/{id}': {
    200: ({ send, shop }) => send('DELETE', '/api/Tags/b?cleanDocuments=true', { dataset: shop }),
    400: ({ send }) => send('DELETE', '/api/Tags/b'),
    404: ({ send, shop }) => send('DELETE', '/api/Tags/none', { dataset: shop }),
    409: ({ send, shop }) => send('DELETE', '/api/Tags/a', { dataset: shop }),
  },
  'POST /api/Tags/Bulk': {
    200: ({ send, shop }) => send('POST', '/api/Tags/Bulk', { dataset: shop, body: { Tags: [tag] } }),
    400: ({ send, shop }) => send('POST', '/api/Tags/Bulk', { dataset: shop, body: {} }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/Tags/Bulk', { dataset: shop, body: { Tags: [tag] } }),
  },
  'POST /api/Tags/CleanDocuments': {
    200: ({ send, shop }) => send('POST', '/api/Tags/CleanDocuments', { dataset: shop }),
    400: ({ send }) => send('POST', '/api/Tags/CleanDocuments', { dataset: ' ' }),
  },
  'POST /api/Tags/ExportWords': {
    202: ({ send, shop }) => send('POST', '/api/Tags/ExportWords', { dataset: shop, body: words }),
    400: ({ send, shop }) =>
      send('POST', '/api/Tags/ExportWords', { dataset: shop, body: { ...words, TagIdList: ['none'] } }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/Tags/ExportWords', { dataset: shop, body: words }),
  },
}
