import type { SearchPartSettings, SearchServiceSettings } from 'findling'
import { describe, expect, it } from 'vitest'
import { numbers } from '../../crash/numbers.mjs'
import { failureOf, memoryDatabase } from '../../engine/engines.ts'
import { createCounter, openCounting } from '../../services/engines.ts'

const sample = {
  id: 'x',
  title: 'text',
  desc: 'text',
  price: 1,
  brand: 'text',
  released: '2020-01-31',
  tag: ['a'],
}

const SEED = 5
const things = ['lamp', 'lamps', 'chair', 'table', 'shade', 'comfortable chair', 'lamp shade']
const looks = ['red', 'blue', 'oak', 'walnut', 'wide', 'narrow']

function stock() {
  const random = numbers(SEED)
  const one = (of: readonly string[]) => of[random(of.length)]!
  return Array.from({ length: 80 }, (_, i) => ({
    id: `d${i}`,
    title: `${one(looks)} ${one(things)}`,
    desc: `a ${one(things)}, ${one(looks)} & ${one(looks)}, that stands beside ${'the old sofa '.repeat(random(12))}${one(things)}`,
    price: random(60),
    brand: `Brand ${random(5)}`,
    released: `20${10 + random(12)}-05-01`,
    tag: [`t${random(3)}`],
  }))
}

async function openShop(settings?: SearchServiceSettings, store = memoryDatabase()) {
  const engine = await openCounting({ store })
  const shop = await engine.datasets.create<object>('shop', {
    sample,
    interpretedFields: ['title', 'desc'],
  })
  await shop.documents.bulk(stock())
  const service = await engine.services.create({ type: 'search', name: 'Shop', alias: 'shop' })
  await service.prepare({ dataset: 'shop' })
  await service.activate(settings)
  return { engine, shop, service, store }
}

const facets: SearchPartSettings['facets'] = [
  'brand',
  { field: 'price', histogram: 4, ranges: [{ name: 'low', to: 20 }], limit: 0 },
  { field: 'tag', disjunctive: true },
]
const texts = ['lamp', 'red lmap', 'oak chairs', '"lamp shade"', 'comfrtable', 'nothing at all']

