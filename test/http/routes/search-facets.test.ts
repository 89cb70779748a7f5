import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from './api.ts'
import { openShop } from './shop.ts'

let api: Api
let shop: string
beforeAll(async () => {
  api = await startApi()
  shop = await openShop(api.engine)
  const dataset = api.engine.datasets.get(shop)
  await dataset.tags.replaceAll([
    { id: 'sound', name: 'Sound' },
    { id: 'a1', name: 'Headphones', parentId: 'sound' },
  ])
  await dataset.documents.bulk(
    Array.from({ length: 12 }, (_, i) => ({
      id: `s${i}`,
      desc: 'For music',
      title: `Speaker ${i % 3 === 0 ? 'small' : 'large'}`,
      price: 10 * i,
      tag: [i % 2 === 0 ? 'a1' : 'sound'],
    })),
  )
})
afterAll(() => api.stop())

const reply = (body: object) =>
  api.send('POST', '/api/Documents/Search', { dataset: shop, body: { Text: 'speaker', ...body } })
const search = async (body: object) => (await reply(body)).body
const ids = ({ Hits }: { Hits: { Id: string }[] }) => Hits.map(({ Id }) => Id)

test('Filter lets through what its query and tags mean: a tag itself, or those below it too', async () => {
  expect(ids(await search({ Filter: { Query: 'price:[20 TO 40]' } })).sort()).toEqual(['s2', 's3', 's4'])
  const Filter = { TagIdList: ['sound'], Query: 'price:<=20' }
  expect(ids(await search({ Filter }))).toEqual(['s1'])
  expect(ids(await search({ Filter, TagsBelow: true })).sort()).toEqual(['s0', 's1', 's2'])
  const below = (TagsBelow: boolean) => ({ ...Filter, TagsBelow })
  expect(ids(await search({ Filter: below(true) })).sort()).toEqual(['s0', 's1', 's2'])
  expect(ids(await search({ Filter: below(false), TagsBelow: true }))).toEqual(['s1'])
  expect((await search({ Filter: { Query: '', TagIdList: [] } })).Total.Count).toBe(12)
  const refused = await reply({ Filter: { Query: 'price:[1 TO' } })
  expect(refused.status).toBe(400)
})

test('Facets are counted by field, as the request says', async () => {
  const { Facets } = await search({
    Filter: { Query: 'price:<60' },
    Limit: 0,
    Facets: [
      'tag',
      {
        Field: 'price',
        Limit: 1,
        Sort: 'Value',
        Histogram: 2,
        Disjunctive: true,
        Ranges: [{ Name: 'cheap', To: 30 }, { From: 30 }],
      },
    ],
  })
  expect(Facets).toEqual({
    tag: {
      Values: [
        { Value: 'sound', Count: 6, Name: 'Sound' },
        { Value: 'a1', Count: 3, Name: 'Headphones' },
      ],
      Distinct: 2,
      Exact: true,
    },
    price: {
      Values: [{ Value: 0, Count: 1 }],
      Distinct: 12,
      Stats: { Min: 0, Max: 110, Avg: 55, Sum: 660, Count: 12 },
      Ranges: [
        { Name: 'cheap', To: 30, Count: 3 },
        { From: 30, Count: 9 },
      ],
      Histogram: [
        { From: 0, To: 55, Count: 6 },
        { From: 55, To: 110, Count: 6 },
      ],
      Exact: true,
    },
  })
  const refused = await reply({ Facets: ['prise'] })
  expect(refused.status).toBe(400)
  expect(refused.body.Errors[0]).toContain('price')
})

test('Sort orders, Cursor goes on, and Exclusion can be turned off', async () => {
  const first = await search({ Sort: ['price:desc'], Limit: 5, Cursor: true })
  expect(ids(first)).toEqual(['s11', 's10', 's9', 's8', 's7'])
  await api.engine.datasets
    .get(shop)
    .documents.upsert({ id: 'late', title: 'Speaker', desc: 'Loud', price: 65, tag: [] })
  const second = await search({ Cursor: first.Cursor })
  expect(ids(second)).toEqual(['s6', 's5', 's4', 's3', 's2'])
  const third = await search({ Cursor: second.Cursor })
  expect([ids(third), third.Cursor]).toEqual([['s1', 's0'], null])
  expect((await reply({ Cursor: second.Cursor })).status).toBe(404)
  await api.engine.datasets.get(shop).documents.delete('late')
  expect((await search({ Text: 'speaker -small' })).Total.Count).toBe(8)
  expect((await search({ Text: 'speaker -small', Exclusion: false })).Total.Count).toBe(12)
})

test('MergeSpellings shows texts that differ in case and spaces only as one', async () => {
  const { documents } = api.engine.datasets.get(shop)
  await documents.insert({ id: 'other', desc: 'FOR  music', title: 'Speaker', price: 1, tag: ['a1'] })
  const values = async (facet: object) =>
    (await search({ Facets: [{ Field: 'desc', ...facet }] })).Facets.desc.Values
  expect(await values({ MergeSpellings: true })).toEqual([
    { Value: 'For music', Count: 13, Spellings: ['For music', 'FOR  music'] },
  ])
  expect(await values({})).toEqual([
    { Value: 'For music', Count: 12 },
    { Value: 'FOR  music', Count: 1 },
  ])
  await documents.delete('other')
})
