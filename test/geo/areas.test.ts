import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GeoArea, type GeoPolygon, areaTest as testOf } from '../../src/geo/area.ts'
import { degreesOf, haversine, haversineOf, metersOf } from '../../src/geo/distance.ts'
import { type GeoPoint, pointsIn, wrapped } from '../../src/geo/point.ts'
import { isInside } from '../query/naive-query.ts'

/** Documents have hundredths of degrees and areas other fractions, so that hardly any point lies on an edge. */
const hundredths = (most: number) => fc.integer({ min: -100 * most, max: 100 * most }).map(n => n / 100)
const fractions = (most: number) => fc.integer({ min: -97 * most, max: 97 * most }).map(n => n / 97.031)
const points = fc.record({ lat: hundredths(90), lon: hundredths(180) })
const [lats, lons] = [fractions(90), fractions(180)]
const corners = fc.record({ lat: lats, lon: lons })

const areaTest = (area: GeoArea) => {
  const { south, north, holds } = testOf(area)
  return (lat: number, lon: number) => lat >= south && lat <= north && holds(lat, lon)
}
const meters = (a: GeoPoint, b: GeoPoint) => metersOf(haversine(a.lat, a.lon, b.lat, b.lon))
const polygon = (...rings: readonly (readonly [lat: number, lon: number])[][]): GeoPolygon => ({
  shape: 'polygon',
  rings: rings.map(ring => ring.map(([lat, lon]) => ({ lat, lon }))),
})

describe('a distance', () => {
  it('is the known one between cities, within the error of a sphere', () => {
    const berlin = { lat: 52.520008, lon: 13.404954 }
    // On the ellipsoid WGS 84 (Vincenty's formula).
    expect(meters(berlin, { lat: 48.137154, lon: 11.576124 }) / 504_220).toBeCloseTo(1, 2)
    expect(meters(berlin, { lat: 40.712776, lon: -74.005974 }) / 6_402_000).toBeCloseTo(1, 2)
    expect(meters({ lat: 0, lon: 179.5 }, { lat: 0, lon: -179.5 })).toBeCloseTo(111_195.08, 1)
    expect(meters({ lat: 90, lon: 3 }, { lat: -90, lon: 100 })).toBeCloseTo(20_015_114.44, 1)
  })

  it('does not depend on the direction or on turns round the globe, and obeys the triangle inequality', () => {
    fc.assert(
      fc.property(points, points, points, fc.constantFrom(-720, 360, 3600), (a, b, c, turns) => {
        expect(meters(a, b)).toBeCloseTo(meters(b, a), 3)
        expect(meters(a, { lat: b.lat, lon: b.lon + turns })).toBeCloseTo(meters(a, b), 1)
        expect(meters(a, b)).toBeLessThanOrEqual(meters(a, c) + meters(c, b) + 1)
      }),
    )
  })

  it('is read back from its haversine, and is no more degrees of latitude than it says', () => {
    for (const distance of [0, 0.01, 1, 1_500, 2e6, 2e7])
      expect(metersOf(haversineOf(distance)) / (distance || 1)).toBeCloseTo(distance === 0 ? 0 : 1, 9)
    expect(haversineOf(1e9)).toBe(1)
    expect(degreesOf(111_195.08)).toBeCloseTo(1, 6)
  })
})

describe('a longitude', () => {
  it('is wrapped to the same meridian between -180 and 180', () => {
    expect([180, -180, 190, -190, 540, -540, 360, 13.4].map(wrapped)).toEqual([
      -180, -180, -170, 170, -180, -180, 0, 13.4,
    ])
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), lon => {
        const within = wrapped(lon)
        expect(within >= -180 && within < 180).toBe(true)
        const turns = (lon - within) / 360
        expect(Math.abs(turns - Math.round(turns))).toBeLessThan(1e-9)
      }),
    )
  })
})

