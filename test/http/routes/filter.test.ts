import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from './api.ts'
import { openShop } from './shop.ts'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    price: { type: 'double' },
    sold: { type: 'boolean' },
    made: { type: 'date' },
    tag: { type: 'array', items: { type: 'string' } },
    manual: { type: 'attachment' },
    specs: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer' } } },
    parts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  },
}
const numbers = Array.from({ length: 1200 }, (_, i) => i)
const documents = numbers.map(i => ({
  id: `d${i}`,
  title: `${i % 2 === 0 ? 'Red' : 'Blue'} lamp ${i % 7 === 0 ? 'lamp lamp' : ''} number${i}`,
  ...(i % 10 !== 3 && { price: (i * 37) % 1000 }),
  sold: i % 3 === 0,
  made: `20${10 + (i % 10)}-05-01`,
  tag: i % 4 === 0 ? ['a1', 'b'] : [`t${i % 4}`],
  specs: { color: i % 5 === 0 ? 'green' : 'grey', size: i % 6 },
  parts: [{ name: 'bulb' }, { name: `screw ${i % 3}` }],
}))

let api: Api
let now = Date.parse('2024-01-01')
beforeAll(async () => {
  api = await startApi({ engine: await Engine.open({ clock: () => now }) })
  const shop = await api.engine.datasets.create<object>('lamps', { schema, interpretedFields: ['title'] })
  await shop.tags.replaceAll([
    { id: 'a', name: 'A' },
    { id: 'a1', name: 'A 1', parentId: 'a' },
  ])
  await shop.documents.bulk(documents)
})
afterAll(async () => {
  await api.stop()
  await api.engine.close()
})

const send = (path: string, body?: unknown, dataset = 'lamps') =>
  api.send('POST', `/api/Documents/${path}`, { dataset, ...(body !== undefined && { body }) })
const filter = (more: object, Limit: unknown = 1000) => send('Filter', { Pagination: { Limit }, ...more })

type Item = (typeof documents)[number]
const idsOf = (body: { Items: Item[] }) => body.Items.map(({ id }) => id)

/** All pages from the first on. */
async function scrolled(first: { Items: Item[]; ScrollId: string | null }, dataset = 'lamps') {
  const items = [...first.Items]
  let scroll = first.ScrollId
  while (scroll) {
    const { body } = await send(`Filter/${encodeURIComponent(scroll)}`, undefined, dataset)
    expect(body.Count).toBe(body.Items.length)
    items.push(...body.Items)
    scroll = body.ScrollId
  }
  return items
}

