import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Keys, type NamedKeyInput } from '../../../adapters/http/src/access/keys.ts'
import { ruleOf, rules } from '../../../adapters/http/src/request/rules.ts'
import { type Api, type Reply, routes, type Sent, startApi } from '../routes/api.ts'
import { keyOf } from '../routes/named-keys.ts'

const reader: NamedKeyInput = {
  name: 'reader',
  scopes: ['Read'],
  datasets: null,
  filter: null,
  expiresAt: null,
  requestsPerMinute: null,
}

async function opened(): Promise<Api> {
  const api = await startApi()
  onTestFinished(api.stop)
  return api
}

const status = async (api: Api, sent: Sent) => (await api.send('GET', '/api/DataSets', sent)).status

describe('a named key', () => {
  test('is shown once, works with every word before it, and ends when it is removed', async () => {
    const api = await opened()
    const { body } = await api.send('POST', '/api/Keys', {
      body: { Name: ' web ', Scopes: ['Read', 'Read'] },
    })
    expect(body).toEqual({
      Id: expect.any(String),
      Name: 'web',
      Scopes: ['Read'],
      DataSets: null,
      Filter: null,
      Expires: null,
      Created: expect.stringMatching(/^\d{4}-.*Z$/),
      RequestsPerMinute: null,
      RequestsPerMinutePerAddress: null,
      Public: false,
      ResponseFields: null,
      Limit: null,
      Origins: null,
      AllowCursor: false,
      AllowExplain: false,
      CanSign: false,
      PreviousUntil: null,
      Key: expect.stringMatching(/^findling_[\w-]{43}$/),
    })
    const { Key, ...about } = body
    expect((await api.send('GET', '/api/Keys')).body).toEqual([about])
    for (const word of ['Findling', 'bearer', 'Service'])
      expect(await status(api, { headers: { Authorization: `${word} ${Key}` } })).toBe(200)
    for (const wrong of [Key.slice(0, -1), `${Key}A`, Key.toUpperCase(), Key.slice('findling_'.length)])
      expect(await status(api, { headers: { Authorization: `Bearer ${wrong}` } })).toBe(401)
    expect((await api.send('DELETE', `/api/Keys/${about.Id}`)).status).toBe(200)
    expect(await status(api, { headers: { Authorization: `Bearer ${Key}` } })).toBe(401)
    expect((await api.send('GET', '/api/Keys')).body).toEqual([])
  })

  test('is known after a restart, and no byte of it is on the disk', async () => {
    const store = await mkdtemp(join(tmpdir(), 'findling-keys-'))
    onTestFinished(() => rm(store, { recursive: true, force: true }))
    const first = await Engine.open({ store })
    const { key, about } = await new Keys(first.namespace('http-keys')).create(reader)
    await first.close()
    for (const name of await readdir(store))
      expect((await readFile(join(store, name))).includes(key.slice('findling_'.length))).toBe(false)
    const second = await Engine.open({ store })
    onTestFinished(() => second.close())
    const keys = new Keys(second.namespace('http-keys'))
    expect(await keys.find(key)).toEqual(about)
    expect(await keys.find(`${key}A`)).toBeUndefined()
    expect(await keys.list()).toEqual([about])
  })

  test('ends at its time, which the answer says', async () => {
    const engine = await Engine.open()
    onTestFinished(() => engine.close())
    let now = 1000
    const keys = new Keys(engine.namespace('http-keys'), () => now)
    const { key, about } = await keys.create({ ...reader, expiresAt: 2000 })
    expect(keys.isExpired(about)).toBe(false)
    now = 2000
    expect(keys.isExpired(about)).toBe(true)
    const api = await startApi({ engine })
    onTestFinished(api.stop)
    const refused = await api.send('GET', '/api/DataSets', { headers: { Authorization: `Bearer ${key}` } })
    expect([refused.status, refused.body.Errors]).toEqual([401, ['The key "reader" has expired.']])
  })

  test('stays when the owner changes the secret', async () => {
    const api = await opened()
    const sent = await keyOf(api, { Scopes: ['Read'] })
    await api.send('POST', '/api/Maintenance/ChangeSecret', { body: { Secret: 'another-one' } })
    expect(await status(api, {})).toBe(401)
    expect(await status(api, sent)).toBe(200)
  })

  test('with the scope Admin makes and removes keys, as the owner does', async () => {
    const api = await opened()
    const admin = await keyOf(api, { Scopes: ['Admin'] })
    const made = await api.send('POST', '/api/Keys', { ...admin, body: { Name: 'next', Scopes: ['Admin'] } })
    const next = { headers: { Authorization: `Bearer ${made.body.Key}` } }
    expect((await api.send('DELETE', `/api/Keys/${admin.id}`, next)).status).toBe(200)
    expect([await status(api, admin), await status(api, next)]).toEqual([401, 200])
  })

  test('is made once for a name, however many ask at once', async () => {
    const api = await opened()
    const ask = () => api.send('POST', '/api/Keys', { body: { Name: 'one', Scopes: ['Read'] } })
    const answers = await Promise.all(Array.from({ length: 5 }, ask))
    expect(answers.map(answer => answer.status).sort()).toEqual([201, 409, 409, 409, 409])
  })
})

