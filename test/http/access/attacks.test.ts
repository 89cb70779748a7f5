import { createHmac } from 'node:crypto'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import { ruleOf } from '../../../adapters/http/src/request/rules.ts'
import { type Api, routes, startApi } from '../routes/api.ts'

// Somebody has taken the key of a page, and tries whatever the page cannot do.

/** Stands in everything that the key must not tell. */
const canary = 'zanzibarium'
const page = 'https://shop.example'

const products = Array.from({ length: 60 }, (_, i) => {
  const isDraft = i % 4 === 3
  return {
    id: isDraft ? `draft-${canary}-${i}` : `p${i}`,
    title: `${['Red', 'Green', 'Blue'][i % 3]} lamp number${i % 7}${isDraft ? ` ${canary}${i}` : ''}`,
    brand: isDraft ? `${canary}brand` : ['Bosch', 'Uvex'][i % 2],
    price: 10 + (isDraft ? 900 : i),
    maker: { name: `Maker ${i % 4}`, contact: `${canary}@maker${i % 4}.example` },
    margin: (i * 7) % 53,
    supplier: `${canary} supplier ${i % 6}`,
    popularity: (i * 13) % 60,
    published: !isDraft,
    tag: [`${canary}-tag-${i % 3}`],
  }
})
const seen = products.filter(({ published }) => published)
const fields = ['title', 'brand', 'price', 'maker.name']
/** What the dataset would be if there were nothing but what the key sees. */
const bare = seen.map(({ id, title, brand, price, maker }) => ({
  id,
  title,
  brand,
  price,
  maker: { name: maker.name },
}))
const hiddenFields = ['margin', 'supplier', 'popularity', 'published', 'tag', 'maker.contact', 'maker']
const draft = products.find(({ published }) => !published)!

interface Key {
  readonly Id: string
  readonly Key: string
}

let engine: Engine
let api: Api
let taken: Key
let twin: Key
let signer: Key
let strangers: Key
let ownCursor: string
beforeAll(async () => {
  engine = await Engine.open()
  const settings = { interpretedFields: ['title'], validation: 'lenient' as const }
  const signals = { popularity: { pivot: 10, boost: 2 } }
  await engine.datasets.create('shop', { ...settings, signals, sample: products[0]! })
  await engine.datasets.create('other', { ...settings, sample: products[0]! })
  await engine.datasets.create('twin', { ...settings, sample: bare[0]! })
  await engine.datasets.get<object>('shop').documents.bulk(products)
  await engine.datasets.get<object>('other').documents.bulk(products.map(one => ({ ...one, title: canary })))
  await engine.datasets.get<object>('twin').documents.bulk(bare)
  for (const tag of [0, 1, 2])
    await engine.datasets.get('shop').tags.create({ id: `${canary}-tag-${tag}`, name: `Lamps ${canary}` })
  api = await startApi({ engine })
  const made = async (about: object): Promise<Key> => {
    const input = { Name: crypto.randomUUID(), Scopes: ['Search'], DataSets: ['shop'], ...about }
    const { status, body } = await api.send('POST', '/api/Keys', { body: input })
    expect([status, body.Errors]).toEqual([201, undefined])
    return body
  }
  const held = { Filter: 'published:true', ResponseFields: fields, Origins: [page] }
  taken = await made({ ...held, Public: true })
  signer = await made({ ...held, CanSign: true })
  strangers = await made({ DataSets: ['other'], CanSign: true })
  twin = await made({ DataSets: ['twin'], Public: true })
  const whole = await api.send('POST', '/api/Documents/Search', {
    dataset: 'shop',
    body: { Text: '', Limit: 5, Cursor: true },
  })
  ownCursor = whole.body.Cursor
})
afterAll(async () => {
  await api.stop()
  await engine.close()
})

interface Try {
  readonly what: string
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** By default the taken key. */
  readonly key?: string
  /** Whether any answer but a refusal is a success of the attack; else what is told must be what a twin tells. */
  readonly isRefused?: boolean
}

