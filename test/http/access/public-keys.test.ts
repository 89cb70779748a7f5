import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Keys, type NamedKeyInput } from '../../../adapters/http/src/access/keys.ts'
import { type Api, type Reply, type Sent, startApi } from '../routes/api.ts'
import { keyOf } from '../routes/named-keys.ts'

const products = Array.from({ length: 40 }, (_, i) => ({
  id: `p${i}`,
  title: `${['Red', 'Green'][i % 2]} lamp ${i}`,
  brand: ['Bosch', 'Uvex'][i % 2],
  price: 10 + i,
  margin: (i * 7) % 40,
  supplier: `Supplier ${i % 4}`,
  popularity: (i * 13) % 40,
  tag: [`t${i % 3}`],
}))
const open = ['title', 'brand', 'price']

let engine: Engine
let api: Api
beforeAll(async () => {
  engine = await Engine.open()
  const settings = { interpretedFields: ['title'], sample: products[0]! }
  const signals = { popularity: { pivot: 10, boost: 1 } }
  await engine.datasets.create('shop', { ...settings, signals, groupBy: null })
  await engine.datasets.create('other', settings)
  for (const name of ['shop', 'other']) await engine.datasets.get<object>(name).documents.bulk(products)
  for (const id of ['t0', 't1', 't2'])
    await engine.datasets.get('shop').tags.create({ id, name: `Tag lamps ${id}` })
  api = await startApi({ engine })
})
afterAll(async () => {
  await api.stop()
  await engine.close()
})

const ofShop = { Scopes: ['Search'], DataSets: ['shop'] }
const post = (path: string, key: Sent, body: object, headers = {}) =>
  api.send('POST', path, { headers: { ...key.headers, ...headers }, body })
const search = (key: Sent, body: object, headers = {}) =>
  post('/api/Documents/Search', key, { Text: 'lamp', ...body }, headers)
const told = ({ status, body }: Reply) => [status, body.Errors?.[0]]

