import fc from 'fast-check'
import type { Dataset, DatasetSettingsInput, Engine, JsonObject, SearchOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

const products = [
  { id: '1', title: 'Brass desk lamp', desc: 'Warm light for late work' },
  { id: '2', title: 'Oak desk', desc: 'Room for a lamp and more' },
  { id: '3', title: 'Garden chair', desc: 'Folds flat' },
]

async function openProducts() {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('products')
  await dataset.documents.bulk(products)
  return dataset
}

const idsOf = async (dataset: Dataset, query: string, options: SearchOptions = {}) =>
  (await dataset.search(query, options)).hits.map(({ id }) => id)

describe('search', () => {
  it('sees each write as soon as it is done', async () => {
    const dataset = await openProducts()
    await dataset.documents.insert({ id: '4', title: 'Paper lantern' })
    expect(await idsOf(dataset, 'lantern')).toEqual(['4'])
    await dataset.documents.update('4', { title: 'Paper globe' })
    expect([await idsOf(dataset, 'lantern', { typoTolerance: 0 }), await idsOf(dataset, 'globe')]).toEqual([
      [],
      ['4'],
    ])
    await dataset.documents.upsert({ id: '4', desc: 'Paper kite' })
    expect([await idsOf(dataset, 'globe', { typoTolerance: 0 }), await idsOf(dataset, 'kite')]).toEqual([
      [],
      ['4'],
    ])
    await dataset.documents.delete('4')
    expect(await idsOf(dataset, 'kite', { typoTolerance: 0 })).toEqual([])
  })

  it("sees one's own writes among many at the same time", async () => {
    const dataset = await openProducts()
    const found = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        await dataset.documents.insert({ id: `n${i}`, title: `unique${i}word` })
        return idsOf(dataset, `unique${i}word`)
      }),
    )
    expect(found).toEqual(Array.from({ length: 50 }, (_, i) => [`n${i}`]))
  })

  it('finds any word, more words first, or every word', async () => {
    const dataset = await openProducts()
    expect(await idsOf(dataset, 'desk lamp')).toEqual(['1', '2'])
    expect(await idsOf(dataset, 'desk chair')).toHaveLength(3)
    expect(await idsOf(dataset, 'oak lamp', { operator: 'and' })).toEqual(['2'])
    expect(await idsOf(dataset, 'oak chair', { operator: 'and' })).toEqual([])
  })

  it('takes unknown words for similar ones, as far as it is allowed', async () => {
    const dataset = await openProducts()
    expect((await dataset.search('gardn')).words).toMatchObject([
      { word: 'gardn', kind: 'typo', surfaces: ['garden'] },
    ])
    expect(await idsOf(dataset, 'gradne')).toEqual(['3'])
    expect(await idsOf(dataset, 'gardn', { typoTolerance: 0 })).toEqual([])
    expect(await idsOf(dataset, 'gxrdxn', { typoTolerance: 1 })).toEqual([])
    expect(await idsOf(dataset, 'gxrdxn', { typoTolerance: 2 })).toEqual(['3'])
  })

  it('pages through a stable order', async () => {
    const dataset = await openProducts()
    await dataset.documents.bulk(
      Array.from({ length: 95 }, (_, i) => ({ id: `x${i}`, title: `Lamp ${i % 7}` })),
    )
    const all = await idsOf(dataset, 'lamp', { limit: 1000 })
    expect(all).toHaveLength(97)
    const pages: string[] = []
    for (let offset = 0; offset < 100; offset += 9)
      pages.push(...(await idsOf(dataset, 'lamp', { limit: 9, offset })))
    expect(pages).toEqual(all)
    expect(await idsOf(dataset, 'lamp')).toEqual(all.slice(0, 10))
    expect(await idsOf(dataset, 'lamp', { limit: 0 })).toEqual([])
    expect(await idsOf(dataset, 'lamp', { offset: 1_000_000 })).toEqual([])
  })

  it('brings documents along unless told not to', async () => {
    const dataset = await openProducts()
    const { hits } = await dataset.search('brass')
    expect(hits).toEqual([{ id: '1', score: expect.any(Number), document: products[0] }])
    const bare = await dataset.search('brass', { documents: false })
    expect(bare.hits).toEqual([{ id: '1', score: hits[0]?.score }])
  })

  it('answers nothing to a query without words', async () => {
    const dataset = await openProducts()
    for (const query of ['!?', '\0', '—'])
      expect(await dataset.search(query)).toEqual({
        hits: [],
        words: [],
        total: { count: 0, exact: true },
        truncated: false,
      })
  })

  it('answers hostile queries', async () => {
    const dataset = await openProducts()
    const queries: [query: string, finds: boolean][] = [
      ['__proto__ constructor toString', false],
      ['\ud800 lamp \udfff', true],
      ['chair\0lamp', true],
      ['"lamp" AND (desk OR -chair) title:*', true],
      ['(((((((((((((lamp', true],
      ['lamp '.repeat(50_000), true],
      ['x'.repeat(1_000_000), false],
      [Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' '), false],
      [`l${'\u0301'.repeat(60_000)}amp`, true],
    ]
    for (const [query, finds] of queries) expect((await dataset.search(query)).hits.length > 0).toBe(finds)
  })

  it('refuses options that it does not have', async () => {
    const dataset = await openProducts()
    const wrong: [options: object, field: string][] = [
      [{ limit: -1 }, 'limit'],
      [{ limit: 10_001 }, 'limit'],
      [{ limit: 1.5 }, 'limit'],
      [{ offset: -1 }, 'offset'],
      [{ operator: 'xor' }, 'operator'],
      [{ typoTolerance: 3 }, 'typoTolerance'],
      [{ documents: 'no' }, 'documents'],
      [{ fuzzy: true }, 'fuzzy'],
    ]
    for (const [options, field] of wrong)
      expect(await failureOf(() => dataset.search('lamp', options))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field },
      })
    for (const query of [undefined, null, 5, ['lamp']])
      expect(await codeOf(() => dataset.search(query as never))).toBe('INVALID_ARGUMENT')
  })

  it('gives the same hits with the same scores after a reopen of a folder', async () => {
    const store = await temporaryFolder()
    const catalogue = new URL('../fixtures/catalogue/products.jsonl', import.meta.url)
    const engine = await openEngine({ store, durability: 'process' })
    const dataset = await engine.datasets.create('products', {
      interpretedFields: ['title', 'description', 'brand'],
    })
    await dataset.documents.import(catalogue).finished
    await dataset.documents.deleteWhere({ price: { lt: 20 } }).finished
    await dataset.documents.updateWhere({ price: { gt: 900 } }, { title: 'Luxury' }).finished
    const queries = ['cordless drill', 'luxury', 'dumbells grey', 'wood', 'a novel of the sea']
    const answers = async (from: Dataset) =>
      Promise.all(queries.map(query => from.search(query, { limit: 50 })))
    const before = await answers(dataset)
    expect(before.every(({ hits }) => hits.length > 0)).toBe(true)
    await engine.close()
    const again = await openEngine({ store })
    expect(await answers(again.datasets.get('products'))).toEqual(before)
    await expectHealthy(again)
  })
})

