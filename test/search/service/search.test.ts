import { crc32 } from 'node:zlib'
import type { Engine, SearchService, SearchServiceSettings } from 'findling'
import { describe, expect, it } from 'vitest'
import { mergeRequest } from '../../../src/search/service/merging.ts'
import { type Activation, recommended } from '../../../src/search/service/settings.ts'
import { sealText, unseal } from '../../../src/store/checksum.ts'
import { codeOf, failureOf, memoryDatabase, openEngine } from '../../engine/engines.ts'
import { createCounter, openCounting } from '../../services/engines.ts'

const sample = {
  id: 'x',
  title: 'text',
  desc: 'text',
  price: 1,
  tag: ['a'],
  released: '2020-01-31',
  specs: { color: 'red', size: 1 },
  parts: [{ name: 'leg', weight: 1 }],
}
const documents = [
  {
    id: '1',
    title: 'red lamp',
    desc: 'for the table',
    price: 30,
    tag: ['light'],
    released: '2021-05-01',
    specs: { color: 'red', size: 2 },
    parts: [{ name: 'bulb', weight: 1 }],
  },
  {
    id: '2',
    title: 'blue lamp',
    desc: 'for the floor',
    price: 10,
    tag: ['light', 'floor'],
    released: '2020-05-01',
    specs: { color: 'blue', size: 1 },
    parts: [],
  },
  {
    id: '3',
    title: 'green lamp shade',
    desc: 'paper',
    price: 20,
    tag: ['shade'],
    released: '2022-05-01',
    specs: { color: 'green', size: 3 },
    parts: [],
  },
  {
    id: '4',
    title: 'oak table',
    desc: 'with a lamp',
    tag: ['table'],
    released: '2019-05-01',
    specs: { color: 'red', size: 9 },
    parts: [],
  },
  {
    id: '5',
    title: 'oak chair',
    desc: 'comfortable',
    price: 40,
    tag: ['chair'],
    released: '2018-05-01',
    specs: { color: 'oak', size: 9 },
    parts: [],
  },
]

async function openShop(settings?: SearchServiceSettings, engine?: Engine) {
  engine ??= await openCounting()
  const shop = await engine.datasets.create<object>('shop', {
    sample,
    interpretedFields: ['title', 'desc'],
  })
  await shop.documents.bulk(documents)
  const service = await engine.services.create({ type: 'search', name: 'Shop', alias: 'shop' })
  await service.prepare({ dataset: 'shop' })
  await service.activate(settings)
  return { engine, shop, service }
}

interface Stored {
  price?: number
  tag: string[]
}

const idsOf = async (service: SearchService, text: string, search: SearchServiceSettings['search'] = {}) => {
  const { hits, total } = await service.search(text, { search })
  expect(hits.length).toBeLessThanOrEqual(total)
  return hits.map(({ id }) => id)
}

