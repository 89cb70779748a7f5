import * as fc from 'fast-check'
import { type Dataset, Engine, type EngineOptions, type JsonObject, type SimilarService } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sealText, unseal } from '../../../src/store/checksum.ts'
import { codeOf, expectHealthy, failureOf, memoryDatabase } from '../../engine/engines.ts'

const words = ['lamp', 'desk', 'oak', 'brass', 'LX-350', 'glass', 'garden', 'hose', 'red', 'green']

/** Documents of random words, with tags a, b or both. */
function someDocuments(count: number, seed = 7) {
  let state = seed
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const text = (length: number) => Array.from({ length }, () => words[next(words.length)]).join(' ')
  return Array.from({ length: count }, (_, id) => ({
    id: `d${id}`,
    title: text(3),
    desc: text(next(6)),
    price: next(100),
    tag: [['a'], ['b'], ['a', 'b'], []][next(4)]!,
  }))
}

async function open(options: Parameters<typeof Engine.open>[0] = {}) {
  const engine = await Engine.open({ durability: 'process', ...options })
  onTestFinished(() => engine.close())
  return engine
}

interface Given {
  documents?: JsonObject[]
  activation?: object
  prepare?: object
  store?: NonNullable<EngineOptions['store']>
}

/** A database of which clearing some prefixes ends after half of the keys, with an error. */
function cutting(db: ReturnType<typeof memoryDatabase>, isCut: (from: string) => boolean) {
  return new Proxy(db, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown
      if (name !== 'clear') return typeof member === 'function' ? member.bind(target) : member
      return async (range: { gte: string; lt: string }) => {
        if (!isCut(range.gte)) return await target.clear(range)
        const keys = await target.keys(range).all()
        await target.batch(keys.filter((_, i) => i % 2 === 0).map(key => ({ type: 'del', key })))
        throw new Error('no more')
      }
    },
  })
}

const listKeys = async (db: ReturnType<typeof memoryDatabase>): Promise<string[]> =>
  (await db.keys().all()).filter(key => key.includes('/lists/'))

async function active({ documents = someDocuments(60), activation = {}, prepare = {}, store }: Given = {}) {
  const engine = await open(store ? { store } : {})
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
  await shop.tags.replaceAll(['a', 'b', 'empty'].map(id => ({ id, name: id })))
  await shop.documents.bulk(documents)
  const service = await engine.services.create({ type: 'similar', name: 'Alike' })
  await service.prepare({ dataset: 'shop', ...prepare })
  await service.activate(activation)
  return { engine, shop: shop as Dataset, service }
}

const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)
const all = { limit: 1000 }

/** Every list that the service has. */
async function listsOf(shop: Dataset, service: SimilarService) {
  const lists: Record<string, unknown> = {}
  for await (const { id } of shop.documents.scan())
    for (const tag of ['a', 'b'])
      lists[`${tag} ${id}`] = (await service.recommendById(id, { tag, ...all })).map(hit => [
        hit.id,
        hit.score,
      ])
  return lists
}