type Document = { id: string; title: string; desc: string }

const queries = ['red', 'red lamp', 'green stone chair', 'lmap', 'chiars']

/** The hits are those of an engine that has never known anything but these documents. */
async function expectLikeFresh(dataset: Dataset<Document>, documents: Iterable<Document>) {
  const engine = await openEngine()
  const fresh = await engine.datasets.create<Document>('fresh', dataset.settings)
  await fresh.documents.bulk(documents)
  for (const query of queries) {
    for (const operator of ['or', 'and'] as const) {
      const options = { operator, limit: 10_000 }
      const [found, expected] = [await idsOf(dataset, query, options), await idsOf(fresh, query, options)]
      expect(found.sort()).toEqual(expected.sort())
    }
  }
  await engine.close()
}

interface Shape {
  segments: number
  /** Documents in them, the removed ones among them. */
  documents: number
}

/** What the index record in the database says of the segments. */
async function storedShape(store: ReturnType<typeof memoryDatabase>): Promise<Shape> {
  const values = await store.iterator({ gte: 'x/', lt: 'x0' }).all()
  const records = values.filter(([key]) => key.endsWith('/record'))
  expect(records).toHaveLength(1)
  const { manifest } = JSON.parse(Buffer.from(records[0]![1]).toString('utf8', 4)) as {
    manifest: { segments: { shape: { documents: number } }[] }
  }
  const documents = manifest.segments.reduce((sum, { shape }) => sum + shape.documents, 0)
  return { segments: manifest.segments.length, documents }
}