describe('a search service', () => {
  it('recommends settings when it is prepared, which stay what was not given', async () => {
    const { service } = await openShop({ search: { limit: 5 }, corrections: { count: 1 } })
    expect(service.info()).toMatchObject({
      prepareSettings: { dataset: 'shop' },
      activateSettings: {
        corrections: { count: 1, confidence: 2, maxErrors: 0.5 },
        search: {
          type: 'match',
          operator: 'or',
          typoTolerance: 'auto',
          cutOffFrequency: 0.001,
          limit: 5,
          fields: ['title', 'desc'],
          responseFields: ['title', 'desc', 'id', 'tag'],
          filter: null,
          useDefaultFilter: true,
          weights: null,
          useDefaultWeights: true,
          order: null,
        },
        classifier: null,
      },
    })
    await service.deactivate()
    await service.activate({ search: { operator: 'and' } })
    expect(service.info().activateSettings).toMatchObject({ search: { limit: 5, operator: 'and' } })
  })

  it('answers with documents, the total, and corrected phrases', async () => {
    const { service } = await openShop({ search: { limit: 2, responseFields: ['title'] } })
    const { hits, total, corrections, tags } = await service.search('lmap')
    expect(hits).toEqual([
      {
        id: expect.any(String),
        score: expect.any(Number),
        document: { title: expect.stringMatching(/ lamp/) },
      },
      {
        id: expect.any(String),
        score: expect.any(Number),
        document: { title: expect.stringMatching(/ lamp/) },
      },
    ])
    expect([total, corrections, tags]).toEqual([
      4,
      [{ text: 'lamp', score: expect.any(Number), tags: null }],
      null,
    ])
  })

  it('searches and shows the fields that the dataset has by then', async () => {
    const engine = await openEngine()
    const plants = await engine.datasets.create('plants')
    const service = await engine.services.create({ type: 'search', name: 'plants' })
    await service.prepare({ dataset: 'plants' })
    await service.activate()
    const shown = () => (service.info().activateSettings as SearchServiceSettings).search
    expect(shown()).toMatchObject({ fields: [], responseFields: ['id', 'tag'] })
    await plants.documents.insert({ id: '1', title: 'fern', text: 'a green plant' })
    expect((await service.search('plant')).hits.map(({ document }) => document)).toEqual([
      { id: '1', title: 'fern', text: 'a green plant' },
    ])
    expect(shown()).toMatchObject({ fields: ['title', 'text'] })
    await plants.reconfigure({ interpretedFields: ['title'] })
    expect((await service.search('plant')).hits).toEqual([])
    expect((await service.search('fern')).hits).toHaveLength(1)
  })

  it('tells which words were dropped where the dataset says so', async () => {
    const { service, shop } = await openShop({ search: { operator: 'and' } })
    expect((await service.search('red violin')).hits).toEqual([])
    await shop.reconfigure({ relax: true })
    const { hits, relaxed } = await service.search('red violin')
    expect([hits.length > 0, relaxed]).toEqual([true, ['violin']])
    expect(await service.search('red lamp')).not.toHaveProperty('relaxed')
  })

  it('sees what is written', async () => {
    const { service, shop } = await openShop()
    await shop.documents.insert({ ...documents[0], id: '6', title: 'walnut bench' })
    expect(await idsOf(service, 'walnut')).toEqual(['6'])
    await shop.documents.delete('6')
    expect(await idsOf(service, 'walnut')).toEqual([])
  })

  it('finds as the dataset does where nothing narrows it', async () => {
    const { service, shop } = await openShop({ search: { limit: 10 } })
    for (const text of ['lamp', 'red table', 'oak', '"red lamp"', 'nothing', '!']) {
      const { hits } = await shop.search(text, { limit: 10 })
      expect((await service.search(text)).hits.map(({ id, score }) => [id, score])).toEqual(
        hits.map(({ id, score }) => [id, score]),
      )
    }
  })

  it.each<[what: string, text: string, search: SearchServiceSettings['search'], ids: string[]]>([
    ['operator', 'red table', { operator: 'and' }, ['1']],
    ['limit', 'oak', { limit: 1 }, ['4']],
    ['no search at all', 'oak', { limit: 0 }, []],
    ['no tolerance of typos', 'lmap', { typoTolerance: 0 }, []],
    ['one edit', 'lmapp', { typoTolerance: 1 }, []],
    ['fields', 'table', { fields: ['title'] }, ['4']],
    ['boosts', 'table', { fields: ['title^0.01', 'desc^50'] }, ['1', '4']],
    ['a filter of tags', 'lamp', { filter: { tags: ['table', 'shade'] } }, ['3', '4']],
    ['a filter by query', 'lamp', { filter: { query: 'price:<25' } }, ['3', '2']],
    ['a filter by both', 'lamp', { filter: { query: 'price:<25', tags: ['floor', 'table'] } }, ['2']],
    ['an empty filter', 'shade', { filter: { query: ' ', tags: [] } }, ['3']],
    ['a filter that nothing fits', 'lamp', { filter: { tags: ['none'] } }, []],
    ['weights', 'lamp', { weights: [{ query: 'specs.size:9', value: 100 }], limit: 1 }, ['4']],
    ['order', 'lamp', { order: { field: 'price' }, limit: 9 }, ['2', '3', '1', '4']],
    [
      'order downwards',
      'lamp',
      { order: { field: 'price', direction: 'desc' }, limit: 9 },
      ['1', '3', '2', '4'],
    ],
    ['order by time', 'lamp', { order: { field: 'released' }, limit: 9 }, ['4', '2', '1', '3']],
    ['order by text', 'lamp', { order: { field: 'title' }, limit: 9 }, ['2', '3', '4', '1']],
    ['a query', 'title:lamp AND NOT tag:shade', { type: 'query', order: { field: 'id' } }, ['1', '2']],
    ['a query of all words', 'lamp red', { type: 'query', operator: 'and' }, ['1']],
    ['a query of some fields', 'table', { type: 'query', fields: ['desc'] }, ['1']],
    ['a query with a filter', 'specs.color:red', { type: 'query', filter: { query: 'price:>0' } }, ['1']],
  ])('has its settings followed: %s', async (_, text, search, ids) => {
    const { service } = await openShop()
    const found = await idsOf(service, text, search)
    expect(search?.order || search?.fields || ids.length < 2 ? found : found.sort()).toEqual(
      search?.order || search?.fields || ids.length < 2 ? ids : ids.sort(),
    )
  })

  it('adds a weight to the score of what matches, however deep the page', async () => {
    const { service, shop } = await openShop({ search: { limit: 50 } })
    await shop.documents.bulk(
      Array.from({ length: 200 }, (_, i) => {
        return { ...documents[i % 5], id: `x${i}`, title: `oak lamp ${'wide '.repeat(i % 7)}`, price: i }
      }),
    )
    const weights = [
      { query: 'price:[100 TO 150]', value: 3 },
      { query: 'tag:chair', value: 0.5 },
      { query: 'title:wide', value: 0 },
    ]
    const scores = async (search: SearchServiceSettings['search']) => {
      const { hits, total } = await service.search('lamp', { search: { responseFields: ['*'], ...search } })
      return {
        hits: hits.map(({ id, score, document }) => ({ id, score, document: document as unknown as Stored })),
        total,
      }
    }
    const plain = await scores({ limit: 1000 })
    const expected = plain.hits.map(({ id, score, document: { price, tag } }) => {
      const isPriced = price !== undefined && price >= 100 && price <= 150
      return { id, score: score + (isPriced ? 3 : 0) + (tag.includes('chair') ? 0.5 : 0) }
    })
    expected.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    for (const limit of [1, 20, 1000]) {
      const { hits, total } = await scores({ weights, limit })
      expect([total, hits.length]).toEqual([plain.total, Math.min(limit, plain.total)])
      for (const [i, { id, score }] of hits.entries()) {
        expect(score).toBeCloseTo(expected[i]!.score, 6)
        expect(expected.find(one => one.id === id)!.score).toBeCloseTo(score, 6)
      }
    }
    const byQuery = await service.search('lamp', { search: { type: 'query', weights, limit: 1 } })
    expect(byQuery.hits[0]!.score).toBeGreaterThan(3)
  })

  it('refuses weights that have too many values in all, when it is asked and when it is activated', async () => {
    const { service } = await openShop()
    const weights = [0, 1].map(part => ({
      query: `id:(${Array.from({ length: 40_000 }, (_, i) => `a${part}-${i}`).join(' ')})`,
      value: 1,
    }))
    const refusal = {
      code: 'QUERY_INVALID',
      message: 'search.weights has 80000 values; expected at most 65536',
      details: { field: 'search.weights' },
    }
    await service.search('lamp', { search: { weights: weights.slice(1) } })
    expect(await failureOf(() => service.search('lamp', { search: { weights } }))).toMatchObject(refusal)
    await service.deactivate()
    expect(await failureOf(async () => service.activate({ search: { weights } }))).toMatchObject(refusal)
  })

  it('adds as many weights as there may be, in every form, to the scores of whatever changes', async () => {
    const { service, shop } = await openShop({ search: { limit: 1000 } })
    const given = (from: number) =>
      Array.from({ length: 60 }, (_, i) => ({
        ...documents[i % 5],
        id: `x${from + i}`,
        price: (from + i) % 90,
      }))
    await shop.documents.bulk(given(0))
    const weights = Array.from({ length: 100 }, (_, i) => ({
      query: ['price:>', 'price:<', 'title:lamp OR price:', 'NOT price:', 'id:x'][i % 5]! + (i % 41),
      value: i % 7,
    }))
    for (const round of [1, 2, 3]) {
      for (const type of ['match', 'query'] as const) {
        const plain = await service.search('lamp', { search: { type } })
        const weighed = await service.search('lamp', { search: { type, weights } })
        expect(weighed.total).toBe(plain.total)
        const alone = await service.search('lamp', { search: { weights, explain: true } })
        const added = new Map(
          alone.hits.map(({ id, explanation }) => [
            id,
            explanation!.weights.reduce((sum, { value }) => sum + value, 0),
          ]),
        )
        const scores = new Map(plain.hits.map(({ id, score }) => [id, score + added.get(id)!]))
        for (const { id, score } of weighed.hits) expect(score).toBeCloseTo(scores.get(id)!, 6)
        expect(weighed.hits.map(({ score }) => score)).toEqual(
          weighed.hits.map(({ score }) => score).sort((a, b) => b - a),
        )
      }
      await shop.documents.bulk(given(round * 30))
      await shop.documents.delete(`x${round * 11}`)
    }
  })

  it('finds by surface words alone where no edit is allowed, else by other forms too, after the word itself', async () => {
    const { service, shop } = await openShop({ search: { limit: 9 } })
    await shop.documents.insert({ ...documents[4], id: '6', title: 'two chairs' })
    const found = (text: string, search: SearchServiceSettings['search']) => idsOf(service, text, search)
    expect(await found('chairs', { typoTolerance: 0 })).toEqual(['6'])
    expect(await found('chairs', { typoTolerance: 1 })).toEqual(['6', '5'])
    expect(await found('chairs', { typoTolerance: 0, order: { field: 'id' } })).toEqual(['6'])
    expect(await found('chairs', { order: { field: 'id' } })).toEqual(['5', '6'])
    expect(await found('oak chairs', { typoTolerance: 0, operator: 'and' })).toEqual([])
    expect(await found('oak chair', { typoTolerance: 0, operator: 'and' })).toEqual(['5'])
    expect(await found('comfortable', { typoTolerance: 0, fields: ['title'] })).toEqual([])
    await shop.reconfigure({ stopWords: ['Chairs'] })
    expect(await found('oak chairs', { typoTolerance: 0, operator: 'and' })).toEqual(['4', '5'])
  })

  it('pins documents and drops words also where no edit is allowed', async () => {
    const { service, shop } = await openShop({ search: { limit: 9, typoTolerance: 0 } })
    await shop.reconfigure({
      relax: true,
      curations: [{ query: 'comfortable', pinned: [{ id: '2', position: 1 }] }],
      synonyms: [{ synonyms: ['paper', 'comfortable'] }],
    })
    expect(await idsOf(service, 'comfortable')).toEqual(['2', '5'])
    const { hits, total, relaxed } = await service.search('oak shade', { search: { operator: 'and' } })
    expect([hits.map(({ id }) => id), total, relaxed]).toEqual([['3'], 1, ['oak']])
    const highlighted = await service.search('oak chair', { search: { operator: 'and', highlight: true } })
    expect(highlighted.hits.map(({ id, highlights }) => [id, highlights!.title![0]!.ranges])).toEqual([
      [
        '5',
        [
          { start: 0, end: 3 },
          { start: 4, end: 9 },
        ],
      ],
    ])
  })

  it('looks for the words of a query in the fields that are searched, and where the query says', async () => {
    const { service } = await openShop({ search: { limit: 9 } })
    const found = async (text: string, search: SearchServiceSettings['search'] = {}) =>
      (await idsOf(service, text, { type: 'query', ...search })).sort()
    expect(await found('table')).toEqual(['1', '4'])
    expect(await found('table', { fields: ['title'] })).toEqual(['4'])
    expect(await found('NOT table', { fields: ['title'] })).toEqual(['1', '2', '3', '5'])
    expect(await found('desc:table', { fields: ['title'] })).toEqual(['1'])
    expect(await found('title:table desc:paper', { fields: ['desc'] })).toEqual(['3', '4'])
    expect(await found('specs.color:red AND price:>5')).toEqual(['1'])
    expect(await idsOf(service, 'lamp^0.1 oak^9', { type: 'query', limit: 1 })).toEqual(['4'])
    expect(await idsOf(service, 'table', { type: 'query', fields: ['title', 'desc^40'], limit: 1 })).toEqual([
      '1',
    ])
  })

  it.each([
    [undefined, undefined, undefined, ['1', '2', '3', '4']],
    [undefined, { query: 'price:>15' }, undefined, ['1', '3']],
    ['default', undefined, undefined, ['1', '2']],
    ['default', undefined, true, ['1', '2']],
    ['default', { query: 'price:>15' }, undefined, ['1']],
    ['default', { query: 'price:>15' }, true, ['1']],
    ['default', { query: 'price:>15' }, false, ['1', '3']],
    ['default', { tags: ['shade', 'floor'] }, undefined, ['2']],
    ['default', { tags: ['shade', 'floor'] }, false, ['2', '3']],
    ['default', undefined, false, ['1', '2', '3', '4']],
  ])(
    'with the filter %j, that of a request %j and useDefaultFilter %j finds %j',
    async (given, filter, useDefaultFilter, ids) => {
      const activated = given === undefined ? {} : { filter: { query: 'price:>5', tags: ['light'] } }
      const { service } = await openShop({ search: { ...activated, limit: 9 } })
      for (const search of [{}, { type: 'query' as const }, { order: { field: 'id' } }])
        expect((await idsOf(service, 'lamp', { ...search, filter, useDefaultFilter })).sort()).toEqual(ids)
    },
  )

  it.each([
    [undefined, undefined, 0],
    [undefined, true, 0],
    [[{ query: 'id:3', value: 5 }], undefined, 5],
    [[{ query: 'id:3', value: 5 }], false, 5],
    ['default', undefined, 100],
    ['default', true, 100],
    ['default', false, 0],
    ['both', undefined, 105],
    ['both', true, 105],
    ['both', false, 5],
  ])('with the weights %j and useDefaultWeights %j adds %d', async (given, useDefaultWeights, sum) => {
    const hasDefault = given === 'default' || given === 'both'
    const defaults = hasDefault ? { weights: [{ query: 'tag:shade', value: 100 }] } : {}
    const { service, shop } = await openShop({ search: { ...defaults, limit: 9 } })
    const weights =
      given === 'both' ? [{ query: 'id:3', value: 5 }] : Array.isArray(given) ? given : undefined
    const { hits } = await service.search('lamp', { search: { weights, useDefaultWeights } })
    const plain = await shop.search('lamp')
    const scoreOf = (list: { id: string; score: number }[], id: string) =>
      list.find(one => one.id === id)!.score
    expect(scoreOf(hits, '3') - scoreOf(plain.hits, '3')).toBeCloseTo(sum, 6)
    expect(scoreOf(hits, '1') - scoreOf(plain.hits, '1')).toBeCloseTo(0, 6)
    expect(hits.length).toBe(plain.hits.length)
  })

  it('finds what a predicate over all documents lets through of what the dataset finds', async () => {
    const { service, shop } = await openShop({ search: { limit: 100, filter: { query: 'price:>0' } } })
    await shop.documents.bulk(
      Array.from({ length: 80 }, (_, i) => {
        return { ...documents[i % 5], id: `x${i}`, price: (i * 7) % 40, tag: [`t${i % 3}`, `u${i % 5}`] }
      }),
    )
    const all = new Map(
      (await shop.filter({}, { limit: 1000 })).hits.map(({ id, document }) => [id, document as Stored]),
    )
    for (const text of ['lamp', 'oak table', 'lmap', 'red OR blue', '"lamp shade"']) {
      for (const operator of ['or', 'and'] as const) {
        const found = await shop.search(text, { operator, limit: 1000, documents: false })
        const expected = found.hits.filter(({ id }) => {
          const { price = 0, tag } = all.get(id)!
          return price > 0 && price < 30 && ['t1', 'u2'].some(one => tag.includes(one))
        })
        const search = { operator, filter: { query: 'price:<30', tags: ['t1', 'u2'] } }
        const { hits, total } = await service.search(text, { search })
        expect([total, hits.map(({ id }) => id)]).toEqual([expected.length, expected.map(({ id }) => id)])
        const ordered = await service.search(text, { search: { ...search, order: { field: 'price' } } })
        const prices = ordered.hits.map(({ id }) => all.get(id)!.price!)
        expect(prices).toEqual([...prices].sort((a, b) => a - b))
        expect(ordered.hits.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
      }
    }
  })

  it('ranks what a query finds by its words', async () => {
    const { service } = await openShop()
    expect(await idsOf(service, 'lamp OR shade OR green', { type: 'query', limit: 1 })).toEqual(['3'])
  })

  it('counts all that match, whatever is shown', async () => {
    const { service } = await openShop()
    const totalOf = async (search: SearchServiceSettings['search']) =>
      (await service.search('lamp', { search })).total
    expect(await totalOf({ limit: 1 })).toBe(4)
    expect(await totalOf({ limit: 1, filter: { query: 'price:>15' } })).toBe(2)
    expect(await totalOf({ limit: 1, type: 'query' })).toBe(4)
  })

  it('shows the fields that are asked for, in the order of the document', async () => {
    const { service } = await openShop()
    const shown = async (responseFields: string[]) =>
      (await service.search('red', { search: { responseFields, limit: 1 } })).hits[0]!.document
    expect(await shown(['price', 'title'])).toEqual({ title: 'red lamp', price: 30 })
    expect(await shown(['specs.color', 'parts.name'])).toEqual({
      specs: { color: 'red' },
      parts: [{ name: 'bulb' }],
    })
    expect(await shown(['specs', 'specs.color'])).toEqual({ specs: { color: 'red', size: 2 } })
    expect(await shown(['*'])).toEqual(documents[0])
  })

  it.each<[what: string, settings: unknown, code: string, field: string]>([
    ['an unknown field to search', { search: { fields: ['titel'] } }, 'INVALID_ARGUMENT', 'search.fields[0]'],
    [
      'a boost that is none',
      { search: { fields: ['title', 'desc^x'] } },
      'INVALID_ARGUMENT',
      'search.fields[1]',
    ],
    ['a boost beyond all', { search: { fields: ['title^999'] } }, 'INVALID_ARGUMENT', 'search.fields[0]'],
    ['no field at all', { search: { fields: [] } }, 'INVALID_ARGUMENT', 'search.fields'],
    [
      'an unknown field to show',
      { search: { responseFields: ['specs.colour'] } },
      'INVALID_ARGUMENT',
      'search.responseFields[0]',
    ],
    [
      'an order by an unknown field',
      { search: { order: { field: 'prize' } } },
      'INVALID_ARGUMENT',
      'search.order.field',
    ],
    [
      'an order by a list',
      { search: { order: { field: 'parts' } } },
      'INVALID_ARGUMENT',
      'search.order.field',
    ],
    ['a limit beyond all', { search: { limit: 10_001 } }, 'INVALID_ARGUMENT', 'search.limit'],
    [
      'a filter that cannot be read',
      { search: { filter: { query: 'a AND (' } } },
      'QUERY_INVALID',
      'search.filter.query',
    ],
    [
      'a weight that cannot be read',
      { search: { weights: [{ query: '[', value: 1 }] } },
      'QUERY_INVALID',
      'search.weights[0].query',
    ],
    ['a service that is none', { classifier: { id: 'none' } }, 'INVALID_ARGUMENT', 'classifier.id'],
    ['an unknown member', { search: { limt: 1 } }, 'INVALID_ARGUMENT', 'search.limt'],
    ['no object', 7, 'INVALID_ARGUMENT', ''],
  ])('refuses %s, in a request and when it is activated', async (_, settings, code, field) => {
    const { service } = await openShop()
    expect(await failureOf(() => service.search('lamp', settings as never))).toMatchObject({
      code,
      details: { field },
    })
    await service.deactivate()
    expect(await failureOf(() => service.activate(settings as never))).toMatchObject({
      code,
      details: { field },
    })
    expect(service.status).toBe('prepared')
  })

  it('refuses a text that is none, and a query that cannot be read', async () => {
    const { service } = await openShop()
    expect(await codeOf(() => service.search(7 as never))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => service.search('a AND', { search: { type: 'query' } }))).toBe('QUERY_INVALID')
  })

  it('is as it was after a reopen, and answers at once', async () => {
    const db = memoryDatabase()
    const { engine, service } = await openShop(
      { search: { responseFields: ['id'], limit: 1 } },
      await openCounting({ store: db }),
    )
    const before = await service.search('chair')
    await engine.close()
    await db.open()
    const again = (await openCounting({ store: db })).services.get('shop', 'search')
    expect([again.status, await again.search('chair')]).toEqual(['active', before])
  })

  it('goes on with fields that were chosen and are interpreted no more', async () => {
    const { shop, service } = await openShop({ search: { limit: 7, fields: ['desc'] } })
    expect((await idsOf(service, 'floor table')).sort()).toEqual(['1', '2'])
    await shop.reconfigure({ interpretedFields: ['title'] })
    expect((await idsOf(service, 'floor table')).sort()).toEqual(['1', '2'])
    await service.deactivate()
    await service.activate({ search: { fields: ['title'] } })
    expect(service.info().activateSettings).toMatchObject({ search: { fields: ['title'], limit: 7 } })
    expect(await idsOf(service, 'table')).toEqual(['4'])
  })

  it('searches the documents that have the name of its dataset after a swap', async () => {
    const { engine, service } = await openShop()
    const next = await engine.datasets.create<object>('next', {
      sample,
      interpretedFields: ['title', 'desc'],
    })
    await next.documents.insert({ ...documents[0], id: 'n', title: 'new lamp' })
    await engine.datasets.swap('shop', 'next')
    expect(await idsOf(service, 'lamp')).toEqual(['n'])
  })

  it('goes on when its dataset is renamed and its tags are removed, and follows other settings', async () => {
    const { engine, shop, service } = await openShop({
      search: { limit: 9, filter: { tags: ['light', 'shade'] }, order: { field: 'id' } },
    })
    await shop.tags.replaceAll(['light', 'shade'].map(id => ({ id, name: id })))
    await engine.datasets.rename('shop', 'store')
    expect(service.info().dataset).toBe('store')
    expect(await idsOf(service, 'lamp')).toEqual(['1', '2', '3'])
    const store = engine.datasets.get<object>('store')
    await store.tags.remove('light')
    expect(await idsOf(service, 'lamp')).toEqual(['1', '2', '3'])
    const { cleaning } = await store.tags.remove('shade', { cleanDocuments: true })
    await cleaning?.finished
    expect(await idsOf(service, 'lamp')).toEqual(['1', '2'])
    await store.reconfigure({ synonyms: [{ synonyms: ['lamp', 'torch'] }], curations: [{ hidden: ['2'] }] })
    expect(await idsOf(service, 'torch')).toEqual(['1'])
    expect(await codeOf(() => engine.datasets.remove('store'))).toBe('DATASET_IN_USE')
    await service.remove()
    await engine.datasets.remove('store')
    expect(engine.datasets.has('store')).toBe(false)
  })

  it('recommends tags by an active service that does so, each phrase for itself', async () => {
    const { engine, service } = await openShop({ search: { limit: 1 } })
    const words = await createCounter(engine, { alias: 'words' })
    await words.prepare({ dataset: 'shop' })
    const classifier = { id: 'words', count: 2 }
    expect(await codeOf(() => service.search('lamp', { classifier }))).toBe('INVALID_ARGUMENT')
    await words.activate()
    const { tags, corrections } = await service.search('lmap table', {
      classifier,
      search: { filter: { tags: ['table'] } },
    })
    expect(tags).toEqual([{ tagId: 'table', score: 1, tag: null, isEmphasized: false, isFound: true }])
    expect(corrections).toMatchObject([
      {
        text: 'lamp table',
        tags: [
          { tagId: 'lamp', isFound: false },
          { tagId: 'table', isFound: true },
        ],
      },
    ])
    await service.deactivate()
    await service.activate({ classifier })
    expect((await service.search('lamp')).tags).toMatchObject([{ tagId: 'lamp' }])
    await words.deactivate()
    expect((await service.search('lamp')).tags).toBeNull()
    expect((await service.search('lamp', { classifier: null })).tags).toBeNull()
  })

  it('is activated again when the service that recommended tags is gone, and goes on without', async () => {
    const { engine, service } = await openShop()
    const words = await createCounter(engine, { alias: 'words' })
    await words.prepare({ dataset: 'shop' })
    await words.activate()
    const classifier = { id: 'words', count: 2 }
    await service.deactivate()
    await service.activate({ classifier })
    await service.deactivate()
    await words.deactivate()
    expect(await codeOf(() => service.activate({ classifier }))).toBe('INVALID_ARGUMENT')
    await service.activate({ search: { limit: 1 } })
    expect(await service.search('lamp')).toMatchObject({ hits: [{}], tags: null })
    await words.activate()
    expect((await service.search('lamp')).tags).toMatchObject([{ tagId: 'lamp' }])
    await words.remove()
    await service.prepare({ dataset: 'shop', again: true })
    await service.deactivate()
    await service.activate()
    expect(await service.search('lamp')).toMatchObject({ tags: null })
  })
})