describe('ResponseFields of a key', () => {
  let key: Sent
  beforeAll(async () => {
    key = await keyOf(api, { ...ofShop, ResponseFields: open })
  })
  const fieldsOf = ({ body }: Reply) =>
    new Set(body.Hits.flatMap(({ Document }: { Document: object }) => Object.keys(Document)))

  test('are all that documents are shown with, whatever is asked for', async () => {
    const all = new Set(['id', ...open])
    expect(fieldsOf(await search(key, {}))).toEqual(all)
    expect(fieldsOf(await search(key, { ResponseFieldList: ['*'] }))).toEqual(all)
    expect(fieldsOf(await search(key, { ResponseFieldList: ['-price'] }))).toEqual(
      new Set(['id', 'title', 'brand']),
    )
    expect(fieldsOf(await post('/api/Documents/Similar', key, { Id: 'p1' }))).toEqual(all)
    const multi = await post('/api/Search/Multi', key, { Searches: [{ DataSet: 'shop', Text: 'lamp' }] })
    expect(fieldsOf({ ...multi, body: multi.body.Results[0] })).toEqual(all)
    const found = await api.send('GET', '/api/Documents/Search?q=lamp', key)
    expect(fieldsOf(found)).toEqual(all)
  })

  test.each<[string, object]>([
    ['a filter', { Filter: 'margin:>5' }],
    ['an order', { Sort: 'margin:asc' }],
    ['a facet', { Facets: ['margin'] }],
    ['a facet of tags', { Facets: ['tag'] }],
    ['a group', { GroupBy: 'supplier' }],
    ['tags', { Filter: { TagIdList: ['t1'] } }],
    ['fields to show', { ResponseFieldList: ['margin'] }],
    ['fields to mark', { Highlight: { Fields: ['supplier'] } }],
    ['fields to search', { Fields: ['supplier'] }],
  ])('are all that there is for %s', async (_, body) => {
    const { status, body: answer } = await search(key, body)
    expect([status, answer.Errors.length]).toEqual([400, 1])
    expect(answer.Errors[0]).not.toMatch(/popularity|Supplier/)
  })

  test('are what an explanation would go beyond', async () => {
    const text = 'Explain is not allowed with keys that see only some fields.'
    expect(told(await search(key, { Explain: true }))).toEqual([403, text])
    expect(told(await post('/api/Documents/Similar', key, { Id: 'p1', Explain: true }))).toEqual([403, text])
  })

  test('have scores tell the place alone where these would tell the value of a signal', async () => {
    const { body } = await search(key, { Limit: 4 })
    expect(body.Hits.map(({ Score }: { Score: number }) => Score)).toEqual([1, 1 / 2, 1 / 3, 1 / 4])
    const whole = await search(await keyOf(api, ofShop), { Limit: 4 })
    const idsOf = ({ Hits }: { Hits: { Id: string }[] }) => Hits.map(({ Id }) => Id)
    expect(idsOf(body)).toEqual(idsOf(whole.body))
    expect(whole.body.Hits[1].Score).not.toBe(1 / 2)
  })

  test('leave no tags where their field is not among them', async () => {
    const complete = async (by: Sent, more = {}) =>
      (await post('/api/Documents/Complete', by, { Text: 'lamp', Limit: 100, ...more })).body
    const kinds = ({ Completions }: { Completions: { Kind: string }[] }) =>
      new Set(Completions.map(({ Kind }) => Kind))
    const whole = await complete(await keyOf(api, ofShop))
    expect([kinds(whole), whole.Tags.length]).toEqual([new Set(['Title', 'Tag']), 3])
    const held = await complete(key)
    expect([kinds(held), held.Tags]).toEqual([new Set(['Title']), []])
    expect(await complete(key, { Kinds: ['Tag'] })).toEqual({ Completions: [], Tags: [] })
    const tagged = await complete(await keyOf(api, { ...ofShop, ResponseFields: [...open, 'tag'] }))
    expect(tagged.Tags).toHaveLength(3)
  })

  test('refuse the key everywhere once the dataset searches another field', async () => {
    await engine.datasets.create('later', { interpretedFields: ['title'], sample: products[0]! })
    const own = await keyOf(api, { Scopes: ['Search'], DataSets: ['later'], ResponseFields: ['title'] })
    expect((await search(own, {})).status).toBe(200)
    await engine.datasets.get('later').reconfigure({ interpretedFields: ['title', 'supplier'] }).finished
    const calls: [string, object][] = [
      ['Documents/Search', { Text: 'lamp' }],
      ['Search/Multi', { Searches: [{ DataSet: 'later', Text: 'lamp' }] }],
      ['Documents/Complete', { Text: 'lamp' }],
      ['Documents/Suggest', { Text: 'lamp' }],
      ['Documents/Similar', { Text: 'lamp' }],
    ]
    for (const [path, body] of calls) {
      const [status, text] = told(await post(`/api/${path}`, own, body))
      expect([path, status, text]).toEqual([
        path,
        403,
        expect.stringMatching(/is for some fields only, and later searches other fields\.$/),
      ])
    }
  })
})

