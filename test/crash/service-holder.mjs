// Leads a service to a point in its life, says so, and stands still there until it is killed.
import { writeSync } from 'node:fs'
import { Engine } from '../../dist/index.js'

const [store, what] = process.argv.slice(2)
const stand = () => {
  writeSync(1, 'there\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
const engine = await Engine.open({ store })
const { documents } = await engine.datasets.create('items')
await documents.bulk([1, 2, 3].map(id => ({ id, title: `lamp ${id}` })))
const service = await engine.services.create({ type: 'search', name: 'held', alias: 'held' })
if (what === 'prepare') await service.prepare({ dataset: 'items', onProgress: stand })
await service.prepare({ dataset: 'items' })
if (what === 'activate') await service.activate({ search: { limit: 2 }, onProgress: stand })
if (what === 'cancelled') {
  const job = service.activate({ search: { limit: 2 }, onProgress: () => job.cancel() })
  await job.finished.catch(() => {})
  stand()
}
await service.activate({ search: { limit: 1 } })
await service.prepare({ dataset: 'items', again: true, onProgress: stand })