describe('a search service whose classifier another version of Findling has prepared', () => {
  it('goes on without tags until that is prepared again', async () => {
    const store = memoryDatabase()
    const before = await openEngine({ store })
    const dataset = await before.datasets.create('shop', { interpretedFields: ['title'] })
    const kinds = ['lamp', 'chair', 'scarf']
    await dataset.documents.bulk(
      Array.from({ length: 60 }, (_, i) => ({ id: i, title: `${kinds[i % 3]} ${i}`, tag: kinds[i % 3]! })),
    )
    for (const type of ['classifier', 'search'] as const) {
      const service = await before.services.create({ type, name: type, alias: type })
      await service.prepare({ dataset: 'shop' })
      await service.activate(type === 'search' ? { classifier: { id: 'classifier', count: 1 } } : {})
    }
    await before.close()
    await store.open()
    for await (const [key, value] of store.iterator()) {
      if (!key.startsWith('m/') || !key.endsWith('/record')) continue
      const record = JSON.parse(unseal(key, value)!.toString())
      const { contents } = record.manifest
      if (!contents?.model) continue
      const { checksum: _, ...model } = contents.model
      model.analyzer.version = 2
      contents.model = { ...model, checksum: crc32(JSON.stringify(model)) }
      await store.put(key, sealText(key, JSON.stringify(record)))
    }
    const engine = await openEngine({ store })
    const search = engine.services.get('search', 'search')
    const classifier = engine.services.get('classifier', 'classifier')
    expect(await codeOf(() => classifier.recommend('lamp'))).toBe('FORMAT_UNSUPPORTED')
    const { hits, tags } = await search.search('lamp')
    expect([hits.length > 0, tags]).toEqual([true, null])
    await classifier.prepare({ dataset: 'shop', again: true })
    expect((await search.search('lamp')).tags).toMatchObject([{ tagId: 'lamp' }])
  })
})