describe('recommend', () => {
  it('finds the documents most like a text, its own document first with score 1', async () => {
    const { service } = await active({
      documents: [
        { id: '1', title: 'Desk lamp of oak', tag: 'a' },
        { id: '2', title: 'Desk lamp', tag: 'a' },
        { id: '3', title: 'Garden hose', tag: 'b' },
      ],
    })
    const found = await service.recommend('Desk lamp of oak')
    expect(found.map(({ id, score }) => [id, score])).toEqual([
      ['1', 1],
      ['2', expect.any(Number)],
    ])
    expect(found[0]!.document).toEqual({ id: '1', title: 'Desk lamp of oak', tag: 'a' })
    expect(ids(await service.recommend('hose', { limit: 1 }))).toEqual(['3'])
    for (const text of ['', ' ', 'xyzzy', '\ud800', '__proto__'])
      expect(await service.recommend(text)).toEqual([])
  })

  it('finds only documents of the tag, and those that a filter lets through', async () => {
    const documents = someDocuments(80)
    const { service } = await active({ documents })
    const byId = new Map(documents.map(one => [one.id, one]))
    const text = 'oak desk lamp LX350 garden'
    const found = async (options: object) =>
      ids(await service.recommend(text, { ...all, ...options })).map(id => byId.get(id)!)
    const everything = await found({})
    expect(everything.length).toBeGreaterThan(70)
    for (const [options, holds] of [
      [{ tag: 'a' }, one => one.tag.includes('a')],
      [{ filter: { query: 'price:>50' } }, one => one.price > 50],
      [{ filter: { tags: ['b'] } }, one => one.tag.includes('b')],
      [
        { tag: 'a', filter: { query: 'title:oak', tags: ['b'] } },
        one => one.tag.length === 2 && one.title.includes('oak'),
      ],
      [{ filter: { query: ' ', tags: [] } }, () => true],
    ] satisfies [object, (one: (typeof documents)[number]) => boolean][]) {
      const expected = everything.filter(holds)
      expect(await found(options)).toEqual(expected)
      expect(await found({ ...options, limit: 2 })).toEqual(expected.slice(0, 2))
    }
  })

  it('puts documents in the order of weights, and changes nothing else', async () => {
    const { service } = await active()
    const plain = await service.recommend('oak desk lamp', all)
    const weights = [
      { query: 'price:>50', value: 10 },
      { query: 'title:brass', value: 2 },
    ]
    const weighed = await service.recommend('oak desk lamp', { ...all, weights })
    expect(ids(weighed).sort()).toEqual(ids(plain).sort())
    expect(ids(weighed)).not.toEqual(ids(plain))
    const score = new Map(plain.map(hit => [hit.id, hit.score]))
    for (const [i, hit] of weighed.entries()) {
      const { price, title } = hit.document as unknown as { price: number; title: string }
      const weight = ((price > 50 ? 10 : 0) + (title.includes('brass') ? 2 : 0)) / 2
      expect(hit.score).toBe(score.get(hit.id))
      expect(hit.weighed).toBeCloseTo((1 + hit.score) ** (1 + weight) - 1, 6)
      if (i > 0) expect(hit.weighed).toBeLessThanOrEqual(weighed[i - 1]!.weighed!)
    }
    const even = [{ query: '*', value: 5 }]
    expect(ids(await service.recommend('oak desk lamp', { ...all, weights: even }))).toEqual(ids(plain))
    const huge = [{ query: '*', value: 10_000 }]
    for (const hit of await service.recommend('oak', { ...all, weights: huge }))
      expect(Number.isFinite(hit.weighed)).toBe(true)
  })

  it('sees every completed write, and never answers with a document that is gone', async () => {
    const { shop, service } = await active()
    await shop.documents.insert({ id: 'new', title: 'Zither of walnut', tag: 'a' })
    expect(ids(await service.recommend('walnut zither', { tag: 'a' }))).toEqual(['new'])
    await shop.documents.upsert({ id: 'new', title: 'Zither of walnut', tag: 'b' })
    expect(await service.recommend('walnut zither', { tag: 'a' })).toEqual([])
    await shop.documents.delete('new')
    expect(await service.recommend('walnut zither')).toEqual([])
    const many = Array.from({ length: 300 }, (_, i) => ({ id: `m${i}`, title: `Cello ${i}`, tag: 'b' }))
    await shop.documents.bulk(many)
    expect(await service.recommend('cello', all)).toHaveLength(300)
    await shop.documents.delete('m7')
    expect(ids(await service.recommend('cello 7', all))).not.toContain('m7')
  })

  it('compares by the fields that it was activated with', async () => {
    const documents = [
      { id: '1', title: 'Lamp', desc: 'of brass', tag: 'a' },
      { id: '2', title: 'Brass', desc: 'to melt', tag: 'a' },
    ]
    const { shop, service } = await active({ documents })
    expect(ids(await service.recommend('brass')).sort()).toEqual(['1', '2'])
    await service.deactivate()
    await service.activate({ fields: ['title'] })
    expect(ids(await service.recommend('brass'))).toEqual(['2'])
    await shop.documents.insert({ id: '3', title: 'Horn', desc: 'of brass', tag: 'a' })
    await service.deactivate()
    await service.activate({ fields: ['desc'] })
    expect(ids(await service.recommend('brass')).sort()).toEqual(['1', '3'])
    await service.deactivate()
    await service.activate({ fields: null })
    expect(ids(await service.recommend('brass')).sort()).toEqual(['1', '2', '3'])
    await service.deactivate()
    expect((await failureOf(() => service.activate({ fields: ['price'] }))).details.field).toBe('fields[0]')
  })

  it('works with the data that have the name after a swap', async () => {
    const { engine, service } = await active()
    const other = await engine.datasets.create('other', { interpretedFields: ['title'] })
    await other.documents.insert({ id: 'x', title: 'Oak piano', tag: 'a' })
    await engine.datasets.swap('shop', 'other')
    expect(ids(await service.recommend('oak piano', { tag: 'a' }))).toEqual(['x'])
  })

  it('finds all neighbours anew when they are brought up to date after a swap', async () => {
    const { engine, service } = await active()
    const other = await engine.datasets.create('other', { interpretedFields: ['title'] })
    await other.documents.bulk(['x', 'y'].map(id => ({ id, title: 'Oak piano', tag: 'a' })))
    await service.index()
    await engine.datasets.swap('shop', 'other')
    await service.indexPartial()
    expect(ids(await service.recommendById('x', { tag: 'a', ...all }))).toEqual(['y'])
  })

  it('keeps the neighbours that it had when the engine closes while they are found anew', async () => {
    const store = memoryDatabase()
    const { engine, shop, service } = await active({ store })
    await service.index()
    const before = await listsOf(shop, service)
    const again = service.index()
    const ended = codeOf(() => again.finished)
    await engine.close()
    expect(await ended).toBe('CANCELLED')
    const reopened = await open({ store })
    const kept = reopened.services.get(service.info().id, 'similar')
    expect(await listsOf(reopened.datasets.get('shop'), kept)).toEqual(before)
  })

  const wrong: [field: string, options: object][] = [
    ['limit', { limit: -1 }],
    ['tag', { tag: 'none' }],
    ['filter.tags[0]', { filter: { tags: ['none'] } }],
    ['weights[0].value', { weights: [{ query: '*', value: 10_001 }] }],
    ['count', { count: 1 }],
  ]
  it('names what is wrong', async () => {
    const { service } = await active()
    for (const [field, options] of wrong)
      expect((await failureOf(() => service.recommend('oak', options as never))).details.field).toBe(field)
  })

  it('refuses queries that cannot be read, tags without words, and services that are not active', async () => {
    const { service } = await active()
    expect(await codeOf(() => service.recommend('oak', { filter: { query: '(a' } }))).toBe('QUERY_INVALID')
    expect(await codeOf(() => service.recommend('oak', { weights: [{ query: '(a', value: 1 }] }))).toBe(
      'QUERY_INVALID',
    )
    expect(await codeOf(() => service.recommend('oak', { tag: 'empty' }))).toBe('TAG_EMPTY')
    expect(await codeOf(() => service.keywords('oak', { tag: 'empty' }))).toBe('TAG_EMPTY')
    await service.deactivate()
    for (const call of [
      () => service.recommend('oak'),
      () => service.keywords('oak'),
      () => service.recommendById('d1'),
      () => service.index(),
      () => service.indexPartial(),
    ])
      expect(await codeOf(call)).toBe('SERVICE_STATE')
  })
})