describe('POST /api/Documents/Filter', () => {
  test.each<[what: string, filter: object | null, matches: (document: Item) => boolean]>([
    ['nothing', null, () => true],
    ['an empty filter', {}, () => true],
    ['a blank query and no tags', { Query: ' ', TagIdList: [] }, () => true],
    ['a word in any case', { Query: 'RED' }, ({ title }) => title.startsWith('Red')],
    ['two words', { Query: 'red number7' }, ({ title }) => /Red|number7$/.test(title)],
    ['boolean operators', { Query: 'lamp && !red AND (number8 || number9)' }, ({ id }) => id === 'd9'],
    [
      'plus and minus',
      { Query: '+blue -number9' },
      ({ title }) => /Blue/.test(title) && !/ number9$/.test(title),
    ],
    ['a phrase', { Query: '"lamp lamp"' }, ({ title }) => title.includes('lamp lamp')],
    ['a phrase with slop', { Query: '"red number14"~3' }, ({ id }) => id === 'd14'],
    ['wildcards', { Query: 'number11? OR *ber5' }, ({ id }) => /^d(11\d|5)$/.test(id)],
    ['a word nearly so', { Query: 'blu~1' }, ({ title }) => title.startsWith('Blue')],
    ['a nested field', { Query: 'specs.color:green' }, ({ specs }) => specs.color === 'green'],
    ['a range', { Query: 'price:[10 TO 20}' }, ({ price = -1 }) => price >= 10 && price < 20],
    ['a comparison', { Query: 'price:>=990' }, ({ price = 0 }) => price >= 990],
    ['a comparison without colon', { Query: 'price>990' }, ({ price = 0 }) => price > 990],
    ['a date', { Query: 'made:[2018 TO *]' }, ({ made }) => made >= '2018'],
    ['a boolean', { Query: 'sold:true' }, ({ sold }) => sold],
    ['what is missing', { Query: 'NOT _exists_:price' }, ({ price }) => price === undefined],
    ['an escaped sign', { Query: 'title:red\\ lamp' }, ({ title }) => title.startsWith('Red')],
    ['a tag itself', { TagIdList: ['a1'] }, ({ tag }) => tag.includes('a1')],
    ['a tag above', { TagIdList: ['a'] }, () => false],
    ['any of several tags', { TagIdList: ['b', 't1', 'none'] }, ({ tag }) => /b|t1/.test(tag.join())],
    ['unknown tags', { TagIdList: ['none'] }, () => false],
    [
      'both',
      { Query: 'red', TagIdList: ['t2'] },
      ({ title, tag }) => /Red/.test(title) && tag.includes('t2'),
    ],
  ])('finds by %s', async (_, Filter, matches) => {
    const { status, body } = await filter({ Filter, FieldList: ['id'] })
    const expected = documents.filter(matches).map(({ id }) => id)
    expect([status, body.Total, body.Count]).toEqual([200, expected.length, Math.min(1000, expected.length)])
    expect((await scrolled(body)).map(({ id }) => id).sort()).toEqual(expected.sort())
  })

  test.each<[limit: unknown, count: number]>([
    [1, 1],
    ['2', 2],
    [999, 999],
    [1000, 1000],
    [1001, 1000],
    [2_000_000_000, 1000],
    [-1, 1000],
    [-7, 1000],
    [0, 0],
  ])('gives for a limit of %j %i documents', async (Limit, count) => {
    const { body } = await filter({}, Limit)
    expect(body).toMatchObject({
      Count: count,
      Total: 1200,
      ScrollId: count === 0 ? null : expect.any(String),
    })
    expect(body.Items).toHaveLength(count)
    if (count > 0) expect(body.ScrollId).toMatch(/^[\w-]+$/)
  })

  test('gives none without a limit', async () => {
    const { body } = await send('Filter', { Pagination: {} })
    expect(body).toEqual({ Items: [], Count: 0, Total: 1200, ScrollId: null })
  })

  test('has no ScrollId where it holds everything', async () => {
    for (const Limit of [171, 172, -1]) {
      const { body } = await filter({ Filter: { Query: '"lamp lamp"' } }, Limit)
      expect([body.Total, body.Count, body.ScrollId !== null]).toEqual([
        172,
        Math.min(172, Limit < 0 ? 172 : Limit),
        Limit === 171,
      ])
    }
    expect((await filter({ Filter: { Query: 'nothing' } })).body).toEqual({
      Items: [],
      Count: 0,
      Total: 0,
      ScrollId: null,
    })
  })

  test.each<[field: string, direction: string | undefined, key: (document: Item) => unknown]>([
    ['price', undefined, ({ price }) => price],
    ['price', 'desc', ({ price }) => price],
    ['title', 'Asc', ({ title }) => title],
    ['made', '1', ({ made }) => made],
    ['sold', 'DESC', ({ sold }) => Number(sold)],
    ['id', 'asc', ({ id }) => id],
  ])('is ordered by %s %s, documents without it last', async (OrderByField, OrderDirection, key) => {
    const { body } = await filter({ Order: { OrderByField, OrderDirection } }, 100)
    const keys = (await scrolled(body)).map(item => key(documents[Number(item.id.slice(1))]!))
    const sign = OrderDirection?.toLowerCase() === 'desc' || OrderDirection === '1' ? -1 : 1
    const there = documents.map(key).filter(one => one !== undefined) as string[]
    const sorted = there.sort((a, b) => (a < b ? -sign : a > b ? sign : 0))
    expect(keys).toEqual([...sorted, ...Array(1200 - sorted.length).fill(undefined)])
  })

  test('is ordered by relevance where a query is given', async () => {
    const { body } = await filter({ Filter: { Query: 'number8 blue number9' } }, 3)
    expect(idsOf(body)[0]).toBe('d9')
    expect(idsOf(body)[1]).toBe('d8')
  })

  test.each<[fields: unknown, shown: object]>([
    [undefined, { id: 'd8', title: documents[8]!.title, tag: ['a1', 'b'] }],
    [null, { id: 'd8', title: documents[8]!.title, tag: ['a1', 'b'] }],
    [[], { id: 'd8', title: documents[8]!.title, tag: ['a1', 'b'] }],
    [['*'], documents[8]!],
    [['title', '*'], documents[8]!],
    [['price'], { price: 296 }],
    [['specs.color', 'parts.name'], { specs: { color: 'grey' }, parts: documents[8]!.parts }],
    [['specs'], { specs: documents[8]!.specs }],
    [['manual'], {}],
  ])('shows for the list %j the fields %j', async (FieldList, shown) => {
    expect((await filter({ Filter: { Query: 'id:d8' }, FieldList })).body.Items).toEqual([shown])
    const sample = await send('Sample', { Id: 'x', Percent: 100, FieldList })
    expect(sample.body.Items).toContainEqual(shown)
  })

  test('leaves attachments out, unless they are asked for', async () => {
    const files = await api.engine.datasets.create<object>('files', {
      schema,
      interpretedFields: ['title', 'manual'],
    })
    const document = { id: '1', title: 'Lamp', tag: ['a'], manual: Buffer.from('a text').toString('base64') }
    await files.documents.insert(document)
    const shown = async (FieldList?: string[]) =>
      (await send('Filter', { Pagination: { Limit: 1 }, FieldList }, 'files')).body.Items[0]
    expect(Object.keys(await shown())).toEqual(['id', 'title', 'tag'])
    expect(await shown(['manual'])).toEqual({ manual: document.manual })
  })

  test.each([
    ['refuses a field that no sample has', 'sampled', 'none', 400],
    ['orders by the tag field, which the sample lacks', 'sampled', 'tag', 200],
    ['orders by any field where there is no sample', 'open', 'none', 200],
  ])('%s, in a dataset that is lenient', async (_, name, OrderByField, status) => {
    if (!api.engine.datasets.has(name)) {
      const sample = { id: '1', title: 'Lamp' }
      await api.engine.datasets.create(name, {
        interpretedFields: ['title'],
        ...(name === 'sampled' && { sample }),
      })
    }
    const body = { Pagination: { Limit: 5 }, Order: { OrderByField, OrderDirection: 'Desc' } }
    const answer = await send('Filter', body, name)
    const error = 'Order.OrderByField is "none"; expected a field with one text, number, date or boolean'
    expect([answer.status, answer.body.Errors]).toEqual([status, status === 400 ? [error] : undefined])
  })

  test.each<[what: string, body: unknown]>([
    ['no body', undefined],
    ['null', 'null'],
    ['no pagination', {}],
    ['null for pagination', { Pagination: null }],
    ['a limit that is no whole number', { Pagination: { Limit: 1.5 } }],
    ['a limit that is no number', { Pagination: { Limit: 'all' } }],
    ['an unknown field to order by', { Order: { OrderByField: 'none' } }],
    ['a path to order by', { Order: { OrderByField: 'specs.color' } }],
    ['a list to order by', { Order: { OrderByField: 'tag' } }],
    ['an object to order by', { Order: { OrderByField: 'specs' } }],
    ['a file to order by', { Order: { OrderByField: 'manual' } }],
    ['no field to order by', { Order: {} }],
    ['a direction that there is not', { Order: { OrderByField: 'id', OrderDirection: 'Up' } }],
    ['an unknown field to show', { FieldList: ['id', 'none'] }],
    ['an unknown path to show', { FieldList: ['specs.none'] }],
    ['an empty name', { FieldList: [''] }],
    ['a query that cannot be read', { Filter: { Query: 'red AND (' } }],
    ['a text for a number', { Filter: { Query: 'price:cheap' } }],
    ['an unknown field in a query', { Filter: { Query: 'none:red' } }],
    ['tags that are no list', { Filter: { TagIdList: 'a' } }],
  ])('refuses %s', async (_, more) => {
    const body =
      typeof more === 'object' && Object.keys(more!)[0] !== 'Pagination' && Object.keys(more!).length > 0
        ? { Pagination: { Limit: 1 }, ...more }
        : more
    const { status, body: answer } = await send('Filter', body)
    expect([status, answer.Errors.length]).toEqual([400, 1])
  })

  test('names the text that is no number', async () => {
    const { body } = await filter({ Filter: { Query: 'price:cheap' } })
    expect(body.Errors[0]).toContain('cheap')
  })

  test('is found under its address with a slash at the end and in any case', async () => {
    const body = { pagination: { limit: '1' } }
    for (const path of ['/api/documents/filter/', '//api//Documents/FILTER'])
      expect((await api.send('POST', path, { dataset: 'lamps', body })).body.Count).toBe(1)
    expect((await api.send('GET', '/api/Documents/Filter/x/y', { dataset: 'lamps' })).status).toBe(404)
  })
})

