import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import { openEngine } from '../engine/engines.ts'

/** Far more than a turn of the event loop has time for. */
const MANY = 100_000

async function filled(): Promise<Dataset> {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('products', { language: 'none' })
  await dataset.documents.bulk(Array.from({ length: 300 }, (_, i) => ({ id: i, title: `lamp number ${i}` })))
  return dataset
}

/** Whether the event loop has a turn while calls follow each other, none of which has to load anything. */
async function letsOthersIn(call: () => Promise<unknown>): Promise<boolean> {
  await call()
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  for (let calls = 0; calls < MANY && !hadTurn; calls++) await call()
  return hadTurn
}

describe('an engine in memory lets the event loop go on', () => {
  it('between searches that are awaited one after the other', async () => {
    const dataset = await filled()
    expect(await letsOthersIn(() => dataset.search('lamp', { documents: false }))).toBe(true)
  })

  it('between searches that are asked for together', async () => {
    const dataset = await filled()
    let hadTurn = false
    const searches = Array.from({ length: 2000 }, async () => {
      await dataset.search('lamp nubmer')
      return hadTurn
    })
    setImmediate(() => {
      hadTurn = true
    })
    const answered = await Promise.all(searches)
    expect(answered.at(-1)).toBe(true)
  })

  it('between completions', async () => {
    const dataset = await filled()
    expect(await letsOthersIn(() => dataset.complete('la'))).toBe(true)
  })

  it('while all documents are read', async () => {
    const engine = await openEngine()
    const { documents } = await engine.datasets.create('products', { interpretedFields: ['title'] })
    for (let at = 0; at < 20_000; at += 1000)
      await documents.bulk(Array.from({ length: 1000 }, (_, i) => ({ id: at + i })))
    let hadTurn = false
    setImmediate(() => {
      hadTurn = true
    })
    for await (const _ of documents.scan()) if (hadTurn) break
    expect(hadTurn).toBe(true)
  })

  it('between writes', async () => {
    const dataset = await filled()
    expect(await letsOthersIn(() => dataset.documents.upsert({ id: 1, title: 'lamp' }))).toBe(true)
  })

  it('so that a job ends while somebody searches until it has', async () => {
    const dataset = await filled()
    const job = dataset.optimize()
    for (let i = 0; i < MANY && job.state.endedAt === null; i++) await dataset.search('lamp')
    expect(job.state.status).toBe('finished')
  })
})
