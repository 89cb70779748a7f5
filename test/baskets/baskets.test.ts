import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, memoryDatabase, openEngine } from '../engine/engines.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 1)
const ids = Array.from({ length: 30 }, (_, i) => `p${i}`)

interface Basket {
  id: string
  at: string
  lines: { product: string; pieces: number }[]
}

/** Some are bought with others: even ones with the next. */
const aBasket = fc
  .record({
    first: fc.nat({ max: 29 }),
    others: fc.array(fc.nat({ max: 29 }), { maxLength: 3 }),
    age: fc.nat({ max: 59 }),
  })
  .map(({ first, others, age }) => ({
    at: new Date(NOW - age * DAY - 3_600_000).toISOString(),
    lines: [first, ...(first % 2 === 0 ? [first + 1] : []), ...others].map(number => ({
      product: ids[number]!,
      pieces: 1,
    })),
  }))

function madeBaskets(seed: number, count: number): Basket[] {
  const [made] = fc.sample(fc.array(aBasket, { minLength: count, maxLength: count }), { numRuns: 1, seed })
  return made!.map((one, i) => ({ ...one, id: `o${i}` }))
}

async function openShop(baskets: readonly Basket[], store = memoryDatabase()) {
  const engine = await openEngine({ store, clock: () => NOW })
  const orders = await engine.datasets.create<Basket>('orders')
  const products = await engine.datasets.create('products', {
    interpretedFields: ['title'],
    baskets: { dataset: 'orders', field: 'lines.product', time: 'at' },
  })
  await products.documents.bulk(
    ids.map((id, i) => ({ id, title: `Lamp ${i}`, price: i, tag: i < 15 ? 'low' : 'high' })),
  )
  await orders.documents.bulk([...baskets])
  return { engine, orders, products }
}

const has = (basket: Basket, id: string) => basket.lines.some(({ product }) => product === id)

/** The root of G2 by the textbook, from the share of baskets. */
function surprise(some: readonly Basket[], all: readonly Basket[], id: string): number {
  const count = (baskets: readonly Basket[], isIn: boolean) =>
    baskets.filter(one => has(one, id) === isIn).length
  const others = all.filter(one => !some.includes(one))
  const table = [some, others].flatMap(part =>
    [true, false].map(isIn => ({ part, isIn, seen: count(part, isIn) })),
  )
  if (count(some, true) * all.length <= some.length * count(all, true)) return 0
  const sum = table.reduce((sum, { part, isIn, seen }) => {
    const expected = (part.length * count(all, isIn)) / all.length
    return seen > 0 ? sum + seen * Math.log(seen / expected) : sum
  }, 0)
  return Math.sqrt(2 * sum)
}

interface Expected {
  id: string
  score: number
  times: number
}

const inOrder = (found: Expected[]) =>
  found.sort((a, b) => b.score - a.score || b.times - a.times || (a.id < b.id ? -1 : 1))

function expectedTogether(asked: readonly string[], baskets: readonly Basket[], least = 2): Expected[] {
  const found = ids.map(id => {
    const sets = asked.map(one => baskets.filter(basket => has(basket, one)))
    const scores = sets.map(set => surprise(set, baskets, id))
    const times = sets.map((set, i) => (scores[i]! > 0 ? set.filter(basket => has(basket, id)).length : 0))
    const sum = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)
    return { id, score: sum(scores), times: sum(times) }
  })
  return inOrder(found.filter(({ id, score, times }) => score > 0 && times >= least && !asked.includes(id)))
}

const scored = (hits: readonly Expected[]) => hits.map(({ id, times }) => ({ id, times }))

