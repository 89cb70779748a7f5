import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import type { JsonObject } from 'findling'
import { describe, expect, it } from 'vitest'
import { MatchSet } from '../../src/fulltext/matching/match-set.ts'
import { Cursors } from '../../src/search/cursors.ts'
import { indexOrder } from '../../src/search/match-list.ts'
import { withoutSnapshots } from '../contract/without-snapshots.ts'
import { codeOf, failureOf, memoryDatabase, openEngine, waitingDatabase } from './engines.ts'

interface Product {
  id: string
  title?: string | undefined
  price?: number | undefined
  made?: string | undefined
}

const aProduct = fc.record({
  title: fc.constantFrom(
    'Lamp',
    'lamp',
    'Desk',
    'Ärmel',
    `${'long '.repeat(30)}b`,
    `${'long '.repeat(30)}a`,
    undefined,
  ),
  price: fc.constantFrom(3, 1, 2.5, -1, 0, undefined),
  made: fc.constantFrom('2024-03-01', '2023-01-01', undefined),
})

function products(seed: number, count: number): Product[] {
  const [made] = fc.sample(fc.array(aProduct, { minLength: count, maxLength: count }), { numRuns: 1, seed })
  return made!.map((one, i) => JSON.parse(JSON.stringify({ ...one, id: `p${i}` })))
}

async function openProducts(documents: Product[], store = memoryDatabase()) {
  let now = 0
  const engine = await openEngine({ store, clock: () => now })
  const dataset = await engine.datasets.create<Product>('products', {
    schema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        title: { type: 'string' },
        price: { type: 'double' },
        made: { type: 'date' },
      },
    },
    interpretedFields: ['title'],
  })
  await dataset.documents.bulk(documents.slice(0, documents.length / 2))
  await dataset.count('*:*')
  await dataset.documents.bulk(documents.slice(documents.length / 2))
  const later = (milliseconds: number) => {
    now += milliseconds
  }
  return { dataset, later }
}

/** By the values alone, missing ones last. */
function naivelyOrdered(documents: Product[], sort: string[]): unknown[][] {
  const keys = sort.map(one => one.split(':') as [keyof Product, string?])
  const rows = documents.map(one => keys.map(([field]) => one[field]))
  return rows.sort((a, b) => {
    for (const [k, [, direction]] of keys.entries()) {
      const [x, y] = [a[k], b[k]]
      if (x === y) continue
      if (x === undefined || y === undefined) return x === undefined ? 1 : -1
      return (x < y ? -1 : 1) * (direction === 'desc' ? -1 : 1)
    }
    return 0
  })
}

