import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, openEngine } from './engines.ts'

interface Product {
  id: string
  title: string
  brand?: string
  price?: number | string
}

const aProduct = fc.record({
  title: fc.constantFrom('red lamp', 'red desk', 'desk lamp', 'oak desk', 'red'),
  brand: fc.constantFrom(
    'Acme',
    'Bold',
    'acme',
    `${'long '.repeat(30)}b`,
    `${'long '.repeat(30)}a`,
    undefined,
  ),
  price: fc.constantFrom(3, 1, 2.5, -1, 0, 'on request', undefined),
})

function products(seed: number, count: number): Product[] {
  const [made] = fc.sample(fc.array(aProduct, { minLength: count, maxLength: count }), { numRuns: 1, seed })
  return made!.map((one, i) => JSON.parse(JSON.stringify({ ...one, id: `p${i}` })))
}

/** In several segments. */
async function openProducts(documents: Product[]) {
  const engine = await openEngine({})
  const dataset = await engine.datasets.create<Product>('products', { interpretedFields: ['title'] })
  const half = documents.length / 2
  await dataset.documents.bulk(documents.slice(0, half))
  await dataset.search('red')
  await dataset.documents.bulk(documents.slice(half))
  return dataset
}

const rank = (value: unknown) => (value === undefined ? 2 : typeof value === 'number' ? 0 : 1)

/** Numbers before texts before nothing, whatever the direction. */
function compare(one: Product, other: Product, sort: readonly string[]): number {
  for (const key of sort) {
    const [field, direction] = key.split(':') as [keyof Product, string?]
    const [x, y] = [one[field], other[field]]
    if (x === y) continue
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1
    if (rank(x) !== rank(y)) return rank(x) - rank(y)
    return x < y === (direction === 'desc') ? 1 : -1
  }
  return 0
}

const sorts = [['price'], ['price:desc'], ['brand'], ['brand:desc', 'price'], ['price:desc', 'brand:desc']]

describe('a search in an order of its own', () => {
  const documents = products(5, 300)
  const byId = new Map(documents.map(one => [one.id, one]))

  it.each(sorts.map(sort => [sort]))('by %j gives what it finds in this order, page by page', async sort => {
    const dataset = await openProducts(documents)
    for (const query of ['red', 'red desk', '"desk lamp"', 'lamp -red', 'rde']) {
      const plain = await dataset.search(query, { limit: 1000 })
      const found = await dataset.search(query, { limit: 1000, sort })
      expect(found.hits.map(({ id }) => id).sort()).toEqual(plain.hits.map(({ id }) => id).sort())
      expect(found.total).toEqual({ count: plain.hits.length, exact: true })
      for (const [i, { id }] of found.hits.entries())
        if (i > 0)
          expect(compare(byId.get(found.hits[i - 1]!.id)!, byId.get(id)!, sort)).toBeLessThanOrEqual(0)
      const page = await dataset.search(query, { limit: 7, offset: 30, sort })
      expect(page.hits).toEqual(found.hits.slice(30, 37))
      const scores = new Map(plain.hits.map(({ id, score }) => [id, score]))
      if (!query.includes(' ')) for (const { id, score } of found.hits) expect(score).toBe(scores.get(id))
    }
  })

  it('leaves pinned documents at their places, hidden ones out, and shows the first of each group', async () => {
    const dataset = await openProducts(documents)
    const options = { sort: ['price:desc'], limit: 1000, filter: 'price:>=0' }
    const plain = (await dataset.search('red', options)).hits.map(({ id }) => id)
    const [a, b, c] = [plain[4]!, plain[9]!, plain[20]!]
    const pinned = [{ id: c, position: 1 }]
    const arranged = await dataset.search('red', { ...options, pinned, hidden: [a, b] })
    expect(arranged.hits.map(({ id }) => id)).toEqual([c, ...plain.filter(id => ![a, b, c].includes(id))])
    const grouped = await dataset.search('red', { ...options, groupBy: 'title', groupLimit: 2 })
    const counts = new Map<string, number>()
    const expected = plain.filter(id => {
      const { title } = byId.get(id)!
      counts.set(title, (counts.get(title) ?? 0) + 1)
      return counts.get(title)! <= 2
    })
    expect(grouped.hits.map(({ id }) => id)).toEqual(expected)
    for (const { document, group } of grouped.hits) expect(group?.documents).toBe(counts.get(document.title))
    const page = await dataset.search('red', {
      ...options,
      groupBy: 'title',
      groupLimit: 2,
      limit: 2,
      offset: 1,
    })
    expect(page.hits.map(({ id }) => id)).toEqual(expected.slice(1, 3))
  })

  it('is refused where there is no such field', async () => {
    const dataset = await openProducts(documents.slice(0, 2))
    const error = await failureOf(() =>
      dataset.search('red', { sort: ['id', '__proto__.x:desc', ''] as string[] }),
    )
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'sort[2]' } })
  })

  it('is refused as an object, with how a field is written', async () => {
    const dataset = await openProducts(documents.slice(0, 2))
    const sort = [{ field: 'price', order: 'asc' }] as unknown as string[]
    const error = await failureOf(() => dataset.search('red', { sort }))
    expect(error.message).toBe(
      'options: sort[0] is an object; expected a field, such as "price" or "price:desc"',
    )
  })

  it('is refused by a direction that there is not, though a field may have a colon in its name', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('anything')
    await dataset.documents.bulk([1, 2].map(n => ({ id: String(n), title: 'red', 'a:b': n })))
    const error = await failureOf(() => dataset.search('red', { sort: ['a:b:DESC'] }))
    expect(error.message).toBe('options: sort[0] is "a:b:DESC"; expected a field followed by :asc or :desc')
    const { hits } = await dataset.search('red', { sort: ['a:b:desc'] })
    expect(hits.map(({ id }) => id)).toEqual(['2', '1'])
  })
})

