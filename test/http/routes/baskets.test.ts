import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from './api.ts'
import { keyOf } from './named-keys.ts'

let api: Api
const DAY = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

beforeAll(async () => {
  api = await startApi()
  const { datasets } = api.engine
  const orders = await datasets.create('orders')
  const products = await datasets.create('products', { interpretedFields: ['title'] })
  await products.tags.replaceAll([
    { id: 'camping', name: 'Camping' },
    { id: 'tents', name: 'Tents', parentId: 'camping' },
  ])
  await products.documents.bulk([
    { id: 'tent', title: 'Tent', price: 100, tag: ['tents'] },
    { id: 'stove', title: 'Stove', price: 30, tag: ['camping'] },
    { id: 'a/b', title: 'Größe <b>XL</b>', price: 5 },
    { id: 'bag', title: 'Carrier bag', price: 1 },
  ])
  const made = [
    [1, 'tent', 'stove', 'bag'],
    [2, 'tent', 'stove', 'a/b', 'bag'],
    [3, 'tent', 'a/b', 'stove', 'bag'],
    [40, 'bag'],
    [41, 'bag'],
    [42, 'bag', 'a/b'],
    [43, 'bag'],
    [44, 'chair'],
  ] as const
  await orders.documents.bulk(
    made.map(([days, ...items], id) => ({
      id,
      at: daysAgo(days),
      lines: items.map(product => ({ product })),
    })),
  )
})
afterAll(() => api.stop())

const post = (path: string, body: object, sent: object = {}) =>
  api.send('POST', `/api/${path}`, { dataset: 'products', body, ...sent })

async function reconfigure(body: object): Promise<void> {
  const { status, body: started } = await post('DataSets/products/Reconfigure', body)
  expect(status).toBe(202)
  await expect.poll(() => api.engine.job(started.Id)?.endedAt).not.toBeNull()
}

const idsOf = ({ body }: { body: { Hits: { Id: string }[] } }) => body.Hits.map(({ Id }) => Id)

