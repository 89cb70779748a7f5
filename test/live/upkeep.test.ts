import type { EngineOptions } from 'findling'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { WorkerPool } from '../../src/jobs/pool.ts'
import { FIRST_DATASET } from '../../src/store/dataset-number.ts'
import { indexPrefix } from '../../src/store/keyspace.ts'
import { expectHealthy, memoryDatabase, openEngine } from '../engine/engines.ts'

const things = ['lamp', 'table', 'chair', 'shelf', 'door']

/** How many segments workers were asked to write anew since; a job that does it may be over before it is seen. */
function compactions(): () => number {
  const runs = vi.spyOn(WorkerPool.prototype, 'run')
  onTestFinished(() => runs.mockRestore())
  return () => runs.mock.calls.filter(([task]) => String(task) === 'compact').length
}

describe('upkeep', () => {
  it('joins segments that many searches had to look into, which then answer as before', async () => {
    const compacted = compactions()
    // The same search again would not look into segments.
    const engine = await openEngine({ answerCache: 0 })
    const dataset = await engine.datasets.create('products', { language: 'none', topics: false })
    for (const first of [0, 1300]) {
      await dataset.documents.bulk(
        Array.from({ length: 1300 }, (_, i) => ({
          id: first + i,
          title: `${things[i % 5]} ${things[i % 3]}`,
        })),
      )
      await dataset.search('lamp')
    }
    const answer = () => dataset.search('lamp door', { limit: 3000, documents: false })
    const before = await answer()
    const merges = () => engine.jobs().filter(({ kind }) => kind === 'merge')
    expect(compacted()).toBe(0)
    let searches = 0
    for (; searches < 20_000 && compacted() === 0; searches++)
      await dataset.search('lamp', { limit: 1, documents: false })
    expect(compacted()).toBe(1)
    // A job that nobody asked for is forgotten once it is done.
    await expect.poll(merges).toEqual([])
    expect(await answer()).toEqual(before)
    // As many do not start it again.
    for (; searches > 0; searches--) {
      await dataset.search('lamp', { limit: 1, documents: false })
      expect(compacted()).toBe(1)
    }
    await expectHealthy(engine)
  })

  it('joins segments that many filters had to look into, sooner than searches would have', async () => {
    const compacted = compactions()
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { language: 'none', topics: false })
    for (const first of [0, 1300]) {
      await dataset.documents.bulk(
        Array.from({ length: 1300 }, (_, i) => ({ id: first + i, title: things[i % 5]!, price: i })),
      )
      await dataset.search('lamp')
    }
    const merges = () => engine.jobs().filter(({ kind }) => kind === 'merge')
    let filters = 0
    for (; filters < 20_000 && compacted() === 0; filters++)
      await dataset.filter({ price: { lt: 7 } }, { limit: 1 })
    expect(filters).toBeLessThan(5_000)
    await expect.poll(merges).toEqual([])
    expect(await dataset.count({ price: { lt: 7 } })).toBe(14)
    await expectHealthy(engine)
  })

  it('gives up a merge whose worker failed, so that its segments can be merged otherwise, and tries again', async () => {
    const run = vi.spyOn(WorkerPool.prototype, 'run')
    const drop = vi.spyOn(FulltextIndex.prototype, 'dropCompaction')
    onTestFinished(() => {
      run.mockRestore()
      drop.mockRestore()
    })
    const engine = await openEngine({ answerCache: 0 })
    const dataset = await engine.datasets.create('products', { language: 'none', topics: false })
    for (const first of [0, 1300]) {
      await dataset.documents.bulk(
        Array.from({ length: 1300 }, (_, i) => ({ id: first + i, title: things[i % 5]! })),
      )
      await dataset.search('lamp')
    }
    const searchUntil = async (isOver: () => boolean) => {
      for (let searches = 0; searches < 30_000 && !isOver(); searches++)
        await dataset.search('lamp', { limit: 1, documents: false })
      expect(isOver()).toBe(true)
    }
    run.mockRejectedValueOnce(new Error('no thread'))
    await searchUntil(() => run.mock.calls.length === 1)
    await expect.poll(() => drop.mock.calls.length).toBe(1)
    await searchUntil(() => run.mock.calls.length === 2)
    expect(run.mock.calls.map(([task]) => task)).toEqual(['compact', 'compact'])
    await expect.poll(() => drop.mock.calls.length).toBe(2)
    const { total } = await dataset.search('lamp', { limit: 1 })
    expect(total).toEqual({ count: 520, exact: true })
    await expectHealthy(engine)
  })

  it('saves the index in a store that is there again, not in memory that ends with the engine', async () => {
    const batches = vi.spyOn(MemoryLevel.prototype, 'batch')
    const partsSaved = async (options: EngineOptions) => {
      batches.mockClear()
      const engine = await openEngine(options)
      const dataset = await engine.datasets.create('products')
      await dataset.documents.bulk(Array.from({ length: 5000 }, (_, id) => ({ id, title: `lamp ${id}` })))
      expect((await dataset.search('lamp 4711')).hits[0]!.id).toBe('4711')
      await engine.close()
      const keys = batches.mock.calls.flat().flatMap(ops => (Array.isArray(ops) ? ops : []))
      return keys.filter(({ key }) => String(key).startsWith(indexPrefix(FIRST_DATASET, 1))).length
    }
    try {
      expect(await partsSaved({})).toBe(0)
      expect(await partsSaved({ store: memoryDatabase() })).toBeGreaterThan(3)
    } finally {
      batches.mockRestore()
    }
  })
})
