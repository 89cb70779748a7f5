import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import type { Condition, Dataset } from 'findling'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it, vi } from 'vitest'
import { DerivedMemory } from '../../../src/derived/memory.ts'
import { LiveLikeness } from '../../../src/similarity/dataset/live-likeness.ts'
import { SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'
import { openShop as openStored } from '../../completion/shop.ts'
import { codeOf, failureOf, openEngine, temporaryFolder } from '../../engine/engines.ts'
import { drain } from '../model/shop.ts'

const lamps = [
  { id: 'a', title: 'Desk lamp LX-350 oak', desc: 'Warm light', price: 30 },
  { id: 'b', title: 'Desk lamp LX-350 brass', desc: 'Warm light', price: 40 },
  { id: 'c', title: 'Desk lamp', desc: 'Cold light', price: 10 },
  { id: 'd', title: 'Garden hose', desc: 'Green rubber', price: 20 },
]

async function lampShop(store?: string) {
  const engine = await openEngine({ ...(store ? { store } : {}), durability: 'process' })
  if (engine.datasets.list().length > 0) return { engine, shop: engine.datasets.get('shop') }
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
  await shop.documents.bulk(lamps)
  return { engine, shop }
}

const ids = async (found: ReturnType<Dataset['similar']>) => (await found).map(({ id }) => id)

describe('similar', () => {
  it('finds the documents most like a document, a text or a document that is not stored', async () => {
    const { shop } = await lampShop()
    const ofStored = await shop.similar({ id: 'a' })
    expect(ofStored.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(ofStored[0]!.document).toEqual(lamps[1])
    expect(await ids(shop.similar('brass desk lamp', { limit: 1 }))).toEqual(['b'])
    const [same, next] = await shop.similar({ document: { ...lamps[0], id: 'new' } })
    expect([same!.id, same!.score, next!.id]).toEqual(['a', 1, 'b'])
  })

  it('sees every completed write, and never answers with a document that is gone', async () => {
    const { shop } = await lampShop()
    expect(await ids(shop.similar({ id: 'a' }))).toEqual(['b', 'c'])
    await shop.documents.insert({ id: 'e', title: 'Desk lamp LX-350 oak', desc: 'Warm light' })
    expect((await ids(shop.similar({ id: 'a' })))[0]).toBe('e')
    await shop.documents.delete('e')
    await shop.documents.upsert({ id: 'b', title: 'Sofa' })
    expect(await ids(shop.similar({ id: 'a' }))).toEqual(['c'])
    expect(await codeOf(() => shop.similar({ id: 'e' }))).toBe('DOCUMENT_NOT_FOUND')
  })

  it('reads the documents of a folder that is opened again', async () => {
    const store = await temporaryFolder()
    const { engine, shop } = await lampShop(store)
    const before = await shop.similar({ id: 'a' })
    await engine.close()
    const again = await lampShop(store)
    expect(again.engine.memory().datasets[0]?.likeness ?? 0).toBe(0)
    expect(await again.shop.similar({ id: 'a' })).toEqual(before)
    expect(again.engine.memory().datasets[0]!.likeness).toBeGreaterThan(0)
  })

  it('compares by the fields that are searched now', async () => {
    const { shop } = await lampShop()
    expect(await ids(shop.similar({ id: 'd' }))).toEqual([])
    await shop.documents.insert({ id: 'e', title: 'Ball', desc: 'Blue', more: 'green rubber' })
    expect(await ids(shop.similar({ id: 'd' }))).toEqual([])
    await shop.reconfigure({ interpretedFields: ['title', 'desc', 'more'] })
    expect(await ids(shop.similar({ id: 'd' }))).toEqual(['e'])
  })

  it('leaves out what is excluded or too little alike', async () => {
    const { shop } = await lampShop()
    expect(await ids(shop.similar({ id: 'a' }, { exclude: ['b'] }))).toEqual(['c'])
    const [best, other] = await shop.similar({ id: 'a' })
    const least = (best!.score + other!.score) / 2
    expect(await ids(shop.similar({ id: 'a' }, { least }))).toEqual(['b'])
    expect(await ids(shop.similar({ id: 'a' }, { limit: 0 }))).toEqual([])
  })

  it('finds by a filter also those that are far away', async () => {
    const { shop } = await lampShop()
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      id: i,
      title: `Desk lamp LX-350 oak ${i}`,
      price: i,
    }))
    await shop.documents.bulk(rows)
    expect(await ids(shop.similar({ id: 'a' }, { filter: { price: 10 } }))).toEqual(['c', '10'])
    expect(await ids(shop.similar({ id: 'a' }, { filter: 'price:10 AND NOT title:oak' }))).toEqual(['c'])
    const few = await shop.similar({ id: 'a' }, { filter: { price: { lt: 5 } }, limit: 3, diversity: 0.5 })
    expect(few).toHaveLength(3)
    for (const { document } of few) expect(document.price).toBeLessThan(5)
  })

  it('reads few documents for a filter that few match, and the right ones for any', async () => {
    const { shop } = await lampShop()
    const rows = Array.from({ length: 3000 }, (_, i) => ({
      id: i,
      title: `Desk lamp ${i % 2 ? 'oak' : 'brass'} ${i}`,
      price: i,
      // Too long for a column: only the documents tell.
      note: `${'x'.repeat(200)} ${i % 1500}`,
    }))
    await shop.documents.bulk(rows)
    await shop.similar('desk lamp', { filter: { price: 1 } })
    const reads = vi.spyOn(MemoryLevel.prototype, 'getMany')
    const walks = vi.spyOn(MemoryLevel.prototype, 'iterator')
    const read = async (filter: Condition) => {
      reads.mockClear()
      walks.mockClear()
      const found = await ids(shop.similar('desk lamp', { filter, limit: 100 }))
      // Of documents; tags are read behind the answers.
      const ranges = walks.mock.calls.map(([range]) => (range as { gte?: string }).gte ?? '')
      expect(ranges.filter(from => from.startsWith('d/'))).toEqual([])
      return { found: found.sort(), read: reads.mock.calls.reduce((sum, [keys]) => sum + keys.length, 0) }
    }
    try {
      expect(await read({ price: -1 })).toEqual({ found: [], read: 0 })
      expect(await read({ price: { gte: 2998 } })).toEqual({ found: ['2998', '2999'], read: 2 })
      const { note } = rows[7]!
      expect((await read({ note })).found).toEqual(['1507', '7'])
      const { found } = await read({ price: { gte: 1900 }, title: { ne: 'Desk lamp oak 2001' } })
      expect(found).toHaveLength(100)
      for (const id of found) expect(Number(id)).toBeGreaterThanOrEqual(1900)
    } finally {
      reads.mockRestore()
      walks.mockRestore()
    }
  })

  it('puts documents that differ before those that are like others, if asked', async () => {
    const { shop } = await lampShop()
    await shop.documents.insert({ id: 'b2', title: 'Desk lamp LX-350 brass', desc: 'Warm light' })
    expect(await ids(shop.similar({ id: 'a' }, { limit: 2 }))).toEqual(['b', 'b2'])
    expect(await ids(shop.similar({ id: 'a' }, { limit: 2, diversity: 0.5 }))).toEqual(['b', 'c'])
  })

  it('explains scores by what both have, whether a document or a text was asked', async () => {
    const { shop } = await lampShop()
    const questions = [
      { id: 'a' },
      { document: lamps[2]! },
      'Desk lamp LX-350 oak',
      'warm light brass',
      'LX-351 lamp',
    ]
    for (const to of questions) {
      const hits = await shop.similar(to, { explain: true })
      expect(hits.length).toBeGreaterThan(1)
      for (const { score, shared } of hits) {
        const sum = shared!.reduce((total, { part }) => total + part, 0)
        expect(Math.abs(sum - score)).toBeLessThan(2e-6)
      }
    }
    const [hit] = await shop.similar({ id: 'a' }, { explain: true })
    const texts = hit!.shared!.map(({ text }) => text)
    expect(texts).toContain('lamp')
    expect(texts).not.toContain('brass')
    const [own] = await shop.similar('warm light brass', { explain: true })
    expect(own!.shared!.map(({ text }) => text)).toEqual(expect.arrayContaining(['brass', 'warm', 'light']))
    expect((await shop.similar('lamp'))[0]).not.toHaveProperty('shared')
  })

  it('explains words as the documents write them', async () => {
    const engine = await openEngine({ durability: 'process' })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const titles = ['Grüne Bürste', 'GRUNE BURSTE', 'Wool scarf']
    await shop.documents.bulk(titles.map((title, i) => ({ id: `d${i}`, title })))
    const hits = await shop.similar({ document: { title: 'grüne burste' } }, { explain: true })
    const ofTitle = hits.map(({ id, shared }) => [
      id,
      shared!.filter(({ aspect }) => aspect === 'title words').map(({ text }) => text),
    ])
    expect(Object.fromEntries(ofTitle)).toEqual({
      d0: expect.arrayContaining(['grüne', 'bürste', 'grüne bürste']),
      d1: expect.arrayContaining(['grune', 'burste', 'grune burste']),
    })
    const characters = hits[0]!.shared!.filter(({ aspect }) => aspect === 'title characters')
    expect(characters.map(({ text }) => text)).toContain('run')
  })

  it('puts what has the same numbers before what has others', async () => {
    const engine = await openEngine({ durability: 'process' })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    const titles = [
      'Cordless drill 18 V 2 Ah',
      'Cordless drill 12V 2Ah',
      'Drill, cordless, 18V',
      'Cordless drill bag',
    ]
    await shop.documents.bulk(titles.map((title, i) => ({ id: `d${i}`, title })))
    expect(await ids(shop.similar({ id: 'd0' }, { limit: 2 }))).toEqual(['d2', 'd3'])
    const [same] = await shop.similar({ document: { id: 'x', title: 'Cordless drill 18 V 2 Ah' } })
    expect([same!.id, same!.score]).toEqual(['d0', 1])
  })

  it.each([
    ['', 7, {}],
    ['to.id', { id: '' }, {}],
    ['', { id: 'a', document: {} }, {}],
    ['to.document.x', { document: { x: Number.NaN } }, {}],
    ['limit', 'lamp', { limit: 1001 }],
    ['limit', 'lamp', { limit: 51, diversity: 0.1 }],
    ['least', 'lamp', { least: Number.NaN }],
    ['diversity', 'lamp', { diversity: 2 }],
    ['options.exclude[0]', 'lamp', { exclude: [''] }],
    ['filter', 'lamp', { filter: 7 }],
    ['count', 'lamp', { count: 3 }],
  ])('names "%s" when that is wrong', async (field, to, options) => {
    const { shop } = await lampShop()
    const { details } = await failureOf(() => shop.similar(to as never, options as never))
    expect(details.field).toBe(field)
  })

  it('takes any text', async () => {
    const { shop } = await lampShop()
    for (const text of ['', ' ', '\ud800', '__proto__', '机', 'lamp '.repeat(20_000)])
      for (const { score } of await shop.similar(text)) expect(score).toBeLessThanOrEqual(1)
  })

  it('lets its memory go when others need it, but not while it is used', async () => {
    const memory = new DerivedMemory({ limit: 1, warn: () => undefined })
    const lives: LiveLikeness[] = []
    for (const title of ['Lamp', 'Sofa']) {
      const { store, state, documents } = await openStored()
      await documents.insert({ id: 1, title })
      lives.push(new LiveLikeness({ store, state, memory }))
    }
    const [one, two] = lives as [LiveLikeness, LiveLikeness]
    await one.use(async () => expect(await one.release()).toBe(false))
    expect(one.bytes).toBeGreaterThan(0)
    await two.use(async () => undefined)
    expect([one.bytes, two.bytes > 0]).toEqual([0, true])
    expect(await one.use(async ({ index }) => index.ids())).toEqual(['1'])
  })
})

