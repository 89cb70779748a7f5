import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Caller } from '../../../adapters/http/src/access/caller.ts'
import { type Scope, scopes } from '../../../adapters/http/src/access/keys.ts'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import { ruleOf, rules } from '../../../adapters/http/src/request/rules.ts'
import type { Route } from '../../../adapters/http/src/route.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { contractTable } from '../contract-table.ts'
import { type Api, routes, type Sent, startApi } from '../routes/api.ts'
import { keyOf } from '../routes/named-keys.ts'

const table = [...routes, ...docsRoutes([])]
const endpointOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const keyed = table.filter(route => ruleOf(route).scopes.length > 0)

let engine: Engine
let api: Api
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-rules-'))
  engine = await Engine.open()
  await engine.datasets.create('mine', { sample: { id: '1', title: 'A lamp', shop: 42 } })
  await engine.datasets.create('other')
  api = await startApi({
    engine,
    updater: createUpdater([]),
    config: { backupFolder: join(folder, 'backup') },
  })
})
afterAll(async () => {
  await api.stop()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

/** A call with nothing in it, with the given word at each member of its path. */
async function call(route: { method: string; path: string }, sent: Sent, member = 'none'): Promise<number> {
  return (await api.send(route.method, route.path.replaceAll(/\{\w+\}/g, member), sent)).status
}

describe('the table of who may call what', () => {
  test('has a row for every route, and none for what is neither one nor to come', () => {
    const toCome = contractTable.filter(row => !row.delivered).map(({ endpoint }) => endpoint)
    expect(table.map(endpointOf).filter(endpoint => !rules.has(endpoint))).toEqual([])
    const known = new Set([...table.map(endpointOf), ...toCome])
    expect([...rules.keys()].filter(endpoint => !known.has(endpoint))).toEqual([])
  })

  test('has every operation of the OpenAPI document', async () => {
    const { body } = await api.send('GET', '/openapi.json')
    const shape = (endpoint: string) => endpoint.replaceAll(/\{\w+\}/g, '{}')
    const shapes = new Set([...rules.keys()].map(shape))
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => shape(`${method.toUpperCase()} ${path}`)),
    )
    expect(operations.length).toBeGreaterThan(60)
    expect(operations.filter(operation => !shapes.has(operation))).toEqual([])
  })

  test('lets a route that it does not know be called with the scope Admin only', () => {
    expect(ruleOf({ method: 'GET', path: '/api/New' })).toEqual({
      scopes: ['Admin'],
      needsEach: false,
      datasets: 'installation',
      heedsFilter: false,
    })
  })

  test('holds to a header only routes that refuse to do without a dataset', () => {
    const held = table.filter(route => {
      const { datasets } = ruleOf(route)
      if (typeof datasets !== 'function') return false
      const call = { headers: new Headers({ 'X-DataSet': 'mine' }), path: {}, body: {}, engine }
      try {
        return datasets({ ...call, caller: Caller.owner }).includes('mine')
      } catch {
        return false // it looks into a body that is not there
      }
    })
    expect(held.length).toBeGreaterThan(20)
    expect(held.filter(({ dataset }) => !dataset).map(endpointOf)).toEqual([])
  })

  test('leaves nothing open that changes data, and nothing below /api', () => {
    const open = table.filter(route => ruleOf(route).scopes.length === 0)
    expect(open.filter(({ path }) => path.startsWith('/api'))).toEqual([])
    expect(open.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/setup'))).toEqual([])
  })
})

describe('a call', () => {
  test.each(keyed.map(endpointOf))('%s is refused without a key', async endpoint => {
    const [method = '', path = ''] = endpoint.split(' ')
    expect(await call({ method, path }, { headers: { Authorization: '' } })).toBe(401)
  })

  test.each<[Scope]>(scopes.map(scope => [scope]))(
    'is taken from a key with the scope %s where that is enough, and nowhere else',
    async scope => {
      const sent = await keyOf(api, { Scopes: [scope] })
      const refused: string[] = []
      for (const route of keyed) if ((await call(route, sent)) === 403) refused.push(endpointOf(route))
      const expected = keyed.filter(route => {
        const { scopes, needsEach } = ruleOf(route)
        return scope !== 'Admin' && (needsEach || !scopes.includes(scope))
      })
      expect(refused).toEqual(expected.map(endpointOf))
    },
  )

  test('says which scope it needs, in the answer and in the document', async () => {
    const { body } = await api.send('POST', '/api/Keys', await keyOf(api, { Scopes: ['Search', 'Read'] }))
    expect(body.Errors).toEqual([
      expect.stringMatching(/^The key ".*" has Search, Read; this call needs Admin\.$/),
    ])
    const document = (await api.send('GET', '/openapi.json')).body
    expect(document.paths['/api/Processes/{id}'].get.description).toBe(
      'Needs a key with the scope Read or Write.',
    )
    expect(document.paths['/api/Analytics/Erase'].post.description).toBe(
      'Needs a key with the scope Analytics and Write.',
    )
  })
})

describe('a key for one dataset', () => {
  const all = { Scopes: ['Read', 'Search', 'Write'], DataSets: ['mine'] }

  test('is refused where the whole installation is concerned', async () => {
    const sent = await keyOf(api, all)
    for (const route of keyed) {
      if (ruleOf(route).datasets !== 'installation') continue
      expect([endpointOf(route), await call(route, sent)]).toEqual([endpointOf(route), 403])
    }
  })

  test('is refused for every other dataset, in the same words whether that exists or not', async () => {
    const sent = await keyOf(api, all)
    const texts = new Set<string>()
    const held = keyed.filter(route => typeof ruleOf(route).datasets === 'function')
    expect(held.length).toBeGreaterThan(25)
    for (const route of held) {
      for (const name of ['other', 'nowhere']) {
        const path = route.path.replaceAll(/\{\w+\}/g, name)
        const given = await exampleOf(route, name)
        const headers = { ...sent.headers, ...given.headers }
        const { status, body } = await api.send(route.method, path, { ...given, headers, dataset: name })
        expect([endpointOf(route), name, status, body?.Errors]).toEqual([
          endpointOf(route),
          name,
          403,
          expect.anything(),
        ])
        texts.add(body.Errors[0].replace(/".*"/, ''))
      }
    }
    expect([...texts]).toEqual(['The key  is for the dataset mine only.'])
  })

  test('is refused for a dataset that only the body or the second name says', async () => {
    const sent = { ...(await keyOf(api, all)), dataset: 'mine' }
    const ids = { DocumentIdList: ['1'], TargetDataSetName: 'other' }
    const searches = { Searches: ['mine', 'other'].map(DataSet => ({ DataSet, Text: 'x' })) }
    const calls: [string, string, object?][] = [
      ['POST', '/api/Documents/Copy', ids],
      ['POST', '/api/Documents/Move', ids],
      ['POST', '/api/DataSets/mine/Swap/other'],
      ['PUT', '/api/DataSets/mine', { Name: 'other2' }],
      ['POST', '/api/Search/Multi', searches],
    ]
    for (const [method, path, body] of calls)
      expect([path, (await api.send(method, path, { ...sent, body })).status]).toEqual([path, 403])
  })

  test('may leave out X-DataSet, and only that key may', async () => {
    const search = (key: Sent, headers = {}) =>
      api.send('POST', '/api/Documents/Search', {
        headers: { ...key.headers, ...headers },
        body: { Text: 'x' },
      })
    const one = await keyOf(api, { Scopes: ['Search'], DataSets: ['mine'] })
    expect((await search(one)).status).toBe(200)
    expect((await search(one, { 'X-DataSet': ' ' })).status).toBe(200)
    expect((await search(one, { 'X-DataSet': 'other' })).status).toBe(403)
    const others = [
      {},
      await keyOf(api, { Scopes: ['Search'] }),
      await keyOf(api, { Scopes: ['Search'], DataSets: ['mine', 'other'] }),
    ]
    for (const key of others) {
      const { status, body } = await search(key)
      expect([status, body.Errors]).toEqual([
        400,
        ['The X-DataSet header is missing; expected the name of a dataset.'],
      ])
    }
    const gone = await search(await keyOf(api, { Scopes: ['Search'], DataSets: ['gone'] }))
    expect([gone.status, gone.body.Errors]).toEqual([
      400,
      ['The dataset of the key is "gone"; expected the name of an existing dataset.'],
    ])
  })

  test('works on its own dataset, and sees no other in the list', async () => {
    const sent = { ...(await keyOf(api, all)), dataset: 'mine' }
    const stored = await api.send('POST', '/api/Documents/Bulk', {
      ...sent,
      body: { Documents: [{ id: '7', title: 'A lamp' }] },
    })
    expect(stored.body.Results).toMatchObject([{ Id: '7', StatusCode: 200 }])
    const found = await api.send('POST', '/api/Documents/Search', { ...sent, body: { Text: 'lamp' } })
    expect(found.body.Hits).toMatchObject([{ Id: '7' }])
    expect((await api.send('GET', '/api/DataSets', sent)).body).toMatchObject([{ Name: 'mine' }])
    expect((await api.send('GET', '/api/DataSets/mine', sent)).status).toBe(200)
    expect((await api.send('GET', '/api/DataSets')).body).toHaveLength(2)
  })

  test('hears of no other where its own is not there', async () => {
    const sent = await keyOf(api, { ...all, DataSets: ['otter'] })
    for (const [method, path, body] of [
      ['GET', '/api/DataSets/otter'],
      ['DELETE', '/api/DataSets/otter'],
      ['POST', '/api/Search/Multi', { Searches: [{ DataSet: 'otter', Text: 'lamp' }] }],
    ] as const) {
      const answer = await api.send(method, path, { ...sent, ...(body && { body }) })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.body.Errors.join()).not.toContain('other')
    }
    expect((await api.send('GET', '/api/DataSets/otter')).body.Errors).toEqual([
      'There is no dataset otter (did you mean "other"?).',
    ])
  })

  test('has processes of its dataset alone, and cancels no others', async () => {
    const rows = () => new TransformStream<Uint8Array, Uint8Array>().readable
    const importing = (name: string) =>
      engine.datasets.get(name).documents.import(rows(), { format: 'jsonl' })
    const [own, other] = [importing('mine'), importing('other')]
    const sent = await keyOf(api, all)
    const none = crypto.randomUUID()
    for (const [path, member] of [
      ['', 'GET'],
      ['/Cancel', 'POST'],
    ] as const) {
      const refused = await api.send(member, `/api/Processes/${other.id}${path}`, sent)
      const missing = await api.send(member, `/api/Processes/${none}${path}`, sent)
      expect([refused.status, missing.status]).toEqual([404, 404])
      expect(refused.body.Errors[0].replace(other.id, none)).toBe(missing.body.Errors[0])
    }
    expect((await api.send('GET', `/api/Processes/${own.id}`, sent)).body).toMatchObject({ Id: own.id })
    expect((await api.send('POST', `/api/Processes/${own.id}/Cancel`, sent)).status).toBe(202)
    expect(other.state.status).toBe('running')
    other.cancel()
    await Promise.allSettled([own, other])
  })

  test('that only writes gets nothing to read', async () => {
    const sent = { ...(await keyOf(api, { ...all, Scopes: ['Write'] })), dataset: 'mine' }
    await engine.datasets.get('mine').documents.upsert({ id: 'h1', title: 'A hidden lamp' })
    const changed = await api.send('PUT', '/api/Documents/h1', { ...sent, body: {} })
    expect([changed.status, changed.body]).toEqual([200, undefined])
    const reading = { ...(await keyOf(api, all)), dataset: 'mine' }
    expect((await api.send('PUT', '/api/Documents/h1', { ...reading, body: {} })).body).toMatchObject({
      id: 'h1',
    })
  })

  test('does not reach a service of another, nor its classifier, by id or by alias', async () => {
    const shop = await engine.services.create({ type: 'search', name: 'Other', alias: 'others' })
    await shop.prepare({ dataset: 'other' }).finished
    const own = await engine.services.create({ type: 'search', name: 'Mine', alias: 'mines' })
    await own.prepare({ dataset: 'mine' }).finished
    const sent = await keyOf(api, all)
    for (const id of [shop.id, 'others', 'nowhere'])
      expect((await api.send('GET', `/api/Services/${id}`, sent)).status).toBe(403)
    expect((await api.send('GET', '/api/Services/mines', sent)).status).toBe(200)
    const ask = (ClassifierSettings: object | null) =>
      api.send('POST', '/api/Services/Search/mines', { ...sent, body: { Text: 'x', ClassifierSettings } })
    expect((await ask({ Id: 'others' })).status).toBe(403)
    expect((await ask(null)).status).toBe(400) // it is not active yet
  })
})