const search = '/api/Documents/Search'
const similar = '/api/Documents/Similar'
const complete = '/api/Documents/Complete'
const suggest = '/api/Documents/Suggest'
const multi = '/api/Search/Multi'

const asked = (body: object) => ({ Text: 'lamp', Limit: 100, Total: 'Exact', ...body })
const addressOf = (query: Record<string, string>) => `${search}?${new URLSearchParams(query)}`

/** Every route that is not for a page, however it is called. */
function* otherRoutes(): Generator<Try> {
  const pages = new Set([search, similar, complete, suggest, multi])
  for (const route of [...routes, ...docsRoutes([])]) {
    if (pages.has(route.path) || ruleOf(route).scopes.length === 0) continue
    for (const member of ['shop', draft.id]) {
      const path = route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(member))
      yield { what: 'another route', method: route.method, path, isRefused: true, ...exampleOf(route) }
      if (!route.path.includes('{')) break
    }
  }
  for (const path of [
    '//api//Documents//Export',
    '/API/DOCUMENTS/EXPORT',
    '/api/Documents/Search/../Export',
    '/api/Documents/Search/%2e%2e/Export',
    '/api/Documents/Search%2f..%2fExport',
    '/api/Documents/%53earch/../Changes?since=0',
    `/api/Documents/${draft.id}`,
    `/api/Documents/${draft.id}/`,
    '/api/Documents/Export/',
    '/metrics/',
  ])
    yield { what: 'another spelling of a path', method: 'GET', path, isRefused: true }
  for (const header of ['X-HTTP-Method-Override', 'X-Method-Override', 'X-Original-URL', 'X-Rewrite-URL'])
    for (const value of ['DELETE', '/api/Documents/Export'])
      yield { what: header, path: search, body: asked({}), headers: { [header]: value } }
}

const exampleOf = ({ body, example }: (typeof routes)[number]) =>
  body ? { body: typeof example?.body === 'object' ? example.body : {} } : {}

function* otherDatasets(): Generator<Try> {
  const names = ['other', 'OTHER', 'Other', ' other', 'other,shop', 'shop,other', '*', '__proto__', 'none']
  for (const name of names) {
    for (const path of [search, similar, complete, suggest])
      yield {
        what: `the dataset ${name}`,
        path,
        body: { Text: canary },
        headers: { 'X-DataSet': name },
        isRefused: true,
      }
    yield {
      what: `the dataset ${name}`,
      method: 'GET',
      path: `${search}?q=a`,
      headers: { 'X-DataSet': name },
      isRefused: true,
    }
    yield {
      what: `the dataset ${name}`,
      path: multi,
      body: { Searches: [{ DataSet: name, Text: canary }] },
      isRefused: true,
    }
  }
  const both = ['shop', 'other'].map(DataSet => ({ DataSet, Text: canary }))
  yield { what: 'another dataset behind its own', path: multi, body: { Searches: both }, isRefused: true }
  const twice = { Searches: [{ DataSet: 'shop', dataset: 'other', Text: canary }] }
  yield { what: 'a dataset named twice', path: multi, body: twice, isRefused: true }
}

