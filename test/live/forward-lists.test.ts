import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, memoryDatabase, openEngine, waitingDatabase } from '../engine/engines.ts'

const products = [
  { id: '1', title: 'Brass lamp', desc: 'A lamp of brass and glass' },
  { id: '2', title: 'Glass table', desc: 'Room for a lamp' },
  ...Array.from({ length: 300 }, (_, i) => ({ id: `x${i}`, title: `Chair ${i}`, desc: 'Of wood' })),
]

const isForwardList = (key: string) => key.includes('/b/forward-')

const idsOf = async (dataset: Dataset, query: string) =>
  (await dataset.search(query, { operator: 'and', typoTolerance: 0 })).hits.map(({ id }) => id)

describe('the forward lists of a stored index', () => {
  /** A stored index, opened again; `reads` counts the forward lists that have been read. */
  async function reopened() {
    let reads = 0
    const store = waitingDatabase({
      read: async from => {
        if (isForwardList(from)) reads++
      },
    })
    const first = await openEngine({ store })
    await (await first.datasets.create('products')).documents.bulk(products)
    await first.close()
    const engine = await openEngine({ store })
    return { engine, dataset: engine.datasets.get('products'), reads: () => reads }
  }

  it('are read for one word that many documents have', async () => {
    const { dataset, reads } = await reopened()
    expect((await dataset.search('chair', { limit: 1000 })).hits).toHaveLength(300)
    expect(reads()).toBeGreaterThan(0)
  })

  it('are not read for a rare word that cannot be two written as one', async () => {
    const { engine, dataset, reads } = await reopened()
    const answers = await Promise.all(['brass', '299', 'chiar7', 'zz'].map(query => idsOf(dataset, query)))
    expect(answers).toEqual([['1'], ['x299'], [], []])
    await engine.close()
    expect(reads()).toBe(0)
  })

  it('are read for a word that may be two, and for weights of the request', async () => {
    const compound = await reopened()
    expect((await compound.dataset.search('ofwood', { limit: 1000 })).hits).toHaveLength(300)
    expect(compound.reads()).toBeGreaterThan(0)
    const weighted = await reopened()
    const { hits } = await weighted.dataset.search('lamp', { fields: ['desc'] })
    expect(hits.map(({ id }) => id).sort()).toEqual(['1', '2'])
    expect(weighted.reads()).toBeGreaterThan(0)
  })

  it('are read once, for the first search of several words', async () => {
    const { dataset, reads } = await reopened()
    expect(await idsOf(dataset, 'brass lamp')).toEqual(['1'])
    const needed = reads()
    expect(needed).toBeGreaterThan(0)
    await Promise.all(['glass lamp', '"glass table"', 'wood chair'].map(query => idsOf(dataset, query)))
    expect(reads()).toBe(needed)
  })

  it('are read before the first change is taken in', async () => {
    const { engine, dataset } = await reopened()
    await Promise.all([
      dataset.documents.delete('1'),
      dataset.documents.upsert({ id: '2', title: 'Glass door' }),
      dataset.documents.insert({ id: '3', title: 'Brass lamp' }),
    ])
    expect([await idsOf(dataset, 'brass lamp'), await idsOf(dataset, 'glass door')]).toEqual([['3'], ['2']])
    expect(await idsOf(dataset, 'table')).toEqual([])
    await expectHealthy(engine)
  })

  it('are read for searches that come while changes do', async () => {
    const { engine, dataset } = await reopened()
    const writes = Array.from({ length: 50 }, (_, i) =>
      dataset.documents.insert({ id: `lamp${i}`, title: `Paper lamp ${i}` }),
    )
    const searches = Array.from({ length: 20 }, () => idsOf(dataset, 'brass lamp'))
    for (const ids of await Promise.all(searches)) expect(ids).toEqual(['1'])
    await Promise.all(writes)
    expect((await dataset.search('paper lamp', { limit: 100, operator: 'and' })).hits).toHaveLength(50)
    await expectHealthy(engine)
  })
})

