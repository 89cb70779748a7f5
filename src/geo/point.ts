import { isJsonObject, type JsonObject, type JsonValue, own, valuesIn } from '../json.ts'

/** A point on the globe, in degrees: latitude from -90 to 90; longitudes may go round the globe. */
export interface GeoPoint {
  readonly lat: number
  readonly lon: number
}

/** The pairs of names under which documents have the two numbers of a point. */
export const pointNames = [
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['latitude', 'longitude'],
] as const

/** Reads a number of a point. @param name of the member that holds it */
type NumberReader = (value: JsonValue, name: string) => number | undefined

const jsonNumber: NumberReader = value => (typeof value === 'number' ? value : undefined)

/**
 * The points that a document has in a field: of an object, or of each object in a list. The first latitude belongs to the first
 * longitude, and so on; where there are more of one than of the other, there is no point. The columns of an index pair the
 * numbers in the same way.
 */
export function pointsIn(document: JsonObject, path: string, read: NumberReader = jsonNumber): GeoPoint[] {
  const holders = new Map<string, JsonObject[]>()
  collect(document, path.split('.'), 0, '', holders)
  return [...holders.values()].flatMap(objects =>
    pointNames.flatMap(([lat, lon]) => paired(numbersOf(objects, lat, read), numbersOf(objects, lon, read))),
  )
}

/** The objects at a path, by the lists through which it leads: each combination of them is a column of its own. */
function collect(
  value: JsonValue | undefined,
  names: readonly string[],
  at: number,
  through: string,
  holders: Map<string, JsonObject[]>,
): void {
  if (Array.isArray(value)) {
    for (const one of value)
      collect(one, names, at, isJsonObject(one) ? `${through}[${at}]` : through, holders)
  } else if (isJsonObject(value)) {
    const objects = holders.get(through)
    if (at < names.length) collect(own(value, names[at]!), names, at + 1, through, holders)
    else if (objects) objects.push(value)
    else holders.set(through, [value])
  }
}

const numbersOf = (objects: readonly JsonObject[], name: string, read: NumberReader): number[] =>
  objects
    .flatMap(object => valuesIn(object, name))
    .map(value => read(value, name))
    .filter(number => number !== undefined)

function paired(lats: readonly number[], lons: readonly number[]): GeoPoint[] {
  if (lats.length !== lons.length) return []
  return lats.map((lat, i) => ({ lat, lon: lons[i]! })).filter(({ lat }) => isLatitude(lat))
}

const isLatitude = (lat: number): boolean => lat >= -90 && lat <= 90

/** The same longitude from -180 to below 180. */
export function wrapped(lon: number): number {
  if (lon >= -180 && lon < 180) return lon
  const turned = (lon + 180) % 360
  const within = turned < 0 ? turned + 180 : turned - 180
  // Rounded, it may have arrived at 180.
  return within < 180 ? within : -180
}
