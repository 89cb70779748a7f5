import { FindlingError, type Where } from 'findling'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
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
    expect(await dataset.documents.deleteWhere(where).finished).toBe(matching.length)
    const left = (await collected(dataset.documents.scan())).map(({ id }) => id)
    expect(left).toEqual([...'abcd'].filter(id => !matching.includes(id)))
  })

  it('is refused when it cannot be read, by the name of its condition', async () => {
    const dataset = await openProducts()
    const unreadable: [where: unknown, field: string][] = [
      [undefined, 'where'],
      [null, 'where'],
      [7, 'where'],
      [[], 'where'],
      [{ price: undefined }, 'where.price'],
      [{ price: {} }, 'where.price'],
      [{ price: { gt: undefined } }, 'where.price.gt'],
      [{ price: { above: 3 } }, 'where.price.above'],
      [{ price: Number.NaN }, 'where.price'],
      [{ tags: ['x'] }, 'where.tags'],
      [{ tags: { in: 'x' } }, 'where.tags.in'],
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

  it('is refused with the operators there are, and the one that was meant', async () => {
    const { documents } = await openProducts()
    const wrong = { price: { $gt: 3 } }
    expect((await failureOf(() => documents.deleteWhere(wrong as never))).message).toBe(
      'where.price.$gt is not an operator; expected one of eq, ne, gt, gte, lt, lte, in, nin, between, exists, contains, startsWith, within, box, polygon (did you mean "gt"?)',
    )
    const list = { price: [3] }
    expect((await failureOf(() => documents.deleteWhere(list as never))).message).toBe(
      'where.price is a list of 1; expected { in: […] } for one of several values',
    )
    for (const [joined, joint] of [
      [{ $or: [{ price: 3 }] }, 'or'],
      [{ and: [{ must: [{ price: 3 }] }] }, 'and'],
      [{ $not: { price: 3 } }, 'not'],
    ] as const)
      expect((await failureOf(() => documents.deleteWhere(joined as never))).message).toContain(
        ` (conditions are joined by ${joint})`,
      )
  })
})

describe('a mistake in a condition', () => {
  it('fails the call if the condition is short, and the job if it is long, in the same place each time', async () => {
    const dataset = await openProducts()
    const wrong = (values: number) =>
      `id:(${Array.from({ length: values }, (_, i) => `x${i}`).join(' ')}) AND`
    const calls = [
      (where: string) => dataset.documents.deleteWhere(where),
      (where: string) => dataset.documents.updateWhere(where, { price: 1 }),
      (where: string) =>
        dataset.tags.exportWords(async () => {}, { visible: [...Array(15).fill('desk'), where] }),
    ]
    for (const call of calls) {
      expect(() => call(wrong(256))).toThrow(FindlingError)
      const job = call(wrong(20_000))
      await expect(job.finished).rejects.toMatchObject({ code: 'QUERY_INVALID' })
    }
    expect(dataset.documents.count).toBe(4)
  })
})

describe('a query string', () => {
  it('says as a where object does which documents are changed', async () => {
    const { documents } = await openProducts()
    expect(await documents.updateWhere('price:>=20 -desk', { sold: true }).finished).toBe(1)
    expect(await documents.updateWhere('"desk" OR tags:x', { price: 1 }).finished).toBe(2)
    expect(await documents.deleteWhere('price<5 AND sold:false').finished).toBe(1)
    expect(await documents.deleteWhere('NOT _exists_:title AND size.height:[* TO 5]').finished).toBe(0)
    const left = (await collected(documents.scan())).map(({ id, document }) => [
      id,
      document.price,
      document.sold,
    ])
    expect(left).toEqual([
      ['a', 1, true],
      ['c', 30, true],
      ['d', undefined, undefined],
    ])
    expect(await documents.deleteWhere('*:*').finished).toBe(3)
  })

  it('is typed by the sample or schema', async () => {
    const schema = { properties: { id: { type: 'string' }, made: { type: 'date' }, n: { type: 'integer' } } }
    const { documents } = await (await openEngine()).datasets.create('typed', {
      schema: { type: 'object', ...schema },
    })
    await documents.bulk([
      { id: 'a', made: '2024-02-10', n: 3 },
      { id: 'b', made: Date.parse('2024-12-31T23:00:00Z'), n: '12' },
      { id: 'c', made: '2025-01-01', n: 3 },
    ])
    expect(await documents.updateWhere('made:2024', { hit: true }).finished).toBe(2)
    expect(await documents.updateWhere({ made: { lte: '2024' } }, { hit: true }).finished).toBe(2)
    expect(await documents.updateWhere('n>3', { hit: true }).finished).toBe(1)
  })

  it('that cannot be read is refused with its place, and changes nothing', async () => {
    const { documents } = await openProducts()
    for (const [query, at] of [
      ['', 0],
      ['title:(lamp', 11],
      ['price:[1 TO', 11],
    ] as const) {
      expect(await failureOf(() => documents.deleteWhere(query))).toMatchObject({
        code: 'QUERY_INVALID',
        details: { field: 'where', at },
      })
    }
    expect(documents.count).toBe(4)
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
    const updating = documents.updateWhere({ price: 3 }, { cheap: true }).finished
    await meanwhile()
    expect(await updating).toBe(2)
    expect(await documents.getMany(['1', '2', '3'])).toEqual([
      { id: '1', price: 3, title: 'Lamp', cheap: true },
      { id: '2', price: 9 },
      undefined,
    ])
    const deleting = documents.deleteWhere({ price: { gt: 2 } }).finished
    await Promise.all([documents.update('1', { title: 'Desk lamp' }), documents.update('4', { price: 1 })])
    expect(await deleting).toBe(2)
    expect(await documents.getMany(['1', '2', '4'])).toMatchObject([undefined, undefined, { price: 1 }])
  })
})

describe('updateWhere', () => {
  it('changes all that match, and searches see it', async () => {
    const dataset = await openProducts()
    expect(
      await dataset.documents.updateWhere({ price: { gte: 20 } }, { title: 'Sofa', size: { height: 9 } })
        .finished,
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
    expect(
      await codeOf(() => dataset.documents.updateWhere({}, { title: { no: 'text' } as never }).finished),
    ).toBe('INVALID_DOCUMENT')
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

describe('many documents', () => {
  const text = 'word '.repeat(100_000)
  const heavy = Array.from({ length: 20 }, (_, i): Product => ({ id: `heavy${i}`, title: text, price: i }))
  const light = Array.from({ length: 2000 }, (_, i): Product => ({ id: `light${i}`, price: i }))

  it('are changed in slices, however many and heavy they are', async () => {
    const { documents } = await openProducts([...heavy, ...light])
    const steps: number[] = []
    const onProgress = ({ percent }: { percent: number }) => steps.push(percent)
    const updating = documents.updateWhere({}, { sold: true }, { onProgress })
    expect([await updating.finished, updating.state.kind, updating.state.result]).toEqual([
      2020,
      'update-where',
      2020,
    ])
    expect(steps.length).toBeGreaterThan(10)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(steps.at(-1)).toBe(100)
    expect(await documents.deleteWhere({ sold: true, price: { gte: 5 } }).finished).toBe(2010)
    expect(documents.count).toBe(10)
  })

  it('that were done when the job is cancelled stay done, as whole slices', async () => {
    const { documents } = await openProducts(light)
    const abort = new AbortController()
    const onProgress = () => {
      if (documents.count < 1500) abort.abort()
    }
    const deleting = documents.deleteWhere({}, { signal: abort.signal, onProgress })
    expect(await codeOf(() => deleting.finished)).toBe('CANCELLED')
    const left = documents.count
    expect(left).toBeGreaterThan(0)
    expect([left < 1500, left % 200]).toEqual([true, 0])
    expect(await documents.deleteWhere({}).finished).toBe(left)
  })

  it('end with the first that would break a rule; slices before it stay', async () => {
    const engine = await openEngine()
    const schema = z.object({ id: z.string(), price: z.number(), most: z.number() })
    const type = schema.refine(({ price, most }) => price <= most, { path: ['price'] })
    const { documents } = await engine.datasets.create('prices', { schema: type })
    const rows = Array.from({ length: 500 }, (_, i) => ({
      ...{ id: String(i).padStart(3, '0'), price: 1 },
      most: i === 450 ? 5 : 10,
    }))
    await documents.bulk(rows)
    const updating = documents.updateWhere({}, { price: 7 })
    expect(await failureOf(() => updating.finished)).toMatchObject({
      code: 'INVALID_DOCUMENT',
      details: { field: 'price' },
    })
    const prices = (await documents.getMany(rows.map(({ id }) => id))).map(document => document?.price)
    expect(prices).toEqual(rows.map((_, i) => (i < 400 ? 7 : 1)))
  })

  it('that come while others are deleted stay', async () => {
    const { documents } = await openProducts(light)
    const deleting = documents.deleteWhere({})
    while (documents.count === 2000) await new Promise(setImmediate)
    await documents.bulk(['light0', 'new', 'z'].map(id => ({ id, price: 1 })))
    await deleting.finished
    expect(await documents.get('new')).toEqual({ id: 'new', price: 1 })
    expect(documents.count).toBeLessThanOrEqual(3)
  })

  it('are not looked for with options that cannot be read', async () => {
    const { documents } = await openProducts()
    for (const options of [{ onProgress: 1 }, { signal: {} }, { limit: 1 }]) {
      expect(await codeOf(() => documents.deleteWhere({}, options as never))).toBe('INVALID_ARGUMENT')
    }
    expect(documents.count).toBe(4)
  })
})
