import fc from 'fast-check'
import { type Dataset, Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failureOf, openEngine } from './engines.ts'
import {
  ALL,
  type Article,
  articleSettings,
  askedOptions,
  madeArticles,
  numbersOf,
  toldBy,
  typedText,
} from './made-visibility.ts'

/** Only active documents are there. */
const visible = { active: true }

describe.each([1, 2, 3])('documents that are not there for whoever asks (seed %d)', seed => {
  let engine: Engine
  let shop: Dataset<Article>
  let twin: Dataset<Article>
  const made = madeArticles(160, numbersOf(seed))
  const active = made.filter(article => article.active)

  beforeAll(async () => {
    engine = await Engine.open()
    for (const name of ['shop', 'twin']) {
      await engine.datasets.create(name, { ...articleSettings, sample: made[0]! })
      const { tags } = engine.datasets.get(name)
      for (const id of ['all', 'lamps', 'tools'])
        await tags.create({ id, name: `${id} lamps of light`, parentId: id === 'all' ? null : 'all' })
    }
    shop = engine.datasets.get<Article>('shop')
    twin = engine.datasets.get<Article>('twin')
    await shop.tags.create({ id: 'secret', name: 'lampshades', parentId: null })
    // In pieces, so that words and families come at different times; all documents come in or out of sight once.
    for (let at = 0; at < made.length; at += 40) {
      const some = made.slice(at, at + 40)
      await shop.documents.bulk(some.map(one => ({ ...one, active: !one.active })))
      await Promise.all([shop.search('lamp'), shop.complete('l', { visible }), shop.similar('lamp')])
      await shop.documents.bulk(some)
    }
    await twin.documents.bulk(active)
  })
  afterAll(() => engine.close())

  /** The same of the dataset, seen in part, and of one that has nothing else. */
  const compare = async (told: (dataset: Dataset<Article>) => Promise<unknown>) => {
    const [own, others] = await Promise.all([told(shop), told(twin)])
    expect(own).toEqual(others)
  }
  const always = (numRuns: number) => ({ numRuns, seed })

  test('change nothing but scores and order of a search', async () => {
    const same = fc.asyncProperty(typedText, askedOptions, (text, options) =>
      compare(dataset => toldBy(dataset, text, { ...options, visible })),
    )
    await fc.assert(same, always(500))
  })

  test('change no groups', async () => {
    const same = fc.asyncProperty(typedText, fc.constantFrom('brand', 'price', 'tag'), (text, groupBy) =>
      compare(async dataset => {
        const { hits, total } = await dataset.search(text, { groupBy, limit: ALL, visible })
        const groups = hits.map(({ group }) => JSON.stringify(group)).sort()
        return { groups, total }
      }),
    )
    await fc.assert(same, always(50))
  })

  test('change no suggestion and no completion', async () => {
    const same = fc.asyncProperty(typedText, fc.constantFrom(1, 3, 100), (text, limit) =>
      compare(async dataset => ({
        suggested: await dataset.suggest(text, { visible, limit: limit, confidence: 0 }),
        completed: await dataset.complete(text.replaceAll('"', ''), { visible, limit }),
        begun: await dataset.complete(text.slice(0, 2), { visible, limit, kinds: ['title'] }),
        tags: await dataset.complete(text.slice(0, 4), { visible, limit, kinds: ['tag'] }),
      })),
    )
    await fc.assert(same, always(150))
  })

  test('change no list, no count and no sample', async () => {
    const queries = fc.constantFrom<string | Record<string, never>>({}, 'lamp', 'title:l* -red', 'price:<50')
    const same = fc.asyncProperty(queries, fc.constantFrom([['lamps']], [['secret']], []), (query, [tags]) =>
      compare(async dataset => {
        const listed = await dataset.filter(query, {
          visible,
          ...(tags && { tags }),
          limit: ALL,
          facets: ['tag'],
        })
        const sampled = await dataset.sample({ visible, percent: 30, seed: 'x', filter: query })
        return {
          ids: listed.hits.map(({ id }) => id).sort(),
          total: listed.total,
          facets: listed.facets,
          count: await dataset.count(query, { visible, ...(tags && { tags }) }),
          sampled,
        }
      }),
    )
    await fc.assert(same, always(30))
  })

  test('change not what is similar', async () => {
    const same = fc.asyncProperty(typedText, fc.boolean(), (text, isFiltered) =>
      compare(async dataset => {
        const options = { visible, limit: 1000, ...(isFiltered && { filter: 'price:>20' }) }
        const [byText, byId] = await Promise.all([
          dataset.similar(text, options),
          dataset.similar({ id: active[text.length % active.length]!.id }, options),
        ])
        return [byText, byId].map(hits => hits.map(({ id }) => id).sort())
      }),
    )
    await fc.assert(same, always(40))
  })

  test('change not which words tags have', async () => {
    await compare(async dataset => {
      const lists: unknown[] = []
      for await (const { tagId, nGram, words } of dataset.tags.words({ visible, tags: ['lamps', 'tools'] }))
        lists.push([tagId, nGram, [...words]])
      return lists
    })
  })

  test('are told where they are missing from nothing: an answer without the condition has them', async () => {
    const [all, some] = await Promise.all([shop.search('secretword'), shop.search('secretword', { visible })])
    expect(all.hits.length).toBeGreaterThan(0)
    expect([all.words[0]!.kind, some.words[0]!.kind]).toEqual(['exact', 'none'])
    expect([await shop.count(), await shop.count(undefined, { visible })]).toEqual([
      made.length,
      active.length,
    ])
  })
})