describe('a list', () => {
  it.each([
    [['price']],
    [['price:desc']],
    [['title', 'price:desc']],
    [['made:desc', 'title:desc']],
    [['title:asc']],
  ])('is ordered by %j, documents without a value last', async sort => {
    const documents = products(7, 160)
    const { dataset } = await openProducts(documents)
    const { hits, total } = await dataset.filter({}, { sort, limit: 1000 })
    const fields = sort.map(one => one.split(':')[0] as keyof Product)
    const rows = hits.map(({ document }) => fields.map(field => document[field]))
    expect(rows).toEqual(naivelyOrdered(documents, sort))
    expect(total).toEqual({ count: 160, exact: true })
    const page = await dataset.filter({}, { sort, limit: 7, offset: 20 })
    expect(page.hits).toEqual(hits.slice(20, 27))
    const some = await dataset.filter('price:>1', { sort, limit: 1000 })
    expect(some.hits).toEqual(hits.filter(({ document }) => (document.price ?? 0) > 1))
  })

  it('is ordered by all values of a field, whatever their types and whether they are in objects or lists of objects', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('mixed', {
      interpretedFields: ['title'],
      signals: { made: { halfLifeDays: 90, boost: 0.5 } },
    })
    const parts = [
      'f',
      { x: 5 },
      [{ x: 3 }],
      [{ x: true }],
      { x: 'd' },
      [{ x: 'c' }],
      [{ x: 'e' }],
      [],
      { x: 'a' },
    ]
    const dates = ['1970-01-02', 5, 'soon', 86_400_001]
    const made = dates.map((one, i) => ({ id: `m${i}`, made: one }))
    await dataset.documents.bulk([...parts.map((part, i) => ({ id: `p${i}`, part })), ...made])
    const listed = async (sort: string, filter: string) => {
      const { hits } = await dataset.filter(filter, { sort: [sort, 'id'], limit: 20 })
      const pages = []
      for (let offset = 0; offset < hits.length; offset++)
        pages.push(...(await dataset.filter(filter, { sort: [sort, 'id'], limit: 1, offset })).hits)
      expect(pages).toEqual(hits)
      return hits.map(({ id }) => id)
    }
    for (const _ of ['added', 'merged']) {
      expect(await listed('part.x', 'id:p*')).toEqual(['p3', 'p2', 'p1', 'p8', 'p5', 'p4', 'p6', 'p0', 'p7'])
      expect(await listed('part.x:desc', 'id:p*')).toEqual([
        ...['p1', 'p2', 'p3', 'p6', 'p4', 'p5', 'p8', 'p0', 'p7'],
      ])
      expect(await listed('made', 'id:m*')).toEqual(['m1', 'm0', 'm3', 'm2'])
      await dataset.optimize().finished
    }
  })

  it('is ordered by the second field where many documents lack the first, in whichever segment they are', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('sparse', { interpretedFields: ['title'] })
    const put = async (documents: object[]) => {
      await dataset.documents.bulk(documents)
      await dataset.optimize().finished
    }
    const some = (from: number) =>
      Array.from({ length: 120 }, (_, i) => ({ id: from + i, rank: 1_000 - from - i }))
    await put([{ id: 'first', discount: 5 }, ...some(100)])
    await dataset.documents.bulk([{ id: 'second', discount: 4 }, ...some(300)])
    const sort = ['discount:desc', 'rank']
    const whole = (await dataset.filter({}, { sort, limit: 1000 })).hits.map(({ id }) => id)
    expect(whole.slice(0, 4)).toEqual(['first', 'second', '419', '418'])
    const pages: string[] = []
    for (let offset = 0; offset < whole.length; offset += 5)
      pages.push(...(await dataset.filter({}, { sort, limit: 5, offset })).hits.map(({ id }) => id))
    expect(pages).toEqual(whole)
  })

  it('is listed page by page, each as long as was asked for, however many documents share a value', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('pages', { interpretedFields: ['title'] })
    await dataset.documents.bulk(
      Array.from({ length: 100 }, (_, i) => ({ id: i, title: 'lamp', brand: `b${i % 3}`, price: i % 7 })),
    )
    for (const sort of [['brand'], ['price:desc'], ['brand', 'price']])
      for (const limit of [7, 20, 40, 90]) {
        const ids: string[] = []
        for (let offset = 0; offset < 100; offset += limit) {
          const { hits } = await dataset.filter({}, { sort, limit, offset })
          expect(hits.length).toBe(Math.min(limit, 100 - offset))
          ids.push(...hits.map(({ id }) => id))
          const found = await dataset.search('lamp', { sort, limit, offset })
          expect(found.hits.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
        }
        expect(new Set(ids).size).toBe(100)
      }
  })

  it('is searched as far as it is filtered, lists within lists included', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('within', { interpretedFields: ['title', 'part.x'] })
    const parts = [
      [{ x: 'zebra' }],
      [[{ x: 'zebra' }]],
      [{ x: [['zebra']] }],
      [{ x: 'a' }, [{ x: [['b'], 'zebra'] }]],
    ]
    await dataset.documents.bulk(parts.map((part, i) => ({ id: `p${i}`, part })))
    const { hits } = await dataset.search('zebra', { highlight: true })
    expect(hits.map(({ id }) => id).sort()).toEqual(['p0', 'p1', 'p2', 'p3'])
    expect(await dataset.count('part.x:zebra')).toBe(4)
    expect(await dataset.documents.updateWhere('zebra', { seen: true }).finished).toBe(4)
  })

  it('is ordered by long texts in lists within lists, too', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('nested', { interpretedFields: ['title'] })
    const parts = ['c', 'a', 'b'].map(letter => letter.repeat(200))
    await dataset.documents.bulk(parts.map((x, i) => ({ id: `p${i}`, part: [[{ x }]], parts: [[[x]]] })))
    for (const sort of ['part.x', 'parts']) {
      const { hits } = await dataset.filter({}, { sort: [sort] })
      expect(hits.map(({ id }) => id)).toEqual(['p1', 'p2', 'p0'])
    }
  })

  it('is ordered by ids as the numbers or texts that they are', async () => {
    const engine = await openEngine()
    const ids = [10, 9, 100, 1, 22]
    for (const [type, expected] of [
      ['integer', ['1', '9', '10', '22', '100']],
      ['string', ['1', '10', '100', '22', '9']],
    ] as const) {
      const schema = { type: 'object', properties: { id: { type }, title: { type: 'string' } } }
      const dataset = await engine.datasets.create<object>(`by-${type}`, { schema })
      const document = (id: number) => ({ id: type === 'integer' ? id : `${id}`, title: 'Lamp' })
      await dataset.documents.bulk(ids.slice(0, 3).map(document))
      await dataset.count('lamp')
      await dataset.documents.bulk(ids.slice(3).map(document))
      const listed = async (sort: string) =>
        (await dataset.filter({}, { sort: [sort] })).hits.map(({ id }) => id)
      expect(await listed('id')).toEqual(expected)
      expect(await listed('id:desc')).toEqual(expected.toReversed())
    }
  })

  it('begins with what has most of the words asked for, where no order is given', async () => {
    const { dataset } = await openProducts([
      { id: 'a', title: 'red desk' },
      { id: 'b', title: 'blue lamp' },
      { id: 'c', title: 'red lamp' },
      { id: 'd', title: 'green' },
    ])
    const { hits } = await dataset.filter('red lamp', { limit: 1 })
    expect(hits.map(({ id }) => id)).toEqual(['c'])
  })

  it('counts words by their boosts, and in the field that they are asked of', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<object>('shop', { interpretedFields: ['title', 'desc'] })
    await dataset.documents.bulk([
      { id: 'a', title: 'red', desc: 'lamp' },
      { id: 'b', title: 'lamp', desc: 'red' },
      { id: 'c', title: 'desk', desc: 'desk' },
      { id: 'd', title: 'desk', desc: 'shelf' },
    ])
    const first = async (query: string) => (await dataset.filter(query, { limit: 1 })).hits[0]?.id
    expect(await first('red^9 lamp')).toBe('a')
    expect(await first('red lamp^9')).toBe('b')
    expect(await first('(red OR shelf^20)^2 lamp^9')).toBe('d')
    expect(await first('title:lamp^0.5 desc:lamp^3')).toBe('a')
    expect(await first('title:lamp^3 desc:lamp^0.1')).toBe('b')
    expect(await first('+(desk lamp) -red shelf^0')).toBe('c')
    const kinds = Array.from({ length: 40 }, (_, i) => `word${i}^${i + 2}`).join(' ')
    expect(await first(`${kinds} lamp red^${1e300} desk^0.1`)).toBe('a')
  })

  it('shows the fields that are asked for, also on later pages', async () => {
    const { dataset } = await openProducts([
      { id: 'a', title: 'Lamp', price: 3 },
      { id: 'b', title: 'Desk', price: 2 },
      { id: 'c', price: 1 },
    ])
    const options = { sort: ['price'], limit: 1, cursor: true, responseFields: ['title', 'id'] }
    const first = await dataset.filter({}, options)
    const second = await dataset.filter({}, { cursor: first.cursor! })
    const all = await dataset.filter({}, { sort: ['price'], responseFields: ['title', '*'] })
    expect([first, second].map(({ hits }) => hits[0]!.document)).toEqual([
      { id: 'c' },
      { id: 'b', title: 'Desk' },
    ])
    expect(all.hits[2]!.document).toEqual({ id: 'a', title: 'Lamp', price: 3 })
    const sampled = await dataset.sample({ size: 3, responseFields: ['price'] })
    expect(sampled.hits.map(({ document }) => document).sort((a, b) => a.price! - b.price!)).toEqual([
      { price: 1 },
      { price: 2 },
      { price: 3 },
    ])
    for (const call of [
      () => dataset.filter({}, { responseFields: ['title', 'prices'] }),
      () => dataset.sample({ size: 1, responseFields: ['title', 'prices'] }),
    ])
      expect(await failureOf(call)).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field: 'responseFields[1]' },
      })
  })

  it('refuses an order by what is no field, or has no order', async () => {
    const { dataset } = await openProducts(products(1, 2))
    const error = await failureOf(() => dataset.filter({}, { sort: ['prices:asc'] as string[] }))
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'sort[0]' } })
    expect(error.message).toContain('price')
  })
})

