import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, openEngine, waitingDatabase } from './engines.ts'

async function openShops() {
  const engine = await openEngine()
  const source = await engine.datasets.create('source', { interpretedFields: ['title'] })
  const sample = { id: 'x', tag: 'x', title: 'x' }
  const target = await engine.datasets.create('target', { sample, validation: 'strict' })
  await source.documents.bulk([
    { id: '1', tag: 'a', title: 'Lamp' },
    { id: '2', tag: 'a', title: 'Desk' },
    { id: '3', title: 'No tag' },
  ])
  return { engine, source, target }
}

describe('copy', () => {
  it('takes documents over under the rules of the target and reports what it refuses', async () => {
    const { engine, source, target } = await openShops()
    await target.documents.insert({ id: '2', tag: 'b', title: 'Replaced' })
    const report = await source.documents.copy(['1', 2, '3', '4', '1'], target.documents).finished
    expect(report).toMatchObject({
      transferred: 2,
      missing: 1,
      failed: [{ id: '3', code: 'INVALID_DOCUMENT' }],
    })
    expect(await target.documents.getMany(['1', '2', '3'])).toMatchObject([
      { title: 'Lamp' },
      { title: 'Desk' },
      undefined,
    ])
    expect(source.documents.count).toBe(3)
    expect((await target.search('lamp')).hits).toHaveLength(1)
    await expectHealthy(engine)
  })

  it('is refused into the same dataset, into nothing and into another engine', async () => {
    const { source } = await openShops()
    const elsewhere = await openShops()
    const targets: unknown[] = [source.documents, undefined, null, {}, source, elsewhere.target.documents]
    for (const target of targets) {
      expect(await failureOf(() => source.documents.copy(['1'], target as never))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field: 'target' },
      })
    }
    expect(elsewhere.target.documents.count).toBe(0)
  })

  it('takes more than fits into the write queue', async () => {
    const engine = await openEngine({ memoryBudget: 32 * 2 ** 20 })
    const source = await engine.datasets.create('source', { interpretedFields: ['title'] })
    const target = await engine.datasets.create('target', { interpretedFields: ['title'] })
    const ids = Array.from({ length: 120 }, (_, i) => `${i}`)
    for (const id of ids) await source.documents.insert({ id, text: 'x'.repeat(200_000) })
    const report = await source.documents.copy(ids, target.documents).finished
    expect(report).toEqual({ transferred: 120, missing: 0, failed: [] })
  })
})

describe('move', () => {
  it('takes away what arrived and leaves what was refused', async () => {
    const { engine, source, target } = await openShops()
    const report = await source.documents.move(['1', '1', '2', '3', '4'], target.documents).finished
    expect(report).toMatchObject({ transferred: 2, missing: 1, failed: [{ id: '3' }] })
    expect(await source.documents.getMany(['1', '2', '3'])).toMatchObject([undefined, undefined, { id: '3' }])
    expect(target.documents.count).toBe(2)
    expect((await source.search('lamp')).hits).toEqual([])
    await expectHealthy(engine)
  })

  it('tells how far it is, and when cancelled leaves every document in one of the two', async () => {
    // The loop turns at each batch, so the job is seen and cancelled between two of them.
    const batch = () => new Promise<void>(resolve => setImmediate(resolve))
    const engine = await openEngine({ store: waitingDatabase({ batch }) })
    const source = await engine.datasets.create('source')
    const target = await engine.datasets.create('target')
    const ids = Array.from({ length: 1000 }, (_, i) => `${i}`)
    await source.documents.bulk(ids.map(id => ({ id })))
    const job = source.documents.move(ids, target.documents)
    while (job.state.progress.done === 0) await new Promise(setImmediate)
    expect(job.state.progress).toMatchObject({ total: 1000, phase: 'moving' })
    job.cancel()
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect(job.state.status).toBe('cancelled')
    const [left, arrived] = await Promise.all([source.documents.getMany(ids), target.documents.getMany(ids)])
    for (const i of ids.keys()) expect(Boolean(left[i])).not.toBe(Boolean(arrived[i]))
    expect(target.documents.count).toBeGreaterThan(0)
    expect(target.documents.count).toBeLessThan(1000)
    await expectHealthy(engine)
  })
})