describe('what a key is asked for with', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
    await api.engine.datasets.create('shops', { sample: { id: '1', title: 'A lamp', shop: 42 } })
    return api.stop
  })

  const bound = { Scopes: ['Search'], DataSets: ['shops'] }
  test.each<[string, object, RegExp]>([
    ['no scope', { Scopes: [] }, /Scopes/],
    ['a scope that there is not', { Scopes: ['Root'] }, /Scopes/],
    ['no dataset', { ...bound, DataSets: [] }, /DataSets/],
    ['what can be no dataset', { ...bound, DataSets: ['../x'] }, /DataSets/],
    ['Admin for some datasets', { Scopes: ['Admin'], DataSets: ['shops'] }, /no Admin with DataSets/],
    ['Admin with a filter', { Scopes: ['Admin'], Filter: 'shop:42' }, /no Admin/],
    [
      'a filter for all datasets',
      { Scopes: ['Search'], Filter: 'shop:42' },
      /DataSets is .*expected the datasets/,
    ],
    ['a filter and Write', { ...bound, Scopes: ['Write'], Filter: 'shop:42' }, /Read, Search or both/],
    ['a filter that cannot be read', { ...bound, Filter: 'shop:(' }, /^Filter has .*shop/],
    ['a filter on a field that there is not', { ...bound, Filter: 'shp:42' }, /shop/],
    ['a filter for a dataset that there is not', { ...bound, DataSets: ['none'], Filter: 'a' }, /none/],
    ['a blank filter', { ...bound, Filter: ' ' }, /Filter/],
    ['a time that is over', { ...bound, Expires: '2020-01-01T00:00:00Z' }, /in the future/],
    ['no time', { ...bound, Expires: 'tomorrow' }, /Expires/],
    ['no calls at all', { ...bound, RequestsPerMinute: 0 }, /RequestsPerMinute/],
    ['a member that there is not', { ...bound, Dataset: 'shops' }, /DataSet/],
    ['no name', { ...bound, Name: ' ' }, /Name/],
    ['a public key for all datasets', { Scopes: ['Search'], Public: true }, /DataSets is missing.*Public/],
    ['a public key that reads', { ...bound, Scopes: ['Search', 'Read'], Public: true }, /only Search/],
    ['fields for a key that reads', { ...bound, Scopes: ['Read'], ResponseFields: ['title'] }, /only Search/],
    ['fields for all datasets', { Scopes: ['Search'], ResponseFields: ['title'] }, /DataSets is missing/],
    [
      'fields without a searched one',
      { ...bound, ResponseFields: ['shop'] },
      /no "title"; expected all searched/,
    ],
    [
      'fields for a dataset that there is not',
      { ...bound, DataSets: ['none'], ResponseFields: ['a'] },
      /none/,
    ],
    ['a star for a field', { ...bound, ResponseFields: ['title', '*'] }, /ResponseFields\[1\] is "\*"/],
    ['a field behind a hyphen', { ...bound, ResponseFields: ['title', '-shop'] }, /ResponseFields\[1\]/],
    ['a limit below what calls answer anyway', { ...bound, Limit: 9 }, /Limit is 9/],
    ['a limit for a key that reads', { Scopes: ['Read'], Limit: 10 }, /only Search/],
    ['an origin with a path', { ...bound, Origins: ['https://shop.example/'] }, /an origin such as https/],
    ['an origin that is none', { ...bound, Origins: ['shop.example'] }, /an origin such as https/],
    [
      'cursors for a key that may have them anyway',
      { ...bound, AllowCursor: true },
      /without Public or CanSign/,
    ],
    [
      'explanations with a filter',
      { ...bound, Public: true, Filter: 'shop:42', AllowExplain: true },
      /false with Filter/,
    ],
    ['explanations without Public', { ...bound, AllowExplain: true }, /false without Public/],
    ['a public key that signs', { ...bound, Public: true, CanSign: true }, /everybody could sign/],
    ['a key that signs without Search', { Scopes: ['Read'], CanSign: true }, /without the scope Search/],
    ['no calls of an address', { ...bound, RequestsPerMinutePerAddress: 0 }, /RequestsPerMinutePerAddress/],
  ])('is refused with %s, and no key is made', async (_, about, text) => {
    const { status, body } = await api.send('POST', '/api/Keys', { body: { Name: 'key', ...about } })
    expect([status, body.Errors.join('\n')]).toEqual([400, expect.stringMatching(text)])
    expect((await api.send('GET', '/api/Keys')).body).toEqual([])
  })
})