describe('POST /api/Documents/Filter/{scrollId}', () => {
  test('gives every document of the first moment once and as it was, while others write', async () => {
    const shop = await openShop(api.engine)
    const { documents } = api.engine.datasets.get<object>(shop)
    const given = Array.from({ length: 300 }, (_, i) => {
      return { id: `${i}`, title: `Lamp ${i}`, desc: 'first', price: i, tag: ['a'] }
    })
    await documents.bulk(given)
    for (const Order of [undefined, { OrderByField: 'price', OrderDirection: 'Desc' }]) {
      const before = await documents.getMany(given.map(({ id }) => id))
      const settings = { Pagination: { Limit: 23 }, Order, FieldList: ['*'] }
      const { body: first } = await send('Filter', settings, shop)
      expect([first.Count, first.Total]).toEqual([23, 300])
      let isScrolling = true
      const writing = (async () => {
        for (let i = 0; isScrolling; i = (i + 7) % 300) {
          const path = `/api/Documents/${i}`
          if (i % 2 === 0) await api.send('DELETE', path, { dataset: shop })
          else await api.send('PUT', path, { dataset: shop, body: { desc: `changed ${i}`, price: -i } })
          await documents.upsert({ ...given[i], id: `new-${i}` })
        }
      })()
      const items = await scrolled(first, shop)
      isScrolling = false
      await writing
      const byId = new Map(items.map(item => [item.id, item]))
      expect([items.length, byId.size]).toEqual([300, 300])
      expect([...byId.values()].sort((a, b) => Number(a.id) - Number(b.id))).toEqual(before)
      // As it was, for the next round.
      await documents.deleteWhere('id:new*').finished
      await documents.bulk(given)
    }
  })

  test('is the same page for whatever body, and has the fields and order of the first', async () => {
    const { body: first } = await filter({ Order: { OrderByField: 'price' }, FieldList: ['price'] }, 2)
    const pages = [first]
    for (const body of [undefined, '', 'no JSON', { Pagination: { Limit: 9 } }]) {
      const next = await send(`Filter/${pages.at(-1).ScrollId}`, body)
      expect(next.body).toMatchObject({ Count: 2, Total: 1200 })
      pages.push(next.body)
    }
    const prices = documents.flatMap(({ price }) => price ?? []).sort((a, b) => a - b)
    expect(pages.flatMap(({ Items }) => Items)).toEqual(prices.slice(0, 10).map(price => ({ price })))
  })

  test('has an empty page for an end behind the last, and for an id that is unknown', async () => {
    const end = { Items: [], Count: 0, ScrollId: null }
    const { body: first } = await filter({ Filter: { Query: '"lamp lamp"' } }, 171)
    const { body: last } = await send(`Filter/${first.ScrollId}`)
    expect([last.Count, last.Total]).toEqual([1, 172])
    if (last.ScrollId) expect((await send(`Filter/${last.ScrollId}`)).body).toEqual({ ...end, Total: 172 })
    for (const id of [first.ScrollId, 'none', 'a%20b', '__proto__', 'x'.repeat(3000)])
      expect((await send(`Filter/${id}`)).body).toEqual({ ...end, Total: 0 })
    const { ScrollId } = (await filter({}, 1)).body
    const shop = await openShop(api.engine)
    expect((await send(`Filter/${ScrollId}`, undefined, shop)).body).toEqual({ ...end, Total: 0 })
    expect((await send(`Filter/${ScrollId}`)).body.Count).toBe(1)
  })

  test('has expired 100 seconds after the first call, 5 minutes after each further one', async () => {
    const open = async () => (await filter({}, 1)).body.ScrollId
    const count = async (id: string) => (await send(`Filter/${id}`)).body.Count
    const [early, late] = [await open(), await open()]
    now += 99_000
    expect(await count(early)).toBe(1)
    now += 2000
    expect(await count(late)).toBe(0)
    now += 297_000
    expect(await count(early)).toBe(1)
    now += 301_000
    expect(await count(early)).toBe(0)
  })

  test('needs a dataset that there is', async () => {
    const { ScrollId } = (await filter({}, 1)).body
    expect((await api.send('POST', `/api/Documents/Filter/${ScrollId}`)).status).toBe(400)
    expect((await send(`Filter/${ScrollId}`, undefined, 'nothing')).status).toBe(400)
  })
})

