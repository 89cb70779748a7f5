// Searches and clicks without end, and says when each was answered.
import { setTimeout as pause } from 'node:timers/promises'
import { Engine } from '../../dist/index.js'

const [store, life] = process.argv.slice(2)
const engine = await Engine.open({ store, analytics: { mode: 'full' } })
if (!engine.datasets.has('items')) {
  const made = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await made.documents.insert({ id: 'p1', title: 'Lamp' })
}
const items = engine.datasets.get('items')
for (let i = 0; ; i++) {
  const text = `lamp ${life} ${i}`
  const { queryId } = await items.search(text, { context: { user: `u${i % 10}` } })
  const isClicked =
    i % 3 === 0 && (await engine.analytics.event({ type: 'click', queryId, id: 'p1' })).counted
  process.stdout.write(`${JSON.stringify({ text, at: Date.now(), queryId, isClicked })}\n`)
  await pause(2)
}
