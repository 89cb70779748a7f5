import type { GeoArea } from '../geo/area.ts'
import { numberIn } from './fields.ts'
import { type Every, isOptional, type Leaf, type Query, type Range } from './query.ts'

/** Precedence levels: what binds less closely than its surroundings is put in brackets. */
const clausesLevel = 0
const anyLevel = 1
const everyLevel = 2
const oneLevel = 3

/** The query as text, which `parseQuery` reads back as the same tree. */
export function printQuery(query: Query): string {
  return printed(query, clausesLevel)
}

function printed(query: Query, level: number): string {
  switch (query.kind) {
    case 'everything':
      return '*:*'
    case 'nothing':
      return 'NOT *:*'
    case 'any':
      return bracketed(query.of.map(one => printed(one, everyLevel)).join(' OR '), level > anyLevel)
    case 'every':
      return printedEvery(query, level)
    case 'not':
      return `NOT ${printed(query.of, oneLevel)}`
    case 'boosted':
      return `${printed(query.of, oneLevel)}^${query.by}`
    default:
      return printedLeaf(query)
  }
}

const bracketed = (text: string, isInner: boolean): string => (isInner ? `(${text})` : text)

/** With a plus before required members, where others are optional. */
function printedEvery({ of }: Every, level: number): string {
  const optional = of.at(-1)!
  const others = of.slice(0, -1)
  if (!isOptional(optional) || others.every(({ kind }) => kind === 'not'))
    return bracketed(of.map(one => printed(one, oneLevel)).join(' AND '), level > everyLevel)
  const needed = others.map(one =>
    one.kind === 'not' ? `-${printed(one.of, oneLevel)}` : `+${printed(one, oneLevel)}`,
  )
  const wanted = optional.of.slice(0, -1).map(one => bracketed(printed(one, oneLevel), one.kind === 'not'))
  return bracketed([...needed, ...wanted].join(' '), level > clausesLevel)
}

function printedLeaf(leaf: Leaf): string {
  const field = leaf.field === null ? '' : `${escapedName(leaf.field)}:`
  switch (leaf.kind) {
    case 'word':
      return field + (isLiteral(leaf.word) ? quoted(leaf.word) : leaf.word)
    case 'words':
      return `${field}${quoted(leaf.words.join(' '))}${leaf.slop > 0 ? `~${leaf.slop}` : ''}`
    case 'pattern':
      return field + leaf.pattern
    case 'near':
      return `${field}${leaf.word}~${leaf.edits}`
    case 'value':
      return `${field}=${typeof leaf.value === 'string' ? quoted(leaf.value) : leaf.value}`
    case 'contains':
      return `${escapedName(leaf.field).replace(/^(?:AND|OR|NOT)$/, '\\$&')} CONTAINS ${quoted(leaf.text)}`
    case 'exists':
      return `_exists_:${escapedName(leaf.field)}`
    case 'range':
      return field + printedRange(leaf)
    case 'inside':
      return field + printedArea(leaf.area)
  }
}

function printedArea(area: GeoArea): string {
  switch (area.shape) {
    case 'within':
      return `within(${area.lat}, ${area.lon}, ${area.meters})`
    case 'box':
      return `box(${area.south}, ${area.west}, ${area.north}, ${area.east})`
    case 'polygon':
      return `polygon(${area.rings.map(ring => ring.map(({ lat, lon }) => `${lat}, ${lon}`).join(', ')).join('; ')})`
  }
}

/** Without quotes it would be a number or a boolean in a field of type `any`. */
const isLiteral = (word: string): boolean =>
  word === 'true' || word === 'false' || numberIn(word) !== undefined

function printedRange({ over, from, to }: Range): string {
  const shown = (value: string | number) =>
    typeof value === 'string' ? quoted(value) : over === 'times' ? printedTime(value) : String(value)
  const begin = from ? `${from.inclusive ? '[' : '{'}${shown(from.value)}` : '[*'
  const end = to ? `${shown(to.value)}${to.inclusive ? ']' : '}'}` : '*]'
  return `${over === 'texts' ? '=' : ''}${begin} TO ${end}`
}

/** Times outside the years of the short ISO 8601 form are printed as milliseconds. */
function printedTime(time: number): string {
  const text = new Date(time).toISOString()
  return text.length === 24 ? text : String(time)
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

const escapedName = (name: string): string => name.replace(/[\s+\-!(){}[\]^"~*?:\\<>=&|]/g, '\\$&')
