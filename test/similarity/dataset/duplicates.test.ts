import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, openEngine } from '../../engine/engines.ts'

const lamps = [
  { id: 'a', title: 'Desk lamp LX-350 oak', desc: 'Warm light' },
  { id: 'b', title: 'Desk lamp LX350, oak', desc: 'Warm light' },
  { id: 'c', title: 'Garden hose', desc: 'Green rubber' },
  { id: 'd', title: 'Garden hose', desc: 'Green rubber' },
  { id: 'e', title: 'Sofa', desc: 'Grey' },
]

async function lampShop() {
  const engine = await openEngine({ durability: 'process' })
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
  await shop.documents.bulk(lamps)
  return { engine, shop }
}

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of from) found.push(one)
  return found
}

const read = (name: string) =>
  readFileSync(new URL(`../../fixtures/catalogue/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')

describe('duplicates', () => {
  it('are groups with scores, pairs and the words that all of them have', async () => {
    const { shop } = await lampShop()
    const groups = await all(shop.duplicates({ threshold: 0.6 }))
    expect(groups.map(({ ids }) => ids)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(groups[1]).toEqual({
      ids: ['c', 'd'],
      score: 1,
      pairs: [{ ids: ['c', 'd'], score: 1 }],
      shared: expect.arrayContaining(['garden', 'hose', 'green', 'rubber']),
    })
    expect(groups[0]!.shared).toContain('lx350')
    expect(await all(shop.duplicates({ threshold: 1 }))).toHaveLength(1)
  })

  it('tell shared words as most of the documents write them, and parts of codes as they are', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'text'] })
    const rows = ['Rasenmäher grün LX350', 'RASENMÄHER grün LX350', 'Rasenmaher Grün lx350']
    await shop.documents.bulk(rows.map((title, i) => ({ id: `r${i}`, title, text: 'Für große Gärten' })))
    await shop.documents.bulk(['Desk lamp', 'Wool scarf'].map((title, i) => ({ id: `o${i}`, title })))
    const [group] = await all(shop.duplicates({ threshold: 0.4 }))
    expect(group!.ids).toEqual(['r0', 'r1', 'r2'])
    expect([...group!.shared].sort()).toEqual(
      ['350', 'für', 'große', 'grün', 'gärten', 'lx', 'lx350', 'rasenmäher'].sort(),
    )
  })

  it('are those of now, without documents that go while they are found', async () => {
    const { shop } = await lampShop()
    const finding = shop.duplicates({ threshold: 0.6 })
    const { value } = await finding.next()
    expect(value!.ids).toEqual(['a', 'b'])
    await shop.documents.delete('d')
    expect(await all(finding)).toEqual([])
    await shop.documents.insert({ ...lamps[4], id: 'f' })
    const now = (await all(shop.duplicates({ threshold: 0.99 }))).map(({ ids }) => ids)
    expect(now).toContainEqual(['e', 'f'])
    expect(now).not.toContainEqual(['c', 'd'])
  })

  it.each([
    ['threshold', { threshold: 0 }],
    ['threshold', { threshold: 1.1 }],
    ['limit', { limit: 3 }],
  ])('name "%s" when that is wrong', async (field, options) => {
    const { shop } = await lampShop()
    const { details } = await failureOf(async () => all(shop.duplicates(options as never)))
    expect(details.field).toBe(field)
  })

  it('are found no longer once that is cancelled, or the engine is closed', async () => {
    const { engine, shop } = await lampShop()
    const ended = new AbortController()
    const finding = shop.duplicates({ threshold: 0.6, signal: ended.signal })
    await finding.next()
    const cause = new Error('seen enough')
    ended.abort(cause)
    await expect(finding.next()).rejects.toMatchObject({ code: 'CANCELLED', cause })
    const other = shop.duplicates({ threshold: 0.6 })
    await engine.close()
    expect(await codeOf(() => other.next())).toBe('CLOSED')
  })
})

describe('keywords', () => {
  const documents = [
    ...['Desk lamp', 'Floor lamp', 'Lamp of glass'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' })),
    ...['Desk of oak', 'Desk', 'Oak desk'].map((title, i) => ({ id: `d${i}`, title, tag: ['desks'] })),
  ]

  async function tagged() {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(documents)
    return shop
  }

  it('are the words that the documents of a tag have more often than others, as they are now', async () => {
    const shop = await tagged()
    expect(await shop.keywords({ tagId: 'lamps' })).toEqual([{ text: 'lamp', score: 6, inTag: 3, inAll: 3 }])
    await shop.documents.upsert({ id: 'l2', title: 'Lamp', tag: 'desks' })
    await shop.documents.delete('d0')
    const [word] = await shop.keywords({ tagId: 'lamps' })
    expect(word).toMatchObject({ text: 'lamp', inTag: 2, inAll: 3 })
    expect(await shop.keywords({ tagId: 'lamps', text: 'a desk' })).toEqual([])
    expect(await shop.keywords({ tagId: 'lamps', limit: 0 })).toEqual([])
  })

  it('are written as most documents of the tag write them', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'text'] })
    const titles = ['Grüne Bürste', 'GRÜNE BÜRSTE', 'Grune Burste', 'Grüne Bürste 2. Wahl', 'Müll']
    const others = Array.from({ length: 200 }, (_, i) => ({
      id: `k${i}`,
      title: `Keller ${i}`,
      tag: 'other',
    }))
    await shop.documents.bulk([
      ...titles.map((title, i) => ({ id: `b${i}`, title, tag: 'brushes' })),
      ...others,
    ])
    const texts = async (options: object = {}) =>
      (await shop.keywords({ tagId: 'brushes', ...options })).map(({ text }) => text)
    expect(await texts()).toEqual(['grüne bürste'])
    expect(await texts({ text: 'burste' })).toEqual(['bürste'])
    await shop.documents.bulk(['b0', 'b1', 'b3'].map(id => ({ id, title: 'Grune Burste', tag: 'brushes' })))
    expect(await texts()).toEqual(['grune burste'])
  })

  it('are none of a tag without documents, and refused for one that is unknown', async () => {
    const shop = await tagged()
    await shop.tags.create({ id: 'empty', name: 'Empty' })
    expect(await shop.keywords({ tagId: 'empty' })).toEqual([])
    for (const tagId of ['none', '__proto__'])
      expect(await codeOf(() => shop.keywords({ tagId }))).toBe('TAG_NOT_FOUND')
    const { details } = await failureOf(() => shop.keywords({ tagId: 'lamps', limit: -1 }))
    expect(details.field).toBe('limit')
  })
})

it('finds the duplicates that were planted in the sample catalogue, and tells what is typical of its tags', async () => {
  const engine = await openEngine({ durability: 'process' })
  const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'description'] })
  await shop.documents.bulk(read('products.jsonl').map(line => JSON.parse(line)))
  const planted = read('duplicates.tsv')
    .slice(1)
    .map(line => line.split('\t') as [string, string])
  const groupOf = new Map<string, number>()
  let groups = 0
  for await (const { ids } of shop.duplicates({ threshold: 0.4 })) {
    for (const id of ids) groupOf.set(id, groups)
    groups++
  }
  const found = planted.filter(([id, copy]) => groupOf.has(id) && groupOf.get(id) === groupOf.get(copy))
  expect(found.length / planted.length).toBeGreaterThan(0.85)
  const [tagId] = [shop.settings.tagField].flatMap(field => {
    const line = JSON.parse(read('products.jsonl')[0]!)
    return [line[field]].flat()
  })
  expect((await shop.keywords({ tagId: String(tagId) })).length).toBeGreaterThan(3)
})