const word = fc.constantFrom('lamp', 'desk', 'oak', 'lx350', 'brass', '65w')
const write = fc.record({
  id: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  title: fc.option(
    fc.array(word, { maxLength: 4 }).map(words => words.join(' ')),
    { nil: undefined },
  ),
  asks: fc.boolean(),
})

it('has the documents that an index made of all of them has, after any writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 15 }), async writes => {
      const engine = await openEngine()
      const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
      const documents = new Map<string, string>()
      for (const { id, title, asks } of writes) {
        if (asks) await shop.similar('lamp')
        if (title === undefined) await shop.documents.delete(id)
        else await shop.documents.upsert({ id, title })
        if (title === undefined) documents.delete(id)
        else documents.set(id, title)
      }
      const naive = new SimilarityIndex()
      for (const [id, title] of documents) naive.add(id, { title, body: '' })
      drain(naive.refresh())
      for (const id of documents.keys()) {
        const expected = naive.nearest({ id }).map(hit => hit.id)
        expect((await ids(shop.similar({ id }))).sort()).toEqual(expected.sort())
      }
      await engine.close()
    }),
    { numRuns: 25 },
  )
})

it('finds the duplicates of the sample catalogue', async () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../fixtures/catalogue/${name}`, import.meta.url), 'utf8')
      .trim()
      .split('\n')
  const engine = await openEngine({ durability: 'process' })
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'description'] })
  await shop.documents.bulk(read('products.jsonl').map(line => JSON.parse(line)))
  const pairs = read('duplicates.tsv')
    .slice(1)
    .map(line => line.split('\t'))
  let found = 0
  for (const [one, other] of pairs)
    if ((await ids(shop.similar({ id: one! }, { limit: 10 }))).includes(other!)) found++
  expect(found).toBe(pairs.length)
})