describe('a key for the dataset of a search service that recommends tags of another dataset', () => {
  test('does not reach it, unless a search asks for its own tags or for none that are left', async () => {
    const tagged = {
      Documents: ['a', 'b'].map(tag => ({ id: `tagged-${tag}`, title: `A ${tag}`, tag: [tag] })),
    }
    const classifiers = new Map<string, { remove(): Promise<void> }>()
    for (const dataset of ['mine', 'other']) {
      await api.send('POST', '/api/Documents/Bulk', { dataset, body: tagged })
      const service = await engine.services.create({
        type: 'classifier',
        name: 'Tags',
        alias: `${dataset}-tags`,
      })
      await service.prepare({ dataset, nGrams: [1], parallel: 1 })
      await service.activate()
      classifiers.set(dataset, service)
    }
    const search = await engine.services.create({ type: 'search', name: 'Mine', alias: 'tagging' })
    await search.prepare({ dataset: 'mine' })
    await search.activate({ classifier: { id: 'other-tags' } })
    const sent = await keyOf(api, { Scopes: ['Read', 'Search'], DataSets: ['mine'] })
    const ask = async (more: object, key = sent) => {
      const { status, body } = await api.send('POST', '/api/Services/Search/tagging', {
        ...{ ...key, body: { Text: 'a lamp', ...more } },
      })
      return [status, body.Errors ? 'refused' : body.ClassifierResultList !== null]
    }
    expect(await ask({})).toEqual([403, 'refused'])
    expect(await ask({ ClassifierSettings: null })).toEqual([403, 'refused'])
    expect(await ask({ ClassifierSettings: { Id: 'mine-tags' } })).toEqual([200, true])
    expect(await ask({}, await keyOf(api, { Scopes: ['Search'], DataSets: ['mine', 'other'] }))).toEqual([
      200,
      true,
    ])
    expect((await api.send('GET', '/api/Services/Search/tagging', sent)).status).toBe(200)
    await classifiers.get('other')!.remove()
    expect(await ask({})).toEqual([200, false])
    await search.deactivate()
    await search.activate({ classifier: { id: 'mine-tags' } })
    expect(await ask({})).toEqual([200, true])
  })
})

/** The example of a route, which is right, with another name where it names a dataset. */
async function exampleOf({ body, stream, example }: Route, name: string): Promise<Sent> {
  if (stream) return { body: '', headers: { 'Content-Type': stream[0]! } }
  if (!body) return {}
  const given: unknown = typeof example?.body === 'function' ? await example.body() : (example?.body ?? {})
  const names = { Name: name, TargetDataSetName: name, Searches: [{ DataSet: name, Text: 'x' }] }
  const said = Object.entries(names).filter(([member]) => Object.hasOwn(given as object, member))
  return { body: { ...(given as object), ...Object.fromEntries(said) } }
}
