import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failureOf, memoryDatabase, openEngine } from './engines.ts'

interface Product {
  id: string
  title: string
  brand?: string | string[]
  price?: number
  made?: string
  sale?: boolean
  variants?: { color: string }[]
  tag?: string | string[]
}

const words = ['lamp', 'desk', 'red', 'oak', 'small']
const brands = ['Acme', 'acme', 'Bold', 'Core & Sons', 'Ärmel', 'x'.repeat(130)]
const tree = [
  { id: 'all', name: 'Everything' },
  { id: 'lights', name: 'Lights', parentId: 'all' },
  { id: 'floor', name: 'Floor lamps', parentId: 'lights' },
  { id: 'desks', name: 'Desks', parentId: 'all' },
]
const tagIds = ['all', 'lights', 'floor', 'desks', 'stray']

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 })
const aProduct = fc.record({
  title: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map(some => some.join(' ')),
  brand: maybe(
    fc.oneof(fc.constantFrom(...brands), fc.array(fc.constantFrom(...brands.slice(0, 4)), { maxLength: 3 })),
  ),
  price: maybe(fc.constantFrom(0, 1, 1.5, 2, 9.99, 10, 250)),
  made: maybe(fc.constantFrom('2023-01-01', '2023-12-31', '2024-03-01', '2024-03-02')),
  sale: maybe(fc.boolean()),
  variants: maybe(fc.array(fc.record({ color: fc.constantFrom('red', 'blue') }), { maxLength: 3 })),
  tag: maybe(
    fc.oneof(fc.constantFrom(...tagIds), fc.uniqueArray(fc.constantFrom(...tagIds), { maxLength: 3 })),
  ),
})

function products(seed: number, count: number): Product[] {
  const [made] = fc.sample(fc.array(aProduct, { minLength: count, maxLength: count }), { numRuns: 1, seed })
  return made!.map((one, i) => JSON.parse(JSON.stringify({ ...one, id: `p${i}` })))
}

const schema = {
  type: 'object',
  properties: {
    ...{ id: { type: 'string' }, title: { type: 'string' }, brand: { type: 'string' } },
    ...{ price: { type: 'double' }, made: { type: 'date' }, sale: { type: 'boolean' } },
    variants: { type: 'array', items: { type: 'object', properties: { color: { type: 'string' } } } },
    tag: { type: 'array', items: { type: 'string' } },
  },
}

/** In several segments, some documents gone and some in the tail. */
async function openProducts(documents: readonly Product[], store = memoryDatabase()) {
  const engine = await openEngine({ store })
  const dataset = await engine.datasets.create<Product>('products', { interpretedFields: ['title'], schema })
  await dataset.tags.replaceAll(tree)
  const third = Math.ceil(documents.length / 3)
  const gone = documents.slice(0, 20).map(one => ({ ...one, id: `gone${one.id}` }))
  await dataset.documents.bulk([...gone, ...documents.slice(0, third)])
  await dataset.count('*:*')
  await dataset.documents.bulk(documents.slice(third, 2 * third))
  await dataset.count('*:*')
  for (const { id } of gone) await dataset.documents.delete(id)
  await dataset.documents.bulk(documents.slice(2 * third))
  return { engine, dataset, store }
}

const valuesAt = {
  brand: ({ brand }: Product) => [brand ?? []].flat().filter(text => text.length <= 128),
  price: ({ price }: Product) => (price === undefined ? [] : [price]),
  made: ({ made }: Product) => (made === undefined ? [] : [new Date(made).toISOString()]),
  sale: ({ sale }: Product) => (sale === undefined ? [] : [sale]),
  'variants.color': ({ variants = [] }: Product) => variants.map(({ color }) => color),
  tag: ({ tag = [] }: Product) => [tag].flat().flatMap(withAncestors),
}

function withAncestors(id: string): string[] {
  const parent = tree.find(tag => tag.id === id)?.parentId
  return parent === undefined ? [id] : [id, ...withAncestors(parent)]
}

type Field = keyof typeof valuesAt
const fields = Object.keys(valuesAt) as Field[]

