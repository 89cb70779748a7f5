// Changes or deletes all documents of a store by query, and tells after each slice how many it has come to.
import { Engine } from '../../dist/index.js'

const [store, change] = process.argv.slice(2)
const engine = await Engine.open({ store })
const { documents } = engine.datasets.get('items')
const onProgress = ({ done }) => process.stdout.write(`${done}\n`)
if (change === 'delete') await documents.deleteWhere({}, { onProgress })
else await documents.updateWhere({}, { round: Number(change) }, { onProgress })
await engine.close()