/** Fields that documents do not have for this key, by all that may name one. */
function* fieldsThatAreHidden(): Generator<Try> {
  for (const field of hiddenFields) {
    const filters = [
      ...[`${field}:*`, `_exists_:${field}`, `NOT ${field}:1`, `${field}:>20`, `${field}:[1 TO 20]`],
      ...[`title:lamp AND ${field}:${canary}`, `${field}:${canary}*`, `${field} = 5`, `${field} > 20`],
      ...[
        `${field} IN [1, 2]`,
        `${field} EXISTS`,
        `(lamp OR ${field}:true)`,
        `\\${field}:1`,
        `${field.toUpperCase()}:1`,
      ],
    ]
    // Of an object that is there in part, a twin knows the name.
    for (const Filter of field === 'maker' ? [] : filters) {
      yield { what: `a filter by ${field}`, path: search, body: asked({ Filter }) }
      yield { what: `a filter by ${field}`, path: similar, body: { Text: 'lamp', Count: 100, Filter } }
    }
    const members: object[] = [
      { Filter: { Query: `${field}:1` } },
      { Sort: [`${field}:asc`] },
      { Sort: `price:asc,${field}:desc` },
      { Facets: [field] },
      { Facets: [{ Field: field, Limit: 0, Histogram: 10 }] },
      { Facets: [{ Field: field, Search: canary, Disjunctive: true }] },
      { Facets: [{ Field: field, Ranges: [{ From: 0, To: 20 }] }] },
      { GroupBy: field },
      { ResponseFieldList: [field] },
      { ResponseFieldList: ['*', field] },
      { ResponseFieldList: [`-${field}`] },
      { Highlight: { Fields: [field] } },
      { Fields: [field] },
      { Fields: { [field]: 5 } },
      { TypoTolerance: { DisableOnFields: [field] } },
    ]
    for (const member of members) {
      yield { what: `${Object.keys(member)[0]} by ${field}`, path: search, body: asked(member) }
      const one = { DataSet: 'shop', ...asked(member) }
      yield { what: `${Object.keys(member)[0]} by ${field}`, path: multi, body: { Searches: [one] } }
    }
    for (const [name, value] of [
      ['filter', `${field}:1`],
      ['sort', field],
      ['facets', field],
      ['responseFieldList', field],
    ] as const)
      yield {
        what: `${name} by ${field}`,
        method: 'GET',
        path: addressOf({ q: 'lamp', limit: '100', [name]: value }),
      }
  }
  for (const TagIdList of [[`${canary}-tag-1`], ['none']])
    yield { what: 'tags', path: search, body: asked({ Filter: { TagIdList } }), isRefused: true }
  for (const member of [
    { Signals: false },
    { ResponseFieldList: ['*'] },
    { Documents: false },
    { ResponseFieldList: ['-none'] },
  ])
    yield { what: 'all fields', path: search, body: asked(member) }
}

function* documentsThatAreHidden(): Generator<Try> {
  const words = [
    canary,
    `${canary}3`,
    `"${canary}3"`,
    canary.slice(0, 6),
    canary.replace('z', 's'),
    `-lamp ${canary}`,
  ]
  const texts = [...words, '', '*', 'lamp', `lamp ${canary}`, draft.id, `title:${canary}`, 'number3 zanzibar']
  for (const Text of texts) {
    for (const member of [
      {},
      { Prefix: true },
      { Operator: 'And', Relax: true },
      { Facets: ['brand', 'price'] },
      { Highlight: true },
    ])
      yield { what: 'words of hidden documents', path: search, body: { ...asked(member), Text } }
    for (const path of [complete, suggest]) yield { what: 'words of hidden documents', path, body: { Text } }
    if (Text !== '') yield { what: 'words of hidden documents', path: similar, body: { Text, Count: 100 } }
    yield {
      what: 'words of hidden documents',
      method: 'GET',
      path: addressOf({ q: Text, limit: '100', facets: 'brand' }),
    }
  }
  for (const Filter of [
    `id:"${draft.id}"`,
    'price:>500',
    `brand:${canary}*`,
    'NOT price:<500',
    'published:false',
    '*:*',
    '',
  ])
    yield { what: 'a filter for hidden documents', path: search, body: asked({ Text: '', Filter }) }
  for (const Filter of [
    'price:1) OR (price:>500',
    'price:1 OR *',
    '") OR ("',
    'price:>0 OR NOT published:true',
  ])
    yield { what: 'a filter out of its brackets', path: search, body: asked({ Text: '', Filter }) }
  const pinned = { Pinned: [{ Id: draft.id, Position: 1 }] }
  for (const member of [pinned, { ...pinned, Curations: false }, { Hidden: [draft.id] }])
    yield { what: 'an id of a hidden document', path: search, body: asked(member) }
  yield {
    what: 'a document like a hidden one',
    path: similar,
    body: { Id: draft.id, Count: 100 },
    isRefused: true,
  }
  yield {
    what: 'all but the seen',
    path: similar,
    body: { Text: 'lamp', Count: 100, Exclude: seen.map(({ id }) => id) },
  }
  yield { what: 'a document made like one', path: similar, body: { Document: draft, Count: 100 } }
  for (const Kinds of [['Tag'], ['Title', 'Tag']])
    yield { what: 'tags', path: complete, body: { Text: 'lamps', Kinds } }
}