describe('a category boost', () => {
  const kinds = ['lamp', 'chair', 'scarf']
  const openBoosted = async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('things', { interpretedFields: ['title'] })
    await dataset.documents.bulk(
      Array.from({ length: 150 }, (_, i) => ({
        id: i,
        title: `${kinds[i % 3]} ${i % 7 === 0 ? 'warm' : 'old'} thing${i % 11} of many`,
        tag: kinds[(i % 5 === 0 ? i + 1 : i) % 3]!,
      })),
    )
    const tagging = await engine.services.create({ type: 'classifier', name: 'Tags', alias: 'tags' })
    await tagging.prepare({ dataset: 'things' })
    await tagging.activate()
    const service = await engine.services.create({ type: 'search', name: 'Things' })
    await service.prepare({ dataset: 'things' })
    await service.activate()
    return { tagging, service, tagOf: (id: string) => kinds[(+id % 5 === 0 ? +id + 1 : +id) % 3]! }
  }

  it('is what multiplying the scores of the first hundred finds', async () => {
    const { tagging, service, tagOf } = await openBoosted()
    for (const text of ['warm scarf thing3', 'many lamp chair', 'thing1']) {
      const shown = { highlight: true, explain: true }
      const plain = await service.search(text, {
        search: { limit: 120, ...shown },
        corrections: { count: 0 },
      })
      const likely = await tagging.recommend(text, { limit: 0 })
      const share = (id: string) => likely.find(({ tagId }) => tagId === tagOf(id))?.score ?? 0
      const expected = plain.hits.map((hit, i) => {
        const categoryFactor = i < 100 ? 1 + 0.5 * share(hit.id) : 1
        return { ...hit, score: hit.score * categoryFactor, categoryFactor }
      })
      expected.sort((a, b) => b.score - a.score)
      for (const limit of [3, 120]) {
        const classifier = { id: 'tags', count: 1, categoryBoost: 0.5 }
        const boosted = await service.search(text, {
          classifier,
          search: { limit, ...shown },
          corrections: { count: 0 },
        })
        expect(boosted.hits).toEqual(expected.slice(0, limit))
        expect(boosted.total).toBe(plain.total)
        const found = new Set(boosted.hits.map(({ id }) => tagOf(id)))
        const { tagId } = likely[0]!
        expect(boosted.tags).toMatchObject([{ tagId, isFound: found.has(tagId) }])
      }
      expect(expected.map(({ id }) => id)).not.toEqual(plain.hits.map(({ id }) => id))
    }
  })

  it('changes nothing where an order is asked for, or nobody recommends tags any more', async () => {
    const { tagging, service } = await openBoosted()
    const boost = { classifier: { id: 'tags', count: 0, categoryBoost: 1 } }
    const plain = await service.search('warm scarf')
    expect((await service.search('warm scarf', boost)).hits).not.toEqual(plain.hits)
    const search = { order: { field: 'title' } }
    expect(await service.search('warm scarf', { ...boost, search })).toEqual(
      await service.search('warm scarf', { search }),
    )
    await service.deactivate()
    await service.activate(boost)
    expect((await service.search('warm scarf')).tags).toBeNull()
    await tagging.deactivate()
    expect(await service.search('warm scarf')).toEqual(plain)
    const classifier = { id: 'tags', categoryBoost: 11 }
    expect(await codeOf(() => service.search('warm', { classifier }))).toBe('INVALID_ARGUMENT')
  })
})

