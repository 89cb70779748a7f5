import fc from 'fast-check'
import { type Dataset, Engine, FindlingError, type SearchOptions } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const colours = ['red', 'green', 'blue']
const products = Array.from({ length: 90 }, (_, i) => ({
  id: `p${i}`,
  title: `${colours[i % 3]} lamp number${i % 7}`,
  price: i % 11,
  maker: { name: `Maker ${i % 4}`, margin: i % 13 },
  variants: [
    { size: i % 3, stock: i % 17 },
    { size: 5, stock: i % 5 },
  ],
  margin: (i * 7) % 19,
  supplier: `supplier ${i % 6}`,
  tag: [`t${i % 3}`],
}))
const visibleFields = ['title', 'price', 'maker.name', 'variants.size']

/** The same with nothing else in it. */
const bare = products.map(({ id, title, price, maker, variants }) => ({
  id,
  title,
  price,
  maker: { name: maker.name },
  variants: variants.map(({ size }) => ({ size })),
}))

let engine: Engine
let shop: Dataset
let twin: Dataset
beforeAll(async () => {
  engine = await Engine.open()
  const made = async (name: string, documents: readonly object[]) => {
    const dataset = await engine.datasets.create(name, {
      interpretedFields: ['title'],
      sample: documents[0]!,
    })
    await engine.datasets.get<object>(name).documents.bulk(documents)
    return dataset as Dataset
  }
  shop = await made('shop', products)
  twin = await made('twin', bare)
})
afterAll(() => engine.close())

/** What is answered, or why nothing is. */
async function told(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FindlingError) return { code: error.code, message: error.message }
    throw error
  }
}

const anyField = fc.constantFrom(
  ...['id', 'title', 'price', 'maker.name', 'variants.size'],
  ...['margin', 'supplier', 'maker.margin', 'variants.stock', 'nothing', 'maker.nothing', ''],
)
const anyFilter = fc.oneof(
  fc
    .tuple(anyField, fc.constantFrom('>3', '5', '"Maker 1"', '*', 'su*', '[1 TO 4]'))
    .map(one => one.join(':')),
  anyField.map(field => `_exists_:${field}`),
  fc.tuple(anyField, fc.integer({ min: 0, max: 20 })).map(([field, value]) => ({ [field]: { gte: value } })),
  fc.tuple(anyField, fc.nat(20)).map(([field, value]) => `${field} > ${value} OR lamp`),
)
const anyOptions: fc.Arbitrary<SearchOptions> = fc.record(
  {
    filter: anyFilter,
    sort: fc.array(
      fc.tuple(anyField, fc.constantFrom('', ':asc', ':desc')).map(one => one.join('')),
      { minLength: 1, maxLength: 2 },
    ),
    facets: fc.uniqueArray(anyField, { minLength: 1, maxLength: 2 }),
    groupBy: fc.constantFrom('price', 'maker.name'),
    responseFields: fc.uniqueArray(
      fc.oneof(anyField.filter(Boolean), fc.constantFrom('*', '-price', 'maker', 'variants')),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    highlight: fc.constantFrom(true, { fields: ['title'] }),
    limit: fc.constantFrom(5, 90),
    total: fc.constant('exact' as const),
  },
  { requiredKeys: [] },
)

describe('visibleFields', () => {
  test('answer and refuse as if documents had no other fields', async () => {
    const texts = fc.constantFrom('', 'lamp', 'red lamp', 'number3 gren', 'supplier')
    await fc.assert(
      fc.asyncProperty(texts, anyOptions, async (text, options) => {
        const given = {
          ...options,
          ...(options.filter !== undefined && { filter: options.filter as string }),
        }
        const own = await told(() => shop.search(text, { ...given, visibleFields }))
        const other = await told(() => twin.search(text, given))
        expect(withoutWords(own)).toEqual(withoutWords(other))
        expect(namedUnasked(own, options)).toEqual([])
      }),
      { numRuns: 800 },
    )
  })

  test('hold for similar documents and their filter', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, async given => {
        const filter = given as string
        const own = await told(() => shop.similar('red lamp', { filter, visibleFields, limit: 90 }))
        const other = await told(() => twin.similar('red lamp', { filter, limit: 90 }))
        expect(withoutWords(own)).toEqual(withoutWords(other))
        expect(namedUnasked(own, { filter })).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('keep a cursor of somebody who sees more from being read on', async () => {
    const page = async (fields: readonly string[] | undefined, cursor: string | boolean) => {
      const options = { limit: 3, cursor, ...(fields && { visibleFields: fields }) }
      return await shop.search('lamp', options)
    }
    const all = await page(undefined, true)
    const few = await page(visibleFields, true)
    expect(await told(() => page(visibleFields, all.cursor!))).toMatchObject({ code: 'CURSOR_EXPIRED' })
    expect(await told(() => page(['title'], few.cursor!))).toMatchObject({ code: 'CURSOR_EXPIRED' })
    const next = await page([...visibleFields].reverse(), few.cursor!)
    expect(Object.keys(next.hits[0]!.document).sort()).toEqual(['id', 'maker', 'price', 'title', 'variants'])
  })

  test('do not tell by what the dataset groups, when it groups by another field', async () => {
    await shop.reconfigure({ groupBy: 'supplier' }).finished
    const { hits } = await shop.search('lamp', { visibleFields })
    const open = await shop.search('lamp')
    await shop.reconfigure({ groupBy: null }).finished
    expect(open.hits.map(({ group }) => typeof group?.value)).toEqual(Array(6).fill('string'))
    expect(hits.map(({ id }) => id)).toEqual(open.hits.map(({ id }) => id))
    expect(hits.some(hit => 'group' in hit)).toBe(false)
  })

  test.each<[string, SearchOptions]>([
    ['explanations, which tell of signals', { visibleFields, explain: true }],
    ['tags where their field is not there', { visibleFields, tags: ['t1'] }],
    ['a group by another field', { visibleFields, groupBy: 'supplier' }],
    ['a searched field that is left out', { visibleFields: ['price'] }],
    ['a path behind a hyphen', { visibleFields: ['title', '-margin'] }],
    ['a star', { visibleFields: ['title', '*'] }],
    ['no field at all', { visibleFields: [] }],
  ])('refuse %s', async (_, options) => {
    expect(await told(() => shop.search('lamp', options))).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

/** Which fields an error lists is compared by itself: an object that is there in part is not listed. */
const withoutWords = (answer: unknown) => JSON.parse(JSON.stringify({ ...(answer as object), message: '' }))

/** Hidden fields that a refusal names although nobody has. */
const namedUnasked = (answer: unknown, asked: object) =>
  ['supplier', 'margin', 'stock'].filter(
    name => String((answer as Error).message).includes(name) && !JSON.stringify(asked).includes(name),
  )