describe('what is bought together', () => {
  const baskets = madeBaskets(5, 300)

  it('is in the same baskets more often than in all, by the likelihood ratio, summed over what is given', async () => {
    const { products } = await openShop(baskets)
    for (const asked of [['p0'], ['p3'], ['p4', 'p11'], ['p0', 'p2', 'p20', 'p2']]) {
      const hits = await products.boughtTogether(asked, { limit: 100 })
      const expected = expectedTogether([...new Set(asked)], baskets)
      expect(expected.length).toBeGreaterThan(0)
      expect(scored(hits)).toEqual(scored(expected))
      for (const [i, { score, document }] of hits.entries()) {
        expect(score).toBeCloseTo(expected[i]!.score, 6)
        expect(document).toMatchObject({ id: hits[i]!.id, price: Number(hits[i]!.id.slice(1)) })
      }
    }
    const [next] = await products.boughtTogether('p8', { limit: 1 })
    expect(next!.id).toBe('p9')
  })

  it('is limited to documents that match, are visible, are there and are not excluded', async () => {
    const { products } = await openShop(baskets)
    const all = expectedTogether(['p4', 'p11'], baskets)
    const ask = (options: object) => products.boughtTogether(['p4', 'p11'], options)
    const isLow = ({ id }: Expected) => Number(id.slice(1)) < 15
    expect(scored(await ask({ limit: 3 }))).toEqual(scored(all.slice(0, 3)))
    expect(scored(await ask({ filter: 'price:<15' }))).toEqual(scored(all.filter(isLow).slice(0, 10)))
    expect(scored(await ask({ tags: ['low'] }))).toEqual(scored(all.filter(isLow).slice(0, 10)))
    expect(scored(await ask({ visible: { price: { lt: 15 } } }))).toEqual(
      scored(all.filter(isLow).slice(0, 10)),
    )
    expect(scored(await ask({ exclude: [all[0]!.id], limit: 2 }))).toEqual(scored(all.slice(1, 3)))
    expect(await ask({ limit: 0 })).toEqual([])
    await products.documents.delete(all[0]!.id)
    expect(scored(await ask({ limit: 2 }))).toEqual(scored(all.slice(1, 3)))
    const [hit] = await ask({ visibleFields: ['title'] })
    expect(Object.keys(hit!.document).sort()).toEqual(['id', 'title'])
  })

  it('reveals nothing of documents that are not visible, nor of those that are not there', async () => {
    const { products } = await openShop(baskets)
    expect(await products.boughtTogether('p20', { visible: 'price:<15' })).toEqual([])
    expect(await products.boughtTogether('nowhere')).toEqual([])
    const both = await products.boughtTogether(['nowhere', 'p4'])
    expect(both).toEqual(await products.boughtTogether('p4'))
  })

  it('takes baskets of some days, and as many of them as are wanted', async () => {
    const { products } = await openShop(baskets)
    const late = baskets.filter(({ at }) => Date.parse(at) >= NOW - 20 * DAY)
    const hits = await products.boughtTogether('p0', { days: 20, least: 1, limit: 100 })
    const expected = ids.flatMap(id => {
      const some = late.filter(basket => has(basket, 'p0'))
      const score = surprise(some, late, id)
      return score > 0 && id !== 'p0' ? [{ id, score, times: some.filter(one => has(one, id)).length }] : []
    })
    expect(scored(hits)).toEqual(scored(inOrder(expected)))
  })

  it('ends when its signal says so', async () => {
    const { products } = await openShop(baskets)
    const signal = AbortSignal.abort()
    for (const call of [() => products.boughtTogether(ids, { signal }), () => products.trending({ signal })])
      expect((await failureOf(call)).code).toBe('CANCELLED')
  })

  it('follows every write, and is the same when the store is opened again', async () => {
    const store = memoryDatabase()
    const { engine, orders, products } = await openShop(baskets, store)
    for (let i = 0; i < 60; i++) {
      const lines = ['p1', 'p28'].map(product => ({ product, pieces: 2 }))
      await orders.documents.insert({ id: `n${i}`, at: new Date(NOW).toISOString(), lines })
    }
    const before = await products.boughtTogether('p1')
    expect(before[0]).toMatchObject({ id: 'p28' })
    await orders.documents.deleteWhere({ id: { startsWith: 'n' } })
    expect(scored(await products.boughtTogether('p1', { limit: 100 }))).toEqual(
      scored(expectedTogether(['p1'], baskets)),
    )
    await engine.close()
    const again = await openEngine({ store, clock: () => NOW })
    const reopened = await again.datasets.get('products').boughtTogether('p1', { limit: 100 })
    expect(scored(reopened)).toEqual(scored(expectedTogether(['p1'], baskets)))
  })

  it('knows ids that are numbers in baskets, or texts', async () => {
    const engine = await openEngine()
    await engine.datasets.create('carts')
    const items = await engine.datasets.create('items', {
      interpretedFields: ['title'],
      baskets: { dataset: 'carts', field: 'items' },
    })
    await items.documents.bulk([1, 2, 3, '04'].map(id => ({ id, title: 'thing' })))
    const carts = [[1, 2], [1, 2], [1, 2, '04'], [3, '04'], [3, '04'], [3]]
    await engine.datasets.get('carts').documents.bulk(carts.map((items, id) => ({ id, items })))
    expect(scored(await items.boughtTogether(1))).toEqual([{ id: '2', times: 3 }])
    expect(scored(await items.boughtTogether('04'))).toEqual([{ id: '3', times: 2 }])
  })
})

