import { createHmac } from 'node:crypto'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { analyticsOptions } from '../../../adapters/http/src/config/analytics-options.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { type Api, type Sent, startApi } from '../routes/api.ts'
import { keyOf } from '../routes/named-keys.ts'
import { openShop } from '../routes/shop.ts'

let at = Date.parse('2027-05-01T22:30:00Z')
let engine: Engine
let api: Api
beforeAll(async () => {
  const ignored = JSON.stringify({ keys: ['monitor'], users: ['me'], tags: ['test'] })
  const config = readConfig({
    FINDLING_ANALYTICS: 'full',
    FINDLING_ANALYTICS_TIMEZONE: 'Europe/Berlin',
    FINDLING_ANALYTICS_IGNORE: ignored,
  })
  engine = await Engine.open({ ...analyticsOptions(config), clock: () => at })
  api = await startApi({ engine, config: { analyticsTimeZone: 'Europe/Berlin' } })
})
afterAll(async () => {
  await api.stop()
  await engine.close()
})

const post = (path: string, body: unknown, sent: Sent = {}) => api.send('POST', path, { ...sent, body })
const search = async (dataset: string, body: object, sent: Sent = {}) =>
  (await post('/api/Documents/Search', body, { dataset, ...sent })).body
const tell = async (Events: unknown[], sent: Sent = {}) => (await post('/api/Events', { Events }, sent)).body
const read = (what: string, query: Record<string, string> = {}, sent: Sent = {}) =>
  api.send('GET', `/api/Analytics/${what}?${new URLSearchParams(query)}`, sent)
const overview = async (dataSet: string, query: Record<string, string> = {}) =>
  (await read('Overview', { dataSet, ...query })).body