describe('preparing', () => {
  it('counts for the leaves of the tag tree, or the tags that are given', async () => {
    const { engine, shop, service } = await active()
    expect(service.info().prepareSettings).toEqual({
      dataset: 'shop',
      tags: ['a', 'b', 'empty'],
      compression: 0,
    })
    await shop.tags.create({ id: 'b1', name: 'Below', parentId: 'b' })
    const other = await engine.services.create({ type: 'similar', name: 'Other' })
    await other.prepare({ dataset: 'shop', tags: ['b', 'b'], compression: 1 })
    expect(other.info().prepareSettings).toEqual({ dataset: 'shop', tags: ['b'], compression: 1 })
    expect(await codeOf(() => other.prepare({ dataset: 'shop', tags: ['c'], again: true }).finished)).toBe(
      'TAG_NOT_FOUND',
    )
    const bare = await engine.datasets.create('bare', { interpretedFields: ['title'] })
    await bare.documents.insert({ id: '1', title: 'Oak', tag: ['x', '__proto__'] })
    const third = await engine.services.create({ type: 'similar', name: 'Third' })
    await third.prepare({ dataset: 'bare' })
    expect(third.info().prepareSettings).toMatchObject({ tags: ['__proto__', 'x'] })
  })

  it('leaves rare words out if asked', async () => {
    const documents = [
      { id: '1', title: 'Zither', tag: 'a' },
      { id: '2', title: 'Oak lamp', tag: 'a' },
      { id: '3', title: 'Oak desk', tag: 'b' },
    ]
    const { service } = await active({ documents, prepare: { compression: 1 } })
    expect(await service.recommend('zither')).toEqual([])
    expect(ids(await service.recommend('oak')).sort()).toEqual(['2', '3'])
    expect(await service.keywords('zither', { tag: 'a' })).toEqual([])
  })
})

