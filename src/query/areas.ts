import * as z from 'zod'
import { type GeoArea, MOST_CORNERS } from '../geo/area.ts'

const lat = z.number().min(-90).max(90)
const point = z.strictObject({ lat, lon: z.number() })
const ring = z.array(point).min(3)
const isOneRing = (given: z.output<typeof ring> | z.output<typeof ring>[]): given is z.output<typeof ring> =>
  !Array.isArray(given[0])

/** Counted before they are validated, which would block for seconds with millions of corners. */
const fewCorners = z.custom<unknown[]>(
  given =>
    Array.isArray(given) &&
    given.length <= MOST_CORNERS &&
    given.reduce((sum, one) => sum + (Array.isArray(one) ? one.length : 1), 0) <= MOST_CORNERS,
)

/** By operator: the areas in which a point may lie. */
export const areaOperands = {
  within: z
    .strictObject({ ...point.shape, meters: z.number().min(0) })
    .transform((given): GeoArea => ({ shape: 'within', ...given })),
  box: z
    .strictObject({ south: lat, west: z.number(), north: lat, east: z.number() })
    .refine(({ south, north }) => south <= north)
    .transform((given): GeoArea => ({ shape: 'box', ...given })),
  polygon: fewCorners
    .pipe(z.union([ring, z.array(ring).min(1)]))
    .transform((given): GeoArea => ({ shape: 'polygon', rings: isOneRing(given) ? [given] : given })),
}

/** What each of them accepts in an object. */
export const expectedAreas: Record<keyof typeof areaOperands, string> = {
  within: '{ lat, lon, meters }, with a latitude from -90 to 90 and 0 meters or more',
  box: '{ south, west, north, east }, with latitudes from -90 to 90, south not above north',
  polygon: `a list of 3 to ${MOST_CORNERS} corners { lat, lon }, or a list of such rings`,
}

/** The same in a query string. */
const expectedTexts: typeof expectedAreas = {
  within: 'within(latitude, longitude, meters), such as within(52.5, 13.4, 5000) or within(52.5, 13.4, 5km)',
  box: 'box(south, west, north, east), in degrees, south not above north',
  polygon: `polygon(latitude, longitude, latitude, longitude, ...) of 3 to ${MOST_CORNERS} corners; rings are separated by ;`,
}

export const isAreaName = (name: string): name is keyof typeof areaOperands =>
  Object.hasOwn(areaOperands, name)

/**
 * The area of a query string.
 * @param text what stands between the brackets
 * @param refuse throws an error that says what is accepted instead
 */
export function areaIn(
  name: keyof typeof areaOperands,
  text: string,
  refuse: (expected: string) => never,
): GeoArea {
  const mostNumbers = 2 * MOST_CORNERS
  if (text.split(/[,;]/, mostNumbers + 1).length > mostNumbers) return refuse(expectedTexts[name])
  const rings = text.split(';').map(ring => ring.split(',').map(one => numberWritten(one.trim())))
  const read = areaOperands[name].safeParse(givenIn[name](rings))
  return read.success ? read.data : refuse(expectedTexts[name])
}

type Numbers = readonly (number | undefined)[]

/** The objects that the numbers stand for; whether they are right is for the schema to say. */
const givenIn: Record<keyof typeof areaOperands, (rings: readonly Numbers[]) => unknown> = {
  within: rings => named(['lat', 'lon', 'meters'], rings),
  box: rings => named(['south', 'west', 'north', 'east'], rings),
  polygon: rings =>
    rings.map(numbers =>
      Array.from({ length: Math.ceil(numbers.length / 2) }, (_, i) => ({
        lat: numbers[2 * i],
        lon: numbers[2 * i + 1],
      })),
    ),
}

function named(names: readonly string[], [numbers = [], ...others]: readonly Numbers[]): unknown {
  if (numbers.length !== names.length || others.length > 0) return undefined
  return Object.fromEntries(names.map((name, i) => [name, numbers[i]]))
}

/** A number, of meters also with a unit. */
function numberWritten(text: string): number | undefined {
  const [, digits = '', unit] = /^([-+\d.eE]{1,40})\s?(k?m)?$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === '' || !Number.isFinite(number)) return undefined
  return unit === 'km' ? number * 1_000 : number
}