const exported = async (dataSet: string) => {
  const { body } = await read('Export', { dataSet })
  return (typeof body === 'string' ? body : JSON.stringify(body))
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

describe('events', () => {
  test('count once, and only of hits that an answer has shown', async () => {
    const shop = await openShop(engine)
    const { QueryId, Hits } = await search(shop, { Text: 'garden' })
    expect(Hits.map(({ Id }: { Id: string }) => Id)).toEqual(['2'])
    const click = { Type: 'Click', QueryId, Id: '2', Position: 1 }
    expect(await tell([click, { ...click, Type: 'Conversion', Value: 19 }])).toEqual({
      Counted: 2,
      Known: 0,
      Refused: [],
    })
    const wrong = [
      { ...click, Id: '1' },
      { ...click, Position: 7 },
      { ...click, QueryId: `${QueryId.slice(0, -1)}${QueryId.endsWith('A') ? 'B' : 'A'}` },
      { ...click, QueryId: '1.1.abc' },
      { ...click, Value: 5 },
      { ...click, Type: 'View', User: 'u' },
    ]
    const { Counted, Known, Refused } = await tell([click, ...wrong])
    expect([Counted, Known]).toEqual([1, 1])
    expect(Refused.map(({ Index }: { Index: number }) => Index)).toEqual([1, 2, 3, 4, 5])
    expect(Refused[2].Error).toBe('QueryId was not issued by this server; expected the QueryId of an answer.')
    expect(Refused[0].Error).toBe('Id is "1"; expected the id of a document shown in the answer.')
    expect(Refused[1].Error).toMatch(/^Position is 7; expected /)
    expect(Refused[4].Error).toBe('Value is 5; expected no value unless the type is "conversion".')
    expect(await overview(shop)).toMatchObject({
      Calls: 1,
      Clicked: 1,
      Clicks: 1,
      Conversions: 1,
      Views: 1,
      Value: 19,
      MeanPlace: 1,
      Shares: { Clicked: 1, WithoutHits: 0 },
    })
    const { Rows } = (await read('Hits', { dataSet: shop })).body
    expect(Rows).toEqual([
      { Id: '2', Shown: 1, Clicks: 1, Views: 1, Conversions: 1, Value: 19, MeanPlace: 1 },
    ])
  })

  test('are told of completions, tags and similar documents, too', async () => {
    const shop = await openShop(engine)
    await engine.datasets.get(shop).classifier()
    const asked: [path: string, body: object, id: (body: never) => string][] = [
      ['Complete', { Text: 'gar' }, ({ Completions }) => (Completions as { Text: string }[])[0]!.Text],
      ['Similar', { Id: '2', Least: 0 }, ({ Hits }) => (Hits as { Id: string }[])[0]?.Id ?? ''],
      [
        'Classify',
        { Text: 'garden hose' },
        ({ Recommendations }) => (Recommendations as { TagId: string }[])[0]!.TagId,
      ],
    ]
    for (const [path, body, idOf] of asked) {
      const answer = (await post(`/api/Documents/${path}`, body, { dataset: shop })).body
      const Id = idOf(answer as never)
      if (Id === '') continue
      const told = await tell([{ Type: 'Click', QueryId: answer.QueryId, Id }])
      expect([path, told]).toEqual([path, { Counted: 1, Known: 0, Refused: [] }])
    }
  })

  test.each<[string, unknown, number]>([
    ['none', { Events: [] }, 200],
    ['a thousand and one', { Events: Array.from({ length: 1001 }, () => ({})) }, 400],
    ['what is no list', { Events: 'x' }, 400],
    ['a list', [], 400],
    ['no type', { Events: [{ QueryId: 'q', Id: '1' }] }, 400],
    ['another type', { Events: [{ Type: 'Bought', QueryId: 'q', Id: '1' }] }, 400],
    ['other members', { Events: [{ Type: 'Click', QueryId: 'q', Id: '1', Price: 1 }] }, 400],
    ['hostile names', '{"Events":[{"Type":"Click","QueryId":"q","Id":"1","__proto__":{"User":"x"}}]}', 400],
    [
      'half a character',
      '{"Events":[{"Type":"Click","QueryId":"\\ud800","Id":"\\ud800","User":"\\udc00"}]}',
      200,
    ],
    ['a long user', { Events: [{ Type: 'Click', QueryId: 'q', Id: '1', User: 'x'.repeat(201) }] }, 400],
    ['a place below 1', { Events: [{ Type: 'Click', QueryId: 'q', Id: '1', Position: 0 }] }, 400],
    ['a value that is none', '{"Events":[{"Type":"Conversion","QueryId":"q","Id":"1","Value":1e999}]}', 400],
    ['ten megabytes', { Events: [{ Type: 'Click', QueryId: 'x'.repeat(10_000_000), Id: '1' }] }, 413],
  ])('with %s are answered with %3$i', async (_, body, expected) => {
    const { status } = await post('/api/Events', body, { headers: { 'Content-Type': 'application/json' } })
    expect(status).toBe(expected)
  })
})

describe('a page that is left', () => {
  const beacon = async (key: string, body: string, headers: Record<string, string> = {}) =>
    await fetch(`${api.url}/api/Events?${new URLSearchParams({ key })}`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'text/plain;charset=UTF-8', ...headers },
    })
  const keyWith = async (shop: string, about: object) => {
    const input = { Name: `page of ${shop}`, Scopes: ['Search'], DataSets: [shop], ...about }
    return (await post('/api/Keys', input)).body
  }

  test('sends events as plain text, with a public key in the address', async () => {
    const shop = await openShop(engine)
    const { Key } = await keyWith(shop, { Public: true, Origins: ['https://shop.example'] })
    const { QueryId } = await search(
      shop,
      { Text: 'garden' },
      { headers: { Authorization: `Bearer ${Key}` } },
    )
    const body = JSON.stringify({ Events: [{ Type: 'Click', QueryId, Id: '2' }] })
    const answer = await beacon(Key, body, { Origin: 'https://shop.example' })
    expect([answer.status, await answer.json()]).toEqual([200, { Counted: 1, Known: 0, Refused: [] }])
    expect((await beacon(Key, body, { Origin: 'https://other.example' })).status).toBe(403)
    expect((await beacon(Key, 'Events=1')).status).toBe(400)
    expect((await overview(shop)).Clicks).toBe(1)
  })

  test('cannot do so with any other key, nor call anything else', async () => {
    const shop = await openShop(engine)
    const { Id, Key } = await keyWith(shop, { CanSign: true })
    const refused = await beacon(Key, '{"Events":[]}')
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { Errors: ['The key in the URL is not public; expected it in the Authorization header.'] },
    ])
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const payload = Buffer.from(JSON.stringify({ Expires: Math.floor(at / 1000) })).toString('base64url')
    const text = `findling_signed_${Id}.${payload}`
    const signed = `${text}.${hmac(hmac(Key, 'findling signed keys'), text).toString('base64url')}`
    expect((await beacon(signed, '{"Events":[]}')).status).toBe(401)
    expect((await beacon('s3cr3t-for-tests', '{"Events":[]}')).status).toBe(401)
    expect((await beacon('findling_none', '{"Events":[]}')).status).toBe(401)
    const page = await keyWith(`${shop}-2`.slice(0, 40), { Public: true })
    for (const path of ['Documents/Search', 'Documents/Complete', 'Search/Multi']) {
      const address = `${api.url}/api/${path}?key=${page.Key}`
      const { status } = await fetch(address, { method: 'POST', body: '{"Text":"a"}' })
      expect([path, status]).toEqual([path, 401])
    }
    const plain = await post('/api/Documents/Search', '{"Text":"a"}', {
      dataset: shop,
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(plain.status).toBe(415)
  })
})