describe('baskets', () => {
  test('are named by a setting, shown with the others, and taken back', async () => {
    const asked = await post('Documents/BoughtTogether', { Ids: ['tent'] })
    expect([asked.status, asked.body.Errors[0]]).toEqual([400, expect.stringContaining('Baskets')])
    const Baskets = { DataSet: 'orders', Field: 'lines.product', Time: 'at' }
    await reconfigure({ Baskets })
    const settings = async () => (await api.send('GET', '/api/DataSets/products/Settings')).body
    expect((await settings()).Baskets).toEqual(Baskets)
    await reconfigure({ Topics: false })
    expect((await settings()).Baskets).toEqual(Baskets)
    await reconfigure({ Baskets: {} })
    expect(await settings()).not.toHaveProperty('Baskets')
    await reconfigure({ Baskets: { DataSet: 'nowhere', Field: 'items' } })
    const gone = await post('Documents/Trending', {})
    expect([gone.status, gone.body.Errors[0]]).toEqual([404, expect.stringContaining('nowhere')])
    await reconfigure({ Baskets })
  })

  test.each([
    [{ DataSet: 'orders' }, 'DataSet and Field'],
    [{ Field: 'items' }, 'DataSet and Field'],
    [{ DataSet: 'o', Field: 'items' }, 'DataSet'],
    [{ DataSet: 'orders', Field: 'items', Times: 'at' }, 'Time'],
    ['orders', 'Baskets'],
  ])('refuse the setting %j', async (Baskets, text) => {
    const { status, body } = await post('DataSets/products/Reconfigure', { Baskets })
    expect([status, body.Errors[0]]).toEqual([400, expect.stringContaining(text)])
  })

  test('recommend what is bought together more than chance would explain', async () => {
    const all = await post('Documents/BoughtTogether', { Ids: ['tent'] })
    expect(all.status).toBe(200)
    expect(all.body.Hits).toEqual([
      {
        Id: 'stove',
        Score: expect.closeTo(3.256, 2),
        Times: 3,
        Document: { id: 'stove', title: 'Stove', price: 30, tag: ['camping'] },
      },
      { Id: 'a/b', Score: expect.any(Number), Times: 2, Document: expect.anything() },
      { Id: 'bag', Score: expect.any(Number), Times: 3, Document: expect.anything() },
    ])
    const ask = async (body: object) =>
      idsOf(await post('Documents/BoughtTogether', { Ids: ['tent'], ...body }))
    expect(await ask({ Count: 1 })).toEqual(['stove'])
    expect(await ask({ Filter: 'price:<10' })).toEqual(['a/b', 'bag'])
    expect(await ask({ TagIdList: ['camping'] })).toEqual(['stove'])
    expect(await ask({ Exclude: ['stove', 'bag'] })).toEqual(['a/b'])
    expect(await ask({ Least: 3 })).toEqual(['stove', 'bag'])
    expect(await ask({ Ids: ['a/b', 'nothing'] })).toEqual(['stove', 'tent', 'bag'])
    expect(await ask({ Days: 10 })).toEqual([])
    expect(await ask({ Ids: ['stove', 'a/b'] })).toEqual(['tent', 'bag'])
  })

  test('recommend what is bought more than before, or most', async () => {
    const ask = async (body: object) => idsOf(await post('Documents/Trending', body))
    expect(await ask({})).toEqual(['stove', 'tent', 'a/b', 'bag'])
    expect(await ask({ By: 'Count', Days: 365, Count: 2 })).toEqual(['bag', 'a/b'])
    expect(await ask({ TagIdList: ['tents'] })).toEqual(['tent'])
  })

  test.each([
    ['BoughtTogether', {}, 'Ids'],
    ['BoughtTogether', { Ids: [] }, 'Ids'],
    ['BoughtTogether', { Ids: ['tent'], By: 'Count' }, 'By'],
    ['BoughtTogether', { Ids: ['tent'], Count: 1001 }, 'Count'],
    ['BoughtTogether', { Ids: ['tent'], Days: 0 }, 'Days'],
    ['BoughtTogether', { Ids: ['tent'], Filter: 'price:(' }, 'Filter'],
    ['Trending', { Ids: ['tent'] }, 'Ids'],
    ['Trending', { By: 'Value' }, 'By'],
    ['Trending', { Least: 0 }, 'Least'],
  ])('refuse to answer %s with %j', async (call, body, member) => {
    const { status, body: refused } = await post(`Documents/${call}`, body)
    expect([status, refused.Errors[0]]).toEqual([400, expect.stringContaining(member)])
  })

  test('tell keys of pages, of some documents or of some fields no numbers', async () => {
    const common = { Scopes: ['Search'], DataSets: ['products'] }
    const keys = [
      { ...common, Public: true },
      { ...common, Filter: 'price:<90' },
      { ...common, ResponseFields: ['title'] },
    ]
    for (const given of keys) {
      const sent = await keyOf(api, given)
      const { body } = await post('Documents/BoughtTogether', { Ids: ['stove'] }, sent)
      const scores = body.Hits.map(({ Score, Times }: { Score: number; Times?: number }) => [Score, Times])
      expect(scores).toEqual([1, 1 / 2, 1 / 3].slice(0, scores.length).map(score => [score, undefined]))
      expect(scores.length).toBe('Filter' in given ? 2 : 3)
      const trend = await post('Documents/Trending', { By: 'Count' }, sent)
      expect(trend.body.Hits[0]).toMatchObject({ Id: 'bag', Score: 1 })
      expect(trend.body.Hits[0]).not.toHaveProperty('Times')
      for (const [path, asked] of [
        ['BoughtTogether', { Ids: ['stove'], Least: 3 }],
        ['Trending', { Least: 1 }],
      ] as const) {
        const refused = await post(`Documents/${path}`, asked, sent)
        expect([refused.status, refused.body.Errors[0]]).toEqual([403, expect.stringContaining('Least')])
      }
      const orders = await api.send('POST', '/api/Documents/Search', {
        dataset: 'orders',
        body: { Text: '' },
        ...sent,
      })
      expect(orders.status).toBe(403)
    }
  })

  test('tell a key for the products alone no numbers either, and nothing of other fields of the orders', async () => {
    const sent = await keyOf(api, { Scopes: ['Search', 'Write'], DataSets: ['products'] })
    const { body } = await post('Documents/BoughtTogether', { Ids: ['stove'] }, sent)
    expect(body.Hits[0]).toEqual({ Id: expect.any(String), Score: 1, Document: expect.anything() })
    expect((await post('Documents/Trending', { Least: 3 }, sent)).status).toBe(403)
    const Baskets = { DataSet: 'orders', Field: 'customer' }
    const made = {
      Name: 'products',
      IdField: 'id',
      TagField: 'tag',
      NGramCount: 1,
      InterpretedFields: ['title'],
    }
    const properties = { id: { type: 'string' }, title: { type: 'string' }, tag: { type: 'string' } }
    for (const [path, given] of [
      ['DataSets/products/Reconfigure', {}],
      ['DataSets', { ...made, SampleDocument: { id: 'a', title: 'A', tag: 'x' } }],
      ['DataSets/Schema', { ...made, Schema: { type: 'object', properties } }],
    ] as const) {
      const refused = await post(path, { ...given, Baskets }, sent)
      expect([path, refused.status, refused.body.Errors[0]]).toEqual([
        path,
        403,
        'Baskets.DataSet is "orders", a dataset that this key is not for.',
      ])
    }
    await reconfigure({ Baskets: { DataSet: 'orders', Field: 'lines.product' } })
    const failed = await post('Documents/Trending', {}, sent)
    expect([failed.status, failed.body.Errors]).toEqual([
      400,
      ['The setting Baskets of this dataset does not fit; a key for its baskets is told why.'],
    ])
    const both = await keyOf(api, { Scopes: ['Search'], DataSets: ['products', 'orders'] })
    const told = await post('Documents/Trending', {}, both)
    expect([told.status, told.body.Errors[0]]).toEqual([400, expect.stringContaining('Baskets.Time')])
    await reconfigure({ Baskets: { DataSet: 'orders', Field: 'lines.product', Time: 'at' } })
    expect((await post('Documents/BoughtTogether', { Ids: ['stove'] }, both)).body.Hits[0].Times).toBe(3)
  })

  test('count by whole days for keys that are told no numbers, and bound the ids of pages', async () => {
    const sent = await keyOf(api, { Scopes: ['Search'], DataSets: ['products'], Public: true })
    const idsFor = async (Days: number, by: object) =>
      idsOf(await post('Documents/Trending', { By: 'Count', Days }, by)).length
    const hours = (Date.now() % DAY) / 3_600_000
    // The orders of one, two and three days ago: half a day later than the second midnight between them.
    const [second, third] = [1 + hours / 24 + 0.4, 1 + hours / 24 + 0.6]
    expect(await idsFor(second, sent)).toBe(await idsFor(third, sent))
    const many = { Ids: Array.from({ length: 21 }, (_, i) => `p${i}`) }
    const refused = await post('Documents/BoughtTogether', many, sent)
    expect([refused.status, refused.body.Errors[0]]).toEqual([403, expect.stringContaining('Ids')])
  })

  test('reveal nothing of a document that a key does not see', async () => {
    const sent = await keyOf(api, { Scopes: ['Search'], DataSets: ['products'], Filter: 'price:<90' })
    expect(idsOf(await post('Documents/BoughtTogether', { Ids: ['tent'] }, sent))).toEqual([])
    expect(idsOf(await post('Documents/BoughtTogether', { Ids: ['stove'] }, sent))).toEqual(['a/b', 'bag'])
    expect(idsOf(await post('Documents/Trending', {}, sent))).toEqual(['stove', 'a/b', 'bag'])
  })
})