describe('a forward list that cannot be read for the moment', () => {
  async function failingOnce() {
    let isFailing = false
    const store = waitingDatabase({
      read: async from => {
        if (!isFailing || !isForwardList(from)) return
        isFailing = false
        throw new Error('EMFILE: too many open files')
      },
    })
    const first = await openEngine({ store })
    await (await first.datasets.create('products')).documents.bulk(products)
    await first.close()
    const engine = await openEngine({ store })
    const dataset = engine.datasets.get('products')
    await dataset.search('299')
    isFailing = true
    return { engine, dataset }
  }

  it('fails the search that needs it, and no later one', async () => {
    const { engine, dataset } = await failingOnce()
    await expect(dataset.search('brass lamp')).rejects.toThrow('EMFILE')
    expect(await idsOf(dataset, 'brass lamp')).toEqual(['1'])
    expect((await dataset.search('chair', { limit: 1000 })).hits).toHaveLength(300)
    await expectHealthy(engine)
  })

  it('fails no write, and the write is found', async () => {
    const { engine, dataset } = await failingOnce()
    await dataset.documents.insert({ id: 'new', title: 'Brass lamp' })
    expect((await idsOf(dataset, 'brass lamp')).sort()).toEqual(['1', 'new'])
    await expectHealthy(engine)
  })
})

describe('a damaged forward list', () => {
  type Store = ReturnType<typeof memoryDatabase>
  const forwardKeys = async (store: Store) =>
    (await store.keys({ gte: 'x/', lt: 'x0' }).all()).filter(isForwardList)
  const damages: [what: string, damage: (store: Store) => Promise<void>][] = [
    [
      'with a flipped bit',
      async store => {
        for (const key of await forwardKeys(store)) {
          const bytes = Uint8Array.from((await store.get(key))!)
          bytes[bytes.length >> 1]! ^= 4
          await store.put(key, bytes)
        }
      },
    ],
    [
      'that is gone',
      async store => {
        for (const key of await forwardKeys(store)) await store.del(key)
      },
    ],
  ]

  async function damagedStore(damage: (store: Store) => Promise<void>) {
    const store = memoryDatabase()
    const first = await openEngine({ store })
    await (await first.datasets.create('products')).documents.bulk(products)
    await first.close()
    await damage(store)
    return store
  }

  async function openDamaged(damage: (store: Store) => Promise<void>) {
    const store = await damagedStore(damage)
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
    const engine = await openEngine({ store, logger })
    return { store, engine, dataset: engine.datasets.get('products'), warnings }
  }

  const oneWarning = [expect.stringContaining('products is damaged')]

  it.each(damages)(
    '%s is told once, and searches are answered from an index built anew',
    async (_, damage) => {
      const { store, engine, dataset, warnings } = await openDamaged(damage)
      expect(await idsOf(dataset, '299')).toEqual(['x299'])
      expect(warnings).toEqual([])
      const answers = await Promise.all(
        ['brass lamp', 'table lamp', 'brass'].map(query => idsOf(dataset, query)),
      )
      expect(answers).toEqual([['1'], ['2'], ['1']])
      expect(warnings).toEqual(oneWarning)
      await expectHealthy(engine)
      await engine.close()
      const again = await openEngine({ store })
      expect(await idsOf(again.datasets.get('products'), 'table lamp')).toEqual(['2'])
    },
  )

  it.each(damages)('%s loses no write that comes before it is known', async (_, damage) => {
    const { engine, dataset, warnings } = await openDamaged(damage)
    await Promise.all([
      dataset.documents.insert({ id: '3', title: 'Brass lamp' }),
      dataset.documents.upsert({ id: '1', title: 'Oak table' }),
      dataset.documents.upsert({ id: '1', title: 'Oak lamp' }),
      dataset.documents.delete('2'),
    ])
    expect([await idsOf(dataset, 'brass lamp'), await idsOf(dataset, 'oak lamp')]).toEqual([['3'], ['1']])
    expect(await idsOf(dataset, 'table')).toEqual([])
    expect(warnings).toEqual(oneWarning)
    await expectHealthy(engine)
  })

  it('is mended while writes and searches go on', async () => {
    const { engine, dataset, warnings } = await openDamaged(damages[0]![1])
    const writes: Promise<unknown>[] = []
    for (let i = 0; i < 100; i++) {
      writes.push(dataset.documents.upsert({ id: `n${i % 10}`, title: `Paper lamp ${i}` }))
      if (i % 10 === 0) expect(await idsOf(dataset, 'brass lamp')).toEqual(['1'])
    }
    await Promise.all(writes)
    const { hits } = await dataset.search('paper lamp', { operator: 'and', limit: 100 })
    expect(hits.map(({ document }) => document.title).sort()).toEqual(
      Array.from({ length: 10 }, (_, i) => `Paper lamp ${90 + i}`),
    )
    expect(warnings).toEqual(oneWarning)
    await expectHealthy(engine)
  })
})
