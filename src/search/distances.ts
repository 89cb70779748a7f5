import type { IndexState } from '../filters/filter.ts'
import { eachPoint, endOfPart, pointColumnsAt } from '../filters/point-columns.ts'
import { haversine, metersOf } from '../geo/distance.ts'
import { type GeoPoint, pointsIn } from '../geo/point.ts'
import type { JsonObject } from '../json.ts'
import type { QueryFields } from '../query/fields.ts'
import { coordinateReader } from '../query/predicate.ts'

type Segment = IndexState['segments'][number]['segment']

/** Number of points that are measured before the time is checked, and at least those of one document. */
const AT_ONCE = 8_192

/** How far the documents of an index are from one point, by the nearest of their own points in a field. */
export class Distances {
  readonly #field: string
  readonly #from: GeoPoint
  /** By the body of the segment. */
  readonly #known = new Map<Uint8Array, Float64Array>()
  #begun: { readonly body: Uint8Array; readonly nearest: Float64Array; next: number } | undefined

  constructor(field: string, from: GeoPoint) {
    this.#field = field
    this.#from = from
  }

  /** By document, a number that grows with its distance: the haversine, or NaN where it has no point. */
  of(segment: Segment): Float64Array {
    while (!this.prepare(segment, Number.POSITIVE_INFINITY));
    return this.#known.get(segment.body)!
  }

  /** False where the time is up; the next call continues there. @param until on the clock of `performance.now()` */
  prepare({ body, columns, shape: { documents } }: Segment, until: number): boolean {
    if (this.#known.has(body)) return true
    if (this.#begun?.body !== body)
      this.#begun = { body, nearest: new Float64Array(documents).fill(Number.NaN), next: 0 }
    const { nearest } = this.#begun
    const { lat, lon } = this.#from
    const measure = (document: number, ownLat: number, ownLon: number) => {
      const own = haversine(lat, lon, ownLat, ownLon)
      // False where there is none yet.
      if (!(nearest[document]! <= own)) nearest[document] = own
    }
    const pairs = pointColumnsAt(columns, this.#field)
    while (this.#begun.next < documents) {
      const from = this.#begun.next
      const end = pairs.reduce((least, pair) => Math.min(least, endOfPart(pair, from, AT_ONCE)), documents)
      for (const pair of pairs) eachPoint(pair, { from, end, south: -90, north: 90 }, measure)
      this.#begun.next = end
      if (end < documents && performance.now() > until) return false
    }
    this.#known.set(body, nearest)
    this.#begun = undefined
    return true
  }
}

/** Meters from a point to the nearest point of a document; undefined where it has none. */
export type DistanceOf = (document: JsonObject) => number | undefined

export function distanceFrom(field: string, { lat, lon }: GeoPoint, fields: QueryFields): DistanceOf {
  const read = coordinateReader(field, fields)
  return document => {
    const own = pointsIn(document, field, read).map(point => haversine(lat, lon, point.lat, point.lon))
    return own.length > 0 ? metersOf(own.reduce((one, other) => Math.min(one, other))) : undefined
  }
}
