import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Engine, type JsonObject, type Where } from '../../src/index.ts'
import { isInside } from '../query/naive-query.ts'

const R = 6_371_008.8
const meters = (a: number[], b: number[]): number => {
  const [p, q] = [a, b].map(([lat, lon]) => {
    const [up, along] = [(lat! * Math.PI) / 180, (lon! * Math.PI) / 180]
    return [Math.cos(up) * Math.cos(along), Math.cos(up) * Math.sin(along), Math.sin(up)]
  })
  return 2 * R * Math.asin(Math.min(1, Math.hypot(...p!.map((x, i) => x - q![i]!)) / 2))
}

const shops: JsonObject[] = [
  { id: 'mitte', title: 'Lamp shop', location: { lat: 52.52, lon: 13.405 }, price: 3 },
  { id: 'potsdam', title: 'Lamp store', location: { lat: 52.39, lon: 13.065 }, price: 2 },
  { id: 'suva', title: 'Lamp house', location: { lat: -18.14, lng: 178.44 }, price: 1 },
  {
    id: 'chain',
    title: 'Lamps everywhere',
    location: [
      { lat: 48.137, lon: 11.576 },
      { lat: 52.45, lon: 13.3 },
    ],
  },
  { id: 'online', title: 'Lamp online', location: null },
  { id: 'odd', title: 'Lamp without a place', location: { lat: 'north', lon: 5 } },
]

async function opened() {
  const engine = await Engine.open()
  const dataset = await engine.datasets.create<JsonObject>('shops', { interpretedFields: ['title'] })
  await dataset.documents.bulk(shops)
  return dataset
}

const idsOf = ({ hits }: { hits: readonly { id: string }[] }) => hits.map(({ id }) => id)

