import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, memoryDatabase, openEngine } from './engines.ts'

interface Product {
  id: string
  title: string
  brand: string
  price: number
  tag: string
}

const aProduct = fc.record({
  title: fc.array(fc.constantFrom('lamp', 'desk', 'red', 'oak', 'small'), { minLength: 1, maxLength: 4 }),
  brand: fc.constantFrom('Acme', 'Bold', 'Core'),
  price: fc.integer({ min: 1, max: 40 }),
  tag: fc.constantFrom('lights', 'floor', 'desks'),
})

function products(seed: number, count: number): Product[] {
  const [made] = fc.sample(fc.array(aProduct, { minLength: count, maxLength: count }), { numRuns: 1, seed })
  return made!.map((one, i) => ({ ...one, title: one.title.join(' '), id: `p${i}` }))
}

async function openProducts(documents: Product[], store = memoryDatabase()) {
  const engine = await openEngine({ store })
  const dataset = await engine.datasets.create<Product>('products', { interpretedFields: ['title'] })
  await dataset.tags.replaceAll([
    { id: 'lights', name: 'Lights' },
    { id: 'floor', name: 'Floor lamps', parentId: 'lights' },
    { id: 'desks', name: 'Desks' },
  ])
  await dataset.documents.bulk(documents)
  return { engine, dataset, store }
}

const idsOf = (hits: readonly { id: string }[]) => hits.map(({ id }) => id).sort()

const all = { limit: 1000, total: 'exact' } as const

describe('a search with a filter', () => {
  it.each(['lamp', 'red oak', '"red lamp"', 'small red desk', 'lampp'])(
    'finds of %s what it finds without one, as far as it matches',
    async query => {
      const { dataset } = await openProducts(products(3, 700))
      const filters: [string, (one: Product) => boolean][] = [
        ['price:>20 AND brand:acme', ({ price, brand }) => price > 20 && brand === 'Acme'],
        ['NOT brand:Bold', ({ brand }) => brand !== 'Bold'],
        ['id:(p7 p31)', ({ id }) => ['p7', 'p31'].includes(id)],
        ['title:"red oak"', ({ title }) => title.includes('red oak')],
        ['*:*', () => true],
        ['price:99', () => false],
      ]
      for (const operator of ['or', 'and'] as const) {
        const whole = await dataset.search(query, { ...all, operator })
        for (const [filter, matches] of filters) {
          const found = await dataset.search(query, { ...all, operator, filter })
          const expected = whole.hits.filter(({ document }) => matches(document))
          expect(idsOf(found.hits)).toEqual(idsOf(expected))
          // How words stand in the title counts for the first few alone: of one word nothing stands in an order.
          if (!query.includes(' ')) expect(found.hits).toEqual(expected)
          expect(found.total).toEqual({ count: expected.length, exact: true })
          const counted = await dataset.search(query, { limit: 1, total: 'exact', operator, filter })
          expect(counted.total.count).toBe(expected.length)
        }
      }
    },
  )

  it('finds documents of a tag and of those below it, or of the very tag', async () => {
    const { dataset } = await openProducts(products(4, 90))
    const having = (...tags: string[]) => products(4, 90).filter(({ tag }) => tags.includes(tag)).length
    expect(await dataset.count(undefined, { tags: ['lights'] })).toBe(having('lights', 'floor'))
    expect(await dataset.count(undefined, { tags: ['lights'], tagsBelow: false })).toBe(having('lights'))
    expect(await dataset.count(undefined, { tags: ['nowhere'] })).toBe(0)
    const { hits } = await dataset.search('lamp', {
      ...all,
      tags: ['lights'],
      filter: { price: { lte: 20 } },
    })
    expect(new Set(hits.map(({ document }) => document.tag))).toEqual(new Set(['lights', 'floor']))
  })

  it.each([
    ['lamp', { price: { lte: 30 } }, (one: Product) => one.price <= 30],
    ['lamp', { brand: 'Acme', price: { lte: 2 } }, (one: Product) => one.brand === 'Acme' && one.price <= 2],
    ['red oak', { brand: 'Bold' }, (one: Product) => one.brand === 'Bold'],
    ['', { brand: 'Core' }, (one: Product) => one.brand === 'Core'],
  ] as const)(
    'of %j and %j finds neither hidden documents nor pinned ones that it does not let through',
    async (query, filter, isLetThrough) => {
      const documents = products(11, 700)
      const { dataset } = await openProducts(documents)
      const matches = idsOf((await dataset.search(query, all)).hits)
      const passing = new Set(documents.filter(isLetThrough).map(({ id }) => id))
      const within = matches.filter(id => passing.has(id))
      const without = matches.filter(id => !passing.has(id))
      const hidden = [...within.slice(0, 3), ...without.slice(0, 40)]
      const stranger = documents.find(one => !isLetThrough(one) && !hidden.includes(one.id))!.id
      const guest = documents.findLast(one => isLetThrough(one) && !hidden.includes(one.id))!.id
      const pinned = [
        { id: stranger, position: 1 },
        { id: guest, position: 2 },
      ]
      const expected = [...new Set([...within.filter(id => !hidden.includes(id)), guest])].sort()
      for (const groupBy of [null, 'id']) {
        const options = { filter, hidden, groupBy }
        const plain = await dataset.search(query, { ...all, ...options })
        expect(idsOf(plain.hits)).toEqual(within.filter(id => !hidden.includes(id)))
        const arranged = await dataset.search(query, { ...all, ...options, pinned })
        expect(idsOf(arranged.hits)).toEqual(expected)
        expect(arranged.hits.filter(({ pinned }) => pinned).map(({ id }) => id)).toEqual([guest])
        expect(arranged.hits[Math.min(1, expected.length - 1)]!.id).toBe(guest)
        const page = await dataset.search(query, { ...options, pinned, limit: 2, total: 'exact' })
        expect(page.total).toEqual({ count: expected.length, exact: true })
        expect(page.hits.map(({ id }) => id)).toEqual(arranged.hits.slice(0, 2).map(({ id }) => id))
      }
    },
  )

  it('sees what was written before it, and the same after a restart', async () => {
    const documents = products(6, 300)
    const { engine, dataset, store } = await openProducts(documents)
    const cheap = { price: { lt: 10 } } as const
    const before = await dataset.count(cheap)
    expect(before).toBe(documents.filter(({ price }) => price < 10).length)
    await dataset.documents.upsert({ ...documents[0]!, id: 'new', price: 1 })
    expect(await dataset.count(cheap)).toBe(before + 1)
    await dataset.documents.delete('new')
    expect(await dataset.count(cheap)).toBe(before)
    await engine.close()
    const again = await openEngine({ store })
    const reopened = again.datasets.get<Product>('products')
    expect(await reopened.count(cheap)).toBe(before)
    expect(await reopened.count('_exists_:brand')).toBe(300)
  })

  it('refuses what it cannot read, by its name', async () => {
    const { dataset } = await openProducts([])
    expect(await codeOf(() => dataset.search('lamp', { filter: 'price:[1 TO' }))).toBe('QUERY_INVALID')
    const error = await failureOf(() => dataset.search('lamp', { filter: { price: { above: 1 } as never } }))
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'filter.price.above' } })
    expect(await codeOf(() => dataset.count(5 as never))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => dataset.search('lamp', { tags: 'lights' as never }))).toBe('INVALID_ARGUMENT')
  })
})

