import { availableParallelism } from 'node:os'
import type { Dataset, DatasetSettingsInput } from 'findling'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
  waitingDatabase,
} from './engines.ts'

const products = [
  { id: '1', title: 'Lamps', desc: 'Brass and glass' },
  { id: '2', title: 'Glass', desc: 'Lamps for the desk and more words' },
]

const idsOf = async (dataset: Dataset, query: string) =>
  (await dataset.search(query, { typoTolerance: 0 })).hits.map(({ id }) => id)

/** An engine in which an index build waits, before it reads anything, until it is let go. */
async function openHeld() {
  let go = () => {}
  let held: Promise<void> | undefined
  const engine = await openEngine({ store: waitingDatabase({ clear: async () => held }) })
  const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
  await dataset.documents.bulk(products)
  held = new Promise(resolve => {
    go = resolve
  })
  return { engine, dataset, go: () => go() }
}

describe('reconfigure', () => {
  it('lets the old index answer and writes go on until the new one is in place', async () => {
    const { engine, dataset, go } = await openHeld()
    const job = dataset.reconfigure({ interpretedFields: ['desc'] })
    await dataset.documents.insert({ id: '3', title: 'Later lamps', desc: 'Wood' })
    await dataset.documents.delete('1')
    expect([await idsOf(dataset, 'lamps'), await idsOf(dataset, 'wood')]).toEqual([['3'], []])
    expect([job.state.status, dataset.settings.interpretedFields]).toEqual(['running', ['title']])
    go()
    await job.finished
    expect([
      await idsOf(dataset, 'lamps'),
      await idsOf(dataset, 'wood'),
      await idsOf(dataset, 'brass'),
    ]).toEqual([['2'], ['3'], []])
    expect(dataset.settings.interpretedFields).toEqual(['desc'])
    await expectHealthy(engine)
  })

  it('takes in every write that comes while it builds', async () => {
    const engine = await openEngine({ store: await temporaryFolder(), durability: 'process' })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await dataset.documents.bulk(
      Array.from({ length: 3000 }, (_, i) => ({ id: i, title: 'old', desc: 'old' })),
    )
    const job = dataset.reconfigure({ interpretedFields: ['desc'] })
    let written = 0
    // Those deleted are others than those written, also where it takes long.
    while (job.state.status === 'running' && written < 1500) {
      await dataset.documents.upsert({ id: written, title: 'new', desc: 'new' })
      await dataset.documents.delete(2999 - written++)
    }
    await job.finished
    const found = await dataset.search('new', { limit: 10_000 })
    expect(written).toBeGreaterThan(0)
    expect(found.hits).toHaveLength(written)
    expect((await dataset.search('old', { limit: 10_000 })).hits).toHaveLength(3000 - 2 * written)
    await expectHealthy(engine)
  })

  it('keeps the old settings and answers when it is cancelled, and may be asked again', async () => {
    const { engine, dataset, go } = await openHeld()
    const job = dataset.reconfigure({ interpretedFields: ['desc'] })
    engine.cancelJob(job.id)
    go()
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect([await idsOf(dataset, 'lamps'), dataset.settings.interpretedFields]).toEqual([['1'], ['title']])
    await dataset.reconfigure({ interpretedFields: ['desc'] }).finished
    expect(await idsOf(dataset, 'lamps')).toEqual(['2'])
    await expectHealthy(engine)
  })

  it('may be asked for before the stored index has been loaded', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    await (await engine.datasets.create('products')).documents.bulk(products)
    await engine.close()
    const again = await openEngine({ store })
    const dataset = again.datasets.get('products')
    const job = dataset.reconfigure({ interpretedFields: ['desc'] })
    let answers = 0
    while (job.state.status === 'running') {
      expect((await idsOf(dataset, 'lamps')).length).toBeGreaterThan(0)
      answers++
      await new Promise(setImmediate)
    }
    await job.finished
    expect(answers).toBeGreaterThan(0)
    expect(await idsOf(dataset, 'lamps')).toEqual(['2'])
    await expectHealthy(again)
  })

  it('is done although the space of the old index could not be given back, which the next open does', async () => {
    let clears = 0
    const store = waitingDatabase({
      clear: async () => {
        if (++clears === 2) throw new Error('no clearing now')
      },
    })
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
    const engine = await openEngine({ store, logger })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk(products)
    await dataset.reconfigure({ interpretedFields: ['desc'] }).finished
    expect([clears, warnings.length]).toEqual([2, 1])
    expect(await idsOf(dataset, 'lamps')).toEqual(['2'])
    await engine.close()
    const again = await openEngine({ store, logger })
    expect([clears, warnings.length]).toEqual([3, 1])
    expect(await idsOf(again.datasets.get('products'), 'lamps')).toEqual(['2'])
    await expectHealthy(again)
  })

  it.each<[what: string, changes: DatasetSettingsInput]>([
    ['builds an index', { interpretedFields: ['desc'] }],
    ['only changes settings', { relax: true }],
  ])('that %s has finished if its settings are set, wherever the process ended', async (_, changes) => {
    const outcomes: boolean[] = []
    for (let batches = 0, isDone = false; !isDone; batches++) {
      let left = Number.POSITIVE_INFINITY
      const change = async () => {
        if (left-- <= 0) throw new Error('the process has ended')
      }
      const store = waitingDatabase({ batch: change, clear: change })
      const first = await openEngine({ store })
      const dataset = await first.datasets.create('products', { interpretedFields: ['title'] })
      await dataset.documents.bulk(products)
      left = batches
      const job = dataset.reconfigure(changes)
      isDone = await job.finished.then(
        () => true,
        () => false,
      )
      left = isDone ? Number.POSITIVE_INFINITY : 0
      await first.close().catch(() => undefined)
      left = Number.POSITIVE_INFINITY
      const second = await openEngine({ store })
      const { settings } = second.datasets.get('products')
      const isSet = Object.entries(changes).every(
        ([name, value]) => `${settings[name as keyof typeof settings]}` === `${value}`,
      )
      const state = second.job(job.id)
      // Where not even its beginning was stored, nobody knows of it.
      if (state) expect([batches, state.status]).toEqual([batches, isSet ? 'finished' : 'failed'])
      else expect(isSet).toBe(false)
      await expectHealthy(second)
      outcomes.push(isSet)
    }
    expect(outcomes[0]).toBe(false)
    expect(outcomes).toEqual([...outcomes].sort())
  })

  it('that cannot read the documents leaves its thread to the next', async () => {
    let [isFailing, reads] = [false, 0]
    const store = waitingDatabase({
      read: async from => {
        // The first page of the documents arrives, the next does not.
        if (isFailing && from.startsWith('d/') && ++reads % 2 === 0) throw new Error('no reading now')
      },
    })
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk(products)
    isFailing = true
    for (let n = 0; n <= availableParallelism(); n++) {
      const job = dataset.reconfigure({ interpretedFields: ['desc'] })
      expect(await codeOf(() => job.finished)).toBe('STORE_FAILED')
    }
    isFailing = false
    await dataset.reconfigure({ interpretedFields: ['desc'] }).finished
    expect(await idsOf(dataset, 'lamps')).toEqual(['2'])
    await expectHealthy(engine)
  })

  it.each([
    ['rebuilt', (dataset: Dataset) => dataset.reconfigure({ interpretedFields: ['desc'] })],
    ['optimized', (dataset: Dataset) => dataset.optimize()],
  ])('is refused while the index is being %s, which is said', async (what, start) => {
    const { dataset, go } = await openHeld()
    const job = start(dataset)
    const refused = await failureOf(() => dataset.reconfigure({ language: 'none' }))
    expect(refused).toMatchObject({ code: 'DATASET_BUSY', details: { job: job.id } })
    expect(String(refused)).toContain(`The index of products is being ${what}.`)
    go()
    await job.finished
  })

  it('refuses to group by or weigh a field that the sample lacks, and changes nothing', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { sample: { ...products[0], price: 3 } })
    for (const change of [{ groupBy: 'prise' }, { signals: { prise: { pivot: 1, boost: 1 } } }]) {
      const { code, message } = await failureOf(() => dataset.reconfigure({ relax: true, ...change }))
      expect([code, message]).toEqual(['INVALID_ARGUMENT', expect.stringContaining('did you mean "price"?')])
    }
    expect(dataset.settings).toMatchObject({ groupBy: null, signals: {}, relax: false })
    await dataset.reconfigure({ groupBy: 'price' }).finished
    expect(dataset.settings.groupBy).toBe('price')
  })

  it('changes what is found and how it ranks, also after a reopen', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk(products)
    const changes: [change: DatasetSettingsInput, query: string, ids: string[]][] = [
      [{}, 'lamp', ['1', '2']],
      [{ weights: { title: { weight: 0.1 }, desc: { weight: 50 } } }, 'lamps', ['2', '1']],
      [{ language: 'none' }, 'lamp', []],
      [{ interpretedFields: ['desc'] }, 'lamps', ['2']],
    ]
    for (const [change, query, ids] of changes) {
      await dataset.reconfigure(change).finished
      expect(await idsOf(dataset, query)).toEqual(ids)
    }
    await dataset.reconfigure({ nGramCount: 2 }).finished
    const { settings } = dataset
    await engine.close()
    const again = (await openEngine({ store })).datasets.get('products')
    expect(again.settings).toEqual(settings)
    expect(again.settings).toMatchObject({ interpretedFields: ['desc'], language: 'none', nGramCount: 2 })
    expect(await idsOf(again, 'lamps')).toEqual(['2'])
  })

  it('leaves the weights alone that are not given', async () => {
    const dataset = await (await openEngine()).datasets.create('products', {
      interpretedFields: ['title', 'desc'],
      weights: { title: { weight: 9, b: 0.1 }, desc: { weight: 8, b: 0.2 } },
    })
    await dataset.reconfigure({ weights: { title: { weight: 7 } } }).finished
    expect(dataset.settings.weights).toEqual({ title: { weight: 7, b: 0.1 }, desc: { weight: 8, b: 0.2 } })
  })

  it('refuses other id and tag fields, and settings that are wrong, and changes nothing then', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    const { settings } = dataset
    const wrong: [change: unknown, field: string][] = [
      [{ idField: 'sku' }, 'idField'],
      [{ tagField: 'labels' }, 'tagField'],
      [{ interpretedFields: 5 }, 'interpretedFields'],
      [{ interpretedFields: 'title' }, 'interpretedFields'],
      [{ interpretedFields: null }, 'interpretedFields'],
      [{ weights: { nothing: { weight: 2 } } }, 'weights'],
      [{ language: 'klingon' }, 'language'],
      [{ colour: 'red' }, 'colour'],
      [{ validation: 'strict' }, 'validation'],
    ]
    for (const [change, field] of wrong)
      expect(await failureOf(() => dataset.reconfigure(change as never))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field },
      })
    expect(dataset.settings).toEqual(settings)
    await dataset.reconfigure({ idField: 'id', tagField: 'tag' }).finished
  })
})

