import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'

const colours = ['red', 'green', 'blue', 'black']
const things = ['lamp', 'table', 'chair', 'shelf', 'door']

const product = (i: number) => ({
  id: String(i),
  title: `${colours[i % 4]} ${things[i % 5]}`,
  desc: Array.from({ length: i % 7 }, (_, n) => things[(i + n) % 5]).join(' '),
})

const queries = ['lamp', 'red lamp', 'green table shelf', 'blakc door']

const answersOf = (dataset: Dataset) =>
  Promise.all(
    queries.map(async query =>
      (await dataset.search(query, { limit: 1000, documents: false })).hits.map(({ id, score }) => [
        id,
        score,
      ]),
    ),
  )

describe('optimize', () => {
  it('makes scores those of an index that has never seen anything else', async () => {
    const engine = await openEngine()
    const worn = await engine.datasets.create('worn')
    await worn.documents.bulk(
      Array.from({ length: 700 }, (_, i) => ({ ...product(i), desc: 'long '.repeat(40) })),
    )
    // A search fixes the statistics of what is there.
    await answersOf(worn)
    await worn.documents.bulk(Array.from({ length: 400 }, (_, i) => product(i)))
    expect(await worn.documents.deleteWhere({ desc: 'long '.repeat(40) }).finished).toBe(300)
    const fresh = await engine.datasets.create('fresh')
    await fresh.documents.bulk(Array.from({ length: 400 }, (_, i) => product(i)))
    expect(await answersOf(worn)).not.toEqual(await answersOf(fresh))
    const job = worn.optimize()
    await job.finished
    expect(job.state).toMatchObject({ kind: 'optimize', description: expect.stringContaining('Optimizing') })
    expect(await answersOf(worn)).toEqual(await answersOf(fresh))
    await expectHealthy(engine)
  })

  it('keeps settings and every write that comes meanwhile, also after a reopen', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products', { language: 'none' })
    await dataset.documents.bulk(Array.from({ length: 500 }, (_, i) => product(i)))
    const { settings } = dataset
    const job = dataset.optimize()
    await dataset.documents.insert({ id: 'late', title: 'late lamp' })
    await dataset.documents.delete('0')
    await job.finished
    const found = async (from: Dataset) =>
      (await from.search('late', { typoTolerance: 0 })).hits.map(({ id }) => id)
    expect([await found(dataset), dataset.settings]).toEqual([['late'], settings])
    await engine.close()
    const again = await openEngine({ store })
    expect(await found(again.datasets.get('products'))).toEqual(['late'])
    await expectHealthy(again)
  })

  it('comes of its own accord when most words are those of documents that are gone', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { language: 'none' })
    const jobs = () => engine.jobs().filter(({ kind }) => kind === 'optimize')
    let large = 0
    for (let round = 0; jobs().length === 0; round++) {
      expect(round).toBeLessThan(10)
      const title = (i: number) => Array.from({ length: 10 }, (_, n) => `r${round}d${i}w${n}`).join(' ')
      await dataset.documents.bulk(Array.from({ length: 4100 }, (_, i) => ({ id: i, title: title(i) })))
      // It may be over by now, if the machine was slow.
      large = Math.max(large, engine.memory().total)
      while (engine.jobs().some(({ kind, endedAt }) => kind === 'merge' && endedAt === null)) {
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    }
    while (jobs().some(({ status }) => status === 'running'))
      await new Promise(resolve => setTimeout(resolve, 5))
    expect(jobs()).toMatchObject([{ status: 'finished' }])
    expect(engine.memory().total).toBeLessThan(large)
    expect((await dataset.search('r0d7w3', { typoTolerance: 0 })).hits).toEqual([])
    await expectHealthy(engine)
  })
})
