import { degreesOf, haversine, haversineOf } from './distance.ts'
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

/** Whether a point lies in the area. @param lat from -90 to 90 */
export type AreaTest = (lat: number, lon: number) => boolean

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

function circleTest({ lat, lon, meters }: GeoCircle): AreaTest {
  const most = haversineOf(meters)
  // Most points are excluded by their latitude alone.
  const band = degreesOf(meters) + 1e-9
  return (otherLat, otherLon) =>
    Math.abs(otherLat - lat) <= band && haversine(lat, lon, otherLat, otherLon) <= most
}

function boxTest({ south, west, north, east }: GeoBox): AreaTest {
  const isAround = east - west >= 360
  const [from, to] = [wrapped(west), wrapped(east)]
  return (lat, lon) => {
    if (lat < south || lat > north) return false
    // All meridians meet in a pole.
    if (isAround || lat === 90 || lat === -90) return true
    const x = wrapped(lon)
    return from <= to ? x >= from && x <= to : x >= from || x <= to
  }
}

/**
 * Counts the sides that are crossed on the way from the point to the north pole: with an odd number, the point is inside
 * (even-odd rule). A ring around a pole is crossed an odd number of times by all that is south of it, so with the north pole
 * inside the count is one less.
 */
function polygonTest({ rings }: GeoPolygon): AreaTest {
  const sides = rings.flatMap(sidesOf)
  const northern = rings.filter(isAroundNorthPole).length
  const isBounded = !rings.some(isAroundPole)
  const lats = rings.flat().map(({ lat }) => lat)
  const south = isBounded ? Math.min(...lats) : -90
  const north = isBounded ? Math.max(...lats) : 90
  return (lat, lon) => {
    if (lat < south || lat > north) return false
    const x = wrapped(lon)
    let crossed = northern
    for (const side of sides) if (isCrossed(side, lat, x)) crossed++
    return crossed % 2 === 1
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

/** The pole that is nearer to most of its corners. */
const isAroundNorthPole = (ring: readonly GeoPoint[]): boolean =>
  isAroundPole(ring) && ring.reduce((sum, { lat }) => sum + lat, 0) >= 0
