// Prepares a classifier service again and again, each round of other tags, until it is killed. Says how far it is.
import { Engine } from '../../../dist/index.js'
import { documentsOf } from '../dataset/rounds.mjs'

const [store, first] = [process.argv[2], Number(process.argv[3])]
const say = line => process.stdout.write(`${line}\n`)
const engine = await Engine.open({ store })
if (!engine.datasets.has('items')) await engine.datasets.create('items', { interpretedFields: ['title'] })
const items = engine.datasets.get('items')
const service = engine.services.has('tags')
  ? engine.services.get('tags', 'classifier')
  : await engine.services.create({ type: 'classifier', name: 'Tags', alias: 'tags' })
const onProgress = ({ phase }) => say(phase)
for (let round = first; ; round++) {
  await items.documents.bulk(documentsOf(round))
  say(`begun ${round}`)
  await service.prepare({ dataset: 'items', again: true, onProgress })
  say(`prepared ${round}`)
  if (service.status === 'active') await service.deactivate()
  say('activating')
  await service.activate({ onProgress })
  say('active')
}