function* moreThanItMay(): Generator<Try> {
  for (const member of [
    { Cursor: true },
    { Cursor: ownCursor },
    { Cursor: crypto.randomUUID() },
    { cursor: 'TRUE' },
    { Explain: true },
    { explain: 'true' },
    { Limit: 101 },
    { Limit: '1000' },
    { Limit: 10_000 },
    { Offset: 1001 },
    { Facets: [{ Field: 'brand', Limit: 101 }] },
    { Facets: [{ Field: 'brand', Limit: 10_000 }] },
  ]) {
    const name = Object.keys(member)[0]
    const { Limit: _, ...body } = asked({})
    yield { what: `more ${name}`, path: search, body: { ...body, ...member }, isRefused: true }
    const one = { DataSet: 'shop', ...body, ...member }
    yield { what: `more ${name}`, path: multi, body: { Searches: [one] }, isRefused: true }
  }
  for (const query of [{ limit: '101' }, { offset: '1001' }, { cursor: 'true' }, { explain: 'true' }])
    yield {
      what: 'more by address',
      method: 'GET',
      path: addressOf(query as Record<string, string>),
      isRefused: true,
    }
  const Searches = Array.from({ length: 11 }, () => ({ DataSet: 'shop', Text: 'lamp' }))
  yield { what: 'more searches', path: multi, body: { Searches }, isRefused: true }
  for (const [path, body] of [
    [similar, { Text: 'lamp', Count: 101 }],
    [similar, { Id: 'p1', Explain: true }],
  ] as const)
    yield { what: 'more similar ones', path, body, isRefused: true }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const later = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

function signed({ Id, Key }: Key, says: unknown, secret = hmac(Key, 'findling signed keys')): string {
  const text = `findling_signed_${Id}.${Buffer.from(JSON.stringify(says)).toString('base64url')}`
  return `${text}.${hmac(secret, text).toString('base64url')}`
}

function* wrongKeys(): Generator<Try> {
  const { Id, Key } = taken
  const good = signed(signer, { Expires: later(600), Filter: 'price:<30' })
  const [head = '', payload = '', signature = ''] = good.split('.')
  const says = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')
  const keys: string[] = [
    ...[
      Key.slice(0, -1),
      `${Key}A`,
      Key.toUpperCase(),
      Key.slice(9),
      Id,
      'findling_',
      'findling_signed_',
      '',
    ],
    // Signed with what a page has.
    ...[signed(taken, { Expires: later(60) }), signed({ Id: signer.Id, Key }, { Expires: later(60) })],
    ...[
      signed({ Id, Key: signer.Key }, { Expires: later(60) }),
      signed(strangers, { Expires: later(60), DataSets: ['shop'] }),
    ],
    ...['', 'none', Key, signer.Id].map(secret => signed(signer, { Expires: later(60) }, hmac(secret, ''))),
    signed(signer, { Expires: later(60) }, Buffer.from('')),
    // Altered.
    ...[
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `${head}..${signature}`,
      `${head}.${payload}.${signature}.${signature}`,
    ],
    ...[`${head}.${payload}.${'A'.repeat(43)}`, `${head}.${payload}${payload}.${signature}`],
    ...[{}, { Expires: later(600) }, { Expires: later(600), Filter: '*' }, { Expires: 9e9 }].map(
      claims => `${head}.${says(claims)}.${signature}`,
    ),
    ...Array.from({ length: 20 }, (_, i) => {
      const at = Math.floor((good.length * i) / 20)
      return good.slice(0, at) + (good[at] === 'x' ? 'y' : 'x') + good.slice(at + 1)
    }),
    // By who may sign, and would do more.
    ...[
      { Expires: later(-1) },
      { Expires: 0 },
      { Expires: later(90_000) },
      { Expires: later(60) * 1000 },
      {},
      { Expires: later(60), DataSets: ['other'] },
      { Expires: later(60), DataSets: ['shop', 'other'] },
      { Expires: later(60), ResponseFields: ['margin'] },
      { Expires: later(60), ResponseFields: ['maker'] },
      { Expires: later(60), ResponseFields: ['*'] },
      { Expires: later(60), Origins: ['https://evil.example'] },
      { Expires: later(60), Scopes: ['Admin'] },
      { Expires: later(60), Public: false },
      { Expires: later(60), AllowExplain: true },
      { Expires: later(60), Limit: 1 },
      { Expires: later(60), Filter: '' },
    ].map(claims => signed(signer, claims)),
  ]
  for (const key of keys) yield { what: 'a wrong key', path: search, body: asked({}), key, isRefused: true }
  for (const headers of [
    { Authorization: '', Cookie: `Authorization=Bearer ${Key}` },
    { Authorization: '', 'X-Authorization': `Bearer ${Key}` },
    { Authorization: '', 'X-Api-Key': Key },
    { Authorization: `Basic ${Buffer.from(`:${Key}`).toString('base64')}` },
    { Authorization: Key },
    { Authorization: `Bearer,${Key}` },
  ])
    yield { what: 'a key in another place', path: search, body: asked({}), headers, isRefused: true }
  yield {
    what: 'a key in the address',
    method: 'GET',
    path: addressOf({ key: Key }),
    headers: { Authorization: '' },
    isRefused: true,
  }
  // A right signed key, which widens nothing.
  for (const claims of [
    { Filter: 'published:false' },
    { Filter: `supplier:${canary}` },
    { Filter: 'margin:>20 OR published:false' },
    { Filter: `price:1) OR (published:false` },
    { DataSets: ['shop'], ResponseFields: ['title', 'price'], Limit: 10_000 },
  ]) {
    const key = signed(signer, { Expires: later(60), ...claims })
    for (const member of [{}, { Facets: ['brand'] }, { Sort: 'price:desc' }])
      yield {
        what: 'a signed key for more',
        path: search,
        body: asked({ ...member, Text: '' }),
        key,
        isRefused: false,
      }
    yield { what: 'a signed key for more', path: search, body: asked({ Limit: 101 }), key, isRefused: true }
    yield {
      what: 'a signed key that explains',
      path: search,
      body: asked({ Explain: true }),
      key,
      isRefused: true,
    }
  }
}

function* wrongOrigins(): Generator<Try> {
  const origins = [
    ...[
      'https://evil.example',
      'http://shop.example',
      `${page}:444`,
      `${page}:443`,
      `${page}/`,
      `${page}.evil.example`,
    ],
    ...[
      'https://evilshop.example',
      'https://sub.shop.example',
      'HTTPS://SHOP.EXAMPLE',
      'null',
      '*',
      `${page}, *`,
      `${page} *`,
    ],
    ...[
      `https://evil.example, ${page}`,
      'https://shop.example@evil.example',
      'file://',
      'https://shop.example%00',
      'shop.example',
    ],
  ]
  for (const Origin of origins)
    for (const path of [search, complete])
      yield {
        what: `the origin ${Origin}`,
        path,
        body: { Text: 'lamp' },
        headers: { Origin },
        isRefused: true,
      }
}

const tries = () => [
  ...otherRoutes(),
  ...otherDatasets(),
  ...fieldsThatAreHidden(),
  ...documentsThatAreHidden(),
  ...moreThanItMay(),
  ...wrongKeys(),
  ...wrongOrigins(),
]

interface Outcome {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function outcomeOf({ method = 'POST', path, body, headers }: Try, key: string): Promise<Outcome> {
  const response = await fetch(api.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && method !== 'GET' && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && method !== 'GET' && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** What counts of an answer: everything but scores and order, which may depend on what is hidden. */
function countedOf(text: string): unknown {
  const answer = JSON.parse(text)
  const hits = (one: { Hits?: { Id: string; Document?: unknown; Highlights?: unknown }[] }) => ({
    ...one,
    Hits: one.Hits?.map(({ Id, Document, Highlights }) => [Id, Document, Highlights]).sort(),
  })
  if (answer.Results) return answer.Results.map(hits)
  if (answer.Suggestions) return answer.Suggestions.map(({ Text }: { Text: string }) => Text)
  return hits(answer)
}

/** The same for the key of the twin. */
const ofTwin = (one: Try): Try => ({
  ...one,
  ...(one.body !== undefined && {
    body: JSON.parse(JSON.stringify(one.body).replaceAll('"shop"', '"twin"')),
  }),
})

/** Why a try has succeeded; undefined where it has not. */
async function successOf(one: Try): Promise<string | undefined> {
  const { status, text, headers } = await outcomeOf(one, one.key ?? taken.Key)
  if (status >= 500) return `${status}: ${text}`
  // What was sent may come back in an error; what was not may not.
  const sent = JSON.stringify([
    one.path,
    decodeURIComponent(one.path.replaceAll('+', ' ')),
    one.body,
    one.headers,
  ])
  const told = (text.match(new RegExp(`[\\w@.-]*${canary}[\\w@.-]*`, 'g')) ?? []).filter(
    word => !sent.includes(word),
  )
  if (told.length > 0) return `told ${told[0]}`
  if (one.headers?.Origin && headers.has('Access-Control-Allow-Origin')) return 'the page can read it'
  if (status >= 400) return undefined
  if (one.isRefused) return `${status}: ${text.slice(0, 200)}`
  const found = one.path.startsWith('/api/Documents/') || one.path === multi
  if (!found) return `${status}: ${text.slice(0, 200)}`
  if (one.key !== undefined) {
    const ids = [...text.matchAll(/"Id":"([^"]*)"/g)].map(([, id]) => id)
    return ids.every(id => seen.some(({ id: own }) => own === id)) ? undefined : `found ${ids}`
  }
  const other = await outcomeOf(ofTwin(one), twin.Key)
  if (other.status !== status) return `${status} where a twin says ${other.status}`
  const [own, expected] = [countedOf(text), countedOf(other.text)]
  return JSON.stringify(own) === JSON.stringify(expected)
    ? undefined
    : `other than a twin: ${text.slice(0, 300)}`
}

describe('somebody who has taken the key of a page', () => {
  test('tries more than 500 times what the page cannot do, and succeeds never', async () => {
    const all = tries()
    expect(all.length).toBeGreaterThan(500)
    const successes: string[] = []
    for (const one of all) {
      const success = await successOf(one)
      if (success)
        successes.push(
          `${one.what} (${one.method ?? 'POST'} ${one.path} ${JSON.stringify(one.body)}): ${success}`,
        )
    }
    expect(successes).toEqual([])
  }, 120_000)

  test('would be seen to succeed with a key that is held to nothing', async () => {
    const { body } = await api.send('POST', '/api/Keys', {
      body: { Name: 'all', Scopes: ['Read', 'Search'] },
    })
    const kinds = new Set<string>()
    for (const one of tries().filter(({ key, headers }) => !key && !headers)) {
      const success = await successOf({ ...one, key: body.Key, headers: { 'X-DataSet': 'shop' } })
      if (success) kinds.add(one.what.split(' ')[0]!)
    }
    const expected = ['a', 'Sort', 'Facets', 'words', 'more', 'an', 'another', 'tags', 'all']
    expect(expected.filter(kind => !kinds.has(kind))).toEqual([])
  }, 120_000)

  test('does what the page does', async () => {
    const { status, text } = await outcomeOf(
      {
        what: '',
        path: search,
        body: { Text: 'red lmp', Facets: ['brand'], Highlight: true },
        headers: { Origin: page },
      },
      taken.Key,
    )
    expect([status, JSON.parse(text).Hits.length]).toEqual([200, 10])
  })
})
