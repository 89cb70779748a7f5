import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, failureOf, openEngine } from './engines.ts'

async function openProducts() {
  const engine = await openEngine()
  return { engine, products: await engine.datasets.create('products', { interpretedFields: ['title'] }) }
}

const outcomes = (rows: { row: number; id: string | null; status: string; error?: { code: string } }[]) =>
  rows.map(({ row, id, status, error }) => [row, id, error?.code ?? status])

describe('bulk', () => {
  it('answers each row for itself, and a bad one costs only itself', async () => {
    const { engine, products } = await openProducts()
    const rows = await products.documents.bulk([
      { id: 'a', title: 'Lamp' },
      { title: 'No id' },
      { id: 'c', title: { no: 'text' } },
      null as never,
      { id: 'e', size: Number.NaN },
      { id: 5, title: 'Chair' },
    ])
    expect(outcomes(rows)).toEqual([
      [0, 'a', 'stored'],
      [1, null, 'INVALID_DOCUMENT'],
      [2, 'c', 'INVALID_DOCUMENT'],
      [3, null, 'INVALID_DOCUMENT'],
      [4, 'e', 'INVALID_DOCUMENT'],
      [5, '5', 'stored'],
    ])
    expect(rows[2]?.error?.details).toMatchObject({ field: 'title', received: 'an object' })
    expect((await collected(products.documents.scan())).map(({ id }) => id)).toEqual(['5', 'a'])
    await expectHealthy(engine)
  })

  it('lets the last row of an id win, across all groups, and says which rows it replaced', async () => {
    const { products } = await openProducts()
    const documents = Array.from({ length: 1300 }, (_, i) => ({ id: i % 3 === 0 ? 'same' : `d${i}`, n: i }))
    const rows = await products.documents.bulk(documents)
    expect(rows.map(({ row }) => row)).toEqual(documents.map((_, i) => i))
    expect(rows.filter(({ status }) => status === 'superseded')).toHaveLength(433)
    expect(rows[1299]).toEqual({ row: 1299, id: 'same', status: 'stored' })
    expect(await products.documents.get('same')).toEqual({ id: 'same', n: 1299 })
    expect(products.documents.count).toBe(867)
  })

  it('does not let a refused row supersede an earlier one', async () => {
    const { products } = await openProducts()
    const rows = await products.documents.bulk([
      { id: '1', title: 'Lamp' },
      { id: '1', title: {} },
    ])
    expect(outcomes(rows)).toEqual([
      [0, '1', 'stored'],
      [1, '1', 'INVALID_DOCUMENT'],
    ])
    expect(await products.documents.get('1')).toMatchObject({ title: 'Lamp' })
  })

  it('of mode insert keeps what is there and the first row of an id', async () => {
    const { products } = await openProducts()
    await products.documents.insert({ id: 'old', n: 0 })
    const rows = await products.documents.bulk(
      [
        { id: 'old', n: 1 },
        { id: 'new', n: 1 },
        { id: 'new', n: 2 },
      ],
      {
        mode: 'insert',
      },
    )
    expect(outcomes(rows)).toEqual([
      [0, 'old', 'DOCUMENT_EXISTS'],
      [1, 'new', 'stored'],
      [2, 'new', 'DOCUMENT_EXISTS'],
    ])
    expect(await products.documents.getMany(['old', 'new'])).toMatchObject([{ n: 0 }, { n: 1 }])
  })

  it('takes any iterable and an empty one', async () => {
    const { products } = await openProducts()
    expect(await products.documents.bulk([])).toEqual([])
    const rows = await products.documents.bulk(new Set([{ id: 'a' }, { id: 'b' }]))
    expect(rows.map(({ status }) => status)).toEqual(['stored', 'stored'])
  })

  it('refuses a stream, and says what takes it', async () => {
    const { products } = await openProducts()
    const refused = await failureOf(() => products.documents.bulk(endless() as never))
    expect(refused.message).toMatch(
      /^documents is .*; expected a list of documents.*import\(\) takes streams$/,
    )
    async function* endless() {
      for (let id = 1; ; id++) yield { id }
    }
  })

  it('stores more than the queue holds at once, from several callers at a time', async () => {
    const engine = await openEngine({ memoryBudget: 32 * 2 ** 20 })
    const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
    const text = 'x'.repeat(10_000)
    const documents = (caller: number) =>
      Array.from({ length: 600 }, (_, i) => ({ id: `${caller}-${i}`, text }))
    const answers = await Promise.all([1, 2, 3].map(caller => products.documents.bulk(documents(caller))))
    expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set(['stored']))
    expect(products.documents.count).toBe(1800)
  })
})