describe('an area', () => {
  const areas: fc.Arbitrary<GeoArea> = fc.oneof(
    fc.record({
      shape: fc.constant('within' as const),
      lat: lats,
      lon: lons,
      meters: fc.double({ min: 1, max: 2.1e7, noNaN: true }),
    }),
    fc
      .record({ shape: fc.constant('box' as const), south: lats, north: lats, west: lons, east: lons })
      .map(box => ({ ...box, south: Math.min(box.south, box.north), north: Math.max(box.south, box.north) })),
    fc.record({
      shape: fc.constant('polygon' as const),
      rings: fc.array(fc.array(corners, { minLength: 3, maxLength: 9 }), { minLength: 1, maxLength: 3 }),
    }),
  )

  it('holds the points that a sphere of vectors, or a map that repeats itself, says', () => {
    fc.assert(
      fc.property(areas, fc.array(points, { minLength: 20, maxLength: 20 }), (area, some) => {
        const isIn = areaTest(area)
        for (const { lat, lon } of some) expect(isIn(lat, lon)).toBe(isInside(lat, lon, area))
      }),
      { numRuns: 500 },
    )
  })

  it('holds the points that a simple scan of many sides says', () => {
    const here = fc.record({ lat: fractions(40), lon: fractions(80) })
    const near = fc.record({ lat: hundredths(42), lon: hundredths(82) })
    const rings = fc.array(fc.array(here, { minLength: 8, maxLength: 60, size: 'max' }), {
      minLength: 1,
      maxLength: 2,
    })
    let inside = 0
    fc.assert(
      fc.property(rings, fc.array(near, { minLength: 30, maxLength: 30 }), (some, places) => {
        const area = { shape: 'polygon', rings: some } as const
        const isIn = areaTest(area)
        for (const { lat, lon } of places) {
          expect(isIn(lat, lon)).toBe(isInside(lat, lon, area))
          if (isIn(lat, lon)) inside++
        }
      }),
      { numRuns: 200 },
    )
    expect(inside).toBeGreaterThan(1_000)
  })

  it('holds the same points when everything is turned round the globe', () => {
    // Multiples of 1/1024, so that nothing is rounded.
    const exact = (most: number) => fc.integer({ min: -most * 1024, max: most * 1024 }).map(n => n / 1024)
    const exactly = fc.record({ lat: exact(90), lon: exact(180) })
    const rings = fc.array(exactly, { minLength: 3, maxLength: 8 })
    fc.assert(
      fc.property(rings, exactly, exact(720), (ring, { lat, lon }, turn) => {
        const turned = ring.map(corner => ({ lat: corner.lat, lon: corner.lon + turn }))
        const isIn = areaTest({ shape: 'polygon', rings: [ring] })
        expect(areaTest({ shape: 'polygon', rings: [turned] })(lat, lon + turn)).toBe(isIn(lat, lon))
        const [south, north] = [Math.min(lat, ring[0]!.lat), Math.max(lat, ring[0]!.lat)]
        const box = { shape: 'box', south, north, west: ring[1]!.lon, east: ring[2]!.lon } as const
        const other = { ...box, west: box.west + turn, east: box.east + turn }
        expect(areaTest(other)(lat, lon + turn)).toBe(areaTest(box)(lat, lon))
      }),
      { numRuns: 2_000 },
    )
  })

  it('may cross the meridian of 180 degrees', () => {
    const fiji = areaTest({ shape: 'box', south: -20, west: 177, north: -15, east: -178 })
    expect([178, 180, -180, -179, 538].map(lon => fiji(-17, lon))).toEqual([true, true, true, true, true])
    expect([176, -177, 0].map(lon => fiji(-17, lon))).toEqual([false, false, false])
    const same = areaTest(
      polygon([
        [-20, 177],
        [-20, 182],
        [-15, 182],
        [-15, 177],
      ]),
    )
    expect([178, 180, -179, 176, -177].map(lon => same(-17, lon))).toEqual([true, true, true, false, false])
  })

  it('holds the pole that its ring goes round', () => {
    const circle = (lat: number) => [0, 90, 180, 270].map(lon => [lat, lon] as const)
    const north = areaTest(polygon(circle(60)))
    expect([90, 61, 59, 0, -90].map(lat => north(lat, 7))).toEqual([true, true, false, false, false])
    const south = areaTest(polygon(circle(-60)))
    expect([90, 0, -59, -61, -90].map(lat => south(lat, 7))).toEqual([false, false, false, true, true])
    const belt = areaTest(polygon(circle(60), circle(70)))
    expect([90, 71, 65, 59].map(lat => belt(lat, -100))).toEqual([false, false, true, false])
  })

  it('leaves out the hole of a polygon', () => {
    const isIn = areaTest(
      polygon(
        [
          [0, 0],
          [0, 10],
          [10, 10],
          [10, 0],
        ],
        [
          [4, 4],
          [4, 6],
          [6, 6],
          [6, 4],
        ],
      ),
    )
    expect([isIn(1, 1), isIn(5, 5), isIn(5, 7), isIn(11, 5)]).toEqual([true, false, true, false])
  })

  it('holds the whole globe, or nothing but its own point', () => {
    fc.assert(
      fc.property(points, ({ lat, lon }) => {
        const all = { shape: 'within', lat: -lat, lon: lon + 180, meters: 20_015_115 } as const
        expect(areaTest(all)(lat, lon)).toBe(true)
        expect(areaTest({ shape: 'within', lat: 0, lon: 0, meters: 1e9 })(lat, lon)).toBe(true)
        expect(areaTest({ shape: 'within', lat, lon, meters: 0 })(lat, lon)).toBe(true)
        expect(areaTest({ shape: 'box', south: -90, west: -180, north: 90, east: 180 })(lat, lon)).toBe(true)
      }),
    )
  })
})

describe('the points of a document', () => {
  it('are objects under any of the usual names, in lists and in objects of lists as well', () => {
    expect(pointsIn({ at: { lat: 1, lon: 2 } }, 'at')).toEqual([{ lat: 1, lon: 2 }])
    expect(pointsIn({ at: { lng: 2, lat: 1 } }, 'at')).toEqual([{ lat: 1, lon: 2 }])
    expect(pointsIn({ at: { latitude: 1, longitude: 2 } }, 'at')).toEqual([{ lat: 1, lon: 2 }])
    expect(pointsIn({ at: [{ lat: 1, lon: 2 }, [{ lat: 3, lon: 4 }]] }, 'at')).toEqual([
      { lat: 1, lon: 2 },
      { lat: 3, lon: 4 },
    ])
    expect(
      pointsIn(
        { shops: [{ at: { lat: 1, lon: 2 } }, { at: null }, 5, { at: { lat: 3, lon: 4 } }] },
        'shops.at',
      ),
    ).toEqual([
      { lat: 1, lon: 2 },
      { lat: 3, lon: 4 },
    ])
  })

  it('are not told where a number is missing, is text or no latitude', () => {
    const odd = [
      { lat: 1 },
      { lon: 1 },
      { lat: '1', lon: 2 },
      { lat: 91, lon: 2 },
      { lat: null, lon: 2 },
      [1, 2],
      'x',
      null,
    ]
    for (const at of odd) expect(pointsIn({ at }, 'at')).toEqual([])
    expect(pointsIn({ at: [{ lat: 1, lon: 2 }, { lat: 3 }] }, 'at')).toEqual([])
    expect(pointsIn({}, '__proto__')).toEqual([])
    expect(pointsIn({ at: { lat: 1, lon: 200 } }, 'at')).toEqual([{ lat: 1, lon: 200 }])
  })
})
