import type { Scenario, Scenarios } from './scenario.ts'
import { typedService } from './typed-service.ts'

const { fresh, prepared, active, called, scenarios } = typedService({
  wire: 'Classifier',
  type: 'classifier',
  prepare: (service, { shop }) => service.prepare({ dataset: shop, parallel: 1 }),
  settings: ({ shop }) => ({ DataSetName: shop, NGramList: [1] }),
  wrongSettings: ({ shop }) => ({ DataSetName: shop, NGramList: [1], TagIdList: ['nothing'] }),
})

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
  ...scenarios,
  'POST /api/Services/Classifier/{id}/Recommend': {
    200: called('POST', 'Recommend', { of: active, body: text }),
    400: called('POST', 'Recommend', { body: text }),
  },
  'POST /api/Services/Classifier/{id}/ExportDictionaries': {
    202: called('POST', 'ExportDictionaries', { of: prepared, body: sizes }),
    400: called('POST', 'ExportDictionaries', { of: fresh, body: sizes }),
    404: called('POST', 'ExportDictionaries', { body: sizes }),
    507: called('POST', 'ExportDictionaries', { of: prepared, body: sizes, full: true }),
  },
}