describe('POST /api/Documents/Sample', () => {
  const sample = async (body: object) => (await send('Sample', { FieldList: ['id'], ...body })).body

  test('is the same for the same id, begins a larger one, and is another for another id', async () => {
    const ten = await sample({ Id: 'x', Size: 10 })
    expect(ten).toMatchObject({ Count: 10, Total: 1200, ScrollId: null })
    expect(await sample({ Id: 'x', Size: '10' })).toEqual(ten)
    expect(idsOf(await sample({ Id: 'x', Size: 50 })).slice(0, 10)).toEqual(idsOf(ten))
    expect(idsOf(await sample({ Id: 'y', Size: 10 }))).not.toEqual(idsOf(ten))
    const common = new Set(idsOf(await sample({ Id: 'y', Percent: 50 })))
    const shared = idsOf(await sample({ Id: 'z', Percent: 50 })).filter(id => common.has(id)).length
    expect([shared > 240, shared < 360]).toEqual([true, true])
  })

  test.each<[what: object, count: number, total: number]>([
    [{ Percent: '10' }, 120, 1200],
    [{ Percent: 0.125 }, 2, 1200], // of 1.5
    [{ Percent: 0.875 }, 10, 1200], // of 10.5
    [{ Percent: 100 }, 1200, 1200],
    [{ Size: 3, Percent: 100 }, 3, 1200],
    [{ Size: 0, Percent: 1 }, 12, 1200],
    [{ Size: -4, Percent: 1 }, 12, 1200],
    [{ Size: 5000 }, 1200, 1200],
    [{ Size: 2_000_000_000 }, 1200, 1200],
    [{ Size: 5, TagIdList: ['b', 'none'] }, 5, 300],
    [{ Percent: 10, TagIdList: ['a1'] }, 30, 300],
    [{ Percent: 10, TagIdList: [] }, 120, 1200],
    [{ Size: 5, TagIdList: ['a'] }, 0, 0],
  ])('%j is %i of %i', async (what, count, total) => {
    const body = await sample({ Id: 'x', ...what })
    expect([body.Count, body.Items.length, body.Total]).toEqual([count, count, total])
    expect(new Set(idsOf(body)).size).toBe(count)
  })

  test.each<[what: string, body: object]>([
    ['no id', { Size: 1 }],
    ['a blank id', { Id: ' ', Size: 1 }],
    ['neither size nor percent', { Id: 'x' }],
    ['none of both', { Id: 'x', Size: 0, Percent: '0' }],
    ['a percent beyond all', { Id: 'x', Percent: 100.5 }],
    ['a percent below none', { Id: 'x', Size: 1, Percent: -1 }],
    ['a size that is no whole number', { Id: 'x', Size: 1.5 }],
    ['an unknown field', { Id: 'x', Size: 1, FieldList: ['none'] }],
  ])('refuses %s', async (_, body) => {
    expect((await send('Sample', body)).status).toBe(400)
  })
})
