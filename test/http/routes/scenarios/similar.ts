import type { SimilarService } from 'findling'
import type { Reply } from '../api.ts'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

const none = '00000000-0000-4000-8000-000000000000'

type Leave = (scene: Scene) => Promise<{ id: string }>

const fresh = async ({ api }: Scene): Promise<SimilarService> =>
  await api.engine.services.create({ type: 'similar', name: 'Alike' })

const prepared = async (scene: Scene): Promise<SimilarService> => {
  const service = await fresh(scene)
  await scene.api.engine.datasets.get(scene.shop).tags.create({ id: 'empty', name: 'Empty' })
  await service.prepare({ dataset: scene.shop })
  return service
}

const active = async (scene: Scene): Promise<SimilarService> => {
  const service = await prepared(scene)
  await service.activate()
  return service
}

const indexed: Leave = async scene => {
  const service = await active(scene)
  await service.index()
  return service
}

const search: Leave = async ({ api }) => await api.engine.services.create({ type: 'search', name: 'Shop' })

/** A call of a service as one of these functions leaves it. */
function called(
  call: string,
  { of, body, full }: { of?: Leave; body?: (scene: Scene) => unknown; full?: true } = {},
): Scenario {
  return async (scene): Promise<Reply> => {
    const id = of ? (await of(scene)).id : none
    const path = `/api/Services/Prc/${id}${call && `/${call}`}`
    const send = full ? scene.sendFull : scene.send
    return await send(call ? 'POST' : 'GET', path, body && { body: body(scene) })
  }
}

const settings = ({ shop }: Scene) => ({ DataSetName: shop })
const unknownTag = ({ shop }: Scene) => ({ DataSetName: shop, TagIdList: ['nothing'] })
const nothing = () => ({})
const text = () => ({ Text: 'hose' })
const ofEmptyTag = () => ({ Text: 'hose', TagId: 'empty' })

const asked =
  (call: string, body: object, full?: true): Scenario =>
  ({ send, sendFull, shop }) =>
    (full ? sendFull : send)('POST', `/api/Documents/${call}`, { dataset: shop, body })

export const similarScenarios: Scenarios = {
  'GET /api/Services/Prc/{id}': {
    200: called('', { of: indexed }),
    400: called('', { of: search }),
    404: called(''),
  },
  'POST /api/Services/Prc/{id}/Prepare': {
    202: called('Prepare', { of: fresh, body: settings }),
    400: called('Prepare', { of: fresh, body: unknownTag }),
    404: called('Prepare', { body: settings }),
    507: called('Prepare', { of: fresh, body: settings, full: true }),
  },
  'POST /api/Services/Prc/{id}/Activate': {
    202: called('Activate', { of: prepared }),
    400: called('Activate', { of: prepared, body: () => ({ FieldsForRecommendation: ['price'] }) }),
    404: called('Activate'),
  },
  'POST /api/Services/Prc/{id}/Index': {
    202: called('Index', { of: active }),
    400: called('Index', { of: active, body: () => ({ Filter: { TagIdList: ['nothing'] } }) }),
    404: called('Index', { body: nothing }),
    507: called('Index', { of: active, body: nothing, full: true }),
  },
  'POST /api/Services/Prc/{id}/IndexPartial': {
    202: called('IndexPartial', { of: indexed }),
    400: called('IndexPartial', { of: active }),
    404: called('IndexPartial'),
    507: called('IndexPartial', { of: indexed, full: true }),
  },
  'POST /api/Services/Prc/{id}/ExportDictionaries': {
    202: called('ExportDictionaries', { of: prepared, body: nothing }),
    400: called('ExportDictionaries', { of: prepared, body: () => ({ TagIdList: ['nothing'] }) }),
    404: called('ExportDictionaries', { body: nothing }),
    507: called('ExportDictionaries', { of: prepared, body: nothing, full: true }),
  },
  'POST /api/Services/Prc/{id}/Recommend': {
    200: called('Recommend', { of: active, body: text }),
    400: called('Recommend', { body: text }),
    406: called('Recommend', { of: active, body: ofEmptyTag }),
  },
  'POST /api/Services/Prc/{id}/Keywords': {
    200: called('Keywords', { of: active, body: text }),
    400: called('Keywords', { of: search, body: text }),
    406: called('Keywords', { of: active, body: ofEmptyTag }),
  },
  'POST /api/Services/Prc/{id}/RecommendById': {
    200: called('RecommendById', { of: indexed, body: () => ({ DocumentId: '1' }) }),
    400: called('RecommendById', { of: prepared, body: () => ({ DocumentId: '1' }) }),
  },
  'POST /api/Services/Prc/{id}/Deactivate': {
    200: called('Deactivate', { of: active }),
    400: called('Deactivate', { of: prepared }),
    404: called('Deactivate'),
  },
  'POST /api/Documents/Similar': {
    200: asked('Similar', { Text: 'garden hose' }),
    400: asked('Similar', { Text: 'garden', Filter: '(a' }),
    404: asked('Similar', { Id: 'nothing' }),
  },
  'POST /api/Documents/Keywords': {
    200: asked('Keywords', { TagId: 'b' }),
    400: asked('Keywords', { TagId: 'nothing' }),
  },
  'POST /api/Documents/Duplicates': {
    202: asked('Duplicates', {}),
    400: asked('Duplicates', { Threshold: 0 }),
    507: asked('Duplicates', {}, true),
  },
}