describe('keywords', () => {
  const documents = [
    ...Array.from({ length: 6 }, (_, i) => ({
      id: `l${i}`,
      title: `Lamp ${i < 3 ? 'brass' : 'oak'}`,
      tag: 'a',
    })),
    ...Array.from({ length: 6 }, (_, i) => ({ id: `d${i}`, title: `Desk ${i < 5 ? 'oak' : ''}`, tag: 'b' })),
  ]

  it('are the words of a text that speak for the tag, or for the tag of what is like the text', async () => {
    const { service } = await active({ documents })
    const found = await service.keywords('A LAMP, oak or brass, a lamp', { tag: 'a' })
    expect(found.map(({ text }) => text)).toEqual(['lamp', 'brass'])
    expect(found[0]!.score).toBe(12)
    expect(await service.keywords('A lamp of brass')).toEqual(found)
    expect(
      (await service.keywords('lamp brass', { tag: 'a', strict: true })).map(({ text }) => text),
    ).toEqual(['lamp'])
    expect(await service.keywords('unheard')).toEqual([])
  })

  it('are written as the text writes them', async () => {
    const spelt = documents.map(one => ({ ...one, title: one.title.replace('Lamp', 'Küchenlämpchen') }))
    const { service } = await active({ documents: spelt })
    const texts = async (text: string) => (await service.keywords(text, { tag: 'a' })).map(({ text }) => text)
    expect(await texts('KÜCHENLÄMPCHEN brass')).toEqual(['küchenlämpchen', 'brass'])
    expect(await texts('kuchenlampchen')).toEqual(['kuchenlampchen'])
  })

  it('are exported by tag', async () => {
    const { service } = await active({ documents })
    const exported: unknown[] = []
    const take = async (dictionaries: AsyncIterable<unknown>) => {
      for await (const one of dictionaries) exported.push(one)
    }
    await service.exportDictionaries(take)
    expect(exported).toEqual([
      {
        tagId: 'a',
        keywords: [
          { text: 'lamp', score: 12 },
          { text: 'brass', score: expect.any(Number) },
        ],
      },
      {
        tagId: 'b',
        keywords: [expect.objectContaining({ text: 'desk' }), expect.objectContaining({ text: 'oak' })],
      },
      { tagId: 'empty', keywords: [] },
    ])
    exported.length = 0
    await service.exportDictionaries(take, { tags: ['b'] })
    expect(exported).toHaveLength(1)
    expect(await codeOf(() => service.exportDictionaries(take, { tags: ['c'] }))).toBe('INVALID_ARGUMENT')
  })
})

