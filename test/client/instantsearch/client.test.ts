import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  type InstantAnswer,
  type InstantSearchOptions,
  instantSearchClient,
} from '../../../adapters/client/src/instantsearch/index.ts'
import { readMembers } from '../../../adapters/client/src/instantsearch/members.ts'
import { createSearch } from '../../../adapters/client/src/search.ts'
import type { GeoArea } from '../../../src/geo/area.ts'
import { secret } from '../../http/routes/api.ts'
import { isInside } from '../../query/naive-query.ts'
import { openShop, type Product, pathOf, points, products, type Shop } from './shop.ts'

const documentation = new URL('../../../adapters/client/INSTANTSEARCH.md', import.meta.url)

describe('the search client of InstantSearch', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop()
  }, 60_000)
  afterAll(() => shop?.stop())

  const hierarchies = { categories: { field: 'tag' } }
  const clientOf = (options: InstantSearchOptions = {}) =>
    instantSearchClient(createSearch({ baseAddress: shop.url, key: shop.key }), { hierarchies, ...options })
  const ask = async (params: Record<string, unknown>, options?: InstantSearchOptions) => {
    const { results } = await clientOf(options).search([{ indexName: 'products', params }])
    return results[0] as InstantAnswer
  }

  it('finds what lies around a point or in an area, nearest first', async () => {
    const found = async (params: Record<string, unknown>, indexName = 'places') => {
      const client = instantSearchClient(createSearch({ baseAddress: shop.url, key: secret }))
      const { results } = await client.search([{ indexName, params: { hitsPerPage: 100, ...params } }])
      return (results[0] as InstantAnswer).hits.map(({ objectID }) => objectID)
    }
    const inside = (area: GeoArea) =>
      points.flatMap(({ id, _geoloc: at }) => (at && isInside(at.lat, at.lng, area) ? [id] : [])).sort()
    const circle = (meters: number) => inside({ shape: 'within', lat: 52.5, lon: 13.4, meters })
    expect(circle(3_000_000).length).toBeGreaterThan(3)
    const near = await found({ aroundLatLng: '52.5, 13.4', aroundRadius: 3_000_000 })
    expect(near.toSorted()).toEqual(circle(3_000_000))
    const all = await found({ aroundLatLng: '52.5,13.4' })
    expect([all.slice(0, near.length), all.length, all.at(-1)]).toEqual([near, points.length, 'p0'])
    expect(circle(1_500_000)).toEqual(near.slice(0, circle(1_500_000).length).sort())
    expect(await found({}, 'places/sort/_geoloc(52.5, 13.4):desc,title')).toEqual([
      ...all.slice(0, -1).reverse(),
      'p0',
    ])
    const box = { shape: 'box', south: -20.5, west: 10.5, north: 60.5, east: 90.5 } as const
    for (const insideBoundingBox of [
      '60.5,90.5,-20.5,10.5',
      [[-20.5, 10.5, 60.5, 90.5]],
      [[60.5, 10.5, -20.5, 90.5]],
    ])
      expect((await found({ insideBoundingBox })).sort()).toEqual(inside(box))
    const pacific = { ...box, west: 150.5, east: -120.5 }
    const both = [
      [-20.5, 10.5, 60.5, 90.5],
      [-20.5, 150.5, 60.5, -120.5],
    ]
    expect((await found({ insideBoundingBox: both })).sort()).toEqual(
      [...inside(box), ...inside(pacific)].sort(),
    )
    const corners = [0.5, 0.5, 60.5, 20.5, 10.5, 100.5]
    const rings = [[0, 1, 2].map(i => ({ lat: corners[2 * i]!, lon: corners[2 * i + 1]! }))]
    const polygon = inside({ shape: 'polygon', rings })
    expect((await found({ insidePolygon: [corners], query: 'shop' })).sort()).toEqual(polygon)
    expect((await found({ insidePolygon: corners, query: 'lamp' })).sort()).toEqual(
      polygon.filter(id => Number(id.slice(1)) % 2 === 0),
    )
    await expect(found({ aroundLatLng: '52.5' })).rejects.toThrow(
      /aroundLatLng .* a latitude and a longitude/,
    )
    await expect(found({ insideBoundingBox: '1,2,3' })).rejects.toThrow(/four numbers/)
    await expect(found({ insidePolygon: [[1, 2, 3, 'x', 5, 6]] })).rejects.toThrow(
      /expected numbers, received x/,
    )
    await expect(found({ aroundLatLngViaIP: true })).rejects.toThrow(/give `aroundLatLng` instead/)
  })

  it('finds what a scan of all documents finds, and counts it', async () => {
    const values = (read: (product: Product) => string | undefined) =>
      fc.constantFrom(...new Set(products.flatMap(product => read(product) ?? [])))
    const brands = fc.uniqueArray(
      values(({ brand }) => brand),
      { maxLength: 3 },
    )
    const colors = fc.uniqueArray(
      values(({ color }) => color),
      { maxLength: 2 },
    )
    const ratings = fc.uniqueArray(
      values(({ rating }) => rating?.toString()),
      { maxLength: 2 },
    )
    const prices = fc.option(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 900 })))
    const paths = fc.option(
      fc
        .tuple(
          values(({ tag }) => tag[0]),
          fc.integer({ min: 1, max: 3 }),
        )
        .map(([tag, depth]) => pathOf(tag).slice(0, depth)),
    )
    const pages = fc.record({
      page: fc.integer({ min: 0, max: 4 }),
      hitsPerPage: fc.integer({ min: 0, max: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(
        brands,
        colors,
        ratings,
        prices,
        paths,
        pages,
        async (brand, color, rating, price, path, shown) => {
          const facetFilters = [
            brand.map(value => `brand:${value}`),
            color.map(value => `color:${value}`),
            rating.map(value => `rating:${value}`),
            ...(path ? [[`categories.lvl${path.length - 1}:${path.join(' > ')}`]] : []),
          ]
          const numericFilters = price ? [`price>=${price[0]}`, `price<=${price[1]}`] : []
          const answer = await ask(
            {
              ...shown,
              facetFilters,
              numericFilters,
              facets: ['brand', 'price', 'categories.lvl0', 'categories.lvl1'],
              maxValuesPerFacet: 100,
            },
            { search: { total: 'Exact' } },
          )
          const found = products.filter(
            product =>
              (brand.length === 0 || brand.includes(product.brand)) &&
              (color.length === 0 || color.includes(product.color ?? '')) &&
              (rating.length === 0 || rating.includes(String(product.rating))) &&
              (!price || (product.price >= price[0] && product.price <= price[1])) &&
              (!path || product.tag.some(tag => path.every((name, depth) => pathOf(tag)[depth] === name))),
          )
          expect(answer.nbHits).toBe(found.length)
          const rest = Math.max(0, found.length - shown.page * shown.hitsPerPage)
          expect(answer.hits).toHaveLength(Math.min(shown.hitsPerPage, rest))
          const ids = new Set(found.map(({ id }) => id))
          expect(answer.hits.every(({ objectID }) => ids.has(objectID))).toBe(true)
          expect(answer.facets.brand).toEqual(mostFrequent(countsOf(found, ({ brand }) => [brand])))
          expect(answer.facets['categories.lvl0']).toEqual(
            countsOf(found, ({ tag }) => tag.map(one => pathOf(one)[0]!)),
          )
          const below = (tag: string) => {
            const own = pathOf(tag)
            return path && own[0] === path[0] && own.length > 1 ? [own.slice(0, 2).join(' > ')] : []
          }
          expect(answer.facets['categories.lvl1']).toEqual(countsOf(found, ({ tag }) => tag.flatMap(below)))
          if (found.length > 0) {
            expect(answer.facets_stats.price).toMatchObject({
              min: Math.min(...found.map(({ price }) => price)),
              max: Math.max(...found.map(({ price }) => price)),
            })
          }
        },
      ),
      { numRuns: 60 },
    )
  }, 120_000)

  it('marks what was found in whole texts, and in passages of so many words', async () => {
    const { hits } = await ask({
      query: 'drill',
      hitsPerPage: 50,
      attributesToSnippet: ['description:6'],
      highlightPreTag: '[',
      highlightPostTag: ']',
    })
    expect(hits.length).toBeGreaterThan(10)
    for (const { _highlightResult, _snippetResult, title, description, price } of hits) {
      const marked = _highlightResult as Record<string, { value: string; matchLevel: string }>
      expect(marked.title!.value.replace(/[[\]]/g, '')).toBe(title)
      expect(marked.description!.value.replace(/[[\]]/g, '')).toBe(description)
      expect(marked.price).toEqual({ value: String(price), matchLevel: 'none', matchedWords: [] })
      expect(marked.title!.matchLevel).toBe(/\[/.test(marked.title!.value) ? 'full' : 'none')
      const cut = (_snippetResult as Record<string, { value: string }>).description!.value
      expect(cut.replaceAll('…', '').trim().split(/\s+/).length).toBeLessThanOrEqual(6)
      if (marked.description!.value.includes('[')) expect(cut).toContain('[')
      expect(String(description)).toContain(cut.replace(/[[\]…]/g, ''))
    }
    const drills = hits.filter(({ title }) => /drill/i.test(String(title)))
    expect(drills.length).toBeGreaterThan(5)
    for (const { title, _highlightResult } of drills)
      expect(_highlightResult).toMatchObject({ title: { value: String(title).replace(/(drill)/gi, '[$1]') } })
  })

  it('shows only the fields that are asked for', async () => {
    const { hits } = await ask({
      query: 'drill',
      hitsPerPage: 1,
      attributesToRetrieve: ['title', 'price'],
      attributesToHighlight: ['title'],
    })
    expect(Object.keys(hits[0]!).sort()).toEqual(['_highlightResult', 'objectID', 'price', 'title'])
    expect(Object.keys(hits[0]!._highlightResult!)).toEqual(['title'])
    const bare = await ask({
      query: 'drill',
      hitsPerPage: 1,
      attributesToRetrieve: [],
      attributesToHighlight: [],
    })
    expect(bare.hits).toEqual([{ objectID: expect.any(String) }])
    const without = await ask({
      query: 'drill',
      hitsPerPage: 1,
      attributesToRetrieve: ['*', '-description'],
      attributesToHighlight: [],
    })
    expect(without.hits[0]).not.toHaveProperty('description')
    expect(without.hits[0]).toHaveProperty('brand')
  })

  it('orders by what the name of the index says, or the options', async () => {
    const options = { indexes: { cheap: { dataset: 'products', sort: ['price:asc'] } } }
    const client = clientOf(options)
    for (const indexName of ['cheap', 'products/sort/price:asc,title:desc']) {
      const { results } = await client.search([{ indexName, params: { query: '', hitsPerPage: 100 } }])
      const prices = (results[0] as InstantAnswer).hits.map(({ price }) => Number(price))
      expect(prices).toEqual(
        products
          .map(({ price }) => price)
          .sort((a, b) => a - b)
          .slice(0, 100),
      )
    }
  })

  it('searches the values of a facet', async () => {
    const client = clientOf()
    const [brands] = await client.searchForFacetValues([
      {
        indexName: 'products',
        params: {
          facetName: 'brand',
          facetQuery: 'tor',
          maxFacetHits: 5,
          highlightPreTag: '<',
          highlightPostTag: '>',
        },
      },
    ])
    const expected = countsOf(
      products.filter(({ brand }) => /\btor/i.test(brand)),
      ({ brand }) => [brand],
    )
    expect(Object.fromEntries(brands!.facetHits.map(({ value, count }) => [value, count]))).toEqual(expected)
    expect(brands!.facetHits[0]!.highlighted).toMatch(/^<Tor>/)
  })

  it('asks only once for what was asked a moment ago, and together for what is asked together', async () => {
    const calls: string[] = []
    const counted: typeof fetch = (...sent) => {
      calls.push(String(sent[0]))
      return fetch(...sent)
    }
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, key: shop.key, fetch: counted }))
    const requests = Array.from({ length: 25 }, (_, i) => ({
      indexName: 'products',
      params: { query: `drill ${i % 12}` },
    }))
    await client.search(requests)
    expect(calls).toHaveLength(2)
    await client.search({ requests })
    expect(calls).toHaveLength(2)
    await client.clearCache()
    await client.search(requests.slice(0, 1))
    expect(calls).toHaveLength(3)
  })

  it('finds a tag that has another id now, once the cache is cleared', async () => {
    const moved = await shop.engine.datasets.create('moved', { tagField: 'tag' })
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret }), { hierarchies })
    const found = async () => {
      const params = { facetFilters: ['categories.lvl0:Lamps'] }
      return ((await client.search([{ indexName: 'moved', params }])).results[0] as InstantAnswer).nbHits
    }
    for (const id of ['old', 'new']) {
      await moved.tags.replaceAll([{ id, name: 'Lamps' }])
      await moved.documents.bulk([{ id: '1', title: 'Desk lamp', tag: [id] }])
      await client.clearCache()
      expect([id, await found()]).toEqual([id, 1])
    }
  })

  it.each([
    [{ minimumAroundRadius: 5 }, 'minimumAroundRadius'],
    [{ hitsPerPage: -1 }, 'hitsPerPage'],
    [{ hitsPerPage: Number.NaN }, 'hitsPerPage'],
    [{ page: 1e99 }, 'page'],
    [{ facetFilters: 'brand' }, 'facetFilters'],
    [{ facetFilters: [[['brand:x']]] }, 'facetFilters'],
    [{ facetFilters: [['categories.lvl0:Kitchen', 'brand:x']] }, 'facetFilters'],
    [{ numericFilters: ['price ~ 3'] }, 'numericFilters'],
    [{ numericFilters: ['price>>>>>>>3'] }, 'numericFilters'],
    [{ facets: ['*'] }, 'facets'],
    [{ typoTolerance: 'strict' }, 'typoTolerance'],
    [{ clickAnalytics: 'yes' }, 'clickAnalytics'],
    [{ enablePersonalization: true }, 'enablePersonalization'],
    [{ query: 7 }, 'query'],
    [JSON.parse('{"__proto__": 1}'), '__proto__'],
    [{ constructor: 1 }, 'constructor'],
  ])('refuses %j by its name', async (params, name) => {
    await expect(ask(params)).rejects.toThrow(new RegExp(`^${name} of a request`))
  })

  it.each(['toolbox "3', 'brand:x AND', '\ud800', 'a'.repeat(500), '-'])(
    'finds nothing, and says so, for %j as a value',
    async value => {
      const { nbHits } = await ask({ facetFilters: [[`brand:${value}`]], hitsPerPage: 1 })
      expect(nbHits).toBe(value === '-' ? products.length : 0)
    },
  )

  it('finds, or leaves out, a value that begins with a hyphen', async () => {
    const signs = await shop.engine.datasets.create('signs')
    await signs.documents.bulk(['-', '--x', 'x'].map((sign, i) => ({ id: `${i}`, sign })))
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'signs' }))
    const found = async (...facetFilters: string[]) => {
      const { results } = await client.search([{ indexName: 'signs', params: { facetFilters } }])
      return (results[0] as InstantAnswer).hits.map(({ objectID }) => objectID).sort()
    }
    // As InstantSearch writes them: the first hyphen leaves out, one behind a backslash is part of the value.
    expect(await found('sign:\\-')).toEqual(['0'])
    expect(await found('sign:\\--x')).toEqual(['1'])
    expect(await found('sign:-\\-')).toEqual(['1', '2'])
    expect(await found('sign:-\\--x', 'sign:-x')).toEqual(['0'])
  })

  it('finds numbers that are written with an exponent, as it counts them', async () => {
    const sizes = await shop.engine.datasets.create('sizes')
    const numbers = [1e-7, -1e21, 1e21, 2]
    await sizes.documents.bulk([
      ...numbers.map((size, i) => ({ id: `${i}`, size })),
      { id: 'code', size: '12e5' },
    ])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'sizes' }))
    const found = async (params: object) => {
      const { results } = await client.search([
        { indexName: 'sizes', params: { ...params, facets: ['size'] } },
      ])
      return results[0] as InstantAnswer
    }
    const values = Object.keys((await found({})).facets!.size!)
    expect(values.sort()).toEqual(['-1e+21', '12e5', '1e+21', '1e-7', '2'])
    for (const value of values) {
      const facetFilters = [`size:${value.replace(/^-/, '\\-')}`]
      expect(Object.keys((await found({ facetFilters })).facets!.size!)).toEqual([value])
    }
    expect((await found({ facetFilters: ['size:1e999'] })).nbHits).toBe(0)
    expect((await found({ numericFilters: ['size>1e-7'] })).nbHits).toBe(2)
    expect((await found({ numericFilters: ['size:-1e+21 TO 1e-7'] })).nbHits).toBe(2)
  })

  it('finds by a facet value what it counts, and nothing by a value of another type', async () => {
    const properties = {
      ...{ id: { type: 'string' }, title: { type: 'string' }, price: { type: 'double' } },
      ...{
        sold: { type: 'boolean' },
        made: { type: 'date', format: 'dd.MM.yyyy' },
        note: { type: 'string' },
      },
    }
    const typed = await shop.engine.datasets.create('typed', { schema: { type: 'object', properties } })
    await typed.documents.bulk([
      { id: '1', title: 'Lamp', price: 5, sold: true, made: '01.02.2024', note: 'true' },
      { id: '2', title: 'Desk', price: 7, sold: false, made: '03.02.2024', note: 'true or false' },
      { id: '3', title: 'Hose', price: 5, note: '5' },
    ])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'typed' }))
    const found = async (facetFilters: string[]) => {
      const params = { facetFilters, facets: ['price', 'sold', 'made', 'note'] }
      const { results } = await client.search([{ indexName: 'typed', params }])
      return results[0] as InstantAnswer
    }
    const { facets } = await found([])
    for (const [field, counts] of Object.entries(facets!))
      for (const [value, count] of Object.entries(counts))
        expect([field, value, (await found([`${field}:${value}`])).nbHits]).toEqual([field, value, count])
    for (const other of [
      'price:true',
      'price:cheap',
      'sold:5',
      'sold:maybe',
      'made:5',
      'made:true',
      'note:7',
    ])
      expect([other, (await found([other])).nbHits]).toEqual([other, 0])
    expect((await found(['price:-true'])).nbHits).toBe(3)
  })

  it('marks a text with HTML as a browser shows it, and other texts as they are', async () => {
    const pages = await shop.engine.datasets.create('pages', { interpretedFields: ['title', 'body'] })
    const title = '<b>Nuts</b> &amp; <i>bolts</i> for a drill'
    await pages.documents.bulk([{ id: '1', title, body: ['5 < 10, a drill', 'R&amp;D: drill it'] }])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'pages' }))
    const params = {
      query: 'drill',
      highlightPreTag: '[',
      highlightPostTag: ']',
      attributesToSnippet: ['title:2'],
    }
    const { results } = await client.search([{ indexName: 'pages', params }])
    const [hit] = (results[0] as InstantAnswer).hits
    expect(hit).toMatchObject({
      title,
      _highlightResult: {
        title: { value: 'Nuts & bolts for a [drill]' },
        body: [{ value: '5 < 10, a [drill]' }, { value: 'R&D: [drill] it' }],
      },
      _snippetResult: { title: { value: '…a [drill]' } },
    })
  })

  it('marks what touches as one, so that an emoji stays whole', async () => {
    const moods = await shop.engine.datasets.create('moods', { interpretedFields: ['title'] })
    await moods.documents.bulk([{ id: '1', title: 'A 👨‍👩‍👧 at home, 東京タワー' }])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'moods' }))
    const marked = async (query: string) => {
      const params = { query, attributesToSnippet: ['title'], highlightPreTag: '[', highlightPostTag: ']' }
      const { results } = await client.search([{ indexName: 'moods', params }])
      const [hit] = (results[0] as InstantAnswer).hits
      expect(hit!._snippetResult).toEqual({ title: hit!._highlightResult!.title })
      return hit!._highlightResult!.title
    }
    expect(await marked('👨‍👩‍👧')).toMatchObject({ value: 'A [👨‍👩‍👧] at home, 東京タワー' })
    expect(await marked('a 東京 home')).toMatchObject({ value: '[A] 👨‍👩‍👧 at [home], [東京]タワー' })
  })

  it('counts the words of a passage where a script has no spaces between them, too', async () => {
    const stories = await shop.engine.datasets.create('stories', { interpretedFields: ['body'] })
    const before = '昔々、あるところにおじいさんとおばあさんが住んでいました。'.repeat(20)
    await stories.documents.bulk([
      { id: 'ja', body: `${before}東京タワーを観光しました。${before}` },
      { id: 'th', body: `${'สวัสดีชาวโลก'.repeat(30)}หนังสือภาษาไทย${'สวัสดีชาวโลก'.repeat(30)}` },
    ])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'stories' }))
    const passage = async (query: string) => {
      const params = { query, attributesToSnippet: ['body:8'], highlightPreTag: '[', highlightPostTag: ']' }
      const { results } = await client.search([{ indexName: 'stories', params }])
      return (results[0] as InstantAnswer).hits[0]!._snippetResult!.body as { value: string }
    }
    for (const [query, locale] of [
      ['観光', 'ja'],
      ['หนังสือ', 'th'],
    ] as const) {
      const { value } = await passage(query)
      expect(value).toContain(`[${query}`)
      const words = [...new Intl.Segmenter(locale, { granularity: 'word' }).segment(value)]
      expect(words.filter(({ isWordLike }) => isWordLike).length).toBeLessThanOrEqual(12)
    }
  })

  it('marks the beginnings of facet values in browsers that cannot divide a text into words', async () => {
    const { Segmenter } = Intl
    Reflect.deleteProperty(Intl, 'Segmenter')
    onTestFinished(() => void Object.assign(Intl, { Segmenter }))
    const [brands] = await clientOf().searchForFacetValues([
      { indexName: 'products', params: { facetName: 'brand', facetQuery: 'tor' } },
    ])
    expect(brands!.facetHits[0]!.highlighted).toMatch(/^<em>Tor<\/em>/)
  })

  it('takes names of fields as they are', async () => {
    for (const field of ['a b', 'a:b', 'brand) OR (x', '"', 'ü.ö', '__proto__'])
      expect((await ask({ facetFilters: [[`${field.replace(':', '')}:x`]] })).nbHits).toBe(0)
  })

  it('marks fields that are named as members of every object', async () => {
    const odd = await shop.engine.datasets.create('odd', { interpretedFields: ['title', 'constructor'] })
    const document = { id: '1', title: 'A drill', constructor: 'Bohrwerk', toString: 'plain' }
    await odd.documents.bulk([document, { ...document, id: '2' }])
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'odd' }))
    const { results } = await client.search([{ indexName: 'odd', params: { query: 'drill' } }])
    const [hit] = (results[0] as InstantAnswer).hits
    expect(hit!._highlightResult).toMatchObject({
      title: { value: 'A <em>drill</em>' },
      constructor: { value: 'Bohrwerk', matchLevel: 'none' },
      toString: { value: 'plain', matchLevel: 'none' },
    })
    const { results: similar } = await client.getRecommendations([
      { indexName: 'odd', model: 'related-products', objectID: '1' },
    ])
    expect(similar[0]!.hits).toMatchObject([
      { objectID: '2', _highlightResult: { constructor: { value: 'Bohrwerk' } } },
    ])
  })

  it('counts a number and the same text as one value, as it finds them', async () => {
    const mixed = await shop.engine.datasets.create('mixed')
    await mixed.documents.bulk([7, '7', '7', 'red', true, 'true'].map((size, i) => ({ id: `${i}`, size })))
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, secret, dataset: 'mixed' }))
    const found = async (params: Record<string, unknown>) => {
      const { results } = await client.search([{ indexName: 'mixed', params }])
      return results[0] as InstantAnswer
    }
    const counts = { 7: 3, true: 2, red: 1 }
    expect((await found({ facets: ['size'] })).facets.size).toEqual(counts)
    for (const [value, count] of Object.entries(counts))
      expect((await found({ facetFilters: [`size:${value}`] })).nbHits).toBe(count)
    const [values] = await client.searchForFacetValues([
      { indexName: 'mixed', params: { facetName: 'size' } },
    ])
    expect(Object.fromEntries(values!.facetHits.map(({ value, count }) => [value, count]))).toEqual(counts)
  })

  it('has hits on the pages that it announces, and none on those behind, however far', async () => {
    const shown = async (params: object, mostHits?: number) => {
      const { hits, nbHits, nbPages } = await ask(
        { hitsPerPage: 20, ...params },
        mostHits === undefined ? {} : { mostHits },
      )
      expect(nbHits).toBe(products.length)
      return [hits.length, nbPages]
    }
    expect(await shown({ page: 0 }, 50)).toEqual([20, 3])
    expect(await shown({ page: 2 }, 50)).toEqual([10, 3])
    expect(await shown({ page: 3 }, 50)).toEqual([0, 3])
    expect(await shown({ offset: 45, length: 20 }, 50)).toEqual([5, 3])
    expect(await shown({ page: 49 })).toEqual([20, 50])
    for (const page of [50, 100_000, Number.MAX_SAFE_INTEGER]) expect(await shown({ page })).toEqual([0, 50])
  })

  it('says why a server refuses', async () => {
    const client = instantSearchClient(createSearch({ baseAddress: shop.url, key: 'findling_wrong' }))
    await expect(client.search([{ indexName: 'products', params: {} }])).rejects.toThrow(/^401/)
    await expect(clientOf().search([{ indexName: 'others', params: {} }])).rejects.toThrow(
      /^403: .*products only/,
    )
  })

  it('reads the members that its documentation lists, and no others', () => {
    const [, table = ''] = readFileSync(documentation, 'utf8').split('## What requests may contain')
    const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.split(', '))
    expect(listed.map(name => name.slice(1, -1)).sort()).toEqual(Object.keys(readMembers).sort())
  })
})

/** The first hundred, equal ones by value. */
function mostFrequent(counts: Record<string, number>): Record<string, number> {
  const sorted = Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return Object.fromEntries(sorted.slice(0, 100))
}

function countsOf(
  found: readonly Product[],
  keysOf: (product: Product) => readonly string[],
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const product of found)
    for (const key of new Set(keysOf(product))) counts[key] = (counts[key] ?? 0) + 1
  return counts
}