describe('a cursor of a search', () => {
  const pinned = [3, 12, 13, 30, 500].map((position, i) => ({ id: `p${7 + i}`, position }))
  it.each([
    [{}],
    [{ sort: ['price'] }],
    [{ groupBy: 'title' }],
    [{ pinned }],
    [{ pinned, offset: 4, sort: ['price'] }],
    [{ pinned, offset: 2, groupBy: 'title', groupLimit: 3 }],
    [{ pinned, groupBy: 'title', sort: ['price:desc'] }],
  ])(
    'with %j gives all hits of the first moment once and as they were, whatever is written meanwhile',
    async options => {
      const documents = products(8, 200)
      const dataset = await openProducts(documents)
      const expected = await dataset.search('red desk', { ...options, limit: 1000, highlight: true })
      const first = await dataset.search('red desk', { ...options, limit: 9, cursor: true, highlight: true })
      const hits = [...first.hits]
      for (let { cursor } = first, page = 0; cursor; page++) {
        const gone = expected.hits[page * 9 + 12]?.id
        if (gone !== undefined) {
          await dataset.documents.delete(gone)
          await dataset.documents.upsert({ id: expected.hits[1]!.id, title: `red desk ${page}` })
          await dataset.documents.upsert({ id: `new${page}`, title: 'red desk', price: -5 })
        }
        const next = await dataset.search('', { cursor })
        expect(next.total).toEqual(first.total)
        hits.push(...next.hits)
        cursor = next.cursor ?? null
      }
      expect(hits).toEqual(expected.hits)
    },
  )

  it('is none where one page is all, is not one of a list, and does not go with explanations', async () => {
    const dataset = await openProducts(products(8, 20))
    expect(await dataset.search('red', { cursor: true, limit: 100 })).toMatchObject({ cursor: null })
    expect(await dataset.search('red')).not.toHaveProperty('cursor')
    const { cursor } = await dataset.filter({}, { cursor: true, limit: 1 })
    expect(await codeOf(() => dataset.search('', { cursor: cursor! }))).toBe('CURSOR_EXPIRED')
    const error = await failureOf(() => dataset.search('red', { cursor: true, explain: true }))
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'explain' } })
  })
})
