import fc from 'fast-check'
import { type CurrentCounts, type CurrentField, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { openEngine, temporaryFolder } from '../engine/engines.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Document = { [name: string]: Json }

/** By dotted path: the values other than null that a document has. */
function valuesIn(value: Json, path: string, to: Map<string, (string | number | boolean)[]>): void {
  if (Array.isArray(value)) for (const one of value) valuesIn(one, path, to)
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) valuesIn(one, path === '' ? name : `${path}.${name}`, to)
  else if (value !== null) to.set(path, [...(to.get(path) ?? []), value])
}

/** What a scan of all documents counts. */
function recount(documents: Iterable<Document>): { documents: number; fields: Map<string, CurrentField> } {
  const all = [...documents]
  const counts = new Map<string, { present: number; isLong: boolean; values: Map<string, number> }>()
  for (const document of all) {
    const own = new Map<string, (string | number | boolean)[]>()
    valuesIn(document, '', own)
    for (const [field, values] of own) {
      const known = counts.get(field) ?? { present: 0, isLong: false, values: new Map<string, number>() }
      counts.set(field, known)
      known.present++
      for (const key of new Set(values.map(value => JSON.stringify(value)))) {
        if (key.length > 130) known.isLong = true
        else known.values.set(key, (known.values.get(key) ?? 0) + 1)
      }
    }
  }
  const fields = new Map<string, CurrentField>()
  for (const [field, { present, isLong, values }] of counts) {
    if (field === 'id') continue
    const order = ['boolean', 'number', 'string']
    const top = [...values]
      .map(([key, count]) => ({ value: JSON.parse(key) as string | number | boolean, count }))
      .sort(
        (a, b) =>
          b.count - a.count ||
          order.indexOf(typeof a.value) - order.indexOf(typeof b.value) ||
          (a.value < b.value ? -1 : 1),
      )
      .slice(0, 20)
    const missing = all.length - present
    fields.set(field, { field, present, missing, ...(!isLong && { distinct: values.size }), top })
  }
  return { documents: all.length, fields }
}

function expectRecounted(current: CurrentCounts | undefined, documents: Iterable<Document>): void {
  const expected = recount(documents)
  expect([current?.documents, current?.exact, current?.fieldsCut]).toEqual([expected.documents, true, false])
  const told = new Map(current!.fields.map(one => [one.field, one]))
  for (const [field, one] of told) {
    if (one.present > 0) continue
    expect(one).toEqual({ field, present: 0, missing: expected.documents, distinct: 0, top: [] })
    told.delete(field)
  }
  expect(told).toEqual(expected.fields)
}

const scalar = fc.oneof(
  fc.constantFrom<Json>('red', 'blue', 'Red ', '', '12', 'x'.repeat(129), 'y'.repeat(128), '__proto__'),
  fc.constantFrom<Json>(0, 1, -3, 2.5, 1e21, true, false, null),
)
const list = fc.array(scalar, { maxLength: 4 })
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: list },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), fc.oneof(scalar, list), { maxKeys: 2 }) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.dictionary(
        fc.constantFrom('x', 'y'),
        // Values of one path that are some in lists and some not.
        fc.oneof(scalar, list, fc.array(fc.record({ z: scalar })), fc.record({ z: fc.oneof(scalar, list) })),
        { maxKeys: 2 },
      ),
      { maxLength: 3 },
    ),
  },
)
const id = fc.integer({ min: 0, max: 30 }).map(number => `d${number}`)
const written = fc.record({
  type: fc.constant('write' as const),
  documents: fc.array(
    fc.tuple(
      id,
      fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), value, { maxKeys: 4 }),
    ),
    {
      maxLength: 12,
    },
  ),
})
const removed = fc.record({ type: fc.constant('remove' as const), ids: fc.array(id, { maxLength: 8 }) })
const step = fc.oneof(
  { weight: 5, arbitrary: written },
  { weight: 3, arbitrary: removed },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { type: 'reopen' as const },
      { type: 'optimize' as const },
      { type: 'profile' as const },
    ),
  },
)