describe('who asks', () => {
  test('is told by the body, the header or the key, and kept as a hash and a name only', async () => {
    const shop = await openShop(engine)
    const { headers } = await keyOf(api, { Scopes: ['Search'], Name: `app of ${shop}` })
    await search(
      shop,
      { Text: 'garden', User: 'anna@example.com', Tags: ['mobile', 'de'] },
      { headers: headers! },
    )
    await search(shop, { Text: 'garden' }, { headers: { 'X-User': 'anna@example.com' } })
    await search(shop, { Text: 'garden', User: 'bert' }, { headers: { 'X-User': 'anna@example.com' } })
    const rows = await exported(shop)
    const [first, second, third] = rows
    expect(first).toMatchObject({ key: `app of ${shop}`, tags: ['de', 'mobile'], text: 'garden' })
    expect(first.user).toBe(second.user)
    expect(third.user).not.toBe(first.user)
    expect(second.key).toBeNull()
    expect(JSON.stringify(rows)).not.toMatch(/anna|bert|findling_/)
    expect((await overview(shop)).Users).toEqual({ Count: 2, Exact: true })
    expect((await overview(shop, { tag: 'mobile' })).Calls).toBe(1)
  })

  test('is the visitor of a signed key, whatever the page says', async () => {
    const shop = await openShop(engine)
    const parent = { Name: `backend of ${shop}`, Scopes: ['Search'], DataSets: [shop], CanSign: true }
    const { Id, Key } = (await post('/api/Keys', parent)).body
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const keyFor = (Visitor: string) => {
      const says = { Expires: Math.floor(Date.now() / 1000) + 600, Visitor }
      const text = `findling_signed_${Id}.${Buffer.from(JSON.stringify(says)).toString('base64url')}`
      const signature = hmac(hmac(Key, 'findling signed keys'), text).toString('base64url')
      return { headers: { Authorization: `Bearer ${text}.${signature}` } }
    }
    for (const [visitor, User] of [
      ['v1', 'x'],
      ['v1', 'y'],
      ['v2', 'x'],
    ] as const)
      await search(shop, { Text: 'garden', User }, keyFor(visitor))
    expect((await overview(shop)).Users.Count).toBe(2)
  })

  test('is not counted where the settings or the call say so', async () => {
    const shop = await openShop(engine)
    const { headers } = await keyOf(api, { Scopes: ['Search'], Name: 'monitor' })
    const answers = [
      await search(shop, { Text: 'garden' }, { headers: headers! }),
      await search(shop, { Text: 'garden', User: 'me' }),
      await search(shop, { Text: 'garden', Tags: ['test'] }),
      await search(shop, { Text: 'garden', Analytics: false }),
    ]
    expect(answers.map(({ QueryId }) => QueryId)).toEqual([undefined, undefined, undefined, undefined])
    const { Results } = (
      await post('/api/Search/Multi', {
        Searches: [
          { DataSet: shop, Text: 'garden' },
          { DataSet: shop, Text: 'garden', Analytics: false, Limit: 0 },
        ],
      })
    ).body
    expect(Results.map(({ QueryId }: { QueryId?: string }) => typeof QueryId)).toEqual([
      'string',
      'undefined',
    ])
    expect((await overview(shop)).Calls).toBe(1)
  })

  test('has a name of at most 200 characters', async () => {
    const shop = await openShop(engine)
    const long = await post(
      '/api/Documents/Search',
      { Text: 'a' },
      { dataset: shop, headers: { 'X-User': 'x'.repeat(201) } },
    )
    expect([long.status, long.body.Errors]).toEqual([
      400,
      ['X-User has 201 characters; expected at most 200.'],
    ])
    const body = await post('/api/Documents/Search', { Text: 'a', User: '' }, { dataset: shop })
    expect([body.status, body.body.Errors[0].slice(0, 4)]).toEqual([400, 'User'])
  })
})

