import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Keys } from '../../../adapters/http/src/access/keys.ts'
import { type Api, type Reply, type Sent, startApi } from '../routes/api.ts'

const products = Array.from({ length: 30 }, (_, i) => ({
  id: `p${i}`,
  title: `lamp ${i}`,
  price: i,
  shop: i % 3,
  customer: i % 2,
}))

let engine: Engine
let api: Api
beforeAll(async () => {
  engine = await Engine.open()
  for (const name of ['shop', 'other']) {
    await engine.datasets.create(name, { interpretedFields: ['title'], sample: products[0]! })
    await engine.datasets.get<object>(name).documents.bulk(products)
  }
  api = await startApi({ engine })
})
afterAll(async () => {
  await api.stop()
  await engine.close()
})

interface Parent {
  readonly Id: string
  readonly Key: string
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The same as in the README, in other words. */
function signed({ Id, Key }: Parent, says: unknown): string {
  const payload = Buffer.from(typeof says === 'string' ? says : JSON.stringify(says)).toString('base64url')
  const text = ['findling_signed_', Id, '.', payload].join('')
  return `${text}.${hmac(hmac(Key, 'findling signed keys'), text).toString('base64url')}`
}

let made = 0
async function parentOf(about: object, by: Api = api): Promise<Parent> {
  const input = { Name: `parent ${made++}`, Scopes: ['Search'], DataSets: ['shop'], CanSign: true, ...about }
  const { status, body } = await by.send('POST', '/api/Keys', { body: input })
  expect([status, body.Errors]).toEqual([201, undefined])
  return body
}

const soon = () => Math.floor(Date.now() / 1000) + 600
const withKey = (key: string, headers = {}): Sent => ({
  headers: { Authorization: `Bearer ${key}`, ...headers },
})
const search = (key: string, body: object = {}, headers: object = { 'X-DataSet': 'shop' }) =>
  api.send('POST', '/api/Documents/Search', {
    ...withKey(key, headers),
    body: { Text: 'lamp', Limit: 100, ...body },
  })
const idsOf = ({ body }: Reply) => new Set(body.Hits.map(({ Id }: { Id: string }) => Id))
const withIds = (matches: (one: (typeof products)[number]) => boolean) =>
  new Set(products.filter(matches).map(({ id }) => id))

describe('a signed key', () => {
  test('is made by the snippet of the README, which prints what it says', async () => {
    const readme = await readFile(new URL('../../../adapters/http/README.md', import.meta.url), 'utf8')
    const [, snippet = '', , printed = ''] =
      /^```js\n(import \{ createHmac.*?)^```\n(.*?)^```\n(findling_signed_.*?)\n```/ms.exec(readme) ?? []
    const run = (code: string) =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim()
    expect(run(snippet)).toBe(printed)
    const { Id, Key } = await parentOf({ DataSets: ['shop'] })
    const own = `console.log(signKey(${JSON.stringify({ Id, Key })}, { Expires: ${soon()}, Filter: 'customer:1' }))`
    const key = run(snippet.replace(/^console\.log.*$/m, own))
    expect(idsOf(await search(key))).toEqual(withIds(({ customer }) => customer === 1))
  })

  test('has both filters, the least limit, and the fields and datasets that are left', async () => {
    const parent = await parentOf({
      DataSets: ['shop', 'other'],
      Filter: 'shop:1',
      ResponseFields: ['title', 'price'],
      Limit: 50,
    })
    const says = { Expires: soon(), DataSets: ['shop'], ResponseFields: ['title'], Limit: 60 }
    const key = signed(parent, { ...says, Filter: 'customer:1 OR customer:0) OR (shop:2' })
    // No text gets out of its brackets.
    const refused = await search(key, { Limit: 50 })
    expect([refused.status, refused.body.Errors]).toEqual([400, ['the filter of the key[1] cannot be read.']])
    const narrow = signed(parent, { ...says, Filter: 'customer:1 OR shop:2' })
    const found = await search(narrow, { Limit: 50 })
    expect(idsOf(found)).toEqual(withIds(({ shop, customer }) => shop === 1 && customer === 1))
    expect(
      new Set(found.body.Hits.flatMap(({ Document }: { Document: object }) => Object.keys(Document))),
    ).toEqual(new Set(['id', 'title']))
    expect((await search(narrow, { Limit: 51 })).body.Errors).toEqual([
      'Limit is 51; expected at most 50 with this key.',
    ])
    expect((await search(narrow, { Limit: 50 }, { 'X-DataSet': 'other' })).status).toBe(403)
    expect((await search(narrow, { Limit: 50 }, {})).status).toBe(200)
  })

  test('has a filter that is bounded by itself, not together with that of its parent', async () => {
    const words = Array.from({ length: 600 }, (_, i) => i.toString(36)).join(' ')
    const parent = await parentOf({ Filter: `shop:1 ${words}` })
    const found = await search(signed(parent, { Expires: soon(), Filter: `customer:1 ${words}` }))
    expect([found.status, found.body.Errors]).toEqual([200, undefined])
    const tooMany = Array.from({ length: 1_025 }, (_, i) => i.toString(36)).join(' ')
    const refused = await search(signed(parent, { Expires: soon(), Filter: tooMany }))
    expect([refused.status, refused.body.Errors]).toEqual([400, ['the filter of the key[1] cannot be read.']])
  })

  test('is good for searches alone, as a public key, whatever its parent may do', async () => {
    const parent = await parentOf({ Scopes: ['Read', 'Search', 'Write'] })
    const key = signed(parent, { Expires: soon() })
    expect((await search(key)).status).toBe(200)
    for (const body of [{ Limit: 101 }, { Cursor: true }, { Explain: true }, { Offset: 1001 }])
      expect((await search(key, body)).status).toBe(403)
    for (const [method, path] of [
      ['GET', '/api/DataSets'],
      ['GET', '/api/Keys'],
      ['POST', '/api/Documents/Filter'],
      ['POST', '/api/Documents/Keywords'],
      ['DELETE', '/api/DataSets/shop'],
    ] as const)
      expect((await api.send(method, path, withKey(key, { 'X-DataSet': 'shop' }))).status).toBe(403)
    const paging = signed(await parentOf({ AllowCursor: true }), { Expires: soon() })
    expect((await search(paging, { Cursor: true, Limit: 5 })).status).toBe(200)
    expect((await search(paging, { Explain: true })).status).toBe(403)
  })

  test.each<[string, (now: number) => unknown, RegExp]>([
    ['that has expired', now => ({ Expires: now - 1 }), /has expired/],
    ['for longer than a day', now => ({ Expires: now + 86_400 + 400 }), /at most 24 hours/],
    ['in milliseconds', now => ({ Expires: now * 1000 }), /at most 24 hours/],
    ['without an end', () => ({}), /Expires is missing/],
    ['with a part of a second', now => ({ Expires: now + 10.5 }), /Expires is/],
    ['of another scope', now => ({ Expires: now + 10, Scopes: ['Admin'] }), /Scopes is/],
    ['for another dataset', now => ({ Expires: now + 10, DataSets: ['other'] }), /DataSets\[0\] is "other"/],
    [
      'for more fields',
      now => ({ Expires: now + 10, ResponseFields: ['title', 'shop'] }),
      /ResponseFields\[1\]/,
    ],
    ['for another origin', now => ({ Expires: now + 10, Origins: ['https://evil.example'] }), /Origins\[0\]/],
    ['with a blank filter', now => ({ Expires: now + 10, Filter: ' ' }), /Filter is/],
    ['with cursors', now => ({ Expires: now + 10, AllowCursor: true }), /AllowCursor is/],
    ['that says a list', () => [], /its content is/],
    ['that says null', () => 'null', /its content is/],
    ['that is no JSON', () => '{', /not JSON/],
    ['with a member of every object', now => `{"Expires":${now + 10},"__proto__":{"a":1}}`, /__proto__ is/],
  ])('is refused %s, and says why', async (_, says, text) => {
    const parent = await parentOf({
      DataSets: ['shop'],
      ResponseFields: ['title'],
      Origins: ['https://shop.example'],
    })
    const { status, body } = await search(signed(parent, says(Math.floor(Date.now() / 1000))))
    expect([status, body.Errors]).toEqual([401, [expect.stringMatching(text)]])
  })

  test('is refused as any wrong key where its signature is not right', async () => {
    const parent = await parentOf({})
    const other = await parentOf({})
    const { body: unable } = await api.send('POST', '/api/Keys', {
      body: { Name: 'unable', Scopes: ['Search'] },
    })
    const key = signed(parent, { Expires: soon() })
    const [text = '', payload = '', signature = ''] = key.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.at(-1)!) + 1]
    const bytesOf = (text: string) => Buffer.from(text, 'base64url')
    expect([twin === signature, bytesOf(twin).equals(bytesOf(signature))]).toEqual([false, true])
    const wrong = [
      signed({ ...parent, Key: other.Key }, { Expires: soon() }),
      signed({ ...parent, Id: other.Id }, { Expires: soon() }),
      signed({ ...parent, Id: crypto.randomUUID() }, { Expires: soon() }),
      signed(unable, { Expires: soon() }),
      `${text}.${payload}.${twin}`,
      `${text}.${payload}.${signature.toUpperCase()}`,
      `${text}.${payload}.${signature}=`,
      `${text}.${payload}`,
      `${text}.${payload}A.${signature}`,
      `${text}.${Buffer.from(`{"Expires":${soon() + 1}}`).toString('base64url')}.${signature}`,
      `${text.toUpperCase()}.${payload}.${signature}`,
      `${text}.${payload}.${hmac('', `${text}.${payload}`).toString('base64url')}`,
      `${text}.${payload}.${hmac(parent.Key, `${text}.${payload}`).toString('base64url')}`,
      `${key}.${signature}`,
      signed(parent, { Expires: soon(), Filter: 'x'.repeat(9000) }),
    ]
    for (const one of wrong) {
      const { status, body } = await search(one)
      expect([one, status, body.Errors[0]]).toEqual([
        one,
        401,
        expect.stringContaining('The secret is wrong, or the word before it'),
      ])
    }
    expect((await search(key)).status).toBe(200)
  })

