import { sample } from '../shop.ts'
import type { Scenarios } from './scenario.ts'

const fields = { NGramCount: 3, IdField: 'id', TagField: 'tag', InterpretedFields: ['title'] }
const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    tag: { type: 'array', items: { type: 'string' } },
  },
}
const bySample = (Name: string) => ({ ...fields, Name, SampleDocument: sample })
const bySchema = (Name: string) => ({ ...fields, Name, Schema: schema })

export const dataSetScenarios: Scenarios = {
  'GET /api/DataSets': { 200: ({ send }) => send('GET', '/api/DataSets') },
  'GET /api/DataSets/{name}': {
    200: ({ send, shop }) => send('GET', `/api/DataSets/${shop}`),
    400: ({ send }) => send('GET', '/api/DataSets/a%20b'),
    404: ({ send }) => send('GET', '/api/DataSets/nothing'),
  },
  'POST /api/DataSets': {
    201: ({ send, shop }) => send('POST', '/api/DataSets', { body: bySample(`${shop}-made`) }),
    400: ({ send, shop }) => send('POST', '/api/DataSets', { body: bySchema(`${shop}-made`) }),
    409: ({ send, shop }) => send('POST', '/api/DataSets', { body: bySample(shop) }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/DataSets', { body: bySample(`${shop}-made`) }),
  },
  'POST /api/DataSets/Schema': {
    201: ({ send, shop }) => send('POST', '/api/DataSets/Schema', { body: bySchema(`${shop}-made`) }),
    400: ({ send, shop }) => send('POST', '/api/DataSets/Schema', { body: bySample(`${shop}-made`) }),
    409: ({ send, shop }) => send('POST', '/api/DataSets/Schema', { body: bySchema(shop) }),
    507: ({ sendFull, shop }) => sendFull('POST', '/api/DataSets/Schema', { body: bySchema(`${shop}-made`) }),
  },
  'PUT /api/DataSets/{existingName}': {
    200: ({ send, shop }) => send('PUT', `/api/DataSets/${shop}`, { body: { Name: `${shop}-new` } }),
    304: ({ send }) => send('PUT', '/api/DataSets/nothing', { body: { Name: 'nothing' } }),
    400: ({ send, shop }) => send('PUT', `/api/DataSets/${shop}`, { body: { Name: 'a b' } }),
    404: ({ send }) => send('PUT', '/api/DataSets/nothing', { body: { Name: 'something' } }),
    409: async ({ send, shop }) => {
      await send('POST', '/api/DataSets', { body: bySample(`${shop}-new`) })
      return await send('PUT', `/api/DataSets/${shop}`, { body: { Name: `${shop}-new` } })
    },
    507: ({ sendFull, shop }) => sendFull('PUT', `/api/DataSets/${shop}`, { body: { Name: `${shop}-new` } }),
  },
  'DELETE /api/DataSets/{name}': {
    200: ({ send, shop }) => send('DELETE', `/api/DataSets/${shop}`),
    400: ({ send }) => send('DELETE', '/api/DataSets/a%20b'),
    404: ({ send }) => send('DELETE', '/api/DataSets/nothing'),
  },
  'POST /api/DataSets/{name}/Profile': {
    202: ({ send, shop }) => send('POST', `/api/DataSets/${shop}/Profile`),
    400: ({ send, shop }) =>
      send('POST', `/api/DataSets/${shop}/Profile`, { body: { CrossTables: [['title']] } }),
    404: ({ send }) => send('POST', '/api/DataSets/nothing/Profile'),
    507: ({ sendFull, shop }) => sendFull('POST', `/api/DataSets/${shop}/Profile`),
  },
  'GET /api/DataSets/{name}/Profile': {
    200: async ({ api, send, shop }) => {
      await api.engine.datasets.get(shop).profile({ crossTables: [['title', 'tag']] })
      return await send('GET', `/api/DataSets/${shop}/Profile`)
    },
    400: ({ send }) => send('GET', '/api/DataSets/a%20b/Profile'),
    404: ({ send, shop }) => send('GET', `/api/DataSets/${shop}/Profile`),
  },
  'POST /api/DataSets/{name}/Swap/{other}': {
    200: async ({ send, shop }) => {
      await send('POST', '/api/DataSets', { body: bySample(`${shop}-new`) })
      return await send('POST', `/api/DataSets/${shop}/Swap/${shop}-new`)
    },
    400: ({ send, shop }) => send('POST', `/api/DataSets/${shop}/Swap/a%20b`),
    404: ({ send, shop }) => send('POST', `/api/DataSets/${shop}/Swap/nothing`),
    507: ({ sendFull, shop }) => sendFull('POST', `/api/DataSets/${shop}/Swap/${shop}`),
  },
}