describe('corrected phrases', () => {
  const phrases = async (text: string, corrections: SearchServiceSettings['corrections'] = {}) => {
    const { service } = await openShop()
    return (await service.search(text, { corrections })).corrections?.map(({ text }) => text)
  }

  it.each<[text: string, corrections: SearchServiceSettings['corrections'], expected: string[] | undefined]>([
    ['lamp', {}, []],
    ['Red lmap!', {}, ['red lamp']],
    ['lmap lmap', {}, []],
    ['lmap lmap', { maxErrors: 2 }, ['lamp lamp']],
    ['xyzzyx lmap', {}, []],
    ['comfotrable lmap', { maxErrors: 2 }, []],
    ['comfotrable chiar', { maxErrors: 1 }, []],
    ['comfotrable chiar', { maxErrors: 2 }, ['comfortable chair']],
    ['comfotrable chiar', { maxErrors: 0.5 }, []],
    ['comfotrable chiar', { maxErrors: 0.9 }, ['comfortable chair']],
    ['lmap', { confidence: 10_000 }, []],
    ['lmap', { confidence: 0 }, ['lamp']],
    ['lmap', { count: 0 }, undefined],
  ])('of %j by %j are %j', async (text, corrections, expected) => {
    expect(await phrases(text, corrections)).toEqual(expected)
  })
})