describe(`facets, highlights and explanations of a search service (seed ${SEED})`, () => {
  it('are those of the dataset for the same filter', async () => {
    const { service, shop } = await openShop({
      search: { limit: 200, facets, highlight: true, explain: true },
    })
    const filters: [SearchServiceSettings['search'], object][] = [
      [{}, {}],
      [{ filter: { query: 'price:<30' } }, { filter: 'price:<30' }],
      [
        { filter: { query: 'brand:"Brand 1" OR released:>2015', tags: ['t0', 't1'] } },
        { filter: 'brand:"Brand 1" OR released:>2015', tags: ['t0', 't1'] },
      ],
    ]
    let seen = 0
    for (const text of texts) {
      for (const [search, options] of filters) {
        const expected = await shop.search(text, {
          ...{ limit: 200, facets, highlight: true, explain: true, ...options },
        })
        const found = await service.search(text, { search })
        expect(found.facets).toEqual(expected.facets)
        expect(found.hits.map(({ id, highlights }) => [id, highlights])).toEqual(
          expected.hits.map(({ id, highlights }) => [id, highlights]),
        )
        expect(found.hits.map(({ explanation }) => explanation)).toEqual(
          expected.hits.map(({ explanation }) => ({ ...explanation, weights: [] })),
        )
        seen += found.hits.length
      }
    }
    expect(seen).toBeGreaterThan(150)
  })

  it('come only where they are asked for, in the activation or in the request', async () => {
    const { service } = await openShop()
    const plain = await service.search('lamp')
    expect(Object.keys(plain)).toEqual(['hits', 'total', 'corrections', 'tags'])
    expect(Object.keys(plain.hits[0]!)).toEqual(['id', 'score', 'document'])
    const search = { facets, highlight: { fields: ['title'], marks: true }, explain: true }
    const asked = await service.search('lamp', { search })
    expect(Object.keys(asked.facets!)).toEqual(['brand', 'price', 'tag'])
    expect(Object.keys(asked.hits[0]!)).toEqual(['id', 'score', 'document', 'highlights', 'explanation'])
    expect(asked.hits[0]!.highlights!.title![0]!.html).toContain('<mark>lamp')
    expect(await service.search('lamp')).toEqual(plain)
    await service.deactivate()
    await service.activate({ search })
    expect(await service.search('lamp')).toEqual(asked)
    const off = { facets: [], highlight: false, explain: false }
    expect(await service.search('lamp', { search: off })).toEqual(plain)
    const other = await service.search('lamp', { search: { facets: ['price'] } })
    expect([Object.keys(other.facets!), other.hits]).toEqual([['price'], asked.hits])
  })

  it('are kept with the service, complete, when the store is opened again', async () => {
    const typoTolerance = { disableOnWords: ['oak'] }
    const { engine, service, store } = await openShop({
      search: { facets: ['brand'], highlight: { snippet: 40 }, typoTolerance },
    })
    const before = [service.info().activateSettings, await service.search('oak chairs')]
    expect(before[0]).toMatchObject({
      search: {
        facets: [{ field: 'brand', limit: 10, sort: 'count' }],
        highlight: { snippet: 40 },
        typoTolerance: { edits: 2, disableOnWords: ['oak'] },
      },
    })
    await engine.close()
    await store.open()
    const again = (await openCounting({ store })).services.get('shop', 'search')
    expect([again.info().activateSettings, await again.search('oak chairs')]).toEqual(before)
  })

  it('say which weights are in a score', async () => {
    const { service, shop } = await openShop({ search: { limit: 200, explain: true, responseFields: ['*'] } })
    const weights = [
      { query: 'price:<20', value: 3 },
      { query: 'tag:t1', value: 0.5 },
    ]
    const plain = new Map(
      (await shop.search('lamp', { limit: 200 })).hits.map(({ id, score }) => [id, score]),
    )
    const { hits } = await service.search('lamp', { search: { weights } })
    expect(hits.length).toBe(plain.size)
    for (const { id, score, explanation, document } of hits) {
      const { price, tag } = document as unknown as { price: number; tag: string[] }
      const fitting = [...(price < 20 ? [weights[0]!] : []), ...(tag.includes('t1') ? [weights[1]!] : [])]
      expect([id, explanation!.weights]).toEqual([id, fitting])
      expect(score).toBeCloseTo(plain.get(id)! + fitting.reduce((sum, { value }) => sum + value, 0), 6)
      expect(explanation!.score).toBe(score)
    }
  })

  it.each([
    ['by score', undefined],
    ['in an order', { field: 'price' }],
  ])('say that weights are added to what the words are worth %s, however they stand', async (_, order) => {
    const { service } = await openShop({ search: { limit: 200, explain: true, order } })
    const weights = [
      { query: 'price:<20', value: 50 },
      { query: 'tag:t1', value: 7 },
    ]
    const { hits } = await service.search('oak lamp shade', { search: { weights } })
    const multiplied = hits.filter(({ explanation }) => explanation!.titleFactor > 1)
    expect(multiplied.some(({ explanation }) => explanation!.weights.length > 0)).toBe(true)
    for (const { score, explanation } of hits) {
      const { words, titleFactor, negationFactor, categoryFactor, topicFactor, weights } = explanation!
      const byWords = words.reduce((sum, word) => sum + word.score, 0)
      const added = weights.reduce((sum, { value }) => sum + value, 0)
      expect(score).toBeCloseTo(
        byWords * titleFactor * negationFactor * categoryFactor * topicFactor + added,
        4,
      )
    }
    if (!order)
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a))
  })

  it('count and mark what a query string means', async () => {
    const { service, shop } = await openShop({ search: { type: 'query', limit: 200 } })
    for (const text of ['lamp OR chair', 'title:oak AND price:>10', '"lamp shade" OR walnu*', 'tag:t1']) {
      const listed = await shop.filter(text, { limit: 200, facets })
      const {
        total,
        facets: counted,
        hits,
      } = await service.search(text, { search: { facets, highlight: true } })
      expect([total, counted]).toEqual([listed.total.count, listed.facets])
      expect(hits.map(({ id }) => id).sort()).toEqual(listed.hits.map(({ id }) => id).sort())
    }
    const marked = async (text: string) => {
      const { hits } = await service.search(text, { search: { highlight: true, limit: 200 } })
      const passages = hits.flatMap(({ highlights }) => Object.values(highlights!).flat())
      const parts = passages.flatMap(({ text, ranges }) =>
        ranges.map(({ start, end }) => text.slice(start, end)),
      )
      return [...new Set(parts)].sort()
    }
    expect(await marked('lamp OR chair')).toEqual(['chair', 'lamp'])
    expect(await marked('"lamp shade" OR walnu*')).toEqual(['lamp shade', 'walnut'])
    expect(await marked('lamp AND NOT (red OR blue)^2')).toEqual(['lamp'])
    expect(await marked('(lamps AND brand:1)^3')).toEqual(['lamps'])
    expect(await marked('price:>10')).toEqual([])
  })

  it('are counted without any hit', async () => {
    const { service, shop } = await openShop({ search: { limit: 0 } })
    expect((await service.search('lamp')).total).toBe(0)
    const expected = await shop.search('lamp', { facets: ['brand'], total: 'exact' })
    for (const type of ['match', 'query'] as const) {
      const { hits, total, facets } = await service.search('lamp', { search: { type, facets: ['brand'] } })
      expect(hits).toEqual([])
      if (type === 'match') expect([total, facets]).toEqual([expected.total.count, expected.facets])
      else expect(Object.keys(facets!)).toEqual(['brand'])
    }
  })

  it('heed what typos are told as the dataset does', async () => {
    const { service, shop } = await openShop({ search: { limit: 200 } })
    const options: SearchPartSettings['typoTolerance'][] = [
      { edits: 0 },
      { edits: 1 },
      { disableOnWords: ['chiars'] },
      { disableOnFields: ['desc'] },
    ]
    const found = new Set<string>()
    for (const text of ['lmap', 'lamps', 'chiars', 'comfortabel']) {
      for (const typoTolerance of options) {
        const expected = await shop.search(text, { limit: 200, typoTolerance: typoTolerance as object })
        const { hits } = await service.search(text, { search: { typoTolerance } })
        expect(hits.map(({ id, score }) => [id, score])).toEqual(
          expected.hits.map(({ id, score }) => [id, score]),
        )
        found.add(`${text} ${hits.length}`)
      }
    }
    expect(found.size).toBeGreaterThan(6)
    // Unlike the number 0, which means surface words alone.
    const surfaces = await service.search('lamps', { search: { typoTolerance: 0 } })
    const others = await service.search('lamps', { search: { typoTolerance: { edits: 0 } } })
    expect(others.total).toBeGreaterThan(surfaces.total)
  })

  it.each<[what: string, search: object, field: string]>([
    ['a facet of no field', { facets: ['brnd'] }, 'search.facets[0]'],
    ['a facet twice', { facets: ['brand', { field: 'brand' }] }, 'search.facets[1]'],
    ['a facet of an unknown member', { facets: [{ field: 'brand', limt: 1 }] }, 'search.facets[0].limt'],
    [
      'a range of no number',
      { facets: [{ field: 'price', ranges: [{ from: 'low' }] }] },
      'search.facets[0].ranges[0].from',
    ],
    ['too many facets', { facets: Array(101).fill('brand') }, 'search.facets'],
    [
      'marks in a field that is not searched',
      { highlight: { fields: ['price'] } },
      'search.highlight.fields[0]',
    ],
    ['no marks', { highlight: 'yes' }, 'search.highlight'],
    [
      'typos in an unknown field',
      { typoTolerance: { disableOnFields: ['price'] } },
      'search.typoTolerance.disableOnFields[0]',
    ],
    ['too many edits', { typoTolerance: { edits: 3 } }, 'search.typoTolerance.edits'],
    ['no number of edits', { typoTolerance: 3 }, 'search.typoTolerance'],
    ['an explanation of a query string', { type: 'query', explain: true }, 'search.explain'],
    ['explanations beyond all', { limit: 1001, explain: true }, 'search.limit'],
    ['marks beyond all', { limit: 1001, highlight: true }, 'search.limit'],
  ])('refuse %s, in a request and in the activation, which stays as it was', async (_, search, field) => {
    const { service } = await openShop()
    const refused = { code: 'INVALID_ARGUMENT', details: { field } }
    expect(await failureOf(() => service.search('lamp', { search }))).toMatchObject(refused)
    await service.deactivate()
    const before = service.info().activateSettings
    expect(await failureOf(() => service.activate({ search }))).toMatchObject(refused)
    expect([service.status, service.info().activateSettings]).toEqual(['prepared', before])
  })

  it('refuse what only request and activation together ask for', async () => {
    const { service } = await openShop({ search: { explain: true } })
    const wrong = async (search: SearchPartSettings) => {
      const { details } = (await failureOf(() => service.search('lamp', { search }))) as { details: object }
      return (details as { field: string }).field
    }
    expect(await wrong({ type: 'query' })).toBe('search.explain')
    expect(await wrong({ limit: 1001 })).toBe('search.limit')
    expect((await service.search('lamp', { search: { limit: 1001, explain: false } })).total).toBeGreaterThan(
      0,
    )
  })
})

