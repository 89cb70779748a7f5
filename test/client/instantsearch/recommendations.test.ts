import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type InstantSearchOptions,
  instantSearchClient,
  type RecommendRequest,
} from '../../../adapters/client/src/instantsearch/index.ts'
import { createSearch } from '../../../adapters/client/src/search.ts'
import { secret } from '../../http/routes/api.ts'
import { openShop, products, type Shop } from './shop.ts'

describe('recommendations for InstantSearch', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop()
  }, 60_000)
  afterAll(() => shop?.stop())

  const hierarchies = { categories: { field: 'tag' } }
  const drill = products.find(({ title }) => /drill/i.test(title))!.id
  const related = { indexName: 'products', model: 'related-products', objectID: drill }
  const clientOf = (options: InstantSearchOptions = {}, given = {}) =>
    instantSearchClient(createSearch({ baseAddress: shop.url, key: shop.key, ...given }), {
      hierarchies,
      ...options,
    })
  const recommended = async (request: Partial<RecommendRequest>, options?: InstantSearchOptions) => {
    const { results } = await clientOf(options).getRecommendations([{ ...related, ...request }])
    return results[0]!
  }
  const idsOf = ({ hits }: { readonly hits: readonly { readonly objectID: string }[] }) =>
    hits.map(({ objectID }) => objectID)

  it('of related products are what is similar, best first, with scores up to 100', async () => {
    const { hits, index, nbHits, queryID } = await recommended({ maxRecommendations: 5 })
    const expected = await shop.engine.datasets.get('products').similar({ id: drill }, { limit: 5 })
    expect(hits.map(({ objectID, _score, title }) => [objectID, _score, title])).toEqual(
      expected.map(({ id, score, document }) => [id, Math.round(score * 10_000) / 100, document.title]),
    )
    expect([index, nbHits, typeof queryID]).toEqual(['products', 5, 'string'])
    expect(hits[0]!._highlightResult).toMatchObject({ title: { value: hits[0]!.title, matchLevel: 'none' } })
    expect((await recommended({})).hits).toHaveLength(30)
    expect((await recommended({ maxRecommendations: 0 })).hits).toHaveLength(30)
  })

  it('are as good as they have to be, meet the filters, and show what is asked for', async () => {
    const all = await recommended({ maxRecommendations: 100 })
    const middle = all.hits[20]!._score
    const { hits } = await recommended({ maxRecommendations: 100, threshold: middle })
    expect(hits.length).toBeGreaterThanOrEqual(20)
    expect(hits.every(({ _score }) => _score >= middle)).toBe(true)
    const cheap = await recommended({
      maxRecommendations: 100,
      queryParameters: {
        filters: 'price < 100',
        numericFilters: ['stock>0'],
        facetFilters: [['brand:-Nordfell']],
        attributesToRetrieve: ['price'],
        attributesToHighlight: [],
      },
    })
    const ids = new Set(
      products
        .filter(({ price, stock, brand }) => price < 100 && stock > 0 && brand !== 'Nordfell')
        .map(({ id }) => id),
    )
    expect(cheap.hits.length).toBeGreaterThan(10)
    expect(cheap.hits.every(({ objectID }) => ids.has(objectID))).toBe(true)
    expect(Object.keys(cheap.hits[0]!).sort()).toEqual(['_score', 'objectID', 'price'])
    const held = await recommended({ maxRecommendations: 100 }, { search: { filter: 'price < 50' } })
    expect(held.hits.every(({ price }) => Number(price) < 50)).toBe(true)
  })

  it('of what looks similar compare vectors where the dataset has them, and else words', async () => {
    const rooms = await shop.engine.datasets.create('rooms', { vectors: { look: { dimensions: 2 } } })
    const angles = Array.from({ length: 40 }, (_, i) => (i * 7) % 40)
    await rooms.documents.bulk(
      angles.map((angle, i) => ({
        ...{ id: `${i}`, title: `room ${i}`, price: i % 5 },
        look: [Math.cos(angle / 30), Math.sin(angle / 30)],
      })),
    )
    const client = clientOf({ vectors: { rooms: 'look' } }, { key: undefined, secret })
    const asked = { indexName: 'rooms', model: 'looking-similar', objectID: '3', maxRecommendations: 4 }
    const { results } = await client.getRecommendations({
      requests: [
        { ...asked, queryParameters: { filters: 'price > 1' } },
        { ...asked, threshold: 99.9, maxRecommendations: 30 },
        { ...asked, objectID: 'gone' },
      ],
    })
    const near = angles
      .map((angle, i) => ({ id: `${i}`, price: i % 5, cosine: Math.cos((angle - angles[3]!) / 30) }))
      .filter(({ id }) => id !== '3')
      .sort((a, b) => b.cosine - a.cosine)
    const priced = near.filter(({ price }) => price > 1)
    expect(results[0]!.hits.map(({ _score }) => _score)).toEqual(
      priced.slice(0, 4).map(({ cosine }) => Math.round(cosine * 10_000) / 100),
    )
    expect(idsOf(results[1]!).sort()).toEqual(
      near
        .filter(({ cosine }) => cosine >= 0.999)
        .map(({ id }) => id)
        .sort(),
    )
    expect(results[2]!.hits).toEqual([])
    await rooms.documents.insert({ id: 'bare', title: 'room', price: 1 })
    const bare = { ...asked, objectID: 'bare', fallbackParameters: { query: 'room' } }
    const [without] = (await client.getRecommendations([bare])).results
    expect(without!.hits.map(({ _score }) => _score)).toEqual([0, 0, 0, 0])
    expect(idsOf(without!)).not.toContain('bare')
    const words = await recommended({ model: 'looking-similar', maxRecommendations: 7 })
    expect(idsOf(words)).toEqual(idsOf(await recommended({ maxRecommendations: 7 })))
  })

  it('of what is bought together and of what is trending come from baskets', async () => {
    const { datasets } = shop.engine
    const catalogue = datasets.get('products')
    const others = products.filter(({ id }) => id !== drill)
    const [first, second, third] = others.map(({ id }) => id)
    const orders = await datasets.create('orders')
    const made = [
      ...Array(6).fill([drill, first, second]),
      ...Array(3).fill([drill, first]),
      ...Array(9).fill([third]),
    ] as string[][]
    await orders.documents.bulk(
      made.map((items, id) => ({ id, at: Date.now() - (id > 8 ? 40 : 1) * 86_400_000, items })),
    )
    await expect(recommended({ model: 'bought-together' })).rejects.toThrow(/Baskets/)
    await catalogue.reconfigure({ baskets: { dataset: 'orders', field: 'items', time: 'at' } })
    const together = await recommended({
      model: 'bought-together',
      queryParameters: { attributesToRetrieve: ['price'] },
    })
    expect(together.hits.map(({ objectID, _score }) => [objectID, _score])).toEqual([
      [first, 100],
      [second, 50],
    ])
    expect(together.hits[0]).toMatchObject({ price: others[0]!.price })
    expect(typeof together.queryID).toBe('string')
    const trending = { model: 'trending-items', objectID: undefined }
    expect(new Set(idsOf(await recommended(trending)))).toEqual(new Set([drill, first, second]))
    expect(idsOf(await recommended({ ...trending, threshold: 60 }))).toHaveLength(1)
    const { brand } = others[0]!
    const ofBrand = await recommended({ ...trending, facetName: 'brand', facetValue: String(brand) })
    expect(ofBrand.hits.length).toBeGreaterThan(0)
    expect(ofBrand.hits.every(hit => hit.brand === brand)).toBe(true)
    const queryParameters = { facetFilters: [`brand:-${brand}`] }
    const none = { ...trending, facetName: 'brand', facetValue: String(brand), queryParameters }
    expect((await recommended(none)).hits).toEqual([])
  })

  it('are followed by the hits of a search where there are too few', async () => {
    const fallbackParameters = { query: 'drill', filters: 'price < 200' }
    const few = await recommended({ threshold: 60, maxRecommendations: 12, fallbackParameters })
    const best = few.hits.filter(({ _score }) => _score > 0)
    expect(best.length).toBeLessThan(12)
    expect(idsOf(few)).toHaveLength(12)
    expect(new Set([drill, ...idsOf(few)]).size).toBe(13)
    expect(few.hits.slice(0, best.length)).toEqual(best)
    const others = few.hits.slice(best.length)
    expect(others.every(({ price, _score }) => Number(price) < 200 && _score === 0)).toBe(true)
    const gone = { objectID: 'gone', maxRecommendations: 3 }
    expect((await recommended(gone)).hits).toEqual([])
    expect((await recommended({ ...gone, fallbackParameters })).hits).toHaveLength(3)
  })

  it('are asked for only once', async () => {
    let calls = 0
    const counted: typeof fetch = (...sent) => {
      calls++
      return fetch(...sent)
    }
    const client = clientOf({}, { fetch: counted })
    const first = await client.getRecommendations([related, { ...related, threshold: 10 }])
    expect(calls).toBe(2)
    expect((await client.getRecommendations([related])).results[0]!.hits).toEqual(first.results[0]!.hits)
    expect(calls).toBe(2)
    await client.clearCache()
    await client.getRecommendations([related])
    expect(calls).toBe(3)
  })

  it.each([
    [{ model: 'trending-facets' }, 'model'],
    [{ model: 'bought-together', objectID: '' }, 'objectID'],
    [{ model: 'trending-items', facetName: '' }, 'facetName'],
    [{ model: 'trending-items', facetName: 'brand' }, 'facetValue'],
    [
      { model: 'trending-items', facetName: 'brand', facetValue: 'x', queryParameters: { query: 'x' } },
      'query',
    ],
    [{ objectID: '' }, 'objectID'],
    [{ objectID: undefined }, 'objectID'],
    [{ maxRecommendations: 1.5 }, 'maxRecommendations'],
    [{ maxRecommendations: -1 }, 'maxRecommendations'],
    [{ threshold: 101 }, 'threshold'],
    [{ threshold: Number.NaN }, 'threshold'],
    [{ queryParameters: { query: 'x' } }, 'query'],
    [{ queryParameters: { constructor: 'x' } }, 'constructor'],
    [{ queryParameters: { facetFilters: ['categories.lvl0:Electronics'] } }, 'facetFilters'],
    [{ queryParameters: { facetFilters: ['categories.lvl0:Unknown'] } }, 'facetFilters'],
    [{ threshold: 100, fallbackParameters: { hitsPerPagee: 3 } }, 'hitsPerPagee'],
  ])('are refused for %j by its name', async (request, name) => {
    await expect(recommended(request as Partial<RecommendRequest>)).rejects.toThrow(
      new RegExp(`^${name} of a request`),
    )
  })

  it('are refused by the server where the key allows fewer', async () => {
    await expect(recommended({ maxRecommendations: 101 })).rejects.toThrow(/Count/)
  })
})