describe('a search', () => {
  it('finds what is near a point, in a box or in a polygon, by objects and by query strings', async () => {
    const dataset = await opened()
    const found = async (filter: Where<JsonObject> | string) =>
      idsOf(await dataset.search('lamp', { filter })).sort()
    const berlin = { lat: 52.5, lon: 13.4 }
    expect(await found({ location: { within: { ...berlin, meters: 5_000 } } })).toEqual(['mitte'])
    expect(await found({ location: { within: { ...berlin, meters: 12_000 } } })).toEqual(['chain', 'mitte'])
    expect(await found('location:within(52.5, 13.4, 12km)')).toEqual(['chain', 'mitte'])
    expect(await found('location:within(52.5, 13.4, 12 km) AND -title:everywhere')).toEqual(['mitte'])
    expect(await found('NOT location:within(52.5, 13.4, 12000)')).toEqual([
      'odd',
      'online',
      'potsdam',
      'suva',
    ])
    const fiji = { south: -20, west: 177, north: -15, east: -178 }
    expect(await found({ location: { box: fiji } })).toEqual(['suva'])
    expect(await found('location:(box(-20, 177, -15, -178) OR within(52.5, 13.4, 5000))')).toEqual([
      'mitte',
      'suva',
    ])
    const bavaria = [
      { lat: 47, lon: 9 },
      { lat: 50.5, lon: 9 },
      { lat: 50.5, lon: 13.8 },
      { lat: 47, lon: 13.8 },
    ]
    expect(await found({ location: { polygon: bavaria } })).toEqual(['chain'])
    expect(await found('location:polygon(47, 9, 50.5, 9, 50.5, 13.8, 47, 13.8)')).toEqual(['chain'])
    expect(await dataset.count({ location: { polygon: [bavaria, bavaria] } })).toBe(0)
    expect(await dataset.documents.deleteWhere({ location: { box: fiji } })).toBe(1)
    expect(await dataset.count()).toBe(5)
  })

  it('orders by distance and says how far hits are, pages and lists as well', async () => {
    const dataset = await opened()
    const near = ['chain', 'mitte', 'potsdam', 'suva']
    const there = [52.46, 13.32]
    const sort = ['location(52.46, 13.32)', 'id']
    const { hits } = await dataset.search('lamp', { sort })
    expect(idsOf({ hits })).toEqual([...near, 'odd', 'online'])
    expect(hits.map(({ distance }) => distance && Math.round(distance))).toEqual([
      Math.round(meters([52.45, 13.3], there)),
      Math.round(meters([52.52, 13.405], there)),
      Math.round(meters([52.39, 13.065], there)),
      Math.round(meters([-18.14, 178.44], there)),
      undefined,
      undefined,
    ])
    const list = await dataset.filter({}, { sort, responseFields: ['title'] })
    expect(list.hits.map(({ id, distance }) => ({ id, distance }))).toEqual(
      hits.map(({ id, distance }) => ({ id, distance })),
    )
    const far = await dataset.search('', { sort: ['location(52.46,13.32):desc', 'id:desc'] })
    expect(idsOf(far)).toEqual([...near.toReversed(), 'online', 'odd'])
    for (const ask of [
      (cursor: true | string) => dataset.search('lamp', { sort, limit: 2, cursor }),
      (cursor: true | string) => dataset.filter({}, { sort, limit: 2, cursor }),
    ]) {
      const first = await ask(true)
      const second = await ask(first.cursor!)
      expect([...first.hits, ...second.hits].map(({ id, distance }) => ({ id, distance }))).toEqual(
        hits.slice(0, 4).map(({ id, distance }) => ({ id, distance })),
      )
    }
    const bare = await dataset.search('lamp', { sort, documents: false })
    expect(bare.hits.map(({ id }) => id)).toEqual(idsOf({ hits }))
    const byPrice = await dataset.search('lamp', { sort: ['price', 'location(0, 0)'] })
    expect(byPrice.hits.every(hit => !('distance' in hit))).toBe(true)
  })

  it('filters and orders like a scan of all documents, whatever is written and merged', async () => {
    const coordinate = (most: number) => fc.integer({ min: -most * 100, max: most * 100 }).map(n => n / 100)
    const point = fc.record({ lat: coordinate(90), lon: coordinate(180) })
    const location = fc.oneof(
      { weight: 4, arbitrary: point },
      fc.array(point, { maxLength: 3 }),
      fc.constantFrom(null, { lat: 5 }, 'Berlin'),
    )
    const [places] = fc.sample(fc.array(location, { minLength: 900, maxLength: 900 }), {
      numRuns: 1,
      seed: 7,
    })
    const engine = await Engine.open()
    const dataset = await engine.datasets.create('places', { interpretedFields: ['title'] })
    const stored = new Map<string, number[][]>()
    for (const [i, place] of places!.entries()) {
      const id = `d${(i * 7) % 300}`
      await dataset.documents.upsert({ id, title: 'place', location: place })
      const points = Array.isArray(place) ? place : [place]
      stored.set(
        id,
        points.flatMap(one => (typeof one === 'object' && one && 'lon' in one ? [[one.lat, one.lon]] : [])),
      )
      if (i % 90 !== 89) continue
      const lat = (i % 170) - 84.997
      const lon = ((i * 13) % 360) - 180.003
      const area = { shape: 'within', lat, lon, meters: 3_000_001 } as const
      const inside = [...stored]
        .filter(([, own]) => own.some(([y, x]) => isInside(y!, x!, area)))
        .map(([one]) => one)
      const filter = { location: { within: { lat, lon, meters: 3_000_001 } } }
      const found = await dataset.filter(filter, { sort: [`location(${lat}, ${lon})`, 'id'], limit: 1_000 })
      expect(idsOf(found).sort()).toEqual(inside.sort())
      const all = await dataset.search('', { sort: [`location(${lat}, ${lon})`], limit: 1_000 })
      const distances = all.hits.map(({ id: one }) =>
        Math.min(Number.POSITIVE_INFINITY, ...stored.get(one)!.map(own => meters(own, [lat, lon]))),
      )
      expect(all.hits).toHaveLength(stored.size)
      for (const [at, hit] of all.hits.entries()) {
        expect(distances[at]! + 0.1 >= (distances[at - 1] ?? 0)).toBe(true)
        if (hit.distance === undefined) expect(distances[at]).toBe(Number.POSITIVE_INFINITY)
        else expect(Math.abs(hit.distance - distances[at]!)).toBeLessThan(0.5)
      }
    }
    await engine.close()
  })

  it('says what is wrong with an area or a point', async () => {
    const dataset = await opened()
    const refused = async (options: object) =>
      String(await dataset.search('lamp', options).catch((error: Error) => error.message))
    expect(await refused({ filter: { location: { within: { lat: 95, lon: 1, meters: 5 } } } })).toMatch(
      /filter\.location\.within .*expected \{ lat, lon, meters \}, with a latitude from -90 to 90/,
    )
    expect(await refused({ filter: { location: { within: { lat: 5, lon: 1, meters: -1 } } } })).toMatch(
      /0 meters or more/,
    )
    expect(
      await refused({ filter: { location: { box: { south: 5, west: 0, north: 4, east: 1 } } } }),
    ).toMatch(/south not above north/)
    expect(await refused({ filter: { location: { polygon: [{ lat: 1, lon: 1 }] } } })).toMatch(
      /3 to 1000 corners/,
    )
    const corners = Array.from({ length: 1_001 }, (_, i) => ({ lat: i % 80, lon: i % 170 }))
    expect(await refused({ filter: { location: { polygon: corners } } })).toMatch(/3 to 1000 corners/)
    expect(
      await refused({ filter: { location: { within: { lat: Number.NaN, lon: 1, meters: 1 } } } }),
    ).toMatch(/latitude/)
    expect(await refused({ filter: 'location:within(1, 2)' })).toMatch(
      /within\(latitude, longitude, meters\)/,
    )
    expect(await refused({ sort: ['location(95, 1)'] })).toMatch(
      /location\(latitude, longitude\), in degrees/,
    )
    expect(await refused({ sort: ['locatoin(5, 1)'] })).toMatch(
      /one of the fields location \(did you mean "location"\?\)/,
    )
    for (const text of ['within(52.5, 13.4, 5mi)', 'within(52.5°, 13.4°, 5km)', 'box(1, 2, 3, 4 degrees)'])
      expect(await refused({ filter: `location:${text}` })).toMatch(/expected (within|box)\(/)
    for (const text of [
      'location',
      'location(5)',
      'location (5 1)',
      'location(5, 1, 2):desc',
      'location(a, b)',
    ])
      expect(await refused({ sort: [text] })).toMatch(/location\(latitude, longitude\)/)
    expect(await refused({ sort: ['id(5, 1)'] })).toMatch(/a field of points/)
    const known = await (await Engine.open()).datasets.create('known', {
      sample: { id: '1', title: 'a', at: { lat: 1.5, lng: 2.5 }, price: 5 },
    })
    const from = async (options: object) =>
      String(await known.search('', options).catch((error: Error) => error.message))
    expect(await from({ filter: { price: { within: { lat: 5, lon: 1, meters: 1 } } } })).toMatch(
      /a field of points/,
    )
    expect(await from({ sort: ['price(5, 1)'] })).toMatch(/a field of points/)
    expect(await from({ sort: ['at'] })).toMatch(/at\(latitude, longitude\)/)
    expect(await from({ filter: 'at:5' })).toMatch(/or an area such as within/)
    await known.documents.insert({ id: '1', title: 'a', at: { lat: 1, lng: 2 }, price: 5 })
    expect(
      (await known.search('', { filter: 'at:within(1, 2, 5)', sort: ['at(1, 3)'] })).hits[0]!.distance,
    ).toBeCloseTo(meters([1, 2], [1, 3]), 3)
  })

  it('refuses millions of corners without looking at each of them', async () => {
    const dataset = await opened()
    const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one)
    const start = process.cpuUsage()
    for (const filter of [
      `location:polygon(1, 2${';'.repeat(1_000_000)})`,
      `location:polygon(1, 2${','.repeat(1_000_000)})`,
      { location: { polygon: many(1_000_000, []) } },
      { location: { polygon: [many(1_000_000, { lat: 1, lon: 1 })] } },
    ])
      await expect(dataset.filter(filter)).rejects.toThrow(/3 to 1000 corners/)
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000)
  })

  it('still reads words before brackets as words where a field holds text', async () => {
    const dataset = await opened()
    await dataset.documents.insert({ id: 'w', title: 'within (1, 2, 3) meters', note: 'box(5)' })
    expect(await dataset.count('title:within(1, 2, 3)')).toBe(1)
    expect(await dataset.count('note:box(5)')).toBe(1)
  })
})