describe('what was written since a service was prepared', () => {
  const keptKeys = async (db: ReturnType<typeof memoryDatabase>): Promise<string[]> =>
    (await db.keys().all()).filter(key => key.includes('/kept/'))

  it.each<[what: string, activation: object, lost: (keys: string[]) => string[]]>([
    ['as they were kept', {}, () => []],
    ['as they were kept, compared by some fields', { fields: ['desc'] }, () => []],
    ['anew when all that was kept is lost', {}, keys => keys],
    ['anew when a part of what was kept is lost', {}, keys => keys.slice(0, 1)],
  ])('is taken in after a reopen: documents are read %s', async (_, activation, lost) => {
    const db = memoryDatabase()
    const { engine, shop, service } = await active({
      documents: someDocuments(1200, 3),
      activation,
      store: db,
    })
    await shop.documents.bulk(someDocuments(1250, 9))
    await shop.documents.deleteWhere({ id: { in: ['d3', 'd4'] } })
    const asked = ['lamp desk', 'oak brass LX-350 glass', 'garden']
    const answers = async (one: SimilarService) => {
      const found = asked.map(async text =>
        (await one.recommend(text, all)).map(({ id, score }) => [id, score]),
      )
      return await Promise.all(found)
    }
    await answers(service)
    await expect.poll(() => keptKeys(db)).toContainEqual(expect.stringMatching(/record$/))
    const before = await answers(service)
    await engine.close()
    for (const key of lost(await keptKeys(db))) await db.del(key)
    const again = await open({ store: db })
    const reopened = again.services.get(service.id, 'similar')
    expect(await answers(reopened)).toEqual(before)
    await again.datasets.get('shop').documents.upsert({ id: 'late', title: 'late lamp', desc: 'late lamp' })
    expect(ids(await reopened.recommend('late lamp', { limit: 1 }))).toEqual(['late'])
    await expectHealthy(again)
    await reopened.prepare({ dataset: 'shop', again: true })
    await again.close()
    expect((await keptKeys(db)).filter(key => key.includes('/00000001/'))).toEqual([])
  })
})

