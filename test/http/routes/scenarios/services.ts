import type { Scenarios, Scene } from './scenario.ts'
import { calledBelow, created, typedService } from './typed-service.ts'

const dataset = ({ shop }: Scene) => ({ DataSetName: shop })
const { prepared, active, called, scenarios } = typedService({
  wire: 'Search',
  type: 'search',
  prepare: (service, { shop }) => service.prepare({ dataset: shop }),
  settings: dataset,
  wrongSettings: () => ({ DataSetName: 'nothing' }),
})

const fresh = created('search')
const single = calledBelow('/api/Services')
const creation = (more: object) => ({ body: { Name: 'Shop', Type: 'Search', ...more } })
const named = () => ({ Name: 'Other' })
const text = () => ({ Text: 'hose' })

export const serviceScenarios: Scenarios = {
  'GET /api/Services': {
    200: async scene => {
      await fresh(scene)
      return await scene.send('GET', '/api/Services')
    },
  },
  'POST /api/Services': {
    201: ({ send }) => send('POST', '/api/Services', creation({})),
    400: ({ send }) => send('POST', '/api/Services', creation({ Id: '1' })),
    507: ({ sendFull }) => sendFull('POST', '/api/Services', creation({})),
  },
  'GET /api/Services/{id}': { 200: single('GET', '', { of: active }), 404: single('GET', '') },
  'PUT /api/Services/{id}': {
    200: single('PUT', '', { of: fresh, body: named }),
    400: single('PUT', '', { of: fresh, body: () => ({ Alias: 'x' }) }),
    404: single('PUT', '', { body: named }),
    507: single('PUT', '', { of: fresh, body: named, full: true }),
  },
  'DELETE /api/Services/{id}': { 200: single('DELETE', '', { of: active }), 404: single('DELETE', '') },
  ...scenarios,
  'POST /api/Services/Search/{id}': {
    200: called('POST', '', { of: active, body: text }),
    400: called('POST', '', { body: text }),
  },
  'DELETE /api/DataSets/{name}': {
    406: async scene => {
      await prepared(scene)
      return await scene.send('DELETE', `/api/DataSets/${scene.shop}`)
    },
  },
}