  test('ends with its parent: when that is removed, expires, or has been exchanged', async () => {
    const own = await Engine.open()
    onTestFinished(() => own.close())
    let now = 1_900_000_000_000
    const keys = new Keys(own.namespace('http-keys'), () => now)
    const make = async (expiresAt: number | null) => {
      const input = { name: `key ${expiresAt}`, datasets: null, filter: null, requestsPerMinute: null }
      const { about, key } = await keys.create({ ...input, scopes: ['Search'], canSign: true, expiresAt })
      return { Id: about.id, Key: key }
    }
    const says = { Expires: 1_900_000_600 }
    const lasting = await make(null)
    const first = signed(lasting, says)
    expect(await keys.grant(first)).toMatchObject({ id: lasting.Id, scopes: ['Search'], isPublic: true })
    const ending = signed(await make(now + 1000), says)
    now += 1000
    await expect(keys.grant(ending)).rejects.toThrow('has expired')
    const next = await keys.exchange(lasting.Id, 5000)
    const second = signed({ Id: lasting.Id, Key: next!.key }, says)
    const are = async () => [await keys.grant(first), await keys.grant(second)].map(one => one !== undefined)
    expect(await are()).toEqual([true, true])
    now += 5000
    expect(await are()).toEqual([false, true])
    await keys.revoke(lasting.Id)
    expect(await are()).toEqual([false, false])
  })

