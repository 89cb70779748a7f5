import type { Service } from 'findling'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

const search = '/api/Services/Search'

async function created({ api }: Scene): Promise<Service> {
  return await api.engine.services.create({ type: 'search', name: 'Shop' })
}

/** Of a type that the package does not have. */
async function other({ api }: Scene): Promise<Service> {
  return await api.engine.services.create({ type: 'counter' as 'search', name: 'Words' })
}

async function prepared(scene: Scene): Promise<Service> {
  const service = await created(scene)
  await service.prepare({ dataset: scene.shop })
  return service
}

async function active(scene: Scene): Promise<Service> {
  const service = await prepared(scene)
  await service.activate()
  return service
}

const none = '00000000-0000-4000-8000-000000000000'

/** A call of a service as one of these functions leaves it. */
function called(
  method: string,
  pathOf: (id: string) => string,
  {
    of,
    body,
    full,
  }: { of?: (scene: Scene) => Promise<Service>; body?: (scene: Scene) => unknown; full?: true } = {},
): Scenario {
  return async scene => {
    const id = of ? (await of(scene)).id : none
    const send = full ? scene.sendFull : scene.send
    return await send(method, pathOf(id), body && { body: body(scene) })
  }
}

const single = (id: string) => `/api/Services/${id}`
const typed = (id: string) => `${search}/${id}`
const call = (name: string) => (id: string) => `${search}/${id}/${name}`
const dataset = ({ shop }: Scene) => ({ DataSetName: shop })
const named = () => ({ Name: 'Other' })
const text = () => ({ Text: 'hose' })

export const serviceScenarios: Scenarios = {
  'GET /api/Services': { 200: called('GET', () => '/api/Services', { of: created }) },
  'POST /api/Services': {
    201: called('POST', () => '/api/Services', { body: () => ({ Name: 'Shop', Type: 'Search' }) }),
    400: called('POST', () => '/api/Services', { body: () => ({ Name: 'Shop', Type: 'Search', Id: none }) }),
    507: called('POST', () => '/api/Services', {
      body: () => ({ Name: 'Shop', Type: 'Search' }),
      full: true,
    }),
  },
  'GET /api/Services/{id}': { 200: called('GET', single, { of: active }), 404: called('GET', single) },
  'PUT /api/Services/{id}': {
    200: called('PUT', single, { of: created, body: named }),
    400: called('PUT', single, { of: created, body: () => ({ Alias: 'x' }) }),
    404: called('PUT', single, { body: named }),
    507: called('PUT', single, { of: created, body: named, full: true }),
  },
  'DELETE /api/Services/{id}': {
    200: called('DELETE', single, { of: active }),
    404: called('DELETE', single),
  },
  'GET /api/Services/Search/{id}': {
    200: called('GET', typed, { of: created }),
    400: called('GET', typed, { of: other }),
    404: called('GET', typed),
  },
  'POST /api/Services/Search/{id}': {
    200: called('POST', typed, { of: active, body: text }),
    400: called('POST', typed, { body: text }),
  },
  'POST /api/Services/Search/{id}/Prepare': {
    202: called('POST', call('Prepare'), { of: created, body: dataset }),
    400: called('POST', call('Prepare'), { of: created, body: () => ({ DataSetName: 'nothing' }) }),
    404: called('POST', call('Prepare'), { body: dataset }),
    507: called('POST', call('Prepare'), { of: created, body: dataset, full: true }),
  },
  'POST /api/Services/Search/{id}/Activate': {
    202: called('POST', call('Activate'), { of: prepared, body: () => ({}) }),
    400: called('POST', call('Activate'), { of: created, body: () => ({}) }),
    404: called('POST', call('Activate'), { body: () => ({}) }),
  },
  'POST /api/Services/Search/{id}/Deactivate': {
    200: called('POST', call('Deactivate'), { of: active }),
    400: called('POST', call('Deactivate'), { of: prepared }),
    404: called('POST', call('Deactivate')),
  },
  'DELETE /api/DataSets/{name}': {
    406: async scene => {
      await prepared(scene)
      return await scene.send('DELETE', `/api/DataSets/${scene.shop}`)
    },
  },
}
