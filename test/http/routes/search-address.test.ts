import { describe, expect, test } from 'vitest'
import { keyOf } from './named-keys.ts'
import { sample, shopForEach } from './shop.ts'

const here = shopForEach()

const get = (query: string, headers: Record<string, string> = {}) =>
  here.api.send('GET', `/api/Documents/Search${query}`, { dataset: here.shop, headers })
const post = (body: object) =>
  here.api.send('POST', '/api/Documents/Search', { dataset: here.shop, body: { Text: '', ...body } })
const known = async (query: string, tag: string) => (await get(query, { 'If-None-Match': tag })).status

describe('GET /api/Documents/Search', () => {
  test.each<[string, object]>([
    ['?q=wireless', { Text: 'wireless' }],
    ['?Q=headphons&LIMIT=1', { Text: 'headphons', Limit: 1 }],
    ['', {}],
    ['?filter=price:%3C50&sort=price:desc,title', { Filter: 'price:<50', Sort: ['price:desc', 'title'] }],
    ['?q=garden&facets=price,tag&offset=1', { Text: 'garden', Facets: ['price', 'tag'], Offset: 1 }],
    ['?tagIdList=a,b', { Filter: { TagIdList: ['a', 'b'] } }],
    ['?tagIdList=a&tagsBelow=true', { Filter: { TagIdList: ['a'] }, TagsBelow: true }],
    ['?q=wirel&prefix=true&highlight=true', { Text: 'wirel', Prefix: true, Highlight: true }],
    [
      '?q=wireless hose&operator=and&relax=true&responseFieldList=id,title',
      { Text: 'wireless hose', Operator: 'And', Relax: true, ResponseFieldList: ['id', 'title'] },
    ],
  ])('%s is answered as the same search in a body', async (query, body) => {
    const [found, expected] = [await get(query), await post(body)]
    expect([found.status, found.body]).toEqual([200, expected.body])
  })

  test('takes tags, alone or with all below them', async () => {
    const found = async (query: string) =>
      (await get(query)).body.Hits.map(({ Id }: { Id: string }) => Id).sort()
    expect(await found('?tagIdList=a')).toEqual([])
    expect(await found('?tagIdList=a&tagsBelow=true')).toEqual(['1'])
    expect(await found('?tagIdList=a, b&tagsBelow=true')).toEqual(['1', '2'])
    expect(await found('?tagIdList=a,b&tagsBelow=true&filter=price:%3C50')).toEqual(['2'])
  })

  test.each([
    ['?limit=many', 'Limit is "many"'],
    ['?limit=1001&highlight=true', 'Limit is 1001; expected at most 1000 with Highlight or Explain'],
    ['?filter=prize:5', 'Filter has "prize" at offset 0'],
    ['?sort=prize:asc', 'Sort is "prize:asc"; expected one of the fields'],
    ['?facets=title,prize', 'Facets is "prize"; expected one of the fields'],
    ['?responseFieldList=prize', 'ResponseFieldList is "prize"'],
    ['?key=s3cr3t', 'key is "s3cr3t"; expected no such member'],
  ])('%s is refused by the name that it has there', async (query, text) => {
    const { status, body } = await get(query)
    expect([status, body.Errors[0].slice(0, text.length)]).toEqual([400, text])
  })

  test('needs a key, in the header alone', async () => {
    const { status } = await get('?q=a', { Authorization: '' })
    expect(status).toBe(401)
  })

  test('may be kept by the browser alone, which asks whether it is still the answer', async () => {
    const { headers } = await get('?q=wireless')
    expect(headers.get('Cache-Control')).toBe('private, no-cache')
    const vary = (headers.get('Vary') ?? '').split(',').map(name => name.trim())
    expect(vary).toEqual(expect.arrayContaining(['Authorization', 'Origin', 'X-DataSet']))
    const tag = headers.get('ETag') ?? ''
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    const same = await get('?q=wireless', { 'If-None-Match': `"other", ${tag}` })
    expect([same.status, same.body, same.headers.get('ETag')]).toEqual([304, undefined, tag])
    expect(await known('?q=wireless', '*')).toBe(304)
    expect(await known('?q=wireles', tag)).toBe(200)
    expect(await known('?q=wireless', '"other"')).toBe(200)
  })

  test('is another answer once anything that it is made of has changed', async () => {
    const dataset = here.api.engine.datasets.get<object>(here.shop)
    const changes: (() => Promise<unknown>)[] = [
      () => dataset.documents.upsert({ ...sample, id: 'new', title: 'wireless' }),
      () => dataset.documents.delete('new'),
      () => dataset.tags.create({ id: 'named-later', name: 'Tag' }),
      () => dataset.reconfigure({ relax: !dataset.settings.relax }).finished,
    ]
    for (const change of changes) {
      const tag = (await get('?q=wireless&facets=tag')).headers.get('ETag') ?? ''
      expect(await known('?q=wireless&facets=tag', tag)).toBe(304)
      await change()
      expect(await known('?q=wireless&facets=tag', tag)).toBe(200)
    }
  })

  test('is not the answer of another key', async () => {
    const bound = { Scopes: ['Search'], DataSets: [here.shop] }
    const [one, other] = [
      await keyOf(here.api, bound),
      await keyOf(here.api, { ...bound, Filter: 'price:<50' }),
    ]
    const tag = (await get('?q=a', one.headers)).headers.get('ETag') ?? ''
    const asked = (key: typeof one) => get('?q=a', { ...key.headers, 'If-None-Match': tag })
    expect([(await asked(one)).status, (await asked(other)).status]).toEqual([304, 200])
  })
})

describe('plain text in a search', () => {
  test('stands for the query of a filter, and for fields to order by', async () => {
    const plain = await post({ Filter: 'price:<50', Sort: 'price:desc, title' })
    const listed = await post({ Filter: { Query: 'price:<50' }, Sort: ['price:desc', 'title'] })
    expect([plain.status, plain.body]).toEqual([200, listed.body])
    expect(plain.body.Hits.length).toBeGreaterThan(0)
    expect((await post({ Filter: '', Sort: 'price' })).body.Total.Count).toBe(
      (await post({})).body.Total.Count,
    )
  })

  test('is refused by the name of the member that it was sent as', async () => {
    const errors = async (body: object) => (await post(body)).body.Errors[0]
    expect(await errors({ Filter: 'prize:<50' })).toMatch(/^Filter has "prize"/)
    expect(await errors({ Sort: 'prize:asc' })).toMatch(/^Sort is "prize:asc"/)
    expect(await errors({ Filter: { Query: 'prize:1' } })).toMatch(/^Filter\.Query has "prize"/)
    expect(await errors({ Sort: ['price', 'prize:asc'] })).toMatch(/^Sort\[1\] is "prize:asc"/)
  })

  test('works in each of several searches', async () => {
    const search = { DataSet: here.shop, Text: '', Filter: 'price:<50', Sort: 'price' }
    const { status, body } = await here.api.send('POST', '/api/Search/Multi', {
      body: { Searches: [search] },
    })
    expect([status, body.Results[0].Hits.length > 0]).toEqual([200, true])
  })
})