describe('a cursor', () => {
  it.each([
    ['with', memoryDatabase],
    ['without', () => withoutSnapshots(memoryDatabase())],
  ])(
    'gives every document of its first moment once and as it was, on a store %s snapshots, whatever is written meanwhile',
    async (_, database) => {
      const documents = products(9, 300)
      const { dataset } = await openProducts(documents, database() as ReturnType<typeof memoryDatabase>)
      const random = fc.sample(fc.nat(299), { numRuns: 400, seed: 3 })
      for (const sort of [['price:desc'], undefined]) {
        const before = await dataset.filter({}, { limit: 1000, ...(sort && { sort }) })
        const found = []
        let answer = await dataset.filter({}, { limit: 17, cursor: true, ...(sort && { sort }) })
        while (answer.hits.length > 0) {
          expect(answer.total.count).toBe(before.total.count)
          found.push(...answer.hits)
          for (let i = 0; i < 6; i++) {
            const id = `p${random.pop() ?? i}`
            if (i % 2 === 0) await dataset.documents.delete(id)
            else await dataset.documents.upsert({ id, title: `New ${i}`, price: i })
          }
          await dataset.documents.upsert({ id: `n${found.length}`, title: 'Added', price: 99 })
          answer = await dataset.filter({}, { cursor: answer.cursor! })
        }
        expect(found).toEqual(before.hits)
        expect(answer.cursor).toBeNull()
      }
    },
  )

  const change = (seq: number, id: string, title = '') => {
    const before = { id, seq, title }
    return { dataset: 1 as never, seq, id, kind: 'removal', before, document: null } as const
  }
  const list = {
    kind: 'list',
    segments: [],
    matches: new MatchSet([]),
    order: indexOrder,
    limit: 1,
    last: undefined,
    given: 0,
    show: (document: JsonObject) => document,
  } as const

  it('knows what a document said that changes while the index does not have it yet', () => {
    const index = { seq: 4 }
    const cursors = new Cursors(() => 0, index)
    const open = (seq: number) => cursors.open(list, seq)
    cursors.follow([change(4, 'a'), change(5, 'b')])
    const first = open(4)
    cursors.follow([change(6, 'c')])
    const second = open(5)
    const known = (cursor: string) => ['a', 'b', 'c'].map(id => cursors.before(cursor, id)?.seq)
    expect([known(first), known(second)]).toEqual([
      [undefined, 5, 6],
      [undefined, undefined, 6],
    ])
    for (const one of [first, second]) cursors.close(one)
    expect(known(open(5))).toEqual([undefined, undefined, 6])
    index.seq = 6
    cursors.follow([change(7, 'd')])
    expect(known(open(6))).toEqual([undefined, undefined, undefined])
  })

  it('is not pushed out by somebody who opens many', () => {
    let now = 0
    const cursors = new Cursors(() => now++, { seq: 4 })
    const open = (owner: string) => cursors.open(list, 4, owner)
    const isOpen = (id: string) => {
      try {
        cursors.next(id, 'list')
        return true
      } catch {
        return false
      }
    }
    const few = [open('few'), open('few'), open('few')]
    const many = Array.from({ length: 100 }, () => open('many'))
    expect(few.map(isOpen)).toEqual([true, true, true])
    expect(many.filter(isOpen)).toEqual(many.slice(-29))
    // A newcomer takes a place of whoever has most.
    const newcomers = Array.from({ length: 13 }, (_, i) => open(`new-${i % 2}`))
    expect([...few, ...newcomers].every(isOpen)).toBe(true)
    expect(many.filter(isOpen)).toHaveLength(16)
  })

  it('gives a document as it was that is being changed or removed while its page is read', async () => {
    let told = Promise.resolve()
    const engine = await openEngine({ store: waitingDatabase({ written: () => told }) })
    const dataset = await engine.datasets.create<Product>('shop')
    const { documents } = dataset
    const given = Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, title: `Lamp ${i}` }))
    await documents.bulk(given)
    const options = { sort: ['id'], limit: 3, cursor: true }
    const pages = [await dataset.filter({}, options), await dataset.search('lamp', options)]
    expect(pages.map(({ hits }) => hits.map(({ id }) => id))).toEqual(Array(2).fill(['0', '1', '2']))
    let tell = () => {}
    told = new Promise(resolve => {
      tell = resolve
    })
    const writes = [documents.update('3', { title: 'Chair' }), documents.delete('4')]
    while ((await documents.get('3'))?.title === 'Lamp 3') await new Promise(setImmediate)
    const [list, search] = pages.map(({ cursor }) => cursor!)
    const next = Promise.all([dataset.filter({}, { cursor: list! }), dataset.search('', { cursor: search! })])
    // As long as it takes where nobody waits for those who follow.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    tell()
    for (const { hits } of await next) expect(hits.map(({ document }) => document)).toEqual(given.slice(3))
    await Promise.all(writes)
  })

  it('expires where more than 64 MB of documents have changed', () => {
    const cursors = new Cursors(() => 0, { seq: 1 })
    const cursor = cursors.open(list, 1)
    for (let seq = 2; seq < 8; seq++) cursors.follow([change(seq, String(seq), 'x'.repeat(10_000_000))])
    expect(cursors.next(cursor, 'list')).toBe(list)
    cursors.follow([change(8, '8', 'x'.repeat(10_000_000))])
    expect(() => cursors.next(cursor, 'list')).toThrow('has expired')
  })

  it('expires, rather than tell what documents say by now, where it has expired while a page is read', async () => {
    let told = Promise.resolve()
    let now = 0
    const engine = await openEngine({ store: waitingDatabase({ written: () => told }), clock: () => now })
    const dataset = await engine.datasets.create<Product>('shop')
    const { documents } = dataset
    await documents.bulk(Array.from({ length: 6 }, (_, i) => ({ id: `${i}`, title: `Lamp ${i}` })))
    const options = { sort: ['id'], limit: 3, cursor: true }
    const { cursor: list } = await dataset.filter({}, options)
    const { cursor: search } = await dataset.search('lamp', options)
    let tell = () => {}
    told = new Promise(resolve => {
      tell = resolve
    })
    const write = documents.update('3', { title: 'Chair' })
    while ((await documents.get('3'))?.title === 'Lamp 3') await new Promise(setImmediate)
    const pages = [dataset.filter({}, { cursor: list! }), dataset.search('', { cursor: search! })]
    const codes = Promise.all(pages.map(page => codeOf(() => page)))
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    now += 400_000
    tell()
    expect(await codes).toEqual(['CURSOR_EXPIRED', 'CURSOR_EXPIRED'])
    await write
  })

  it('expires after 100 seconds, and 5 minutes after it was used', async () => {
    const { dataset, later } = await openProducts(products(2, 60))
    const { cursor } = await dataset.filter({}, { cursor: true })
    later(99_000)
    expect((await dataset.filter({}, { cursor: cursor! })).hits).toHaveLength(10)
    later(299_000)
    expect((await dataset.filter({}, { cursor: cursor! })).hits).toHaveLength(10)
    later(301_000)
    expect(await codeOf(() => dataset.filter({}, { cursor: cursor! }))).toBe('CURSOR_EXPIRED')
    expect((await dataset.filter({}, { limit: 60, cursor: true })).cursor).toBeNull()
  })

  it('gives way where too many are open', async () => {
    const { dataset } = await openProducts(products(2, 60))
    const first = await dataset.filter({}, { cursor: true })
    for (let i = 0; i < 32; i++) await dataset.filter({}, { cursor: true })
    expect(await codeOf(() => dataset.filter({}, { cursor: first.cursor! }))).toBe('CURSOR_EXPIRED')
  })
})