describe('a cursor of somebody to whom some documents are not there', () => {
  const open = async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('shop', {
      sample: { id: '1', title: 'A lamp', active: true },
    })
    const all = Array.from({ length: 40 }, (_, i) => ({ id: `d${i}`, title: 'A lamp', active: i % 2 === 0 }))
    await dataset.documents.bulk(all)
    return dataset
  }

  test('leads through what is there, and no further than that is so', async () => {
    const dataset = await open()
    for (const documents of [true, false]) {
      const first = await dataset.search('lamp', { visible, limit: 5, cursor: true, documents })
      const list = await dataset.filter({}, { visible, limit: 5, cursor: true, sort: ['id'] })
      await dataset.documents.bulk([
        { id: 'd2', title: 'A lamp', active: false },
        { id: 'd4', title: 'A floor lamp', active: true },
      ])
      const ids = first.hits.map(({ id }) => id)
      for (let { cursor } = first; cursor; ) {
        const page = await dataset.search('', { visible, cursor })
        ids.push(...page.hits.map(({ id }) => id))
        cursor = page.cursor
      }
      const listed = list.hits.map(({ id }) => id)
      for (let { cursor } = list; cursor; ) {
        const page = await dataset.filter({}, { visible, cursor })
        listed.push(...page.hits.map(({ id }) => id))
        cursor = page.cursor
      }
      const even = Array.from({ length: 20 }, (_, i) => `d${2 * i}`)
      for (const found of [ids, listed]) {
        const given = new Set(found)
        expect(given.size).toBe(found.length)
        // It may have been on the first page.
        given.add('d2')
        expect([...given].sort()).toEqual(even.sort())
      }
      await dataset.documents.bulk([{ id: 'd2', title: 'A lamp', active: true }])
    }
  })

  test('is none of somebody to whom others are there', async () => {
    const dataset = await open()
    const all = await dataset.search('lamp', { limit: 5, cursor: true })
    const some = await dataset.filter({}, { visible, limit: 5, cursor: true })
    const other = { active: false }
    for (const refused of [
      dataset.search('', { visible, cursor: all.cursor! }),
      dataset.filter({}, { visible: other, cursor: some.cursor! }),
    ])
      expect((await failureOf(() => refused)).code).toBe('CURSOR_EXPIRED')
    expect((await dataset.filter({}, { cursor: some.cursor! })).hits).toHaveLength(5)
  })
})