describe('a key with a filter', () => {
  const colours = ['red', 'green', 'blue']
  /** Only documents that the key does not see have it. */
  const hiddenWord = 'astrolabium'
  const documents = Array.from({ length: 120 }, (_, i) => ({
    id: i % 3 === 0 ? `d${i}` : String(i),
    title: `${colours[i % 3]} lamp number${i % 7}${i % 5 === 0 ? ' uncommonword' : ''}${i % 4 === 1 ? ` ${hiddenWord}` : ''}`,
    shop: 40 + (i % 4),
    tag: i % 4 === 2 ? 'open' : 'secret',
  }))
  const visible = new Set(documents.filter(({ shop }) => shop === 42).map(({ id }) => id))

  let engine: Engine
  let api: Api
  let sent: Sent
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'findling-keys-'))
    engine = await Engine.open({ analytics: { mode: 'full' } })
    await engine.datasets.create('shops', { sample: documents[0]! })
    await engine.datasets.get<object>('shops').documents.bulk(documents)
    await engine.datasets.create('twin', { sample: documents[0]! })
    await engine.datasets.get<object>('twin').documents.bulk(documents.filter(({ id }) => visible.has(id)))
    for (const name of ['shops', 'twin'])
      await engine.datasets.get(name).tags.create({ id: 'open', name: 'Open things' })
    await engine.datasets.get('shops').tags.create({ id: 'secret', name: 'Secret things' })
    api = await startApi({ engine, config: { backupFolder: join(folder, 'backup') } })
    sent = {
      ...(await keyOf(api, { Scopes: ['Read', 'Search'], DataSets: ['shops'], Filter: 'shop:42' })),
      dataset: 'shops',
    }
  })
  afterAll(async () => {
    await api.stop()
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  })

  const search = (body: object, by: Sent = sent) => api.send('POST', '/api/Documents/Search', { ...by, body })
  const filter = (body: object, by: Sent = sent) => api.send('POST', '/api/Documents/Filter', { ...by, body })
  const wordsOf = ({ body }: Reply) => body.Words.map(({ Kind }: { Kind: string }) => Kind)
  const idsOf = ({ body }: Reply) => body.Hits.map(({ Id }: { Id: string }) => Id)

  /** Some documents together in two baskets, and others alone. */
  async function openBaskets(items: string[]): Promise<void> {
    if (engine.datasets.has('baskets')) await engine.datasets.remove('baskets')
    const at = Date.now()
    const made = [items, items, ['alone'], ['alone']].map((items, id) => ({ id, at, items }))
    await (await engine.datasets.create('baskets')).documents.bulk(made)
    const baskets = { dataset: 'baskets', field: 'items', time: 'at' }
    await engine.datasets.get('shops').reconfigure({ baskets })
  }

  /** Of every route that heeds filters: nothing but the visible comes out, and all of that. */
  const heeding: Record<string, () => Promise<void>> = {
    'POST /api/Documents/Search': async () => {
      const found = await search({ Text: 'lamp', Limit: 1000, Total: 'Exact' })
      expect(new Set(idsOf(found))).toEqual(visible)
      expect(found.body.Total).toEqual({ Count: visible.size, Exact: true })
      const first = await search({ Text: 'lamp', Limit: 7, Cursor: true, Facets: ['shop'] })
      expect(first.body.Facets.shop.Values).toEqual([{ Value: 42, Count: visible.size }])
      const paged = [...idsOf(first)]
      for (let { Cursor } = first.body; Cursor; ) {
        const page = await search({ Text: 'lamp', Cursor })
        paged.push(...idsOf(page))
        Cursor = page.body.Cursor
      }
      expect([paged.length, new Set(paged)]).toEqual([visible.size, visible])
      expect(wordsOf(await search({ Text: `lamp ${hiddenWord}` }))).toEqual(['Exact', 'None'])
      expect(wordsOf(await search({ Text: `lamp ${hiddenWord}` }, { dataset: 'shops' }))).toEqual([
        'Exact',
        'Exact',
      ])
    },
    'GET /api/Documents/Search': async () => {
      const found = await api.send('GET', '/api/Documents/Search?q=lamp&limit=1000&facets=shop', sent)
      expect(new Set(idsOf(found))).toEqual(visible)
      expect(found.body.Facets.shop.Values).toEqual([{ Value: 42, Count: visible.size }])
    },
    'POST /api/Search/Multi': async () => {
      const Searches = ['lamp', 'red', 'number3'].map(Text => ({ DataSet: 'shops', Text, Limit: 1000 }))
      const { body } = await api.send('POST', '/api/Search/Multi', { ...sent, body: { Searches } })
      const all = body.Results.map((Hits: object) => idsOf({ body: Hits } as Reply))
      expect(new Set(all[0])).toEqual(visible)
      expect(all.flat().filter((id: string) => !visible.has(id))).toEqual([])
    },
    'POST /api/Documents/Complete': async () => {
      const complete = async (Text: string) => {
        const { body } = await api.send('POST', '/api/Documents/Complete', {
          ...sent,
          body: { Text, Limit: 100 },
        })
        return [
          body.Completions.map((one: { Text: string }) => one.Text),
          body.Tags.map((one: { Id: string }) => one.Id),
        ]
      }
      const titles = new Set(documents.filter(({ id }) => visible.has(id)).map(({ title }) => title))
      const [found] = await complete('lamp')
      // Beside what near copies have in common.
      const shared = found.filter((title: string) => !titles.has(title))
      for (const part of shared)
        expect([...titles].filter(title => title.startsWith(part)).length).toBeGreaterThan(1)
      expect(new Set(found)).toEqual(new Set([...shared, ...titles]))
      expect(await complete(hiddenWord)).toEqual([[], []])
      expect(await complete('open')).toEqual([['Open things'], ['open']])
      expect(await complete('secret')).toEqual([[], []])
    },
    'POST /api/Documents/Suggest': async () => {
      const suggest = async (Text: string, by: Sent = sent) =>
        (await api.send('POST', '/api/Documents/Suggest', { ...by, body: { Text } })).body.Suggestions
      expect((await suggest('uncommonwrd'))[0].Text).toBe('uncommonword')
      expect(await suggest(hiddenWord.replace('t', ''))).toEqual([])
      expect((await suggest(hiddenWord.replace('t', ''), { dataset: 'shops' }))[0].Text).toBe(hiddenWord)
    },
    'POST /api/Documents/Similar': async () => {
      const similar = (body: object) => api.send('POST', '/api/Documents/Similar', { ...sent, body })
      const { body } = await similar({ Text: 'lamp', Count: 1000 })
      expect(new Set(body.Hits.map((hit: { Id: string }) => hit.Id))).toEqual(visible)
      const [hidden, seen] = [false, true].map(is => documents.find(({ id }) => visible.has(id) === is)!.id)
      const answers = [
        await similar({ Id: seen }),
        await similar({ Id: hidden }),
        await similar({ Id: 'nobody' }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 404, 404])
      const [said, saidOfNobody] = answers.slice(1).map(({ body }) => body.Errors[0])
      expect(said.replaceAll(hidden, 'nobody')).toBe(saidOfNobody)
      expect((await similar({ Text: 'lamp', Explain: true })).status).toBe(403)
    },
    'POST /api/Documents/BoughtTogether': async () => {
      const [hidden] = documents.filter(({ id }) => !visible.has(id)).map(({ id }) => id)
      const [seen, other] = [...visible]
      await openBaskets([seen!, other!, hidden!])
      const ask = async (Ids: unknown[]) =>
        (await api.send('POST', '/api/Documents/BoughtTogether', { ...sent, body: { Ids } })).body.Hits
      expect(await ask([seen])).toEqual([expect.objectContaining({ Id: other, Score: 1 })])
      expect(await ask([hidden])).toEqual([])
      expect(await ask(['nobody'])).toEqual([])
    },
    'POST /api/Documents/Trending': async () => {
      await openBaskets(documents.map(({ id }) => id))
      const body = { Count: 1000, By: 'Count' }
      const { Hits } = (await api.send('POST', '/api/Documents/Trending', { ...sent, body })).body
      expect(new Set(Hits.map(({ Id }: { Id: string }) => Id))).toEqual(visible)
    },
    'POST /api/Documents/Filter': async () => {
      const { body } = await filter({ Pagination: { Limit: 1000 } })
      expect([body.Total, new Set(body.Items.map(({ id }: { id: string }) => id))]).toEqual([
        visible.size,
        visible,
      ])
      const others = await filter({ Pagination: { Limit: 5 }, Filter: { Query: 'shop:43 OR shop:40' } })
      expect(others.body).toEqual({ Items: [], Count: 0, Total: 0, ScrollId: null })
    },
    'POST /api/Documents/Filter/{scrollId}': async () => {
      const next = async (scroll: string, by = sent) =>
        (await api.send('POST', `/api/Documents/Filter/${scroll}`, by)).body
      const { body } = await filter({ Pagination: { Limit: 10 } })
      const items = [...body.Items]
      for (let { ScrollId } = body; ScrollId; ) {
        const page = await next(ScrollId)
        items.push(...page.Items)
        ScrollId = page.ScrollId
      }
      expect(new Set(items.map(({ id }) => id))).toEqual(visible)
      const all = await filter({ Pagination: { Limit: 10 } }, { dataset: 'shops' })
      expect(await next(all.body.ScrollId)).toEqual({ Items: [], Count: 0, Total: 0, ScrollId: null })
    },
    'POST /api/Documents/Sample': async () => {
      const { body } = await api.send('POST', '/api/Documents/Sample', {
        ...sent,
        body: { Id: 'some', Size: 1000 },
      })
      expect([body.Total, new Set(body.Items.map(({ id }: { id: string }) => id))]).toEqual([
        visible.size,
        visible,
      ])
    },
    'POST /api/Events': async () => {
      const found = await api.send('POST', '/api/Documents/Search', {
        ...sent,
        body: { Text: 'lamp', Limit: 100 },
      })
      const Events = documents.map(({ id }) => ({ Type: 'Click', QueryId: found.body.QueryId, Id: id }))
      const { body } = await api.send('POST', '/api/Events', { ...sent, body: { Events } })
      const shown = new Set(found.body.Hits.map(({ Id }: { Id: string }) => Id))
      expect(body.Counted).toBe(shown.size)
      const refused = new Set(body.Refused.map(({ Index }: { Index: number }) => documents[Index]!.id))
      expect(refused).toEqual(new Set(documents.map(({ id }) => id).filter(id => !shown.has(id))))
    },
    'GET /api/Documents/{id}': async () => {
      for (const { id } of documents) {
        const { status, body } = await api.send('GET', `/api/Documents/${id}`, sent)
        expect([id, status]).toEqual([id, visible.has(id) ? 200 : 404])
        if (status === 200) expect(body).toEqual(documents.find(one => one.id === id))
        else expect(body.Errors).toEqual([`The dataset shops has no document "${id}".`])
      }
    },
  }

  test('is tried at every route that heeds filters', () => {
    const heeded = [...rules].filter(([, rule]) => rule.scopes.length > 0 && rule.heedsFilter)
    expect(heeded.map(([endpoint]) => endpoint).sort()).toEqual(Object.keys(heeding).sort())
  })

  test.each(Object.entries(heeding))('sees its documents and no others: %s', async (_, look) => {
    await look()
  })

  test('is refused by every other route', async () => {
    for (const route of routes) {
      const { scopes, heedsFilter } = ruleOf(route)
      if (scopes.length === 0 || heedsFilter) continue
      const path = route.path.replaceAll(/\{\w+\}/g, 'shops')
      const { status } = await api.send(route.method, path, sent)
      expect([path, status]).toEqual([path, route.path === '/update' ? 404 : 403])
    }
  })

  test('is answered as if there were nothing else, whatever is asked', async () => {
    const words = fc.constantFrom(
      ...['red', 'lamp', 'number3', 'uncommonwrd', '"blue lamp"', '-green', 'nothing'],
      ...[hiddenWord, 'astrolabiun', 'gren', 'num', 'bluelamp'],
    )
    const texts = fc.array(words, { minLength: 1, maxLength: 4 }).map(all => all.join(' '))
    const asked = fc.record(
      {
        Text: texts,
        Operator: fc.constantFrom('Or', 'And'),
        Prefix: fc.boolean(),
        Relax: fc.boolean(),
        Facets: fc.constant(['shop', 'tag']),
        Limit: fc.constantFrom(1000, 0),
      },
      { requiredKeys: ['Text', 'Limit'] },
    )
    const twin = { dataset: 'twin' }
    const told = async (body: { Text: string }, by: Sent) => {
      const { Hits, QueryId: _, ...others } = (await search({ ...body, Total: 'Exact' }, by)).body
      const complete = { ...by, body: { Text: body.Text } }
      const { Completions } = (await api.send('POST', '/api/Documents/Complete', complete)).body
      return [Hits.map((hit: { Id: string }) => hit.Id).sort(), others, Completions]
    }
    await fc.assert(
      fc.asyncProperty(asked, async body => {
        expect(await told(body, sent)).toEqual(await told(body, twin))
      }),
      { numRuns: 60 },
    )
  })

  test('gets nothing pinned or explained that it does not see', async () => {
    const hidden = documents.find(({ id }) => !visible.has(id))!.id
    const found = await search({ Text: 'lamp', Limit: 5, Pinned: [{ Id: hidden, Position: 1 }] })
    expect(idsOf(found)).toHaveLength(5)
    expect(idsOf(found)).not.toContain(hidden)
    expect((await search({ Text: 'lamp', Explain: true })).status).toBe(403)
  })

  test('follows the documents: what comes to the shop is there, what leaves it is gone', async () => {
    const { documents: stored } = engine.datasets.get<Record<string, unknown>>('shops')
    const read = async (id: string) => (await api.send('GET', `/api/Documents/${id}`, sent)).status
    await stored.insert({ id: 'new', title: 'purple vase', shop: 42 })
    expect([await read('new'), idsOf(await search({ Text: 'purple' }))]).toEqual([200, ['new']])
    await stored.update('new', { shop: 43 })
    expect([await read('new'), idsOf(await search({ Text: 'purple' }))]).toEqual([404, []])
    await stored.delete('new')
  })
})