describe('a sample', () => {
  it('is the same for the same seed, begins a larger one, and is another for another seed', async () => {
    const { dataset } = await openProducts(products(5, 200))
    const idsOf = async (seed: string, size: number) =>
      (await dataset.sample({ seed, size })).hits.map(({ id }) => id)
    const small = await idsOf('x', 10)
    expect(new Set(small).size).toBe(10)
    expect(await idsOf('x', 10)).toEqual(small)
    expect((await idsOf('x', 50)).slice(0, 10)).toEqual(small)
    expect(await idsOf('y', 10)).not.toEqual(small)
    await dataset.documents.upsert({ id: 'new' })
    expect((await idsOf('x', 11)).filter(id => id !== 'new').slice(0, 10)).toEqual(small)
  })

  it('has those with the highest hashes of seed and id, the highest first', async () => {
    const { dataset } = await openProducts(products(5, 700))
    const ids = (await dataset.filter({}, { limit: 1000 })).hits.map(({ id }) => id)
    const hash = (seed: string, id: string) =>
      createHash('sha1')
        .update(JSON.stringify([seed, id]))
        .digest('hex')
    for (const [seed, size] of [
      ['', 1],
      ['a', 300],
      ['b', 1000],
    ] as const) {
      const expected = [...ids]
        .sort((one, other) => (hash(seed, one) > hash(seed, other) ? -1 : 1))
        .slice(0, size)
      expect((await dataset.sample({ seed, size })).hits.map(({ id }) => id)).toEqual(expected)
    }
  })

  it('has so many of a hundred, half to even, of the documents that match', async () => {
    const { dataset } = await openProducts(products(5, 50))
    expect((await dataset.sample({ percent: 5 })).hits).toHaveLength(2) // of 2.5
    expect((await dataset.sample({ percent: 7 })).hits).toHaveLength(4) // of 3.5
    const cheap = await dataset.sample({ percent: 100, filter: { price: { lt: 2 } } })
    expect(cheap.total.count).toBe(await dataset.count({ price: { lt: 2 } }))
    expect(cheap.hits.every(({ document }) => document.price! < 2)).toBe(true)
    expect((await dataset.sample({ size: 999 })).hits).toHaveLength(50)
    expect(await codeOf(() => dataset.sample({}))).toBe('INVALID_ARGUMENT')
  })
})
