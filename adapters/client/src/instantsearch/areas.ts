import { fieldText } from './conditions.ts'
import { refused } from './request.ts'

/** The numbers of `insideBoundingBox`, `insidePolygon` and the like: one list or several, or a text with commas. */
export function numberLists(value: unknown, name: string): number[][] {
  const lists = typeof value === 'string' ? [value.split(',')] : value
  if (!Array.isArray(lists)) throw refused(name, 'expected a list of numbers, or a list of such lists')
  const rows: unknown[][] = lists.every(Array.isArray) ? lists : [lists]
  return rows.map(row =>
    row.map(one => {
      const number = typeof one === 'string' && one.trim() !== '' ? Number(one) : one
      if (typeof number !== 'number' || !Number.isFinite(number))
        throw refused(name, `expected numbers, received ${String(one).slice(0, 50)}`)
      return number
    }),
  )
}

/** The areas that a request names, any of which may hold a hit, as conditions on a field. */
export function areaConditions(
  field: string,
  boxes: readonly number[][],
  polygons: readonly number[][],
): string[] {
  const name = fieldText(field)
  return [
    ...boxes.map(numbers => `${name}:box(${boxOf(numbers).join(', ')})`),
    ...polygons.map(numbers => `${name}:polygon(${cornersOf(numbers).join(', ')})`),
  ]
}

/** From any two opposite corners; longitudes more than half a turn apart are those of a box across 180 degrees. */
function boxOf(numbers: readonly number[]): number[] {
  const [lat1, lng1, lat2, lng2, ...more] = numbers
  if (lat1 === undefined || lng1 === undefined || lat2 === undefined || lng2 === undefined || more.length > 0)
    throw refused(
      'insideBoundingBox',
      'expected four numbers for each box: latitude, longitude, latitude, longitude',
    )
  const [least, most] = [Math.min(lng1, lng2), Math.max(lng1, lng2)]
  const [west, east] = most - least > 180 ? [most, least] : [least, most]
  return [Math.min(lat1, lat2), west, Math.max(lat1, lat2), east]
}

function cornersOf(numbers: readonly number[]): readonly number[] {
  if (numbers.length < 6 || numbers.length % 2 === 1)
    throw refused(
      'insidePolygon',
      'expected six or more numbers for each polygon: latitude, longitude, and so on',
    )
  return numbers
}
