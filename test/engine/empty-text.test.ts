import { type Dataset, Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Item {
  id: string
  title: string
  brand: string
  price: number
  sold?: number
}

const brands = ['Uvex', 'Bosch', 'Makita']
const items: Item[] = Array.from({ length: 60 }, (_, n) => ({
  id: `i${String(n).padStart(2, '0')}`,
  title: `Thing ${n}`,
  brand: brands[n % 3]!,
  price: (n * 7) % 50,
  ...(n % 10 === 0 && { sold: n }),
}))

let engine: Engine
let shop: Dataset<Item>
const idsOf = ({ hits }: { hits: readonly { id: string }[] }) => hits.map(({ id }) => id)

beforeAll(async () => {
  engine = await Engine.open()
  shop = await engine.datasets.create<Item>('shop', { interpretedFields: ['title'] })
  await shop.documents.bulk(items)
})

afterAll(() => engine.close())

describe.each(['', ' \t\n'])('a search for %j', text => {
  it('finds every document that the filter lets through', async () => {
    for (const filter of [{}, { brand: 'Uvex' }, 'price:<10', { price: { gt: 100 } }]) {
      const listed = await shop.filter(filter, { limit: 100 })
      const found = await shop.search(text, { filter, limit: 100, total: 'exact' })
      expect(idsOf(found).toSorted()).toEqual(idsOf(listed).toSorted())
      expect(found.total).toEqual(listed.total)
      expect(found.words).toEqual([])
    }
    expect((await shop.search(text)).total).toEqual({ count: 60, exact: true })
  })

  it('is ordered, counted, grouped and read on as any other', async () => {
    const options = { sort: ['price:desc'], facets: ['brand'], limit: 7 } as const
    const found = await shop.search(text, { ...options, cursor: true })
    const listed = await shop.filter({}, { ...options, limit: 60 })
    expect(found.facets).toEqual(listed.facets)
    const ids = idsOf(found)
    for (let cursor = found.cursor; cursor; ) {
      const page = await shop.search(text, { cursor })
      ids.push(...idsOf(page))
      cursor = page.cursor
    }
    const priceOf = (id: string) => items.find(item => item.id === id)!.price
    expect(ids.map(priceOf)).toEqual(listed.hits.map(({ document }) => document.price))
    expect(new Set(ids).size).toBe(60)
    const grouped = await shop.search(text, { groupBy: 'brand' })
    expect(grouped.hits.map(({ group }) => group)).toEqual([
      { value: 'Uvex', documents: 20 },
      { value: 'Bosch', documents: 20 },
      { value: 'Makita', documents: 20 },
    ])
  })

  it('heeds what is pinned and hidden, and to whom documents are there', async () => {
    const found = await shop.search(text, {
      pinned: [{ id: 'i59', position: 1 }],
      hidden: ['i00'],
      limit: 100,
    })
    expect(idsOf(found)[0]).toBe('i59')
    expect(idsOf(found)).not.toContain('i00')
    expect(idsOf(found).length).toBe(59)
    const { total } = await shop.search(text, { visible: { brand: 'Bosch' } })
    expect(total).toEqual({ count: 20, exact: true })
  })

  it('is led by the signals of the dataset', async () => {
    await shop.reconfigure({ signals: { sold: { pivot: 10, boost: 1 } } }).finished
    const found = await shop.search(text, { limit: 2 })
    expect(idsOf(found)).toEqual(['i50', 'i40'])
    await shop.reconfigure({ signals: {} }).finished
  })
})

it('a text of signs alone still finds nothing', async () => {
  for (const text of ['!?', '\0', '—', '""']) expect((await shop.search(text)).hits).toEqual([])
})