describe('how many tags a search service recommends', () => {
  const tagsOf = async (
    activated: SearchServiceSettings['classifier'],
    asked: SearchServiceSettings['classifier'],
  ) => {
    const { engine, service } = await openShop()
    const words = await createCounter(engine, { alias: 'words' })
    await words.prepare({ dataset: 'shop' })
    await words.activate()
    await service.deactivate()
    await service.activate({ classifier: activated })
    const { tags } = await service.search('a lamp and a chair and a table by the oak', { classifier: asked })
    return tags === null ? null : tags.length
  }

  it.each<[SearchServiceSettings['classifier'], SearchServiceSettings['classifier'], number | null]>([
    [undefined, undefined, null],
    [undefined, { id: 'words' }, 3],
    [undefined, { id: 'words', count: 2 }, 2],
    [{ id: 'words' }, undefined, 3],
    [{ id: 'words', count: 1 }, undefined, 1],
    [{ id: 'words', count: 1 }, { id: 'words' }, 1],
    [{ id: 'words', count: 1 }, { id: 'words', count: 4 }, 4],
    [{ id: 'words', count: 1 }, { id: 'words', count: 0 }, null],
    [{ id: 'words', count: 1 }, null, null],
    [{ id: 'words', count: 0 }, undefined, null],
  ])('activated with %j and asked with %j is %j', async (activated, asked, expected) => {
    expect(await tagsOf(activated, asked)).toBe(expected)
  })
})