describe('a document that is not there', () => {
  test('is like nothing, as if nobody had it', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('shop', {
      sample: { id: '1', title: 'A lamp', active: true },
    })
    await dataset.documents.bulk([
      { id: 'in', title: 'A lamp', active: true },
      { id: 'out', title: 'A lamp', active: false },
    ])
    const failures = ['out', 'nobody'].map(id => failureOf(() => dataset.similar({ id }, { visible })))
    const [hidden, missing] = await Promise.all(failures)
    expect(hidden!.code).toBe('DOCUMENT_NOT_FOUND')
    expect(hidden!.message.replaceAll('out', 'nobody')).toBe(missing!.message)
    expect((await dataset.similar({ id: 'in' }, { visible })).map(({ id }) => id)).toEqual([])
  })

  test('is none of many at once, each of which sees others', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('tenants', {
      sample: { id: '1', title: 'A lamp', tenant: 1 },
    })
    const all = Array.from({ length: 400 }, (_, i) => ({
      id: `d${i}`,
      title: `lamp word${i}`,
      tenant: i % 40,
    }))
    await dataset.documents.bulk(all)
    const asked = Array.from({ length: 120 }, (_, i) => i % 40)
    const answers = await Promise.all(
      asked.map(async tenant => {
        const seen = { tenant }
        const { total, hits } = await dataset.search('lamp', { visible: seen, limit: ALL })
        const titles = await dataset.complete('lamp', { visible: seen, limit: 100 })
        return [total.count, hits.every(({ document }) => document.tenant === tenant), titles.length]
      }),
    )
    expect(answers).toEqual(asked.map(() => [10, true, 10]))
  })

  test('is read where only it tells, and changes while it is', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('long', {
      interpretedFields: ['title'],
      sample: { id: '1', title: 'A lamp', note: 'a note' },
    })
    // Texts of this length are in no column.
    const note = (word: string) => `${'long '.repeat(60)}${word}`
    const document = (i: number, word: string) => ({ id: `d${i}`, title: `lamp word${i}`, note: note(word) })
    await dataset.documents.bulk(Array.from({ length: 60 }, (_, i) => document(i, i % 2 ? 'open' : 'shut')))
    const seen = { note: note('open') }
    const find = async () => (await dataset.search('lamp', { visible: seen, limit: ALL })).total.count
    expect(await find()).toBe(30)
    const changes = [1, 3, 5].map(i => dataset.documents.bulk([document(i, 'shut')]))
    await Promise.all([...changes, find(), find()])
    expect(await find()).toBe(27)
  })

  test('is another one where other fields are searched', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('shop', {
      interpretedFields: ['title', 'note'],
      sample: { id: '1', title: 'A lamp', note: 'a note' },
    })
    await dataset.documents.bulk([
      { id: 'in', title: 'open lamp', note: 'none' },
      { id: 'out', title: 'lamp of glass', note: 'open' },
    ])
    const look = async () => [
      (await dataset.complete('lamp', { visible: 'open' })).map(({ text }) => text).sort(),
      (await dataset.search('lamp', { visible: 'open' })).total.count,
    ]
    expect(await look()).toEqual([['lamp of glass', 'open lamp'], 2])
    await dataset.reconfigure({ interpretedFields: ['title'] })
    expect(await look()).toEqual([['open lamp'], 1])
  })

  test.each([
    ['a query that cannot be read', 'active:(', 'QUERY_INVALID'],
    ['a field that there is not', { actve: true }, 'INVALID_ARGUMENT'],
  ])('is named by no %s', async (_, wrong, code) => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create<Record<string, unknown>>('shop', {
      sample: { id: '1', title: 'A lamp', active: true },
    })
    for (const refused of [
      dataset.search('lamp', { visible: wrong }),
      dataset.filter({}, { visible: wrong }),
      dataset.complete('lamp', { visible: wrong }),
      dataset.suggest('lamp', { visible: wrong }),
      dataset.similar('lamp', { visible: wrong }),
    ]) {
      const failure = await failureOf(() => refused)
      expect([failure.code, /visible/.test(failure.message)]).toEqual([code, true])
    }
  })
})
