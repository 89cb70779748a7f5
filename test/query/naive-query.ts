import type { GeoArea } from '../../src/geo/area.ts'
import type { Bound, Query, Range } from '../../src/query/query.ts'

type Json = unknown

const searched = ['title', 'desc', 'variants.name']
const asText = (value: Json): string[] =>
  ['string', 'number', 'boolean'].includes(typeof value) ? [String(value)] : []

/** Values at a path, lists opened. */
function at(value: Json, path: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap(one => at(one, path))
  if (path.length === 0) return value === undefined ? [] : [value]
  return typeof value === 'object' && value !== null ? at(Reflect.get(value, path[0]!), path.slice(1)) : []
}

const valuesOf = (document: Json, field: string): Json[] => at(document, field.split('.'))
const textsOf = (document: Json, field: string): string[][] =>
  valuesOf(document, field)
    .flatMap(asText)
    .map(text => text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
const wordsOf = (document: Json, field: string): string[] => textsOf(document, field).flat()

/** Whether a document of plain ASCII text is meant, read off the tree in the simplest way. */
export function naiveMatch(query: Query, document: Json): boolean {
  const anyText = (field: string | null, holds: (words: string[]) => boolean) =>
    (field === null ? searched : [field]).some(path => holds(wordsOf(document, path)))
  switch (query.kind) {
    case 'everything':
      return true
    case 'nothing':
      return false
    case 'every':
      return query.of.every(one => naiveMatch(one, document))
    case 'any':
      return query.of.some(one => naiveMatch(one, document))
    case 'not':
      return !naiveMatch(query.of, document)
    case 'boosted':
      return naiveMatch(query.of, document)
    case 'word':
      return anyText(query.field, words => words.includes(query.word))
    case 'words':
      return (query.field === null ? searched : [query.field]).some(path =>
        textsOf(document, path).some(words =>
          words.some((_, start) => {
            const window = words.slice(start, start + query.words.length + query.slop)
            return isSubsequence(query.words, window)
          }),
        ),
      )
    case 'pattern': {
      const form = new RegExp(`^${query.pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
      return anyText(query.field, words => words.some(word => form.test(word)))
    }
    case 'near':
      return anyText(query.field, words => words.some(word => edits(word, query.word) <= query.edits))
    case 'value':
      return valuesOf(document, query.field).some(value => isSame(value, query.value, query.field))
    case 'contains':
      return valuesOf(document, query.field).some(
        value => String(value).includes(query.text) && typeof value === 'string',
      )
    case 'exists':
      return valuesOf(document, query.field).some(isThere)
    case 'range':
      return inRange(query, document)
    case 'inside':
      return pointsOf(document, query.field).some(([lat, lon]) => isInside(lat!, lon!, query.area))
  }
}

function pointsOf(document: Json, field: string): number[][] {
  const numbers = (...names: string[]) =>
    names
      .flatMap(name => valuesOf(document, `${field}.${name}`))
      .map(value => (typeof value === 'string' ? Number.parseFloat(value) : value))
      .filter((value): value is number => typeof value === 'number' && !Number.isNaN(value))
  const [lats, lons] = [numbers('lat'), numbers('lon', 'lng')]
  if (lats.length !== lons.length) return []
  return lats.map((lat, i) => [lat, lons[i]!]).filter(([lat]) => Math.abs(lat!) <= 90)
}

/** On a sphere of vectors, and on maps that repeat themselves to the left and to the right. */
export function isInside(lat: number, lon: number, area: GeoArea): boolean {
  if (area.shape === 'within') {
    const [a, b] = [vector(lat, lon), vector(area.lat, area.lon)]
    const chord = Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!)
    return 2 * 6_371_008.8 * Math.asin(Math.min(1, chord / 2)) <= area.meters
  }
  const copies = Array.from({ length: 9 }, (_, i) => lon + 360 * (i - 4))
  if (area.shape === 'box') {
    const { south, west, north } = area
    const east = area.east < west ? area.east + 360 : area.east
    if (lat < south || lat > north) return false
    return Math.abs(lat) === 90 || copies.some(x => x >= west && x <= east)
  }
  return area.rings.reduce((is, ring) => is !== isInRing(lat, copies, ring), false)
}

function vector(lat: number, lon: number): number[] {
  const [up, along] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
  return [Math.cos(up) * Math.cos(along), Math.cos(up) * Math.sin(along), Math.sin(up)]
}

/** Draws the ring without jumps; if it does not close, it goes on along the border of the map at its pole. */
function isInRing(
  lat: number,
  copies: readonly number[],
  ring: readonly { lat: number; lon: number }[],
): boolean {
  const corners: number[][] = [[ring[0]!.lon, ring[0]!.lat]]
  for (const { lat: y, lon } of [...ring.slice(1), ring[0]!]) {
    let x = lon
    const before = corners.at(-1)![0]!
    while (x - before >= 180) x -= 360
    while (x - before < -180) x += 360
    corners.push([x, y])
  }
  const turned = corners.at(-1)![0]! - corners[0]![0]!
  if (Math.abs(turned) > 180) {
    const pole = ring.reduce((sum, { lat: y }) => sum + y, 0) >= 0 ? 91 : -91
    corners.push([corners.at(-1)![0]!, pole], [corners[0]![0]!, pole])
  }
  const crossings = (x: number) =>
    corners.filter(([x1, y1], i) => {
      const [x2, y2] = corners[(i + 1) % corners.length]!
      return x1! <= x !== x2! <= x && y1! + ((y2! - y1!) * (x - x1!)) / (x2! - x1!) > lat
    }).length
  return copies.filter(x => crossings(x) % 2 === 1).length % 2 === 1
}

const isSubsequence = (wanted: readonly string[], words: readonly string[]): boolean => {
  let reached = 0
  for (const word of words) if (word === wanted[reached]) reached++
  return reached === wanted.length
}

const isThere = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(isThere) : value !== null

const isSame = (value: Json, given: Json, field: string): boolean =>
  value === given || (field === 'price' && typeof given === 'number' && value === String(given))

function inRange(range: Range, document: Json): boolean {
  if (range.over === 'words')
    return (range.field === null ? searched : [range.field])
      .flatMap(field => wordsOf(document, field))
      .some(word => isBetween(word, range.from, range.to))
  const values = valuesOf(document, range.field)
  if (range.over === 'texts')
    return values.some(value => typeof value === 'string' && isBetween(value, range.from, range.to))
  const numbers = values.map(value => (range.over === 'times' ? Date.parse(String(value)) : Number(value)))
  return numbers.some((number, i) => values[i] !== null && isBetween(number, range.from, range.to))
}

const isBetween = <V extends string | number>(
  value: V,
  from: Bound<V> | null,
  to: Bound<V> | null,
): boolean =>
  (from === null || (from.inclusive ? value >= from.value : value > from.value)) &&
  (to === null || (to.inclusive ? value <= to.value : value < to.value))

/** Optimal string alignment, as a table. */
export function edits(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(change, table[i - 1]![j]! + 1, table[i]![j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, table[i - 2]![j - 2]! + 1)
      table[i]![j] = least
    }
  }
  return table[a.length]![b.length]!
}