describe('the settings of a request', () => {
  const a = { query: 'a' }
  const b = { query: 'b' }
  const base = recommended()
  const activated = (search: Partial<Activation['search']>) => ({
    ...base,
    search: { ...base.search, ...search },
  })

  it.each<[byDefault: boolean | undefined, given: typeof b | undefined, expected: object[]]>([
    [true, undefined, [a]],
    [undefined, undefined, [a]],
    [true, b, [b, a]],
    [undefined, b, [b, a]],
    [false, b, [b]],
    [false, undefined, []],
  ])('with useDefault %j and %j use %j, as filter and as weights', (byDefault, given, expected) => {
    const weight = (query: { query: string }) => ({ ...query, value: 1 })
    const merged = mergeRequest(activated({ filter: a, weights: [weight(a)] }), {
      search: {
        useDefaultFilter: byDefault,
        useDefaultWeights: byDefault,
        ...(given && { filter: given, weights: [weight(given)] }),
      },
    })
    expect(merged.filters).toEqual(expected)
    expect(merged.weights).toEqual(expected.map(one => weight(one as typeof a)))
  })

  it('do without a default that the activation does without, unless they want it', () => {
    const settings = activated({ filter: a, weights: [{ ...b, value: 2 }], useDefaultFilter: false })
    expect(mergeRequest(settings, {})).toMatchObject({ filters: [], weights: [{ ...b, value: 2 }] })
    expect(mergeRequest(settings, { search: { useDefaultFilter: true } }).filters).toEqual([a])
    expect(mergeRequest(settings, { search: { filter: null } }).filters).toEqual([])
  })

  it('replace those of the activation member by member', () => {
    const merged = mergeRequest(activated({ limit: 7, operator: 'and' }), {
      search: { limit: 9, operator: undefined },
      corrections: { count: 1 },
      classifier: { id: 'x', count: 3 },
    })
    expect(merged).toMatchObject({
      search: { limit: 9, operator: 'and', type: 'match' },
      corrections: { count: 1, confidence: 2 },
      classifier: { id: 'x', count: 3 },
    })
  })
})
