import { openShop } from '../shop.ts'
import type { Scenario, Scenarios, Scene } from './scenario.ts'

function transfer(path: string) {
  const to = async ({ api }: Scene) => ({
    DocumentIdList: ['1', '2'],
    TargetDataSetName: await openShop(api.engine),
  })
  return {
    202: async (scene: Scene) => scene.send('POST', path, { dataset: scene.shop, body: await to(scene) }),
    400: ({ send, shop }: Scene) =>
      send('POST', path, { dataset: shop, body: { DocumentIdList: ['1'], TargetDataSetName: shop } }),
    507: async (scene: Scene) => scene.sendFull('POST', path, { dataset: scene.shop, body: await to(scene) }),
  }
}

const copy = transfer('/api/Documents/Copy')

/** The process of a copy that has ended. */
const copied = async (scene: Scene) => {
  const { body } = await copy[202](scene)
  for (;;) {
    const { body: process } = await scene.send('GET', `/api/Processes/${body.Id}`)
    if (process.Status !== 'InProgress') return process
  }
}

const file: Scenario = async scene => {
  const { ResultMessage } = await copied(scene)
  const { pathname } = new URL(ResultMessage.split('\n')[1])
  return { ...(await scene.send('GET', pathname)), endpoint: 'GET /files/{name}' }
}

const noFile: Scenario = async ({ send }) => {
  const name = `${crypto.randomUUID()}.json`
  return { ...(await send('GET', `/files/${name}`)), endpoint: 'GET /files/{name}' }
}

/** An import that waits for more rows is in progress for sure. */
const cancel: Scenario = async ({ api, send, shop }) => {
  const { readable } = new TransformStream<Uint8Array, Uint8Array>()
  const { id, finished } = api.engine.datasets.get(shop).documents.import(readable, { format: 'jsonl' })
  const reply = await send('POST', `/api/Processes/${id}/Cancel`)
  await finished.catch(() => {})
  return reply
}

export const processScenarios: Scenarios = {
  'POST /api/Documents/Copy': copy,
  'POST /api/Documents/Move': transfer('/api/Documents/Move'),
  'GET /files/{name}': { 200: file, 404: noFile },
  'GET /api/Processes': { 200: ({ send }) => send('GET', '/api/Processes?allStatus=True&allTime=True') },
  'GET /api/Processes/{id}': {
    200: async scene => scene.send('GET', `/api/Processes/${(await copied(scene)).Id}`),
    404: ({ send }) => send('GET', '/api/Processes/none'),
  },
  'POST /api/Processes/{id}/Cancel': {
    202: cancel,
    400: async scene => scene.send('POST', `/api/Processes/${(await copied(scene)).Id}/Cancel`),
    404: ({ send }) => send('POST', '/api/Processes/none/Cancel'),
  },
}
