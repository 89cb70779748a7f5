import type { Scenario, Scenarios } from './scenario.ts'

const read = (what: string): Readonly<Record<number, Scenario>> => ({
  200: ({ send, shop }) => send('GET', `/api/Analytics/${what}?dataSet=${shop}`),
  400: ({ send }) => send('GET', `/api/Analytics/${what}?from=yesterday`),
  404: ({ send }) => send('GET', `/api/Analytics/${what}?dataSet=nothing`),
  409: ({ sendWithout }) => sendWithout('GET', `/api/Analytics/${what}`),
})

const names = ['Overview', 'Queries', 'Series', 'Hits', 'Filters', 'Suggestions', 'Export']

export const analyticsScenarios: Scenarios = {
  ...Object.fromEntries(names.map(what => [`GET /api/Analytics/${what}`, read(what)])),
  'POST /api/Analytics/Erase': {
    200: ({ send, shop }) =>
      send('POST', '/api/Analytics/Erase', { body: { DataSet: shop, Text: 'garden' } }),
    400: ({ send }) => send('POST', '/api/Analytics/Erase', { body: {} }),
    404: ({ send }) => send('POST', '/api/Analytics/Erase', { body: { DataSet: 'nothing', User: 'u' } }),
    409: ({ sendWithout }) => sendWithout('POST', '/api/Analytics/Erase', { body: { User: 'u' } }),
  },
  'POST /api/Events': {
    200: async ({ send, shop }) => {
      const { body } = await send('POST', '/api/Documents/Search', {
        dataset: shop,
        body: { Text: 'garden' },
      })
      return await send('POST', '/api/Events', {
        body: { Events: [{ Type: 'Click', QueryId: body.QueryId, Id: '2' }] },
      })
    },
    409: ({ sendWithout }) => sendWithout('POST', '/api/Events', { body: { Events: [] } }),
  },
}