describe('a search service', () => {
  test('answers as in 1.5.0, unless a query id is asked for', async () => {
    const shop = await openShop(engine)
    await engine.services.create({ type: 'search', alias: shop, name: shop })
    const service = engine.services.get(shop, 'search')
    await service.prepare({ dataset: shop })
    await service.activate()
    const ask = async (more: object) =>
      (await post(`/api/Services/Search/${shop}`, { Text: 'garden', ...more })).body
    expect(await ask({})).not.toHaveProperty('QueryId')
    const { QueryId } = await ask({ WithQueryId: true })
    expect(await tell([{ Type: 'Click', QueryId, Id: '2' }])).toMatchObject({ Counted: 1 })
    expect(await overview(shop, { service: shop })).toMatchObject({ Calls: 2, Clicks: 1 })
  })
})

describe('figures', () => {
  test('are of days in the time zone of the settings', async () => {
    const shop = await openShop(engine)
    // In Berlin it is the second of May, half an hour after midnight.
    await search(shop, { Text: 'garden' })
    const calls = async (query: Record<string, string>) => (await overview(shop, query)).Calls
    expect(await calls({ from: '2027-05-02', to: '2027-05-03' })).toBe(1)
    expect(await calls({ from: '2027-05-01', to: '2027-05-02' })).toBe(0)
    expect(await calls({ from: '2027-05-01T22:00:00Z', per: 'Hour' })).toBe(1)
    const { Points } = (await read('Series', { dataSet: shop })).body
    expect(Points.map(({ At, Per, Calls }: never) => [At, Per, Calls])).toEqual([
      ['2027-05-01T22:00:00.000Z', 'Day', 1],
    ])
  })

  test('list what was asked for, what was not found, and what was typed then', async () => {
    const shop = await openShop(engine)
    for (const User of ['a', 'b', 'c']) {
      await search(shop, { Text: 'lawn pipe', Operator: 'And', User })
      at += 10_000
      const { QueryId } = await search(shop, {
        Text: 'garden hose',
        Filter: 'price:<50',
        Facets: ['price'],
        User,
      })
      await tell([{ Type: 'Click', QueryId, Id: '2', User }])
    }
    const { Rows } = (await read('Queries', { dataSet: shop, kind: 'WithoutHits' })).body
    expect(Rows).toMatchObject([
      { Text: 'lawn pipe', Calls: 3, WithoutHits: 3, Next: [{ Text: 'garden hose', Times: 3 }] },
    ])
    const { Synonyms, Missing } = (await read('Suggestions', { dataSet: shop })).body
    expect(Synonyms).toEqual([{ DataSet: shop, Typed: 'lawn pipe', Meant: 'garden hose', Times: 3 }])
    expect(Missing).toMatchObject([{ DataSet: shop, Text: 'lawn pipe', WithoutHits: 3 }])
    const filters = (await read('Filters', { dataSet: shop })).body.Rows
    expect(filters).toContainEqual({ Kind: 'Facet', Field: 'price', Value: null, Calls: 3 })
    const csv = await read('Export', { dataSet: shop, format: 'Csv' })
    expect(csv.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(csv.body.trimEnd().split('\n')).toHaveLength(1 + 9)
    expect(csv.body).toMatch(/^at,type,dataset,service,user,/)
    const [row] = await exported(shop)
    expect(Object.keys(row)).toContain('text')
    expect(Object.keys(row)).not.toContain('queryId')
  })

  test('lose what is erased', async () => {
    const shop = await openShop(engine)
    await search(shop, { Text: 'garden', User: 'gone' })
    await search(shop, { Text: 'hose', User: 'stays' })
    await post('/api/Analytics/Erase', { DataSet: shop, User: 'gone' })
    expect((await exported(shop)).map(({ text }) => text)).toEqual(['hose'])
    await post('/api/Analytics/Erase', { DataSet: shop, Before: '2028-01-01' })
    expect((await overview(shop)).Calls).toBe(0)
  })

  test.each<[string, Record<string, string>, string]>([
    ['Overview', { from: '01.05.2027' }, 'From is "01.05.2027"; expected a day'],
    ['Overview', { from: '2027-02-31' }, 'From is "2027-02-31"; expected a day'],
    ['Overview', { to: '2027-02-29T12:00:00Z' }, 'To is "2027-02-29T12:00:00Z"; expected a day'],
    ['Overview', { from: '2027-05-02', to: '2027-05-01' }, 'To is "2027-05-01"; expected a day'],
    ['Suggestions', { from: '2027-05-02', to: '2027-05-01' }, 'To is "2027-05-01"; expected a day'],
    ['Overview', { per: 'week' }, 'Per is "week"'],
    ['Overview', { call: 'buy' }, 'Call is "buy"'],
    ['Queries', { kind: 'bottom' }, 'Kind is "bottom"'],
    ['Queries', { limit: '0' }, 'Limit is 0'],
    ['Hits', { limit: '9999' }, 'Limit is 9999'],
    ['Filters', { tag: 'x'.repeat(201) }, 'Tag is'],
    ['Suggestions', { call: 'Search' }, 'call is "Search"; expected no such member'],
    ['Export', { format: 'xlsx' }, 'Format is "xlsx"'],
    ['Overview', { dataSet: '../x' }, 'DataSet is "../x"'],
  ])('are refused where %s is asked for with %j', async (what, query, text) => {
    const { status, body } = await read(what, query)
    expect([status, body.Errors[0].slice(0, text.length)]).toEqual([400, text])
  })
})

describe('a key for analytics', () => {
  test('that is for some datasets sees these alone', async () => {
    const [own, other] = [await openShop(engine), await openShop(engine)]
    for (const shop of [own, other]) await search(shop, { Text: 'garden' })
    const one = await keyOf(api, { Scopes: ['Analytics'], DataSets: [own] })
    const two = await keyOf(api, { Scopes: ['Analytics', 'Write'], DataSets: [own, 'more'] })
    const names = ['Overview', 'Queries', 'Series', 'Hits', 'Filters', 'Suggestions', 'Export']
    for (const what of names) {
      const statuses = [
        (await read(what, {}, one)).status,
        (await read(what, { dataSet: own }, one)).status,
        (await read(what, { dataSet: other }, one)).status,
        (await read(what, { dataSet: 'nowhere' }, one)).status,
        (await read(what, {}, two)).status,
      ]
      expect([what, statuses]).toEqual([what, [200, 200, 403, 403, 403]])
    }
    expect((await read('Overview', {}, one)).body.Calls).toBe(1)
    expect((await post('/api/Analytics/Erase', { User: 'u' }, two)).status).toBe(403)
  })

  test('erases only where it may write as well, and only of its datasets', async () => {
    const [own, other] = [await openShop(engine), await openShop(engine)]
    for (const shop of [own, other]) await search(shop, { Text: 'garden' })
    const erase = async (Scopes: string[], DataSet: string) => {
      const key = await keyOf(api, { Scopes, DataSets: [own] })
      return await post('/api/Analytics/Erase', { DataSet, Text: 'garden' }, key)
    }
    const refused = await erase(['Analytics'], own)
    expect([refused.status, refused.body.Errors]).toEqual([
      403,
      [expect.stringMatching(/ has Analytics; this call needs Analytics and Write\.$/)],
    ])
    expect((await erase(['Write', 'Read', 'Search'], own)).status).toBe(403)
    expect((await erase(['Analytics', 'Write'], other)).status).toBe(403)
    expect((await exported(own)).map(({ text }) => text)).toEqual(['garden'])
    expect((await erase(['Analytics', 'Write'], own)).status).toBe(200)
    expect((await exported(own)).map(({ text }) => text)).not.toContain('garden')
    expect((await exported(other)).map(({ text }) => text)).toEqual(['garden'])
  })

  test('is told in the same words of a dataset that there is and of one that there is not', async () => {
    const [own, other] = [await openShop(engine), await openShop(engine)]
    const key = await keyOf(api, { Scopes: ['Analytics'], DataSets: [own] })
    const words = async (dataSet: string) => (await read('Overview', { dataSet }, key)).body.Errors
    expect(await words(other)).toEqual(await words('nowhere'))
  })

  test('searches nothing, and a key for searches sees no figures', async () => {
    const shop = await openShop(engine)
    const analyst = await keyOf(api, { Scopes: ['Analytics'] })
    const page = await keyOf(api, { Scopes: ['Search', 'Read', 'Write'] })
    expect((await post('/api/Documents/Search', { Text: 'a' }, { ...analyst, dataset: shop })).status).toBe(
      403,
    )
    expect((await read('Overview', {}, page)).status).toBe(403)
    const filtered = { Name: 'f', Scopes: ['Analytics'], DataSets: [shop], Filter: 'price:>5' }
    expect((await post('/api/Keys', filtered)).status).toBe(400)
  })
})

test('what /metrics shows has rates of searches and events, and no text', async () => {
  const own = await startApi({ engine })
  onTestFinished(() => own.stop())
  const shop = await openShop(engine)
  const ask = async (Text: string) =>
    (await own.send('POST', '/api/Documents/Search', { dataset: shop, body: { Text, User: 'somebody' } }))
      .body
  const { QueryId } = await ask('garden')
  await ask('unheardof')
  const Events = [{ Type: 'Click', QueryId, Id: '2' }]
  for (let i = 0; i < 2; i++) await own.send('POST', '/api/Events', { body: { Events } })
  const { body } = await own.send('GET', '/metrics')
  expect(body).toContain('\nfindling_searches_total 2\n')
  expect(body).toContain('\nfindling_searches_without_hits_total 1\n')
  expect(body).toContain('\nfindling_search_events_total{type="click"} 1\n')
  expect(body).toContain('\nfindling_search_events_total{type="view"} 0\n')
  expect(body).not.toMatch(/unheardof|somebody/)
})

test('without analytics no answer has a query id, and their calls say that they are off', async () => {
  const off = await startApi()
  onTestFinished(() => off.stop())
  const shop = await openShop(off.engine)
  const { body } = await off.send('POST', '/api/Documents/Search', {
    dataset: shop,
    body: { Text: 'garden' },
  })
  expect(body).not.toHaveProperty('QueryId')
  const { status, body: told } = await off.send('GET', '/api/Analytics/Overview')
  expect([status, told.Errors]).toEqual([
    409,
    ['The analytics are off; the server keeps them with FINDLING_ANALYTICS=counts or full.'],
  ])
})