describe('a public key', () => {
  let key: Sent
  beforeAll(async () => {
    key = await keyOf(api, { ...ofShop, Public: true })
  })

  test.each<[string, string, object, string]>([
    [
      'Documents/Search',
      'cursors',
      { Cursor: true },
      'Cursor is not allowed with this key, which is public and has no AllowCursor.',
    ],
    [
      'Documents/Search',
      'the page of a cursor',
      { Cursor: 'some' },
      'Cursor is not allowed with this key, which is public and has no AllowCursor.',
    ],
    [
      'Documents/Search',
      'explanations',
      { Explain: true },
      'Explain is not allowed with this key, which is public and has no AllowExplain.',
    ],
    ['Documents/Search', 'more hits', { Limit: 101 }, 'Limit is 101; expected at most 100 with this key.'],
    [
      'Documents/Search',
      'later pages',
      { Offset: 1001 },
      'Offset is 1001; expected at most 1000 with this key.',
    ],
    [
      'Documents/Search',
      'more values',
      { Facets: ['brand', { Field: 'price', Limit: 101 }] },
      'Facets[1].Limit is 101; expected at most 100 with this key.',
    ],
    [
      'Documents/Search',
      'patterns that each take a look at all words',
      { Filter: Array.from({ length: 21 }, (_, i) => `title:*${i}a`).join(' OR ') },
      'Filter has 21 patterns (*, ?, ~, CONTAINS, STARTS WITH); expected at most 20 with this key.',
    ],
    [
      'Documents/Search',
      'parts of texts, each looked for in all documents',
      { Filter: `title STARTS WITH x${' OR title CONTAINS y'.repeat(20)}` },
      'Filter has 21 patterns (*, ?, ~, CONTAINS, STARTS WITH); expected at most 20 with this key.',
    ],
    [
      'Documents/Search',
      'rules of its own',
      { Synonyms: Array(101).fill({ Synonyms: ['a', 'b'] }) },
      'Synonyms has 101 entries; expected at most 100 with this key.',
    ],
    [
      'Documents/Similar',
      'patterns beside a document',
      { Filter: `${'title:abc~ OR '.repeat(21)}title:x` },
      'Filter has 21 patterns (*, ?, ~, CONTAINS, STARTS WITH); expected at most 20 with this key.',
    ],
    [
      'Documents/Similar',
      'more similar ones',
      { Count: 101 },
      'Count is 101; expected at most 100 with this key.',
    ],
  ])('is refused by %s: %s', async (path, _, body, text) => {
    expect(told(await post(`/api/${path}`, key, { Text: 'lamp', ...body }))).toEqual([403, text])
    const search = { DataSet: 'shop', Text: 'lamp', ...body }
    if (path === 'Documents/Search')
      expect(told(await post('/api/Search/Multi', key, { Searches: [search] }))).toEqual([
        403,
        `Searches[0].${text}`,
      ])
  })

  test('makes ten searches at once and no more', async () => {
    const Searches = Array.from({ length: 11 }, () => ({ DataSet: 'shop', Text: 'lamp' }))
    const multi = (count: number) => post('/api/Search/Multi', key, { Searches: Searches.slice(0, count) })
    expect((await multi(10)).status).toBe(200)
    expect(told(await multi(11))).toEqual([
      403,
      'the number of Searches is 11; expected at most 10 with this key.',
    ])
  })

  test('may ask for what it is given', async () => {
    const own = await keyOf(api, {
      ...ofShop,
      Public: true,
      Limit: 10,
      AllowCursor: true,
      AllowExplain: true,
    })
    const { status, body } = await search(own, { Cursor: true })
    expect([status, typeof body.Cursor]).toEqual([200, 'string'])
    expect((await search(own, { Cursor: body.Cursor })).status).toBe(200)
    expect((await search(own, { Explain: true })).body.Hits[0].Explanation).toBeDefined()
    expect(told(await search(own, { Limit: 11 }))).toEqual([
      403,
      'Limit is 11; expected at most 10 with this key.',
    ])
  })

  test('works as any other where it asks for no more', async () => {
    const body = {
      Limit: 100,
      Offset: 10,
      Facets: [{ Field: 'brand', Limit: 100 }],
      Highlight: true,
      Sort: 'price',
    }
    const [own, owner] = [await search(key, body), await search({ headers: { 'X-DataSet': 'shop' } }, body)]
    expect([own.status, own.body]).toEqual([200, owner.body])
  })

  test('opens no call but those of a search box', async () => {
    for (const path of ['Documents/Classify', 'Documents/Keywords', 'Documents/Filter', 'Documents/Sample'])
      expect((await post(`/api/${path}`, key, {})).status).toBe(403)
  })
})

describe('Origins of a key', () => {
  const page = 'https://shop.example'

  test('are the only ones whose pages get an answer, which no other page can read', async () => {
    const key = await keyOf(api, { ...ofShop, Origins: [page, 'https://www.shop.example:8443'] })
    const from = (Origin?: string) => search(key, {}, Origin === undefined ? {} : { Origin })
    const right = await from(page)
    expect([right.status, right.headers.get('Access-Control-Allow-Origin')]).toEqual([200, page])
    expect(right.headers.get('Vary')).toContain('Origin')
    for (const other of [
      'https://evil.example',
      'http://shop.example',
      `${page}.evil.example`,
      'null',
      `${page}:444`,
    ]) {
      const { status, headers, body } = await from(other)
      expect([other, status, body.Errors[0]]).toEqual([
        other,
        403,
        `The key may not be used by pages of "${other}".`,
      ])
      expect(headers.has('Access-Control-Allow-Origin')).toBe(false)
    }
    // What is no page of a browser need not say where it comes from.
    expect((await from()).status).toBe(200)
  })

  test('are refused before a call is counted', async () => {
    const key = await keyOf(api, { ...ofShop, Origins: [page], RequestsPerMinute: 1 })
    for (let i = 0; i < 3; i++)
      expect((await search(key, {}, { Origin: 'https://evil.example' })).status).toBe(403)
    expect((await search(key, {}, { Origin: page })).status).toBe(200)
    expect((await search(key, {}, { Origin: page })).status).toBe(429)
  })
})