/** Each value of some documents with how many have it, by counting. */
function counted(documents: readonly Product[], field: Field): Map<string | number | boolean, number> {
  const counts = new Map<string | number | boolean, number>()
  for (const document of documents)
    for (const value of new Set<string | number | boolean>(valuesAt[field](document)))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** By the textbook: observed times the logarithm of observed over expected, over a table of two times two. */
function likelihoodRoot([a, b, c, d]: readonly number[]): number {
  const all = a! + b! + c! + d!
  const cells = [
    [a!, (a! + b!) * (a! + c!)],
    [b!, (a! + b!) * (b! + d!)],
    [c!, (c! + d!) * (a! + c!)],
    [d!, (c! + d!) * (b! + d!)],
  ] as const
  const sum = cells.reduce(
    (sum, [seen, product]) => sum + (seen > 0 ? seen * Math.log((seen * all) / product) : 0),
    0,
  )
  return Math.sqrt(2 * sum)
}

const asMap = (values: readonly { value: string | number | boolean; count: number }[]) =>
  new Map(values.map(({ value, count }) => [value, count]))

const everyFacet = fields.map(field => ({ field, limit: 1000 }))

type Condition = readonly [filter: string, holds: (one: Product) => boolean]
const brandsOf = ({ brand }: Product) => [brand ?? []].flat()
const onBrand: readonly Condition[] = [
  ['', () => true],
  ['brand:Bold', one => brandsOf(one).includes('Bold')],
  ['NOT brand:Bold', one => !brandsOf(one).includes('Bold')],
]
const onPrice: readonly Condition[] = [
  ['', () => true],
  ['price:[1 TO 10]', ({ price }) => price !== undefined && price >= 1 && price <= 10],
  ['price:>1', ({ price }) => price !== undefined && price > 1],
  ['price:9999', () => false],
]

describe('facets', () => {
  const documents = products(21, 400)

  it('count what a count over all documents that are found would, of any text, filter and tags', async () => {
    const { dataset } = await openProducts(documents)
    const asked = fc.record({
      text: fc.subarray(words, { maxLength: 2 }),
      operator: fc.constantFrom('or' as const, 'and' as const),
      brand: fc.constantFrom(...onBrand),
      price: fc.constantFrom(...onPrice),
      tags: fc.option(fc.subarray(tagIds, { minLength: 1 }), { nil: undefined }),
      hidden: fc.subarray(documents.slice(0, 9).map(({ id }) => id)),
      pinned: fc.subarray(documents.slice(5, 12).map(({ id }) => id)),
      groupBy: fc.constantFrom(null, 'price'),
      disjunctive: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ text, operator, brand, price, tags, disjunctive, ...rest }) => {
        const filter = [brand[0], price[0]].filter(one => one !== '').join(' AND ') || '*:*'
        const pinned = rest.pinned.map((id, i) => ({ id, position: i + 1 }))
        const options = { operator, filter, ...(tags && { tags }), total: 'exact' as const }
        const facets = everyFacet.map(facet => ({ ...facet, disjunctive }))
        const inTags = ({ tag = [] }: Product) =>
          !tags || [tag].flat().some(one => withAncestors(one).some(id => tags.includes(id)))
        const matching = (one: Product) => {
          const own = one.title.split(' ')
          if (text.length === 0 || rest.hidden.includes(one.id)) return false
          if (rest.pinned.includes(one.id)) return true
          return operator === 'or'
            ? text.some(word => own.includes(word))
            : text.every(word => own.includes(word))
        }
        const listed = await dataset.filter(filter, { ...(tags && { tags }), facets })
        const found = await dataset.search(text.join(' '), {
          ...options,
          ...rest,
          pinned,
          typoTolerance: 0,
          facets,
        })
        for (const [answer, isFound] of [
          [listed, () => true],
          [found, matching],
        ] as const) {
          for (const field of fields) {
            const expected = documents.filter(
              one =>
                isFound(one) &&
                ((disjunctive && field === 'brand') || brand[1](one)) &&
                ((disjunctive && field === 'price') || price[1](one)) &&
                ((disjunctive && field === 'tag') || inTags(one)),
            )
            // An empty text finds what is pinned alone.
            if (answer === found && text.length === 0) continue
            const facet = answer.facets![field]!
            expect(asMap(facet.values)).toEqual(counted(expected, field))
            expect(facet.distinct).toBe(facet.values.length)
            expect(facet.exact).toBe(
              field !== 'brand' || !expected.some(one => brandsOf(one).some(text => text.length > 128)),
            )
          }
        }
      }),
      { numRuns: 60, seed: 4 },
    )
  })

  it('have those values first that most documents have, or the least, as many as are wanted', async () => {
    const { dataset } = await openProducts(documents)
    const expected = [...counted(documents, 'brand')].sort(
      ([a, m], [b, n]) => n - m || (a < b ? -1 : a > b ? 1 : 0),
    )
    const first = await dataset.filter({}, { facets: [{ field: 'brand', limit: 2 }] })
    expect(first.facets?.brand?.values.map(({ value, count }) => [value, count])).toEqual(
      expected.slice(0, 2),
    )
    expect(first.facets?.brand?.distinct).toBe(expected.length)
    const frequent = expected.filter(([, count]) => count >= expected[2]![1])
    const { facets } = await dataset.filter({}, { facets: [{ field: 'brand', least: expected[2]![1] }] })
    expect(facets?.brand?.values.map(({ value, count }) => [value, count])).toEqual(frequent)
    expect(facets?.brand?.distinct).toBe(frequent.length)
    expect(frequent.length).toBeLessThan(expected.length)
    const byValue = await dataset.filter({}, { facets: [{ field: 'price', sort: 'value', limit: 3 }] })
    expect(byValue.facets?.price?.values.map(({ value }) => value)).toEqual([0, 1, 1.5])
  })

  it('sorted by significance, list what is more frequent than among all that is visible, by the likelihood ratio', async () => {
    const { dataset } = await openProducts(documents)
    const isRed = ({ title }: Product) => title.split(' ').includes('red')
    const isAffordable = ({ price }: Product) => price !== undefined && price >= 1
    const facets = everyFacet.map(facet => ({ ...facet, sort: 'significance' as const }))
    const answers = [
      [await dataset.filter('brand:Bold', { facets }), documents, onBrand[1]![1]],
      [await dataset.search('red', { facets, typoTolerance: 0 }), documents, isRed],
      [
        await dataset.search('red', { facets, typoTolerance: 0, visible: 'price:>=1' }),
        documents.filter(isAffordable),
        isRed,
      ],
    ] as const
    let listed = 0
    for (const [answer, all, isFound] of answers)
      for (const field of fields) {
        const found = all.filter(isFound)
        const inAll = counted(all, field)
        const expected = [...counted(found, field)].flatMap(([value, count]) => {
          const table = [count, found.length - count, inAll.get(value)! - count]
          const score = likelihoodRoot([...table, all.length - table.reduce((sum, one) => sum + one, 0)])
          return count / found.length > inAll.get(value)! / all.length
            ? [{ value, count, inAll: inAll.get(value)!, score }]
            : []
        })
        const { values, distinct } = answer.facets![field]!
        const byValue = new Map(values.map(one => [one.value, one]))
        expect([...byValue.keys()].sort()).toEqual(expected.map(({ value }) => value).sort())
        expect(distinct).toBe(expected.length)
        for (const { value, score, ...counts } of expected) {
          expect(byValue.get(value)).toMatchObject(counts)
          expect(byValue.get(value)!.score).toBeCloseTo(score, 6)
        }
        const scores = values.map(({ score }) => score!)
        expect(scores).toEqual([...scores].sort((one, other) => other - one))
        listed += values.length
      }
    expect(listed).toBeGreaterThan(30)
  })

  it('sorted by significance, compare all spellings of a value', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('spelled', { interpretedFields: ['title'] })
    const brands = ['Bosch', 'BOSCH', 'bosch', 'Makita', 'Makita', 'makita', 'Bosch', 'Makita']
    await dataset.documents.bulk(
      brands.map((brand, id) => ({
        id,
        title: id < 3 ? 'drill' : 'saw',
        brand: id === 0 ? [brand, 'bosch'] : brand,
      })),
    )
    const { brand } = (
      await dataset.search('drill', {
        facets: [{ field: 'brand', sort: 'significance', mergeSpellings: true }],
      })
    ).facets!
    const [only, ...others] = brand!.values
    expect(others).toEqual([])
    expect(only).toMatchObject({ value: 'bosch', count: 3, inAll: 4, spellings: ['bosch', 'BOSCH', 'Bosch'] })
    expect(only!.score).toBeCloseTo(likelihoodRoot([3, 0, 1, 4]), 6)
  })

  it('merge texts that differ in case and spaces, under the most frequent spelling', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('spelled', { interpretedFields: ['title'] })
    const spellings = [
      'Bosch',
      'bosch',
      'BOSCH ',
      'Bosch  Home',
      'bosch home',
      'Ärmel',
      'ÄRMEL',
      '7',
      '__proto__',
    ]
    const anyBrand = fc.constantFrom(...spellings)
    const [made] = fc.sample(
      fc.array(fc.oneof(anyBrand, fc.array(anyBrand, { maxLength: 3 })), { minLength: 900, maxLength: 900 }),
      { numRuns: 1, seed: 3 },
    )
    const all = made!.map((brand, id) => ({ id, title: id % 2 ? 'odd lamp' : 'even lamp', brand }))
    for (const part of [all.slice(0, 300), all.slice(300), [{ id: 1000, title: 'odd', brand: 7 }]])
      await dataset.documents.bulk(part)
    const keyOf = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase()
    const odd = all.filter(({ id }) => id % 2 === 1)
    const bySpelling = new Map<string, number>()
    const byKey = new Map<string, number>()
    for (const { brand } of odd) {
      const texts = new Set([brand].flat())
      for (const text of texts) bySpelling.set(text, (bySpelling.get(text) ?? 0) + 1)
      for (const key of new Set([...texts].map(keyOf))) byKey.set(key, (byKey.get(key) ?? 0) + 1)
    }
    const expected = [...byKey].map(([key, count]) => {
      const own = [...bySpelling].filter(([text]) => keyOf(text) === key)
      own.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      return { value: own[0]![0], count, ...(own.length > 1 && { spellings: own.map(([text]) => text) }) }
    })
    const facets = [{ field: 'brand', mergeSpellings: true, limit: 50 }]
    const { brand } = (await dataset.search('odd', { facets })).facets!
    const byText = (one: { value: unknown }, other: { value: unknown }) =>
      String(one.value) < String(other.value) ? -1 : 1
    const found = brand!.values.filter(({ value }) => value !== 7)
    expect(found.sort(byText)).toEqual(expected.sort(byText))
    expect(brand!.distinct).toBe(expected.length + 1)
    const [first] = brand!.values.filter(({ spellings: some }) => some)
    const chosen = await dataset.search('odd', {
      filter: { brand: { in: first!.spellings! } },
      total: 'exact',
    })
    expect(chosen.total.count).toBe(first!.count)
    const plain = (await dataset.search('odd', { facets: [{ field: 'brand', limit: 50 }] })).facets!.brand!
    expect(plain.values.every(one => !('spellings' in one))).toBe(true)
  })

  it('count ranges, bars and figures of numbers and dates', async () => {
    const { dataset } = await openProducts(documents)
    const red = documents.filter(({ title }) => title.split(' ').includes('red'))
    const prices = red.flatMap(valuesAt.price)
    const { facets } = await dataset.search('red', {
      facets: [
        {
          field: 'price',
          histogram: 5,
          ranges: [{ name: 'cheap', to: 2 }, { from: 2, to: 10 }, { from: 10 }, { from: 5, to: 1 }],
        },
        { field: 'made', ranges: [{ to: '2024' }, { from: '2024-03-02' }], histogram: 2 },
        'brand',
      ],
    })
    const between = (from: number, to: number) => prices.filter(one => one >= from && one < to).length
    expect(facets?.price?.ranges).toEqual([
      { name: 'cheap', to: 2, count: between(-1, 2) },
      { from: 2, to: 10, count: between(2, 10) },
      { from: 10, count: between(10, 1e9) },
      { from: 5, to: 1, count: 0 },
    ])
    expect(facets?.price?.histogram).toEqual(
      [0, 50, 100, 150, 200].map(from => ({
        from,
        to: from + 50,
        count: between(from, from === 200 ? 251 : from + 50),
      })),
    )
    const sum = prices.reduce((all, one) => all + one, 0)
    const { stats } = facets!.price!
    expect(stats).toMatchObject({ min: 0, max: 250, count: prices.length })
    expect(stats!.sum).toBeCloseTo(sum, 6)
    expect(stats!.avg).toBeCloseTo(sum / prices.length, 6)
    const made = red.flatMap(({ made }) => made ?? [])
    expect(facets?.made?.ranges).toEqual([
      { to: '2024-01-01T00:00:00.000Z', count: made.filter(one => one < '2024').length },
      { from: '2024-03-02T00:00:00.000Z', count: made.filter(one => one >= '2024-03-02').length },
    ])
    expect(facets?.made?.histogram?.reduce((all, { count }) => all + count, 0)).toBe(made.length)
    expect(facets?.made?.stats).toMatchObject({ min: '2023-01-01T00:00:00.000Z', count: made.length })
    expect(facets?.brand).not.toHaveProperty('stats')
    const none = await dataset.search('red', {
      filter: 'price:9999',
      facets: [{ field: 'price', histogram: 3 }],
    })
    expect(none.facets?.price).toEqual({ values: [], distinct: 0, histogram: [], exact: true })
  })

  it('take numbers in ranges of dates for what they are in filters', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('moments', { interpretedFields: ['title'], schema })
    const moments = ['2023-12-31', '2024-01-01', '2024-06-01T12:00:00Z']
    await dataset.documents.bulk(moments.map((made, i) => ({ id: `m${i}`, title: 'lamp', made })))
    for (const from of [2024, '2024', Date.UTC(2024, 0), Date.UTC(2024, 5, 1, 12)]) {
      const facets = [{ field: 'made', ranges: [{ to: from }, { from }] }]
      const { made } = (await dataset.search('', { facets })).facets!
      expect(made!.ranges!.map(({ count }) => count)).toEqual([
        await dataset.count({ made: { lt: from } }),
        await dataset.count({ made: { gte: from } }),
      ])
    }
  })

  it('have a finite mean of numbers however large, and their sum if a number can be that large', async () => {
    const dataset = await (await openEngine()).datasets.create('lamps', { interpretedFields: ['title'] })
    const most = Number.MAX_VALUE
    const documents = [
      { id: 'a', title: 'lamp huge', price: [most, most], depth: 1e308 },
      { id: 'b', title: 'lamp huge', price: most, depth: 1e308 },
      { id: 'c', title: 'lamp', depth: [-1e308, 3] },
    ]
    const statsOf = async (query: string) => {
      const { facets } = await dataset.search(query, { facets: ['price', 'depth'] })
      return [facets!.price!.stats, facets!.depth!.stats]
    }
    const large = { min: most, max: most, avg: most, count: 3 }
    const check = async () => {
      expect(await statsOf('huge')).toEqual([large, { min: 1e308, max: 1e308, avg: 1e308, count: 2 }])
      const [price, depth] = await statsOf('lamp')
      expect([price, depth]).toEqual([large, { min: -1e308, max: 1e308, avg: 2.5e307, sum: 1e308, count: 4 }])
    }
    for (const document of documents) await dataset.documents.insert(document)
    await check()
    await dataset.optimize().finished
    await check()
  })

  it('have bars of numbers however large, and of dates between whole milliseconds', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('moments', { interpretedFields: ['title'], schema })
    const numbers = [-Number.MAX_VALUE, -1e308, 0, 1e308, Number.MAX_VALUE]
    const moments = [-2, -1, 0, 1, 2].map(time => new Date(time).toISOString())
    await dataset.documents.bulk(
      numbers.map((price, i) => ({ id: `m${i}`, title: 'lamp', price, made: moments[i]! })),
    )
    const asked = ['price', 'made'].map(field => ({ field, histogram: 3 }))
    const { price, made } = (await dataset.search('', { facets: asked })).facets!
    const bars = price!.histogram!
    const edges = [...bars.map(({ from }) => Number(from)), Number(bars.at(-1)!.to)]
    expect(edges.every(Number.isFinite)).toBe(true)
    expect(edges).toEqual([...edges].sort((one, other) => one - other))
    expect(bars.map(({ count }) => count)).toEqual([2, 1, 2])
    for (const { from, to, count } of made!.histogram!)
      expect(count).toBe(
        moments.filter(one => one >= from! && (one < to! || (one === to && to === moments[4]))).length,
      )
  })

  it('find values by the words that are typed, also misspelt where none has them', async () => {
    const { dataset } = await openProducts(documents)
    const found = async (search: string, field = 'brand') => {
      const { facets } = await dataset.filter({}, { facets: [{ field, search, sort: 'value' }] })
      return facets?.[field]?.values.map(({ value }) => value)
    }
    expect(await found('ac')).toEqual(['Acme', 'acme'])
    expect(await found('sons core')).toEqual(['Core & Sons'])
    expect(await found('armel')).toEqual(['Ärmel'])
    expect(await found('akme ')).toEqual(['Acme', 'acme'])
    expect(await found('ac ')).toEqual([])
    expect(await found('florr', 'tag')).toEqual(['floor'])
  })

  it('tell tags with their names, of one level if that is asked', async () => {
    const { dataset } = await openProducts(documents)
    const tags = async (facet: object) => {
      const { facets } = await dataset.filter({}, { facets: [{ field: 'tag', sort: 'value', ...facet }] })
      return facets!.tag!.values.map(({ value, name }) => [value, name])
    }
    expect(await tags({ parent: null })).toEqual([
      ['all', 'Everything'],
      ['stray', undefined],
    ])
    expect(await tags({ parent: 'all' })).toEqual([
      ['desks', 'Desks'],
      ['lights', 'Lights'],
    ])
    const own = await dataset.filter({}, { facets: [{ field: 'tag', tagsBelow: false, limit: 99 }] })
    for (const { value, count } of own.facets!.tag!.values)
      expect(count).toBe(documents.filter(({ tag = [] }) => [tag].flat().includes(String(value))).length)
  })

  it('are the same after a restart, and see each write', async () => {
    const { engine, dataset, store } = await openProducts(documents)
    const before = await dataset.filter({}, { facets: everyFacet })
    await engine.close()
    const again = (await openEngine({ store })).datasets.get<Product>('products')
    expect((await again.filter({}, { facets: everyFacet })).facets).toEqual(before.facets)
    await again.documents.upsert({ id: 'new', title: 'red', brand: 'New & Co', price: 77 })
    const after = await again.search('red', { facets: [{ field: 'brand', limit: 1000 }, 'price'] })
    expect(asMap(after.facets!.brand!.values).get('New & Co')).toBe(1)
    await again.documents.delete('new')
    const gone = await again.filter({}, { facets: everyFacet })
    expect(gone.facets).toEqual(before.facets)
  })

  it.each([
    [['brandd'], 'facets[0]', 'brand'],
    [['variants'], 'facets[0]', 'a field of numbers'],
    [['id'], 'facets[0]', 'a field of numbers'],
    [['brand', { field: 'brand' }], 'facets[1]', 'each field once'],
    [[{ field: 'price', ranges: [{ from: 'ten' }] }], 'facets[0].ranges[0].from', 'a number'],
    [[{ field: 'made', ranges: [{ to: 'soon' }] }], 'facets[0].ranges[0].to', 'a date'],
    [[{ field: 'title', ranges: [{ to: '2024' }] }], 'facets[0].ranges[0].to', 'declares as dates'],
    [['__proto__'], 'facets[0]', 'brand'],
  ] as const)('refuse %j by its name', async (facets, field, expected) => {
    const { dataset } = await openProducts(documents.slice(0, 3))
    // As somebody asks who has no types.
    const options = { facets: facets as never }
    for (const ask of [() => dataset.search('red', options), () => dataset.filter({}, options)]) {
      const error = await failureOf(ask)
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
      expect(error.message).toContain(expected)
    }
  })
})
