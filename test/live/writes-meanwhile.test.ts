import { describe, expect, it } from 'vitest'
import { expectHealthy, openEngine, waitingDatabase } from '../engine/engines.ts'

/** A store whose large dataset has an index that is not in memory, and a gate in front of what is stored of it. */
async function reopened() {
  let opened = Promise.resolve()
  let open = () => {}
  let reads = 0
  const store = waitingDatabase({
    async read(from) {
      if (!from.startsWith('x/')) return
      reads++
      await opened
    },
  })
  const first = await openEngine({ store })
  const large = await first.datasets.create('large', { language: 'none' })
  await large.documents.bulk(Array.from({ length: 5000 }, (_, id) => ({ id, title: `lamp ${id}` })))
  await first.datasets.create('small')
  await large.search('lamp')
  await first.close()
  const engine = await openEngine({ store })
  opened = new Promise(resolve => {
    open = resolve
  })
  return {
    engine,
    large: engine.datasets.get('large'),
    small: engine.datasets.get('small'),
    open: () => open(),
    reads: () => reads,
  }
}

describe('a write', () => {
  it('does not wait for an index that is being loaded, and a search behind it finds the document', async () => {
    const { engine, large, small, open, reads } = await reopened()
    const before = reads()
    let found = false
    const search = large.search('lamp').then(() => {
      found = true
    })
    while (reads() === before) await new Promise(setImmediate)
    await large.documents.insert({ id: 'new', title: 'novelty' })
    await small.documents.insert({ id: 'new', title: 'novelty' })
    await large.documents.delete(7)
    expect(found).toBe(false)
    const behind = large.search('novelty')
    expect((await small.search('novelty')).hits).toHaveLength(1)
    open()
    await search
    expect((await behind).hits.map(({ id }) => id)).toEqual(['new'])
    expect((await large.search('7', { operator: 'and' })).hits.map(({ id }) => id)).not.toContain('7')
    await expectHealthy(engine)
  })

  it('to a large dataset reads nothing of an index that nobody has asked for', async () => {
    const { engine, large, open, reads } = await reopened()
    const before = reads()
    for (let id = 5000; id < 5020; id++) await large.documents.insert({ id, title: `lamp ${id}` })
    expect([reads(), engine.memory().total]).toEqual([before, 0])
    open()
    expect((await large.search('5011')).hits.map(({ id }) => id)).toEqual(['5011'])
    await expectHealthy(engine)
  })

  it('does not wait for an index that is being built anew', async () => {
    const { engine, large, open } = await reopened()
    open()
    let isBuilt = false
    const build = large.optimize().finished.then(() => {
      isBuilt = true
    })
    await large.documents.insert({ id: 'new', title: 'novelty' })
    expect(isBuilt).toBe(false)
    expect((await large.search('novelty')).hits).toHaveLength(1)
    await build
    expect((await large.search('novelty')).hits).toHaveLength(1)
    await expectHealthy(engine)
  })
})

describe('many writes to an index that is not in memory', () => {
  it('have it loaded behind them, before it gets far behind', async () => {
    const { engine, large, open } = await reopened()
    open()
    await large.documents.bulk(
      Array.from({ length: 4600 }, (_, id) => ({ id: id + 5000, title: `lamp ${id + 5000}` })),
    )
    await expect.poll(() => engine.memory().total).toBeGreaterThan(0)
    expect((await large.search('9599')).hits.map(({ id }) => id)).toEqual(['9599'])
    await expectHealthy(engine)
  })
})