describe('the counts of the latest profile', () => {
  it('are those of a scan after any writes, removals and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async steps => {
        const store = await temporaryFolder()
        let engine = await Engine.open({ store, durability: 'process' })
        const documents = new Map<string, Document>()
        try {
          let shop = await engine.datasets.create('shop', {
            interpretedFields: ['title'],
            tagField: 'tags',
            validation: 'lenient',
          })
          await shop.profile({ judged: 0 })
          for (const step of steps) {
            if (step.type === 'write') {
              const some = new Map(
                step.documents.map(([id, members]) => [id, { title: `Lamp ${id}`, ...members, id }]),
              )
              await shop.documents.bulk([...some.values()])
              for (const [id, one] of some) documents.set(id, one)
            } else if (step.type === 'remove') {
              for (const id of step.ids) {
                if (documents.delete(id)) await shop.documents.delete(id)
              }
            } else if (step.type === 'reopen') {
              await engine.close()
              engine = await Engine.open({ store, durability: 'process' })
              shop = engine.datasets.get('shop')
            } else if (step.type === 'optimize') await shop.optimize()
            else await shop.profile({ judged: 0 })
            expectRecounted((await shop.latestProfile())?.current, documents.values())
          }
        } finally {
          await engine.close()
        }
      }),
      { numRuns: 60 },
    )
  }, 240_000)

  it('are in one moment, of which they tell the number and the time, with every write before', async () => {
    let now = 1_000
    const engine = await openEngine({ clock: () => now })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk([{ id: 'a', title: 'Lamp' }])
    const profile = await shop.profile()
    expect(profile).not.toHaveProperty('current')
    now = 2_000
    const { seq } = await shop.documents.insert({ id: 'b', title: 'Hose', price: 5 }).then(async () => {
      for await (const change of shop.documents.changes({ since: profile.seq })) return change
      throw new Error('nothing has changed')
    })
    const latest = (await shop.latestProfile())!
    expect(latest).toMatchObject({ at: 1_000, documents: 1, current: { at: 2_000, seq, documents: 2 } })
    expect(latest.current!.fields.map(({ field, missing }) => [field, missing])).toEqual([
      ['title', 0],
      ['price', 1],
    ])
    now = 3_000
    // Nothing has changed since.
    expect((await shop.latestProfile())!.current).toEqual(latest.current)
  })

  it('tell dates as facets do, and count tags, also where documents are ranked by their age', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', {
      interpretedFields: ['title'],
      tagField: 'tag',
      signals: { released: { halfLifeDays: 30, boost: 2 } },
      schema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string' },
          tag: { type: 'any' },
          released: { type: 'any' },
          sold: { type: 'date' },
          price: { type: 'double' },
        },
      },
    })
    await shop.documents.bulk([
      { id: 'a', title: 'Lamp', tag: ['x', 'y'], released: '2024-05-01', sold: '2024-05-01', price: 5 },
      { id: 'b', title: 'Lamp', tag: 'x', released: '2024-05-01', sold: '2024-05-01T00:00:00Z', price: 5 },
    ])
    await shop.profile()
    const { fields } = (await shop.latestProfile())!.current!
    const top = Object.fromEntries(fields.map(one => [one.field, [one.distinct, one.top]]))
    expect(top).toEqual({
      title: [1, [{ value: 'Lamp', count: 2 }]],
      tag: [
        2,
        [
          { value: 'x', count: 2 },
          { value: 'y', count: 1 },
        ],
      ],
      released: [1, [{ value: '2024-05-01', count: 2 }]],
      sold: [1, [{ value: '2024-05-01T00:00:00.000Z', count: 2 }]],
      price: [1, [{ value: 5, count: 2 }]],
    })
  })

  it('are the same for many that ask at once while documents are written', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    await shop.documents.bulk(
      Array.from({ length: 500 }, (_, i) => ({ id: `a${i}`, title: `Lamp ${i % 7}` })),
    )
    await shop.profile()
    let written = 500
    const asked: Promise<void>[] = []
    for (let round = 0; round < 20; round++) {
      await shop.documents.insert({ id: `b${round}`, title: 'Hose' })
      const least = ++written
      for (let i = 0; i < 5; i++)
        asked.push(
          shop.latestProfile().then(latest => {
            const { documents, fields } = latest!.current!
            expect(documents).toBeGreaterThanOrEqual(least)
            const [title] = fields
            expect(title!.present).toBe(documents)
            expect(title!.top.find(({ value }) => value === 'Hose')?.count).toBe(documents - 500)
          }),
        )
    }
    await Promise.all(asked)
  })
})