describe('RequestsPerMinutePerAddress of a key', () => {
  test('lets one address use up its own calls and none of the others, by network', async () => {
    const proxied = await startApi({ engine, config: { trustProxy: true } })
    onTestFinished(proxied.stop)
    const key = await keyOf(proxied, { ...ofShop, RequestsPerMinute: 6, RequestsPerMinutePerAddress: 2 })
    const from = async (address: string) =>
      (
        await proxied.send('POST', '/api/Documents/Search', {
          headers: { ...key.headers, 'X-Forwarded-For': address },
          body: { Text: 'lamp' },
        })
      ).status
    const statuses: number[] = []
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1'])
      statuses.push(await from(address))
    expect(statuses).toEqual([200, 200, 429, 429])
    expect(await from('2001:db8::1')).toBe(200)
    expect(await from('2001:db8::2')).toBe(200)
    expect(await from('2001:db8::3')).toBe(429)
    // Those that were refused took nothing of the key.
    expect([await from('192.0.2.2'), await from('192.0.2.3'), await from('192.0.2.4')]).toEqual([
      200, 200, 429,
    ])
  })
})

describe('a key that is exchanged', () => {
  const reader: NamedKeyInput = {
    name: 'reader',
    scopes: ['Read'],
    datasets: null,
    filter: null,
    expiresAt: null,
    requestsPerMinute: null,
  }

  test('works under the new text and the old one for a while, and no more than two', async () => {
    const own = await Engine.open()
    onTestFinished(() => own.close())
    let now = 1000
    const keys = new Keys(own.namespace('http-keys'), () => now)
    const { key: first, about } = await keys.create(reader)
    const second = await keys.exchange(about.id, 500)
    expect(second!.about).toEqual({ ...about, previousUntil: 1500 })
    const works = async (...texts: string[]) =>
      await Promise.all(texts.map(async text => (await keys.find(text))?.id === about.id))
    expect(await works(first, second!.key)).toEqual([true, true])
    const third = await keys.exchange(about.id, 500)
    expect(await works(first, second!.key, third!.key)).toEqual([false, true, true])
    // As it is after a restart.
    const later = new Keys(own.namespace('http-keys'), () => now)
    expect(await later.find(second!.key)).toEqual(third!.about)
    now = 1500
    expect(await works(second!.key, third!.key)).toEqual([false, true])
    const fourth = await keys.exchange(about.id, 0)
    expect(await works(third!.key, fourth!.key)).toEqual([false, true])
    expect((await keys.list()).length).toBe(1)
    await keys.revoke(about.id)
    expect(await works(fourth!.key)).toEqual([false])
    expect(await keys.exchange(about.id, 0)).toBeUndefined()
  })

  test('keeps all that it may, over HTTP, and says until when the old one works', async () => {
    const key = await keyOf(api, { ...ofShop, Public: true })
    const { status, body } = await api.send('POST', `/api/Keys/${key.id}/Exchange`, {
      body: { KeepOldHours: 2 },
    })
    expect([status, body.Public, body.DataSets]).toEqual([200, true, ['shop']])
    expect(Date.parse(body.PreviousUntil) - Date.now()).toBeGreaterThan(7_100_000)
    const next = { headers: { Authorization: `Bearer ${body.Key}` } }
    expect([(await search(key, {})).status, (await search(next, {})).status]).toEqual([200, 200])
    await api.send('POST', `/api/Keys/${key.id}/Exchange`, { body: { KeepOldHours: 0 } })
    expect([(await search(key, {})).status, (await search(next, {})).status]).toEqual([401, 401])
    const refused = await api.send('POST', `/api/Keys/${key.id}/Exchange`, { body: { KeepOldHours: -1 } })
    expect(told(refused)).toEqual([400, expect.stringMatching(/^KeepOldHours is -1; expected/)])
  })
})