const words = ['red', 'green', 'lamp', 'lamps', 'chair', 'stone', 'steel', 'oak', 'desk', 'sofa']
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map(some => some.join(' '))
const settings: DatasetSettingsInput[] = [
  { interpretedFields: ['title', 'desc'] },
  { interpretedFields: ['desc'] },
  { language: 'none' },
  { interpretedFields: ['title'], language: 'english', weights: { title: { weight: 7 } } },
]
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      from: fc.nat(900),
      count: fc.integer({ min: 1, max: 300 }),
      title: text,
      desc: text,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      from: fc.nat(1200),
      count: fc.integer({ min: 1, max: 500 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('search' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reconfigure' as const),
      settings: fc.constantFrom(...settings),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe('the hit sets after any history', () => {
  it('are those of a fresh engine; segments, a merge, a purge and reopens come up', async () => {
    const seen = { segments: 0, merges: 0, purges: 0, reopens: 0 }
    const check = async (steps: Step[]) => {
      const store = memoryDatabase()
      const model = new Map<string, Document>()
      let engine: Engine = await openEngine({ store })
      let dataset = await engine.datasets.create<Document>('model', settings[0])
      // The search makes what was added a segment of its own.
      const add = async (from: number, count: number, title: string, desc: string) => {
        const rows = Array.from({ length: count }, (_, i) => ({ id: `d${from + i}`, title, desc }))
        await dataset.documents.bulk(rows)
        for (const row of rows) model.set(row.id, row)
        await dataset.search('red')
      }
      const remove = async (from: number, count: number) => {
        const ids = Array.from({ length: count }, (_, i) => `d${from + i}`)
        await Promise.all(ids.map(id => dataset.documents.delete(id)))
        for (const id of ids) model.delete(id)
      }
      const reopen = async () => {
        await engine.close()
        engine = await openEngine({ store })
        dataset = engine.datasets.get('model')
        seen.reopens++
        return await storedShape(store)
      }
      await add(0, 1100, 'red oak lamp', 'stone')
      await add(1100, 70, 'green chair', 'red steel')
      await add(1200, 5, 'lamps', 'desk')
      const { segments } = await reopen()
      seen.segments = Math.max(seen.segments, segments)
      for (const i of [0, 1, 2, 3]) await add(2000 + i * 5, 5, 'sofa', 'red')
      const merged = await reopen()
      if (merged.segments < segments + 4 && merged.documents === model.size) seen.merges++
      await remove(0, 800)
      await dataset.search('red')
      if ((await reopen()).documents < merged.documents) seen.purges++
      for (const one of steps) {
        if (one.kind === 'add') await add(one.from, one.count, one.title, one.desc)
        if (one.kind === 'remove') await remove(one.from, one.count)
        if (one.kind === 'search') await expectLikeFresh(dataset, model.values())
        if (one.kind === 'reopen') await reopen()
        if (one.kind === 'reconfigure') await dataset.reconfigure(one.settings).finished
      }
      await expectLikeFresh(dataset, model.values())
      await reopen()
      await expectLikeFresh(dataset, model.values())
      await expectHealthy(engine)
      await engine.close()
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), check), { numRuns: 8 })
    expect(seen.segments).toBeGreaterThanOrEqual(3)
    for (const times of [seen.merges, seen.purges, seen.reopens]) expect(times).toBeGreaterThan(0)
  })

  it('are those of a fresh engine after a merge in a worker, beside which writes went on', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Document>('merged', settings[0])
    const model = new Map<string, Document>()
    const add = async (from: number, count: number, title: string) => {
      const rows = Array.from({ length: count }, (_, i) => ({
        id: `d${from + i}`,
        title,
        desc: words[i % 10]!,
      }))
      await dataset.documents.bulk(rows)
      for (const row of rows) model.set(row.id, row)
      await dataset.search('red')
    }
    await add(0, 4096, 'red lamp')
    const merging = () => engine.jobs().filter(({ kind }) => kind === 'merge')
    const removing = (async () => {
      while (merging().length === 0) await new Promise(setImmediate)
      for (let i = 0; i < 4096; i += 2) model.delete(`d${i}`)
      await Promise.all(Array.from({ length: 2048 }, (_, i) => dataset.documents.delete(`d${i * 2}`)))
    })()
    // With the first, four segments too large to be merged at once, and as many documents behind them.
    for (const [i, title] of ['green chair', 'stone', 'oak', 'steel'].entries())
      await add((i + 1) * 4096, 4096, title)
    await add(20_480, 1, 'brass')
    await removing
    await add(0, 40, 'sofa')
    while (merging().length > 0) await new Promise(setImmediate)
    await expectLikeFresh(dataset, model.values())
    await expectHealthy(engine)
  })
})

describe('documents that are hard to index', () => {
  it('of 10 MB are stored and found by their first words, beside other work', async () => {
    const engine = await openEngine({ store: await temporaryFolder() })
    const dataset = await engine.datasets.create<JsonObject>('big')
    const title = `aardvark ${'lorem ipsum dolor '.repeat(600_000)}`
    await Promise.all([
      dataset.documents.insert({ id: '1', title }),
      dataset.documents.insert({ id: '2', title: 'Lamp' }).then(() => dataset.documents.delete('2')),
    ])
    expect(await idsOf(dataset, 'aardvark')).toEqual(['1'])
    expect(await dataset.documents.get('1')).toEqual({ id: '1', title })
    await expectHealthy(engine)
  })

  it('have 300,000 different words', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('words')
    const title = Array.from({ length: 300_000 }, (_, i) => `w${i.toString(36)}`).join(' ')
    await dataset.documents.insert({ id: '1', title })
    expect(await idsOf(dataset, 'w0 wz w10', { operator: 'and' })).toEqual(['1'])
  })
})
