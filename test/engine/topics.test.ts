import type { Dataset, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, memoryDatabase, openEngine } from './engines.ts'

const subjects = ['pan pot lid spoon oven', 'tent rope hook lantern boots'].map(words => words.split(' '))

/** Titles of two subjects that share some words. */
const catalogue = Array.from({ length: 1200 }, (_, i) => {
  const words = subjects[i % 2]!
  const picked = Array.from({ length: 4 }, (_, n) => words[(i * 7 + n * (1 + (i % 4))) % 5]!)
  return { id: `d${i}`, title: `${picked.join(' ')}${i % 5 === 0 ? ' steel' : ''}` }
})

const factorsOf = async (dataset: Dataset) => {
  const { hits } = await dataset.search('steel pan spoon', { explain: true })
  return hits.map(({ explanation }) => explanation!.topicFactor)
}

async function trained(engine: Engine): Promise<void> {
  while (engine.jobs().some(({ endedAt }) => endedAt === null))
    await new Promise(resolve => setTimeout(resolve, 5))
}

describe('topics of a dataset', () => {
  it('weigh once there are enough documents, after a restart as before, and not where they are not wanted', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await dataset.documents.bulk(catalogue.slice(0, 900))
    expect(await factorsOf(dataset)).toEqual(Array(10).fill(1))
    await dataset.documents.bulk(catalogue.slice(900))
    while ((await factorsOf(dataset))[0] === 1) await new Promise(resolve => setTimeout(resolve, 5))
    await trained(engine)
    const factors = await factorsOf(dataset)
    expect(factors.every(factor => factor > 1.1)).toBe(true)
    const { hits } = await dataset.search('steel pan spoon')
    await expectHealthy(engine)
    await engine.close()

    const again = await openEngine({ store })
    const reopened = await again.datasets.get('products')
    expect(await factorsOf(reopened)).toEqual(factors)
    expect((await reopened.search('steel pan spoon')).hits).toEqual(hits)
    expect(again.jobs().filter(({ kind }) => kind === 'topics')).toEqual([])

    // Nobody looks for the best where documents have their places.
    const placed = async (options: object) =>
      (await reopened.search('steel pan spoon', { explain: true, ...options })).hits[0]
    for (const options of [{ sort: ['title'] }, { pinned: [{ id: 'd2', position: 1 }] }]) {
      await reopened.search('tent rope')
      const first = await placed(options)
      await reopened.search('pan pot steel')
      expect(await placed(options)).toEqual(first)
      expect(first!.explanation!.topicFactor).toBe(1)
    }

    await reopened.reconfigure({ topics: false }).finished
    expect(await factorsOf(reopened)).toEqual(Array(10).fill(1))
    await trained(again)
    await reopened.reconfigure({ topics: true }).finished
    while ((await factorsOf(reopened))[0] === 1) await new Promise(resolve => setTimeout(resolve, 5))
    expect(await factorsOf(reopened)).toEqual(factors)
    await reopened.optimize().finished
    while ((await factorsOf(reopened))[0] === 1) await new Promise(resolve => setTimeout(resolve, 5))
    await expectHealthy(again)
  })

  it('are left alone once their job is cancelled, however much is searched, until documents come', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    const running = () => engine.jobs().find(({ kind, status }) => kind === 'topics' && status === 'running')
    await dataset.documents.bulk(catalogue.slice(0, 1100))
    while (!running()) await new Promise(resolve => setTimeout(resolve, 1))
    engine.cancelJob(running()!.id)
    // Longer than it is watched whether documents come or go.
    for (const end = Date.now() + 500; Date.now() < end; ) {
      expect(await factorsOf(dataset)).toEqual(Array(10).fill(1))
      expect(running()).toBeUndefined()
    }
    await dataset.documents.bulk(catalogue.slice(1100))
    while ((await factorsOf(dataset))[0] === 1) await new Promise(resolve => setTimeout(resolve, 5))
  })

  it('are found out after a restart where the engine was closed before it came to that', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await dataset.documents.bulk(catalogue)
    await engine.close()
    const again = await openEngine({ store })
    const reopened = await again.datasets.get('products')
    while ((await factorsOf(reopened))[0] === 1) await new Promise(resolve => setTimeout(resolve, 5))
    await expectHealthy(again)
  })
})
