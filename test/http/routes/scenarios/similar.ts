import type { Scenario, Scenarios } from './scenario.ts'
import { type Leave, nothing, typedService } from './typed-service.ts'

const { prepared, active, ofOther, called, scenarios } = typedService({
  wire: 'Prc',
  type: 'similar',
  async prepare(service, { api, shop }) {
    await api.engine.datasets.get(shop).tags.create({ id: 'empty', name: 'Empty' })
    await service.prepare({ dataset: shop })
  },
  settings: ({ shop }) => ({ DataSetName: shop }),
  wrongSettings: ({ shop }) => ({ DataSetName: shop, TagIdList: ['nothing'] }),
})

const indexed: Leave = async scene => {
  const service = await active(scene)
  await service.index()
  return service
}

const text = () => ({ Text: 'hose' })
const ofEmptyTag = () => ({ Text: 'hose', TagId: 'empty' })

const asked =
  (call: string, body: object, full?: true): Scenario =>
  ({ send, sendFull, shop }) =>
    (full ? sendFull : send)('POST', `/api/Documents/${call}`, { dataset: shop, body })

/** @param baskets the dataset that the setting names; by default the shop itself, in which titles name documents */
const askedOfBaskets =
  (call: string, body: object, baskets?: string): Scenario =>
  async ({ api, send, shop }) => {
    const setting = { dataset: baskets ?? shop, field: 'title', time: 'price' }
    await api.engine.datasets.get<object>(shop).reconfigure({ baskets: setting })
    return await send('POST', `/api/Documents/${call}`, { dataset: shop, body })
  }

export const similarScenarios: Scenarios = {
  ...scenarios,
  'POST /api/Services/Prc/{id}/Index': {
    202: called('POST', 'Index', { of: active }),
    400: called('POST', 'Index', { of: active, body: () => ({ Filter: { TagIdList: ['nothing'] } }) }),
    404: called('POST', 'Index', { body: nothing }),
    507: called('POST', 'Index', { of: active, body: nothing, full: true }),
  },
  'POST /api/Services/Prc/{id}/IndexPartial': {
    202: called('POST', 'IndexPartial', { of: indexed }),
    400: called('POST', 'IndexPartial', { of: active }),
    404: called('POST', 'IndexPartial'),
    507: called('POST', 'IndexPartial', { of: indexed, full: true }),
  },
  'POST /api/Services/Prc/{id}/ExportDictionaries': {
    202: called('POST', 'ExportDictionaries', { of: prepared, body: nothing }),
    400: called('POST', 'ExportDictionaries', { of: prepared, body: () => ({ TagIdList: ['nothing'] }) }),
    404: called('POST', 'ExportDictionaries', { body: nothing }),
    507: called('POST', 'ExportDictionaries', { of: prepared, body: nothing, full: true }),
  },
  'POST /api/Services/Prc/{id}/Recommend': {
    200: called('POST', 'Recommend', { of: active, body: text }),
    400: called('POST', 'Recommend', { body: text }),
    406: called('POST', 'Recommend', { of: active, body: ofEmptyTag }),
  },
  'POST /api/Services/Prc/{id}/Keywords': {
    200: called('POST', 'Keywords', { of: active, body: text }),
    400: called('POST', 'Keywords', { of: ofOther, body: text }),
    406: called('POST', 'Keywords', { of: active, body: ofEmptyTag }),
  },
  'POST /api/Services/Prc/{id}/RecommendById': {
    200: called('POST', 'RecommendById', { of: indexed, body: () => ({ DocumentId: '1' }) }),
    400: called('POST', 'RecommendById', { of: prepared, body: () => ({ DocumentId: '1' }) }),
  },
  'POST /api/Documents/Similar': {
    200: asked('Similar', { Text: 'garden hose' }),
    400: asked('Similar', { Text: 'garden', Filter: '(a' }),
    404: asked('Similar', { Id: 'nothing' }),
  },
  'POST /api/Documents/BoughtTogether': {
    200: askedOfBaskets('BoughtTogether', { Ids: ['1'] }),
    400: asked('BoughtTogether', { Ids: ['1'] }),
    404: askedOfBaskets('BoughtTogether', { Ids: ['1'] }, 'nowhere'),
  },
  'POST /api/Documents/Trending': {
    200: askedOfBaskets('Trending', {}),
    400: askedOfBaskets('Trending', { By: 'Value' }),
    404: askedOfBaskets('Trending', {}, 'nowhere'),
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
