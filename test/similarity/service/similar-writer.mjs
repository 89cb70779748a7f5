// Prepares a service of similar documents and indexes it in full and in part, again and again, until it is killed. Each
// round has documents of another word. Says before and after each step what it is.
import { Engine } from '../../../dist/index.js'

const [store, first] = [process.argv[2], Number(process.argv[3])]
const say = line => process.stdout.write(`${line}\n`)
const engine = await Engine.open({ store })
if (!engine.datasets.has('items')) await engine.datasets.create('items', { interpretedFields: ['title'] })
const items = engine.datasets.get('items')
const service = engine.services.has('alike')
  ? engine.services.get('alike', 'similar')
  : await engine.services.create({ type: 'similar', name: 'Alike', alias: 'alike' })
const onProgress = ({ phase, done }) => say(`${phase} ${done}`)
async function step(what, round, work) {
  say(`begun ${what} ${round}`)
  await work()
  say(`ended ${what} ${round}`)
}
for (let round = first; ; round++) {
  const titles = Array.from({ length: 200 }, (_, i) => `oak${(i * 7) % 40} desk${(i * 11) % 30} lamp`)
  await items.documents.bulk(titles.map((title, id) => ({ id, title, tag: id % 2 ? 'a' : 'b' })))
  await step('prepare', round, () => service.prepare({ dataset: 'items', again: true, onProgress }))
  if (service.status !== 'active') await service.activate()
  await step('index', round, () => service.index({ onProgress }))
  for (let part = 0; part < 3; part++) {
    const fresh = [0, 1, 2].map(i => ({ id: `n${i}`, title: `oak${part} desk${i} lamp`, tag: 'a' }))
    await items.documents.bulk(fresh)
    await step('partial', round, () => service.indexPartial({ onProgress }))
  }
}