  test('has calls of its own, of a visitor and of an address, beside those of its parent', async () => {
    const parent = await parentOf({ RequestsPerMinute: 6 })
    const visitor = (Visitor: string, more = {}) =>
      signed(parent, { Expires: soon(), RequestsPerMinute: 2, Visitor, ...more })
    const status = async (key: string) => (await search(key)).status
    expect([await status(visitor('a')), await status(visitor('a', { Filter: 'shop:1' }))]).toEqual([200, 200])
    expect([await status(visitor('a')), await status(visitor('b'))]).toEqual([429, 200])
    const each = signed(parent, { Expires: soon(), RequestsPerMinutePerAddress: 1 })
    expect([await status(each), await status(each)]).toEqual([200, 429])
    const unbound = signed(parent, { Expires: soon() })
    expect([await status(unbound), await status(unbound), await status(unbound)]).toEqual([200, 200, 429])
  })

  test('needs nothing on the disk by which more than its like could be made', async () => {
    const store = await mkdtemp(join(tmpdir(), 'findling-signing-'))
    onTestFinished(() => rm(store, { recursive: true, force: true }))
    const first = await Engine.open({ store })
    const input = { name: 'signer', datasets: null, filter: null, requestsPerMinute: null, expiresAt: null }
    const made = await new Keys(first.namespace('http-keys')).create({
      ...input,
      scopes: ['Search'],
      canSign: true,
    })
    await first.close()
    const secret = hmac(made.key, 'findling signed keys').toString('base64url')
    const files = await Promise.all((await readdir(store)).map(name => readFile(join(store, name))))
    const holds = (text: string) => files.some(bytes => bytes.includes(text))
    expect([holds(secret), holds(made.key.slice('findling_'.length))]).toEqual([true, false])
    const second = await Engine.open({ store })
    onTestFinished(() => second.close())
    const keys = new Keys(second.namespace('http-keys'))
    expect(await keys.grant(signed({ Id: made.about.id, Key: made.key }, { Expires: soon() }))).toBeDefined()
    expect(await keys.grant(secret)).toBeUndefined()
    expect(await keys.grant(`findling_${secret}`)).toBeUndefined()
  })
})