describe('an index that could not be loaded', () => {
  it('is told to the logger by a write and loaded by the next search', async () => {
    let isFailing = false
    const store = waitingDatabase({
      get: async key => {
        if (isFailing && key.startsWith('x/')) throw new Error('no reading now')
      },
    })
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
    const first = await openEngine({ store })
    await (await first.datasets.create('products')).documents.bulk(products)
    await first.close()
    const engine = await openEngine({ store, logger })
    const dataset = engine.datasets.get('products')
    isFailing = true
    await dataset.documents.insert({ id: '3', title: 'Novelty' })
    expect(warnings).toEqual([expect.stringContaining('products')])
    isFailing = false
    expect([await idsOf(dataset, 'novelty'), await idsOf(dataset, 'brass')]).toEqual([['3'], ['1']])
    await expectHealthy(engine)
  })
})

describe('a damaged index', () => {
  type Store = ReturnType<typeof memoryDatabase>
  const flipped = async (store: Store, choose: (key: string) => boolean) => {
    for await (const [key, value] of store.iterator({ gte: 'x/', lt: 'x0' })) {
      if (!choose(key)) continue
      const bytes = Uint8Array.from(value)
      bytes[bytes.length >> 1]! ^= 4
      await store.put(key, bytes)
    }
  }
  const damages: [what: string, damage: (store: Store) => Promise<void>][] = [
    ['without any of its values', store => store.clear({ gte: 'x/', lt: 'x0' })],
    [
      'without its record',
      async store => {
        for (const key of await store.keys({ gte: 'x/', lt: 'x0' }).all())
          if (key.endsWith('/record')) await store.del(key)
      },
    ],
    [
      'without one of its blobs',
      async store => {
        const [blob] = (await store.keys({ gte: 'x/', lt: 'x0' }).all()).filter(key =>
          key.includes('/b/body-'),
        )
        await store.del(blob!)
      },
    ],
    ['with a flipped bit in its record', store => flipped(store, key => key.endsWith('/record'))],
    ['with flipped bits in its blobs', store => flipped(store, key => key.includes('/b/'))],
    [
      'with values of another format',
      async store => {
        for (const key of await store.keys({ gte: 'x/', lt: 'x0' }).all())
          await store.put(key, Buffer.from('{"x":'))
      },
    ],
  ]

  it.each(damages)('%s is built anew, told to the logger, and answers as before', async (_, damage) => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk([
      ...products,
      ...Array.from({ length: 300 }, (_, i) => ({ id: `x${i}`, title: `Glass ${i}` })),
    ])
    await dataset.documents.delete('x7')
    const queries = ['lamps', 'glass', 'glass desk', 'brasss']
    const answers = async (from: Dataset) =>
      Promise.all(
        queries.map(async query => (await from.search(query, { limit: 500 })).hits.map(({ id }) => id)),
      )
    const before = await answers(dataset)
    await engine.close()
    await damage(store)

    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
    const again = await openEngine({ store, logger })
    const damaged = again.datasets.get('products')
    expect(await answers(damaged)).toEqual(before)
    expect(warnings.length).toBe(damage === damages[0]![1] || damage === damages[1]![1] ? 0 : 1)
    await damaged.documents.insert({ id: 'new', title: 'Novelty' })
    await expectHealthy(again)
    await again.close()
    const third = await openEngine({ store })
    expect(await idsOf(third.datasets.get('products'), 'novelty')).toEqual(['new'])
    expect(await answers(third.datasets.get('products'))).toEqual(before)
  })
})
