import { sample } from '../shop.ts'
import type { Scenario, Scenarios } from './scenario.ts'

/** While a dataset is indexed anew that has enough documents for that to take a while. */
const busy =
  (scenario: Scenario): Scenario =>
  async scene => {
    const { api, shop } = scene
    const dataset = api.engine.datasets.get<object>(shop)
    await dataset.documents.bulk(Array.from({ length: 3000 }, (_, i) => ({ ...sample, id: `busy-${i}` })))
    dataset.optimize()
    return await scenario(scene)
  }

export const settingsScenarios: Scenarios = {
  'GET /api/DataSets/{name}/Settings': {
    200: ({ send, shop }) => send('GET', `/api/DataSets/${shop}/Settings`),
    400: ({ send }) => send('GET', '/api/DataSets/a%20b/Settings'),
    404: ({ send }) => send('GET', '/api/DataSets/nothing/Settings'),
  },
  'POST /api/DataSets/{name}/Reconfigure': {
    202: ({ send, shop }) =>
      send('POST', `/api/DataSets/${shop}/Reconfigure`, { body: { Language: 'None' } }),
    400: ({ send, shop }) => send('POST', `/api/DataSets/${shop}/Reconfigure`, { body: { NGramCount: 7 } }),
    404: ({ send }) => send('POST', '/api/DataSets/nothing/Reconfigure', { body: {} }),
    409: busy(({ send, shop }) => send('POST', `/api/DataSets/${shop}/Reconfigure`, { body: {} })),
    507: ({ sendFull, shop }) => sendFull('POST', `/api/DataSets/${shop}/Reconfigure`, { body: {} }),
  },
  'POST /api/DataSets/{name}/Optimize': {
    202: ({ send, shop }) => send('POST', `/api/DataSets/${shop}/Optimize`),
    400: ({ send }) => send('POST', '/api/DataSets/a%20b/Optimize'),
    404: ({ send }) => send('POST', '/api/DataSets/nothing/Optimize'),
    409: busy(({ send, shop }) => send('POST', `/api/DataSets/${shop}/Optimize`)),
    507: ({ sendFull, shop }) => sendFull('POST', `/api/DataSets/${shop}/Optimize`),
  },
}