describe('index', () => {
  it('finds the nearest documents of every tag', async () => {
    const documents = someDocuments(90)
    const { shop, service } = await active({ documents })
    expect([await service.recommendById('d1'), await service.indexed()]).toEqual([[], null])
    const job = service.index()
    await job
    expect(job.state).toMatchObject({ kind: 'similar-index', percent: 100, service: service.id })
    for (const { id, tag, title, desc } of documents.slice(0, 20)) {
      for (const one of ['a', 'b']) {
        const found = await service.recommendById(id, { tag: one, ...all })
        if (!tag.includes(one)) expect(found).toEqual([])
        else expect(found.length).toBeGreaterThan(20)
        expect(ids(found)).not.toContain(id)
        for (const hit of found) expect(hit.document.tag).toContain(one)
        // Documents are asked with all they have, texts as if they were a title or everything.
        const [best] = await service.recommend(`${title} ${desc}`, { tag: one, limit: 1 })
        if (tag.includes(one)) expect(best!.score).toBeGreaterThan(0)
      }
    }
    const first = documents.find(({ tag }) => tag.length > 1)!
    expect(await service.recommendById(first.id, all)).toEqual(
      await service.recommendById(first.id, { tag: first.tag[0]!, ...all }),
    )
    await shop.documents.delete('d2')
    for (const list of Object.values(await listsOf(shop, service)))
      expect((list as [string, number][]).map(([id]) => id)).not.toContain('d2')
    expect(await service.recommendById('d2')).toEqual([])
  })

  it('keeps to its filter, and recommendations keep to theirs', async () => {
    const { service } = await active({ documents: someDocuments(120) })
    const filter = { query: 'price:>30', tags: ['a'] }
    await service.index({ filter })
    expect(await service.indexed()).toEqual({ filter, seq: expect.any(Number) })
    let found = 0
    for (let i = 0; i < 120; i++) {
      expect(await service.recommendById(`d${i}`, { tag: 'b' })).toEqual([])
      const near = await service.recommendById(`d${i}`, { tag: 'a', ...all })
      for (const { document } of near) expect(document.price).toBeGreaterThan(30)
      const few = await service.recommendById(`d${i}`, { tag: 'a', query: 'title:oak', limit: 2 })
      expect(few).toEqual(near.filter(({ document }) => /oak/.test(document.title as string)).slice(0, 2))
      found += few.length
    }
    expect(found).toBeGreaterThan(20)
    const weights = [{ query: 'title:oak', value: 50 }]
    const one = (await service.recommendById('d1', { tag: 'a', ...all })) ?? []
    expect(ids(await service.recommendById('d1', { tag: 'a', weights, ...all })).sort()).toEqual(
      ids(one).sort(),
    )
  })

  it('weighs documents by one formula, for texts and by id, and lifts one that is far behind to the front', async () => {
    const documents = someDocuments(120)
    const { service } = await active({ documents })
    await service.index()
    const isOak = ({ document }: { document: JsonObject }) => /oak/.test(document.title as string)
    let lifted = 0
    for (let i = 0; i < 120; i += 5) {
      const { title, desc } = documents[i]!
      for (const value of [0.5, 10, 10_000]) {
        for (const ask of [
          (more: object) => service.recommendById(`d${i}`, { tag: 'a', limit: 100, ...more }),
          (more: object) => service.recommend(`${title} ${desc}`, { tag: 'a', limit: 100, ...more }),
        ]) {
          const plain = await ask({})
          const weights = [{ query: 'title:oak', value }]
          // By logarithms, as large values are no numbers any more.
          const worth = (hit: (typeof plain)[0]) => (1 + (isOak(hit) ? value : 0)) * Math.log1p(hit.score)
          const expected = plain.toSorted((a, b) => worth(b) - worth(a))
          expect(ids(await ask({ weights }))).toEqual(ids(expected))
          const eighth = plain[7]
          if (!eighth || value !== 10 || 11 * Math.log1p(eighth.score) <= Math.log1p(plain[0]!.score))
            continue
          const [first] = await ask({ weights: [{ query: `id:${eighth.id}`, value }], limit: 1 })
          expect(first!.id).toBe(eighth.id)
          lifted++
        }
      }
    }
    expect(lifted).toBeGreaterThan(20)
  })

  it('recommends within tags of a filter, besides the tag of the list and a query', async () => {
    const { service } = await active({ documents: someDocuments(120) })
    await service.index()
    let found = 0
    for (let i = 0; i < 120; i += 5) {
      const near = await service.recommendById(`d${i}`, { tag: 'a', ...all })
      const filter = { query: 'price:>30', tags: ['b'] }
      const few = await service.recommendById(`d${i}`, { tag: 'a', query: 'title:oak', filter, ...all })
      const isMeant = ({ tag, price, title }: JsonObject) =>
        (tag as string[]).includes('b') && (price as number) > 30 && /oak/.test(title as string)
      expect(few).toEqual(near.filter(({ document }) => isMeant(document)))
      found += few.length
    }
    expect(found).toBeGreaterThan(20)
    const refused = { code: 'INVALID_ARGUMENT', details: { field: 'filter.tags[1]' } }
    const unknown = { filter: { tags: ['a', 'c'] } }
    expect(await failureOf(() => service.recommendById('d1', unknown))).toMatchObject(refused)
    const broken = { query: 'title:oak', filter: { query: 'a) OR (b' } }
    expect(await failureOf(() => service.recommendById('d1', broken))).toMatchObject({
      code: 'QUERY_INVALID',
      details: { field: 'filter.query', at: 1 },
    })
  })

  it('that was cancelled leaves none after a reopen, however far their removal came', async () => {
    let isCut = false
    // Of what lies under a key half is removed, then nothing works any more.
    const db = memoryDatabase()
    const store = cutting(db, from => isCut && from.endsWith('/lists/'))
    const documents = someDocuments(200)
    const { id } = documents.find(({ tag }) => tag.includes('a'))!
    const { engine, service } = await active({ documents, store })
    await service.index()
    expect((await service.recommendById(id)).length).toBeGreaterThan(0)
    isCut = true
    const stop = new AbortController()
    const job = service.index({ signal: stop.signal, onProgress: () => stop.abort() })
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect([await service.indexed(), await service.recommendById(id)]).toEqual([null, []])
    expect((await listKeys(db)).length).toBeGreaterThan(0)
    await engine.close()
    const again = await open({ store: db })
    const reopened = again.services.get(service.id, 'similar')
    expect([await reopened.indexed(), await reopened.recommendById(id)]).toEqual([null, []])
    expect(await listKeys(db)).toEqual([])
    await reopened.index()
    expect((await reopened.recommendById(id)).length).toBeGreaterThan(0)
    await expectHealthy(again)
  })

  it('is followed by partial ones that come to the same as finding all anew, whatever was written', async () => {
    const documents = someDocuments(40)
    const { shop, service, engine } = await active({ documents })
    const filter = { query: 'price:<90' }
    await service.index({ filter })
    const write = fc.record({
      id: fc.integer({ min: 0, max: 50 }).map(id => `d${id}`),
      kind: fc.constantFrom('write', 'write', 'delete', 'tag'),
      title: fc.array(fc.constantFrom(...words), { maxLength: 4 }).map(some => some.join(' ')),
      tag: fc.subarray(['a', 'b', 'gone']),
      price: fc.integer({ min: 0, max: 99 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 8 }), async writes => {
        for (const { id, kind, title, tag, price } of writes) {
          if (kind === 'delete') await shop.documents.delete(id)
          else if (kind === 'write') await shop.documents.upsert({ id, title, tag, price })
          else await shop.tags.cleanDocuments()
        }
        const before = engine.jobs().length
        await service.indexPartial()
        expect(engine.jobs().length).toBe(before + 1)
        const partial = await listsOf(shop, service)
        await service.index({ filter })
        expect(partial).toEqual(await listsOf(shop, service))
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  it('takes many changes in at once, and those of tags that are gone', async () => {
    const { shop, service } = await active({ documents: someDocuments(70) })
    await service.index()
    await shop.documents.bulk(someDocuments(70, 9))
    await service.indexPartial()
    const partial = await listsOf(shop, service)
    await service.index()
    expect(partial).toEqual(await listsOf(shop, service))
    await shop.tags.remove('b', { cleanDocuments: true } as never)
    await service.indexPartial()
    for (let i = 0; i < 70; i += 7) expect(await service.recommendById(`d${i}`, { tag: 'b' })).toEqual([])
  })

  it('answers whoever asks while it is made anew, brought up to date and prepared again', async () => {
    const { shop, service } = await active({ documents: someDocuments(60) })
    await service.index()
    let isOver = false
    const asking = Array.from({ length: 4 }, async (_, at) => {
      let answers = 0
      for (let i = at; !isOver; i += 4, answers++) {
        await service.recommendById(`d${i % 60}`, { tag: 'a' })
        await service.keywords('oak desk', { tag: 'a' })
      }
      return answers
    })
    // Who fails is noticed at the end: until then the others go on.
    const answered = Promise.allSettled(asking)
    for (let round = 0; round < 9; round++) {
      await shop.documents.upsert({ id: `d${round}`, title: `oak ${words[round % 10]}`, tag: 'a' })
      if (round === 5) await service.prepare({ dataset: 'shop', again: true })
      if (round % 3 === 2) await service.index()
      else if (await service.indexed()) await service.indexPartial()
    }
    isOver = true
    for (const outcome of await answered) {
      expect(outcome).toMatchObject({ status: 'fulfilled' })
      if (outcome.status === 'fulfilled') expect(outcome.value).toBeGreaterThan(10)
    }
  })

  it('compares documents in threads where many are others, also when a clean-up of tags came last', async () => {
    const { shop, service } = await active({ documents: someDocuments(110) })
    await service.index()
    /** How many units of work it took: lists that are made, or groups that are mended. */
    const units = async () => {
      let most = 0
      await service.indexPartial({ onProgress: ({ total }) => (most = Math.max(most, total ?? 0)) })
      return most
    }
    const groups = 3
    await shop.documents.upsert({ id: 'd1', title: 'oak hose', tag: ['a', 'c'] })
    expect(await units()).toBe(groups)
    const others = someDocuments(90, 9).map(one => ({ ...one, tag: [...one.tag, 'gone'] }))
    await shop.documents.bulk(others.map(one => ({ ...one, title: `${one.title} new` })))
    await shop.tags.cleanDocuments()
    expect(await units()).toBeGreaterThan(60)
    const partial = await listsOf(shop, service)
    await service.index()
    expect(partial).toEqual(await listsOf(shop, service))
    await shop.documents.bulk(others.map(one => ({ ...one, title: `${one.title} new` })))
    await service.indexPartial()
    await shop.tags.cleanDocuments()
    expect(await units()).toBe(groups)
  })

  it('refuses what it cannot do', async () => {
    const { service } = await active()
    expect(await codeOf(() => service.indexPartial().finished)).toBe('SERVICE_STATE')
    expect((await failureOf(() => service.index({ filter: { tags: ['c'] } }))).details.field).toBe(
      'filter.tags[0]',
    )
    expect(await codeOf(() => service.index({ filter: { query: '(a' } }))).toBe('QUERY_INVALID')
    const job = service.index()
    expect(await failureOf(() => service.index())).toMatchObject({
      code: 'SERVICE_STATE',
      details: { field: 'status', received: 'busy', expected: 'active and idle' },
    })
    expect(await codeOf(() => service.prepare({ dataset: 'shop', again: true }))).toBe('SERVICE_STATE')
    await job
    expect(await codeOf(() => service.recommendById('d1', { tag: 'c' }))).toBe('INVALID_ARGUMENT')
  })

  it('leaves nothing behind when it is cancelled, and can be made again', async () => {
    const store = memoryDatabase()
    const { engine, service } = await active({ store, documents: someDocuments(150) })
    await service.index()
    expect(await service.indexed()).not.toBeNull()
    const job = service.index({ onProgress: () => job.cancel() })
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect([service.status, await service.indexed()]).toEqual(['active', null])
    const keys = (await store.keys({ gte: 'm/', lt: 'm0' }).all()).map(String)
    expect(keys.filter(key => key.includes('lists'))).toEqual([])
    await service.index()
    expect(await service.indexed()).not.toBeNull()
    await expectHealthy(engine)
    await service.remove()
    expect(await store.keys({ gte: 'm/', lt: 'm0' }).all()).toEqual([])
  })

  it('is there when the store is opened again, as it was before a change or a kill', async () => {
    const store = memoryDatabase()
    const { engine, service, shop } = await active({ store, documents: someDocuments(50) })
    await service.index()
    const lists = await listsOf(shop, service)
    const found = ids(await service.recommend('oak desk', all))
    await shop.documents.insert({ id: 'late', title: 'Oak desk', tag: 'a' })
    await engine.close()
    const again = await open({ store })
    const alike = again.services.get(service.id, 'similar')
    const [best, ...others] = ids(await alike.recommend('oak desk', all))
    expect([best, others.sort()]).toEqual(['late', found.sort()])
    const now = await listsOf(again.datasets.get('shop') as Dataset, alike)
    expect(now).toMatchObject(lists)
    await alike.indexPartial()
    expect(ids(await alike.recommendById('late', { tag: 'a' }))).toHaveLength(3)
    const partial = await listsOf(again.datasets.get('shop') as Dataset, alike)
    await alike.index()
    expect(partial).toEqual(await listsOf(again.datasets.get('shop') as Dataset, alike))
  })

  it('is told where another version of Findling has prepared the service, which cannot answer', async () => {
    const store = memoryDatabase()
    const { engine, service } = await active({ store, documents: someDocuments(50) })
    await service.index({ filter: { query: 'price:>10' } })
    await engine.close()
    await store.open()
    for await (const [key, value] of store.iterator()) {
      if (!key.startsWith('m/') || !key.endsWith('/record')) continue
      const record = unseal(key, value)!.toString()
      await store.put(key, sealText(key, record.replaceAll(/"format":\d+/g, '"format":0')))
    }
    const again = (await open({ store })).services.get(service.id, 'similar')
    expect(await codeOf(() => again.recommend('oak desk'))).toBe('FORMAT_UNSUPPORTED')
    expect(await again.indexed()).toMatchObject({ filter: { query: 'price:>10' } })
    await again.prepare({ dataset: 'shop', again: true })
    expect(await again.indexed()).toBeNull()
    expect((await again.recommend('oak desk')).length).toBeGreaterThan(0)
  })

  it('goes when the service is prepared anew', async () => {
    const { service } = await active()
    await service.index()
    await service.prepare({ dataset: 'shop', again: true })
    expect([service.status, await service.indexed()]).toEqual(['active', null])
    expect(await service.recommendById('d1', { tag: 'a' })).toEqual([])
  })
})
