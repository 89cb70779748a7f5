import { degreesOf, EARTH_RADIUS, haversine, haversineOf, longitudesOf } from './distance.ts'
import { type GeoPoint, wrapped } from './point.ts'

/** All points at most so far away. */
export interface GeoCircle extends GeoPoint {
  readonly shape: 'within'
  readonly meters: number
}

/** All points between two latitudes and, going east, two longitudes. It may cross the meridian of 180 degrees. */
export interface GeoBox {
  readonly shape: 'box'
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/**
 * All points inside an odd number of rings, each with at least three corners: a ring inside another is a hole. Sides are straight
 * on a map of longitudes and latitudes (RFC 7946, section 3.1.1), and go the short way round the globe. A ring around a pole
 * holds the pole. Points exactly on a side may be inside or outside.
 */
export interface GeoPolygon {
  readonly shape: 'polygon'
  readonly rings: readonly (readonly GeoPoint[])[]
}

export type GeoArea = GeoCircle | GeoBox | GeoPolygon

/** Maximum number of corners of a polygon, over all rings: each point is compared with each side. */
export const MOST_CORNERS = 1_000

/** Tells which points lie in an area. */
export interface AreaTest {
  /** Latitudes beyond these are outside, which excludes most points at once. */
  readonly south: number
  readonly north: number
  /** @param lat between `south` and `north` */
  holds(lat: number, lon: number): boolean
}

export function areaTest(area: GeoArea): AreaTest {
  switch (area.shape) {
    case 'within':
      return circleTest(area)
    case 'box':
      return boxTest(area)
    case 'polygon':
      return polygonTest(area)
  }
}

/** Degrees that a bound is wider than computed, so that rounding excludes no point. */
const SPARE = 1e-9

function circleTest({ lat, lon, meters }: GeoCircle): AreaTest {
  // Rounded, the haversine of opposite points may be above 1.
  const most = meters < Math.PI * EARTH_RADIUS ? haversineOf(meters) : Number.POSITIVE_INFINITY
  const band = degreesOf(meters) + SPARE
  const along = longitudesOf(lat, meters) + SPARE
  return {
    south: Math.max(-90, lat - band),
    north: Math.min(90, lat + band),
    holds: (otherLat, otherLon) =>
      Math.abs(wrapped(otherLon - lon)) <= along && haversine(lat, lon, otherLat, otherLon) <= most,
  }
}

function boxTest({ south, west, north, east }: GeoBox): AreaTest {
  const isAround = east - west >= 360
  const [from, to] = [wrapped(west), wrapped(east)]
  const isBetween = (x: number) => (from <= to ? x >= from && x <= to : x >= from || x <= to)
  // All meridians meet in a pole.
  const holds = (lat: number, lon: number) => isAround || isBetween(wrapped(lon)) || lat === 90 || lat === -90
  return { south, north, holds }
}

/**
 * Counts the sides that are crossed on the way from the point to the north pole: with an odd number, the point is inside
 * (even-odd rule). A ring around a pole is crossed an odd number of times by all that is south of it, so with the north pole
 * inside the count is one less.
 */
function polygonTest({ rings }: GeoPolygon): AreaTest {
  const northern = rings.filter(isAroundNorthPole).length
  const isBounded = !rings.some(isAroundPole)
  const lats = rings.flat().map(({ lat }) => lat)
  const sidesAt = sidesByLongitude(rings.flatMap(sidesOf))
  return {
    south: isBounded ? Math.min(...lats) : -90,
    north: isBounded ? Math.max(...lats) : 90,
    holds: (lat, lon) => {
      const x = wrapped(lon)
      const sides = sidesAt(x)
      let crossed = northern
      for (let i = 0; i < sides.length; i++) if (isCrossed(sides[i]!, lat, x)) crossed++
      return crossed % 2 === 1
    },
  }
}

/** From west to east. */
interface Side {
  readonly west: number
  readonly east: number
  readonly westLat: number
  readonly eastLat: number
  /** Degrees from its west end to its east end. */
  readonly width: number
}

/** Without those along a meridian, which no way to a pole crosses. */
function sidesOf(ring: readonly GeoPoint[]): Side[] {
  return ring.flatMap((corner, i) => {
    const next = ring[(i + 1) % ring.length]!
    const turn = wrapped(next.lon - corner.lon)
    const [from, to] = turn > 0 ? [corner, next] : [next, corner]
    const [west, east] = [wrapped(from.lon), wrapped(to.lon)]
    if (turn === 0 || west === east) return []
    return [{ west, east, westLat: from.lat, eastLat: to.lat, width: Math.abs(turn) }]
  })
}

/** Number of strips of longitudes by which the sides of a polygon are found. */
const STRIPS = 64

/** Returns the sides that a meridian may cross: of many, few do. */
function sidesByLongitude(sides: readonly Side[]): (x: number) => readonly Side[] {
  if (sides.length < 8 || sides.some(({ west, east }) => west > east)) return () => sides
  const from = Math.min(...sides.map(({ west }) => west))
  const to = Math.max(...sides.map(({ east }) => east))
  const strip = (x: number) => Math.floor(((x - from) / (to - from)) * (STRIPS - 1))
  const strips: Side[][] = Array.from({ length: STRIPS }, () => [])
  for (const side of sides) for (let i = strip(side.west); i <= strip(side.east); i++) strips[i]!.push(side)
  return x => (x < from || x > to ? NONE : strips[strip(x)]!)
}

const NONE: readonly Side[] = []

/** Its west end belongs to a side and its east end does not, so that a corner is crossed once. */
function isCrossed({ west, east, westLat, eastLat, width }: Side, lat: number, x: number): boolean {
  if (west < east ? x < west || x >= east : x < west && x >= east) return false
  if (westLat <= lat && eastLat <= lat) return false
  const passed = x < west ? x - west + 360 : x - west
  return westLat + ((eastLat - westLat) * passed) / width > lat
}

/** How often the ring goes round the globe is odd. */
function isAroundPole(ring: readonly GeoPoint[]): boolean {
  const turned = ring.reduce((sum, { lon }, i) => sum + wrapped(ring[(i + 1) % ring.length]!.lon - lon), 0)
  return Math.abs(Math.round(turned / 360)) % 2 === 1
}

/** The pole on the side of the mean of its latitudes. */
const isAroundNorthPole = (ring: readonly GeoPoint[]): boolean =>
  isAroundPole(ring) && ring.reduce((sum, { lat }) => sum + lat, 0) >= 0
