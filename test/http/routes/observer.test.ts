import { setImmediate as turn } from 'node:timers/promises'
import { Engine, type Observation } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import { startApi } from './api.ts'
import { openShop } from './shop.ts'

test('an observer of the engine is told of what is asked and written over HTTP', async () => {
  const told: Observation[] = []
  const engine = await Engine.open({ observer: one => told.push(one) })
  const api = await startApi({ engine })
  onTestFinished(() => api.stop())
  const dataset = await openShop(engine)
  await turn()
  told.length = 0
  await api.send('POST', '/api/Documents/Search', { dataset, body: { Text: 'garden' } })
  await api.send('POST', '/api/Documents/Complete', { dataset, body: { Text: 'gard' } })
  await api.send('DELETE', '/api/Documents/2', { dataset })
  await turn()
  expect(told).toMatchObject([
    { type: 'search', dataset, text: 'garden', hits: [{ id: '2', place: 1 }] },
    { type: 'completion', dataset, text: 'gard' },
    { type: 'write', dataset, changes: [{ id: '2', kind: 'removal' }] },
  ])
})
