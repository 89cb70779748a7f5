import type { Where } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, collected, failureOf, openEngine } from './engines.ts'

interface Product {
  id: string
  title?: string | null
  price?: number
  sold?: boolean
  tags?: string[]
  size?: { height: number }
}

const products: Product[] = [
  { id: 'a', title: 'Lamp', price: 10, sold: true, tags: ['x', 'y'], size: { height: 5 } },
  { id: 'b', title: 'Desk', price: 20, sold: false, tags: ['y'], size: { height: 7 } },
  { id: 'c', title: null, price: 30, tags: [] },
  { id: 'd' },
]

async function openProducts(documents: Product[] = products) {
  const engine = await openEngine({ memoryBudget: 32 * 2 ** 20 })
  const dataset = await engine.datasets.create<Product>('products', { interpretedFields: ['title'] })
  await dataset.documents.bulk(documents)
  return dataset
}

const cases: [where: Where<Product>, matching: string][] = [
  [{}, 'abcd'],
  [{ id: 'b' }, 'b'],
  [{ title: 'Lamp', price: 10 }, 'a'],
  [{ title: 'Lamp', price: 20 }, ''],
  [{ title: null }, 'cd'],
  [{ price: { gt: 10 } }, 'bc'],
  [{ price: { gte: 10, lt: 30 } }, 'ab'],
  [{ price: { lte: 20 } }, 'ab'],
  [{ price: { ne: 10 } }, 'bcd'],
  [{ price: { in: [10, 30, 99] } }, 'ac'],
  [{ title: { eq: 'Desk' } }, 'b'],
  [{ title: { gt: 'E' } }, 'a'],
  [{ sold: false }, 'b'],
  [{ tags: 'y' }, 'ab'],
  [{ tags: { in: ['x'] } }, 'a'],
  [{ 'size.height': { gt: 5 } }, 'b'],
  [{ 'size.depth': null }, 'abcd'],
]

describe('a predicate', () => {
  it.each(cases)('%o matches %s', async (where, matching) => {
    const dataset = await openProducts()
    expect(await dataset.documents.deleteWhere(where)).toBe(matching.length)
    const left = (await collected(dataset.documents.scan())).map(({ id }) => id)
    expect(left).toEqual([...'abcd'].filter(id => !matching.includes(id)))
  })

  it('is refused when it cannot be read, by the name of its condition', async () => {
    const dataset = await openProducts()
    const unreadable: [where: unknown, field: string][] = [
      [undefined, 'where'],
      [null, 'where'],
      ['id', 'where'],
      [[], 'where'],
      [{ price: undefined }, 'where.price'],
      [{ price: {} }, 'where.price'],
      [{ price: { gt: undefined } }, 'where.price'],
      [{ price: { above: 3 } }, 'where.price'],
      [{ price: Number.NaN }, 'where.price'],
      [{ tags: ['x'] }, 'where.tags'],
      [{ tags: { in: 'x' } }, 'where.tags'],
    ]
    for (const [where, field] of unreadable) {
      for (const call of [
        () => dataset.documents.deleteWhere(where as never),
        () => dataset.documents.updateWhere(where as never, { price: 0 }),
      ]) {
        expect(await failureOf(call)).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
      }
    }
    expect(dataset.documents.count).toBe(4)
  })
})

describe('a document changed while others are looked for', () => {
  it('is written when it still matches, and spared when it does not', async () => {
    const dataset = await (await openEngine()).datasets.create('products')
    const { documents } = dataset
    await documents.bulk(['1', '2', '3', '4'].map(id => ({ id, price: 3 })))
    const meanwhile = () =>
      Promise.all([
        documents.update('1', { title: 'Lamp' }),
        documents.update('2', { price: 9 }),
        documents.delete('3'),
      ])
    const updating = documents.updateWhere({ price: 3 }, { cheap: true })
    await meanwhile()
    expect(await updating).toBe(2)
    expect(await documents.getMany(['1', '2', '3'])).toEqual([
      { id: '1', price: 3, title: 'Lamp', cheap: true },
      { id: '2', price: 9 },
      undefined,
    ])
    const deleting = documents.deleteWhere({ price: { gt: 2 } })
    await Promise.all([documents.update('1', { title: 'Desk lamp' }), documents.update('4', { price: 1 })])
    expect(await deleting).toBe(2)
    expect(await documents.getMany(['1', '2', '4'])).toMatchObject([undefined, undefined, { price: 1 }])
  })
})

describe('updateWhere', () => {
  it('changes all that match, and searches see it', async () => {
    const dataset = await openProducts()
    expect(
      await dataset.documents.updateWhere({ price: { gte: 20 } }, { title: 'Sofa', size: { height: 9 } }),
    ).toBe(2)
    expect(await dataset.documents.get('b')).toEqual({ ...products[1], title: 'Sofa', size: { height: 9 } })
    expect((await dataset.search('sofa')).hits.map(({ id }) => id).sort()).toEqual(['b', 'c'])
  })

  it('changes none when one of them would break a rule', async () => {
    const engine = await openEngine()
    const sample = { id: 'x', tag: 'x', title: 'x' }
    const dataset = await engine.datasets.create('strict', { sample, validation: 'strict' })
    await dataset.documents.bulk([
      { id: 'a', tag: 'x', title: 'Lamp' },
      { id: 'b', tag: 'x', title: 'Lamp' },
    ])
    expect(await codeOf(() => dataset.documents.updateWhere({}, { title: { no: 'text' } }))).toBe(
      'INVALID_DOCUMENT',
    )
    const lamps = await dataset.documents.getMany(['a', 'b'])
    expect(lamps.map(document => document?.title)).toEqual(['Lamp', 'Lamp'])
  })

  it('refuses a new id and a bad patch, whether or not something matches', async () => {
    const dataset = await openProducts()
    for (const where of [{}, { id: 'none' }]) {
      const moved = await failureOf(() => dataset.documents.updateWhere(where, { id: 'z' }))
      expect(moved).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field: 'patch.id', received: '"z"' },
      })
      const wrong = await failureOf(() => dataset.documents.updateWhere(where, { price: Number.NaN }))
      expect(wrong).toMatchObject({ code: 'INVALID_DOCUMENT', details: { field: 'patch.price' } })
    }
  })
})

describe('more than one write may hold', () => {
  it('is refused whole', async () => {
    const text = 'word '.repeat(100_000)
    const big = Array.from({ length: 20 }, (_, i): Product => ({ id: `big${i}`, title: text, price: i }))
    const dataset = await openProducts(big)
    expect(await codeOf(() => dataset.documents.deleteWhere({}))).toBe('TOO_LARGE')
    expect(await codeOf(() => dataset.documents.updateWhere({}, { price: 0 }))).toBe('TOO_LARGE')
    expect(dataset.documents.count).toBe(20)
    expect(await dataset.documents.deleteWhere({ price: { lt: 10 } })).toBe(10)
  })
})