describe('documents that change while they are asked for', () => {
  it('are not shown with what the filter does not let through', async () => {
    const made = products(11, 40).map(one => ({ ...one, title: 'lamp', price: 1 }))
    const { dataset } = await openProducts(made)
    let shown = 0
    for (let round = 0; round < 150; round++) {
      const price = round % 2 === 0 ? 50 : 1
      const changed = dataset.documents.bulk(made.map(one => ({ ...one, price })))
      const asked = [1, 2, 3].map(async turns => {
        for (let turn = 0; turn < turns * (round % 9); turn++) await Promise.resolve()
        const found = await dataset.search('lamp', { filter: { price: { lt: 10 } }, limit: 40 })
        const listed = await dataset.filter({ price: { lt: 10 } }, { limit: 40 })
        return [...found.hits, ...listed.hits].map(({ document }) => document.price)
      })
      const prices = (await Promise.all(asked)).flat()
      shown += prices.length
      expect(prices.filter(price => price >= 10)).toEqual([])
      await changed
    }
    expect(shown).toBeGreaterThan(0)
  })
})

describe('fields with very long names', () => {
  it('are filtered as those with short names are', async () => {
    const engine = await openEngine()
    const answersWith = async (name: string) => {
      const dataset = await engine.datasets.create(`names-${name.length}`)
      await dataset.documents.bulk(
        Array.from({ length: 40 }, (_, i) => ({
          id: `d${i}`,
          kind: i % 3 ? 'a' : 'b',
          ...(i % 4 && { in: { [name]: i % 2 ? { f: i % 5, t: `word ${i % 5}` } : [{ f: i % 5 }, 'x'] } }),
          ...(i % 7 && { [name]: i, list: [{ [name]: true }] }),
        })),
      )
      const filters = [
        { [`in.${name}.f`]: 3 },
        { [`in.${name}.f`]: { gt: 2 } },
        { [`in.${name}.t`]: 'word 3' },
        { [name]: { lt: 20 } },
        { [`list.${name}`]: true },
        { in: { exists: true } },
        { [`in.${name}`]: { exists: true } },
        { [name]: { exists: false } },
        { list: { exists: true }, kind: 'a' },
        `in.${name}.t:"word 3" OR ${name}:>30`,
        '_exists_:in AND kind:b',
      ]
      const found = []
      for (const filter of filters)
        found.push(idsOf((await dataset.search('', { filter, limit: 100 } as object)).hits))
      return found
    }
    const short = await answersWith('n')
    expect(short.every(({ length }) => length > 0 && length < 40)).toBe(true)
    expect(await answersWith('n'.repeat(1_200))).toEqual(short)
  })

  it('are written in no more time because thousands of fields share them', { timeout: 15_000 }, async () => {
    const shared = 'n'.repeat(100_000)
    const list = Array.from({ length: 32 }, (_, i) => i)
    const engine = await openEngine()
    const dataset = await engine.datasets.create('shared')
    for (const value of [list, 'some words', 7]) {
      const members = Object.fromEntries(Array.from({ length: 2_900 }, (_, i) => [`f${i}`, value]))
      const document = { id: `${typeof value}`, kind: 'a', [shared]: members }
      await dataset.documents.insert(document)
      expect(await dataset.documents.get(document.id)).toEqual(document)
    }
    expect((await dataset.search('', { filter: { kind: 'a' } })).hits.length).toBe(3)
    const members = Object.fromEntries(Array.from({ length: 2_900 }, (_, i) => [`f${i}`, i]))
    const sample = { id: '1', title: 'Lamp', [shared]: members }
    const sampled = await engine.datasets.create('sampled', { sample })
    await sampled.documents.insert(sample)
    expect(await sampled.documents.get('1')).toEqual(sample)
  })
})
