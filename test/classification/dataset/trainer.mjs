// Trains a classifier again and again, each round of other tags, until it is killed. Says when it begins and ends.
import { Engine } from '../../../dist/index.js'
import { documentsOf } from './rounds.mjs'

const [store, first] = [process.argv[2], Number(process.argv[3])]
const say = line => process.stdout.write(`${line}\n`)
const engine = await Engine.open({ store })
if (!engine.datasets.has('items')) await engine.datasets.create('items', { interpretedFields: ['title'] })
const items = engine.datasets.get('items')
for (let round = first; ; round++) {
  await items.documents.bulk(documentsOf(round))
  say(`begun ${round}`)
  await items.classifier({ onProgress: ({ phase }) => say(phase) })
  say(`trained ${round}`)
}
