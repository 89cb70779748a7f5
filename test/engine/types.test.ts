import type {
  Dataset,
  DatasetInfo,
  DocumentRecord,
  Hit,
  JsonObject,
  SearchOptions,
  VectorOptions,
  Written,
} from 'findling'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { openEngine } from './engines.ts'

interface Product {
  id: string
  title: string
  price: number
  size?: { height: number; width: number }
  place?: { lat: number; lon: number }
  tags: string[]
}

const lamp: Product = { id: '1', title: 'Lamp', price: 5, size: { height: 1, width: 2 }, tags: ['a'] }

describe('types', () => {
  it('follow from the interface that is named', async () => {
    const engine = await openEngine()
    const { documents, ...dataset } = await engine.datasets.create<Product>('products')
    const products = engine.datasets.get<Product>('products')
    expectTypeOf(products).toEqualTypeOf<Dataset<Product>>()
    expectTypeOf(await documents.insert(lamp)).toEqualTypeOf<Written>()
    expectTypeOf(await documents.get('1')).toEqualTypeOf<Product | undefined>()
    expectTypeOf(await documents.record('1')).toEqualTypeOf<DocumentRecord<Product> | undefined>()
    expectTypeOf(await documents.getMany(['1'])).toEqualTypeOf<(Product | undefined)[]>()
    expectTypeOf((await products.search('lamp')).hits).toEqualTypeOf<Hit<Product>[]>()
    const bare = await products.search('lamp', { documents: false })
    expectTypeOf(bare.hits).toEqualTypeOf<Omit<Hit<Product>, 'document'>[]>()
    const options: SearchOptions<Product> = { documents: true, limit: 1 }
    expectTypeOf((await products.search('lamp', options)).hits).toEqualTypeOf<Hit<Product>[]>()
    // @ts-expect-error an option is misspelt
    await expect(products.search('lamp', { limt: 1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expectTypeOf((await documents.update('1', { size: { width: 3 } })).document).toEqualTypeOf<Product>()
    expectTypeOf(engine.datasets.list()).toEqualTypeOf<DatasetInfo[]>()
    expect(dataset).toBeDefined()

    // @ts-expect-error a member is missing
    await documents.insert({ id: '2', title: 'Desk', price: 5 })
    // @ts-expect-error a price is a number
    await documents.update('1', { price: {} as string })
    // @ts-expect-error there is no such member
    await documents.update('1', { colour: 'red' })
    // @ts-expect-error nor at depth
    await documents.update('1', { size: { depth: 3 } })
    // @ts-expect-error a price is compared with numbers
    await documents.deleteWhere({ price: { gt: 'x' } })
    // @ts-expect-error a price is no date
    await documents.deleteWhere({ price: { gt: new Date() } })
    // @ts-expect-error there is no such member to be matched
    await documents.deleteWhere({ colour: 'red' })
    // @ts-expect-error the elements of a list are text
    await documents.deleteWhere({ tags: 5 })
    await documents.deleteWhere({ tags: 'none', 'size.height': { lt: 1 }, title: { in: ['none'] } })
    await documents.deleteWhere({ title: { gt: new Date() }, 'size.height': { lt: new Date(0) } })
  })

  it('tell that a vector is either given or that of a document', async () => {
    const engine = await openEngine()
    const vectors = { embedding: { dimensions: 2 } }
    const products = await engine.datasets.create('products', { vectors })
    await products.documents.insert({ id: '1', embedding: [1, 0] })
    const idsOf = async (vector: VectorOptions) =>
      (await products.search('', { vector })).hits.map(({ id }) => id)
    expect(await idsOf({ value: [1, 0], least: 0.5 })).toEqual(['1'])
    expect(await idsOf({ field: 'embedding', value: new Float32Array(2).fill(1), like: undefined })).toEqual([
      '1',
    ])
    expect(await idsOf({ like: '1', nearest: 3 })).toEqual([])
    const refused = { code: 'INVALID_ARGUMENT' }
    // @ts-expect-error not both
    await expect(idsOf({ value: [1, 0], like: '1' })).rejects.toMatchObject(refused)
    // @ts-expect-error nor neither
    await expect(idsOf({ nearest: 3 })).rejects.toMatchObject(refused)
  })

  it('tell which fields there are to sort by, to count, to search and to show', async () => {
    const engine = await openEngine()
    const products = await engine.datasets.create<Product>('fields', { interpretedFields: ['title'] })
    await products.documents.insert(lamp)
    const limit: number | undefined = undefined
    const found = await products.search('lamp', {
      limit,
      sort: ['price:asc', 'size.height:desc', 'title', 'place(52, 13):desc', 'place(52.5,-13.4)'],
      facets: ['tags', { field: 'price' }],
      fields: ['title'],
      responseFields: ['title', 'size.height'],
    })
    expectTypeOf(found.hits[0]!.document).toEqualTypeOf<{
      title: string
      size?: Partial<{ height: number; width: number }>
    }>()
    expect(found.hits[0]!.document).toEqual({ title: 'Lamp', size: { height: 1 } })
    const rest = await products.filter({}, { responseFields: ['-tags', '-price'] })
    expectTypeOf(rest.hits[0]!.document).toEqualTypeOf<Omit<Product, 'tags' | 'price'>>()
    expect(rest.hits[0]!.document).toEqual({ id: '1', title: 'Lamp', size: { height: 1, width: 2 } })
    const names: string[] = ['title']
    const some = await products.search('lamp', { responseFields: names })
    expectTypeOf(some.hits[0]!.document).toEqualTypeOf<Product>()
    expect(await products.count({ place: { within: { lat: 52.5, lon: 13.4, meters: 5_000 } } })).toBe(0)
    // @ts-expect-error there is no such field to sort by
    await products.search('lamp', { sort: ['prise:asc'] }).catch(() => {})
    // @ts-expect-error a field is misspelt
    await products.search('lamp', { sort: ['plaice(52, 13)'] }).catch(() => {})
    // @ts-expect-error no such direction
    await products.search('lamp', { sort: ['price:up'] }).catch(() => {})
    // @ts-expect-error no such field to count
    await products.search('lamp', { facets: ['colour'] }).catch(() => {})
    // @ts-expect-error no such field to search
    await products.search('lamp', { fields: ['name'] }).catch(() => {})
    await products.count({ or: [{ price: { between: [1, 9] } }, { title: { startsWith: 'L' } }] })
    // @ts-expect-error no such field in a condition of a list
    await products.count({ or: [{ prise: 5 }] }).catch(() => {})
    await products.search('lamp', {
      filter: { price: { gt: 1 }, or: [{ title: 'Lamp' }, { 'size.height': 1 }] },
      visible: [{ tags: 'a' }, 'price:>1'],
    })
    // @ts-expect-error no such field in the filter of a search
    await products.search('lamp', { filter: { prise: 3 } }).catch(() => {})
    // @ts-expect-error nor in one of its lists
    await products.search('lamp', { filter: { or: [{ prise: 3 }] } }).catch(() => {})
    // @ts-expect-error nor in what is visible
    await products.filter({}, { visible: { prise: 3 } }).catch(() => {})
    // @ts-expect-error always a list
    await products.count({ not: { price: 5 } }).catch(() => {})
  })

  it('follow from a sample', async () => {
    const engine = await openEngine()
    const books = await engine.datasets.create('books', { sample: { id: '1', title: 'Soups', year: 2020 } })
    expectTypeOf(await books.documents.get('1')).toEqualTypeOf<
      Partial<{ id: string; title: string; year: number }> | undefined
    >()
    await books.documents.insert({ id: '1', title: 'Soups', isbn: 'more than the sample has' })
    // @ts-expect-error a year is a number
    await books.documents.insert({ id: '2', title: 'Bread', year: '2021' }).catch(() => {})
  })

  it('follow from a zod object', async () => {
    const engine = await openEngine()
    const schema = z.object({ id: z.string(), title: z.string(), stock: z.int().optional() })
    type Shape = { id: string; title: string; stock?: number | undefined }
    const dataset = await engine.datasets.create('typed', { schema, language: 'none' })
    expectTypeOf(dataset).toEqualTypeOf<Dataset<Shape>>()
    expectTypeOf(engine.datasets.get('typed', schema)).toEqualTypeOf<Dataset<Shape>>()
    await dataset.documents.insert({ id: '1', title: 'Lamp', stock: 3 })
    // @ts-expect-error a title is text
    await expect(dataset.documents.insert({ id: '2', title: 5 })).rejects.toMatchObject({
      code: 'INVALID_DOCUMENT',
    })
  })

  it('are those before a zod object for writes, and those behind it for reads', async () => {
    const engine = await openEngine()
    const schema = z.object({ id: z.string(), title: z.string(), stock: z.int().default(0) })
    const { documents } = await engine.datasets.create('stocked', { schema })
    const again = engine.datasets.get('stocked', schema)
    await documents.insert({ id: '1', title: 'Lamp' })
    await again.documents.bulk([
      { id: '2', title: 'Lamp', stock: 2 },
      { id: '3', title: 'Lamp' },
    ])
    const found = await documents.getMany(['1', '2', '3'])
    expectTypeOf(found).toEqualTypeOf<({ id: string; title: string; stock: number } | undefined)[]>()
    expect(found.map(document => document?.stock)).toEqual([0, 2, 0])
    const { hits } = await again.search('lamp', { limit: 1 })
    expectTypeOf(hits[0]!.document.stock).toEqualTypeOf<number>()
    expect(await documents.copy(['1'], (await engine.datasets.create('other')).documents)).toMatchObject({
      transferred: 1,
    })
  })

  it('are those of any JSON where nothing is said', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('untyped')
    expectTypeOf(dataset).toEqualTypeOf<Dataset<JsonObject>>()
    expectTypeOf(await dataset.documents.get('1')).toEqualTypeOf<JsonObject | undefined>()
  })

  it('let documents of one type go to a dataset of another', async () => {
    const engine = await openEngine()
    const source = await engine.datasets.create<Product>('source')
    const target = await engine.datasets.create<{ id: string }>('target')
    await source.documents.insert(lamp)
    expect(await source.documents.copy(['1'], target.documents).finished).toMatchObject({ transferred: 1 })
  })
})