describe('what is trending', () => {
  const baskets = madeBaskets(9, 300)

  it('is bought in more baskets of the last days than in all, or in most of them', async () => {
    const { products } = await openShop(baskets)
    for (const days of [7, 20]) {
      const late = baskets.filter(({ at }) => Date.parse(at) >= NOW - days * DAY)
      const times = (id: string) => late.filter(basket => has(basket, id)).length
      const grown = ids.map(id => ({ id, score: surprise(late, baskets, id), times: times(id) }))
      const byGrowth = await products.trending({ days, limit: 100 })
      const expected = grown.filter(({ score, times }) => score > 0 && times >= 2)
      expect(byGrowth.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
      for (const [i, { id, score }] of byGrowth.entries()) {
        expect(score).toBeCloseTo(grown.find(one => one.id === id)!.score, 6)
        expect(score).toBeLessThanOrEqual(byGrowth[i - 1]?.score ?? Infinity)
      }
      const byCount = await products.trending({ days, by: 'count', limit: 5, filter: { price: { gte: 10 } } })
      const most = inOrder(ids.slice(10).map(id => ({ id, score: times(id), times: times(id) })))
      expect(byCount.map(({ score }) => score)).toEqual(most.slice(0, 5).map(({ score }) => score))
    }
    expect((await products.trending()).length).toBeGreaterThan(0)
  })

  it.each([
    [
      'dates that a schema declares',
      { type: 'date' },
      (age: number) => new Date(NOW - age * DAY).toISOString(),
    ],
    ['milliseconds that a schema declares', { type: 'number' }, (age: number) => NOW - age * DAY],
    [
      'texts that a schema declares',
      { type: 'string' },
      (age: number) => new Date(NOW - age * DAY).toISOString(),
    ],
  ])('reads %s', async (_, type, at) => {
    const engine = await openEngine({ clock: () => NOW })
    const properties = {
      id: { type: 'string' },
      at: type,
      items: { type: 'array', items: { type: 'string' } },
    }
    await engine.datasets.create('carts', { schema: { type: 'object', properties } })
    const items = await engine.datasets.create('items', {
      interpretedFields: ['title'],
      baskets: { dataset: 'carts', field: 'items', time: 'at' },
    })
    await items.documents.bulk(['a', 'b'].map(id => ({ id, title: 'thing' })))
    const carts = [1, 2, 3, 30, 31, 32].map(age => ({
      id: `c${age}`,
      at: at(age),
      items: [age < 10 ? 'a' : 'b'],
    }))
    await engine.datasets.get('carts').documents.bulk(carts)
    expect(scored(await items.trending({ days: 10 }))).toEqual([{ id: 'a', times: 3 }])
    expect(scored(await items.trending({ days: 31.5, by: 'count' }))).toEqual([
      { id: 'a', times: 3 },
      { id: 'b', times: 2 },
    ])
  })

  it('reads milliseconds and dates that nobody has declared', async () => {
    const engine = await openEngine({ clock: () => NOW })
    await engine.datasets.create('carts')
    const items = await engine.datasets.create('items', {
      interpretedFields: ['title'],
      baskets: { dataset: 'carts', field: 'items', time: 'at' },
    })
    await items.documents.bulk(['a', 'b'].map(id => ({ id, title: 'thing' })))
    const times = [
      NOW - DAY,
      new Date(NOW - 2 * DAY).toISOString(),
      '2026-05-29',
      NOW - 40 * DAY,
      '2026-01-01',
    ]
    await engine.datasets
      .get('carts')
      .documents.bulk(times.map((at, id) => ({ id, at, items: [id < 3 ? 'a' : 'b'] })))
    expect(scored(await items.trending())).toEqual([{ id: 'a', times: 3 }])
  })
})

describe('baskets of any kind', () => {
  it('recommend no tags above those of baskets whose ids are tags', async () => {
    const engine = await openEngine()
    const baskets = await engine.datasets.create('baskets')
    await baskets.tags.replaceAll([
      { id: 'c', name: 'All' },
      { id: 'a', name: 'A', parentId: 'c' },
    ])
    await baskets.documents.bulk([['a', 'b'], ['a', 'b'], ['d'], ['d']].map((tag, id) => ({ id, tag })))
    const items = await engine.datasets.create('items', { baskets: { dataset: 'baskets', field: 'tag' } })
    await items.documents.bulk(['a', 'b', 'c'].map(id => ({ id })))
    expect(scored(await items.boughtTogether('b'))).toEqual([{ id: 'a', times: 2 }])
  })

  it('do not count as recent if they are dated later than now', async () => {
    const { orders, products } = await openShop([])
    const lines = [{ product: 'p1', pieces: 1 }]
    const times = ['2026-05-30', '2026-05-31', '2027-01-01', '29.11.2026']
    await orders.documents.bulk(times.map((at, id) => ({ id: `t${id}`, at, lines })))
    expect(scored(await products.trending({ by: 'count' }))).toEqual([{ id: 'p1', times: 2 }])
  })

  it('of many things each are counted without numbering them anew for each call', async () => {
    const engine = await openEngine()
    const lists = await engine.datasets.create('lists')
    const songs = Array.from({ length: 60 }, (_, list) =>
      Array.from({ length: 2000 }, (_, i) => `s${list * 2000 + i}`),
    )
    await lists.documents.bulk(songs.map((songs, id) => ({ id, songs: [...songs, 's1'] })))
    const catalogue = await engine.datasets.create('songs', { baskets: { dataset: 'lists', field: 'songs' } })
    await catalogue.documents.bulk(['s1', 's2', 's3', 's4001'].map(id => ({ id })))
    const first = await cpuOf(() => catalogue.boughtTogether('s2', { least: 1 }))
    const again = await cpuOf(() => catalogue.boughtTogether('s3', { least: 1 }))
    expect(again).toBeLessThan(first / 2)
  })
})

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

describe('the setting baskets', () => {
  it('is changed and taken back without another index, and kept', async () => {
    const store = memoryDatabase()
    const { engine, products } = await openShop(madeBaskets(1, 40), store)
    await products.reconfigure({ baskets: null })
    expect(products.settings).not.toHaveProperty('baskets')
    expect(await failureOf(() => products.boughtTogether('p1'))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'baskets' },
    })
    await products.reconfigure({ baskets: { dataset: 'orders', field: 'lines.product' } })
    await engine.close()
    const again = (await openEngine({ store })).datasets.get('products')
    expect(again.settings.baskets).toEqual({ dataset: 'orders', field: 'lines.product' })
    expect(await failureOf(() => again.trending())).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'baskets.time' },
    })
  })

  it('says what is wrong with it, when it is given or when it is used', async () => {
    const { engine, products } = await openShop([])
    const set = (baskets: unknown) => failureOf(() => products.reconfigure({ baskets } as object))
    expect(await set('orders')).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'baskets' } })
    expect(await set({ dataset: 'or/ders', field: 'a' })).toMatchObject({
      details: { field: 'baskets.dataset' },
    })
    expect(await set({ dataset: 'orders' })).toMatchObject({ details: { field: 'baskets.field' } })
    expect(await set({ dataset: 'orders', field: '' })).toMatchObject({ details: { field: 'baskets.field' } })
    expect(await set({ dataset: 'orders', field: 'a', when: 'b' })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await products.reconfigure({ baskets: { dataset: 'nowhere', field: 'items' } })
    expect(await failureOf(() => products.boughtTogether('p1'))).toMatchObject({
      code: 'DATASET_NOT_FOUND',
      details: { field: 'baskets.dataset' },
    })
    const properties = {
      id: { type: 'string' },
      sold: { type: 'boolean' },
      lines: { type: 'array', items: { type: 'object', properties: { product: { type: 'string' } } } },
    }
    await engine.datasets.create('carts', { schema: { type: 'object', properties } })
    for (const [field, expected] of [
      ['lines.produkt', /lines\.product/],
      ['lines', /texts, numbers or dates/],
      ['id', /texts, numbers or dates/],
    ] as const) {
      await products.reconfigure({ baskets: { dataset: 'carts', field } })
      const failure = await failureOf(() => products.boughtTogether('p1'))
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'baskets.field' } })
      expect(failure.message).toMatch(expected)
    }
    for (const time of ['sold', 'lines', 'lines.product', 'id', 'when']) {
      await products.reconfigure({ baskets: { dataset: 'carts', field: 'lines.product', time } })
      const failure = await failureOf(() => products.boughtTogether('p1'))
      expect([time, failure.details.field]).toEqual([time, 'baskets.time'])
    }
  })

  it('refuses what cannot be asked, by its name', async () => {
    const { products } = await openShop([])
    const many = Array.from({ length: 101 }, (_, i) => `p${i}`)
    const asked: [ids: unknown, options: object, field: string][] = [
      [[], {}, ''],
      [many, {}, ''],
      [[''], {}, 'ids[0]'],
      [{}, {}, ''],
      ['p1', { limit: 1001 }, 'limit'],
      ['p1', { least: 0 }, 'least'],
      ['p1', { days: 0 }, 'days'],
      ['p1', { days: Number.NaN }, 'days'],
      ['p1', { by: 'count' }, 'by'],
      ['p1', { exclude: [''] }, 'options.exclude[0]'],
    ]
    for (const [ids, options, field] of asked) {
      const failure = await failureOf(() => products.boughtTogether(ids as string, options))
      expect({ field: failure.details.field, code: failure.code }).toEqual({
        field,
        code: 'INVALID_ARGUMENT',
      })
    }
    expect(await failureOf(() => products.trending({ by: 'rise' as 'count' }))).toMatchObject({
      details: { field: 'by' },
    })
    expect(await failureOf(() => products.boughtTogether('p1', { filter: 'price:>' }))).toMatchObject({
      code: 'QUERY_INVALID',
    })
  })
})
