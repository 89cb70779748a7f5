import type { ClassifierService } from 'findling'
import type { Reply } from '../api.ts'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

const none = '00000000-0000-4000-8000-000000000000'

type Leave = (scene: Scene) => Promise<ClassifierService>

const fresh: Leave = async ({ api }) => await api.engine.services.create({ type: 'classifier', name: 'Tags' })

const prepared: Leave = async scene => {
  const service = await fresh(scene)
  await service.prepare({ dataset: scene.shop, parallel: 1 })
  return service
}

const active: Leave = async scene => {
  const service = await prepared(scene)
  await service.activate()
  return service
}

/** A call of a service as one of these functions leaves it. */
function called(
  call: string,
  { of, body, full }: { of?: Leave; body?: (scene: Scene) => unknown; full?: true } = {},
): Scenario {
  return async (scene): Promise<Reply> => {
    const id = of ? (await of(scene)).id : none
    const path = `/api/Services/Classifier/${id}${call && `/${call}`}`
    const send = full ? scene.sendFull : scene.send
    return await send(call ? 'POST' : 'GET', path, body && { body: body(scene) })
  }
}

const settings = ({ shop }: Scene) => ({ DataSetName: shop, NGramList: [1] })
const unknownTag = ({ shop }: Scene) => ({ DataSetName: shop, NGramList: [1], TagIdList: ['nothing'] })
const nothing = () => ({})
const text = () => ({ Text: 'hose' })
const sizes = () => ({ NGramList: [1] })

const trained =
  (scenario: Scenario): Scenario =>
  async scene => {
    await scene.api.engine.datasets.get(scene.shop).classifier({ parallel: 1 })
    return await scenario(scene)
  }

const ofDataset =
  (call: string, body: unknown = {}, { dataset, full }: { dataset?: string; full?: true } = {}): Scenario =>
  ({ send, sendFull, shop }) =>
    (full ? sendFull : send)('POST', `/api/DataSets/${dataset ?? shop}/Classifier/${call}`, { body })

const classify =
  (body: object): Scenario =>
  ({ send, shop }) =>
    send('POST', '/api/Documents/Classify', { dataset: shop, body: { Text: 'hose', ...body } })

const training: Scenario = async scene => {
  const { documents } = scene.api.engine.datasets.get<object>(scene.shop)
  const busy = Array.from({ length: 3000 }, (_, i) => {
    return {
      id: `busy-${i}`,
      title: `lamp ${i % 70} ${i % 90}`,
      desc: '',
      price: 1,
      tag: [i % 2 ? 'a1' : 'b'],
    }
  })
  await documents.bulk(busy)
  scene.api.engine.datasets.get(scene.shop).classifier()
  return await ofDataset('Train')(scene)
}

const examination = (call: string, wrong: Scenario) => ({
  202: trained(ofDataset(call)),
  400: wrong,
  404: ofDataset(call, {}, { dataset: 'nothing' }),
  409: ofDataset(call),
  507: ofDataset(call, {}, { full: true }),
})

export const classifierScenarios: Scenarios = {
  'POST /api/DataSets/{name}/Classifier/Train': {
    202: ofDataset('Train'),
    400: ofDataset('Train', { TagIdList: ['nothing'] }),
    404: ofDataset('Train', {}, { dataset: 'nothing' }),
    409: training,
    507: ofDataset('Train', {}, { full: true }),
  },
  'POST /api/Documents/Classify': {
    200: trained(classify({})),
    400: trained(classify({ TagIdList: ['nothing'] })),
    409: classify({}),
  },
  'POST /api/DataSets/{name}/Classifier/Evaluate': examination(
    'Evaluate',
    ofDataset('Evaluate', {}, { dataset: 'a%20b' }),
  ),
  'POST /api/DataSets/{name}/Classifier/DoubtfulTags': examination(
    'DoubtfulTags',
    ofDataset('DoubtfulTags', { Limit: 0 }),
  ),
  'GET /api/Services/Classifier/{id}': {
    200: called('', { of: fresh }),
    400: async scene => {
      const { id } = await scene.api.engine.services.create({ type: 'search', name: 'Shop' })
      return await scene.send('GET', `/api/Services/Classifier/${id}`)
    },
    404: called(''),
  },
  'POST /api/Services/Classifier/{id}/Prepare': {
    202: called('Prepare', { of: fresh, body: settings }),
    400: called('Prepare', { of: fresh, body: unknownTag }),
    404: called('Prepare', { body: settings }),
    507: called('Prepare', { of: fresh, body: settings, full: true }),
  },
  'POST /api/Services/Classifier/{id}/Activate': {
    202: called('Activate', { of: prepared, body: nothing }),
    400: called('Activate', { of: fresh, body: nothing }),
    404: called('Activate', { body: nothing }),
  },
  'POST /api/Services/Classifier/{id}/Recommend': {
    200: called('Recommend', { of: active, body: text }),
    400: called('Recommend', { body: text }),
  },
  'POST /api/Services/Classifier/{id}/ExportDictionaries': {
    202: called('ExportDictionaries', { of: prepared, body: sizes }),
    400: called('ExportDictionaries', { of: fresh, body: sizes }),
    404: called('ExportDictionaries', { body: sizes }),
    507: called('ExportDictionaries', { of: prepared, body: sizes, full: true }),
  },
  'POST /api/Services/Classifier/{id}/Deactivate': {
    200: called('Deactivate', { of: active }),
    400: called('Deactivate', { of: prepared }),
    404: called('Deactivate'),
  },
}
