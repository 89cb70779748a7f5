import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import type { GeoArea } from '../geo/area.ts'
import type { GeoPoint } from '../geo/point.ts'
import { describeValue, invalid, problem } from '../input.ts'
import { isObject } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { areaOperands, expectedAreas } from './areas.ts'
import { bounded, ClauseCounter, checkNumber, checkValues, deepestQuery } from './bounds.ts'
import { knownFields, type QueryFields, type QueryFieldType } from './fields.ts'
import { areaLeaf, beginningWith, type Scope } from './leaves.ts'
import { any, type Bound, every, not, nothing, type Query } from './query.ts'

/** A field, and how errors name the object. */
type Place = Scope & { readonly what: string }

type Comparable = string | number | boolean | null

/**
 * All given comparisons must hold. Text is compared as a whole and by code units, numbers by value, dates by time; values
 * of different types never match. `ne` is the opposite of `eq`.
 */
export interface Comparison<V> {
  eq?: V
  ne?: V
  gt?: V
  gte?: V
  lt?: V
  lte?: V
  in?: readonly V[]
  /** None of these. */
  nin?: readonly V[]
  /** From the first to the second, both inclusive. */
  between?: readonly [V, V]
  /** Whether the field has a value: not null, nor an empty list or object. */
  exists?: boolean
  /** A text that contains these characters; case-sensitive. */
  contains?: string
  /** A text with this prefix; case-sensitive. */
  startsWith?: string
  /** A point at most this many meters away. Points are objects `{ lat, lon }` in degrees, or with `lng`, in lists as well. */
  within?: GeoPoint & { meters: number }
  /** A point between two latitudes and, going east, two longitudes; the box may cross 180 degrees. */
  box?: { south: number; west: number; north: number; east: number }
  /** A point in a polygon of at most 1,000 corners: a list of these, or a list of rings, of which inner ones are holes. */
  polygon?: readonly GeoPoint[] | readonly (readonly GeoPoint[])[]
}

/**
 * Combined conditions: at least one must match, all must, none may. Always a list, so that a field with such a name can
 * still be queried like any other.
 */
type Together<T> = { [K in 'or' | 'and' | 'not' as K extends keyof T ? never : K]?: readonly Where<T>[] }

type Element<V> = V extends readonly (infer E)[] ? Sought<E> : Sought<V>

/** Documents hold dates as ISO text. */
type Sought<V> = V extends Date ? V | string : V extends string ? V | Date : V

/**
 * A simple condition: every named field must match. A plain value means equality; a list in the document matches if one
 * of its elements does; dotted paths lead into objects and lists of them; null matches a field that has no value: one
 * that is missing or null, or an empty list or object. A date field is compared with a date: `2024-05` is all of May. A
 * `Date` stands for its ISO text, as it does in documents.
 */
export type Where<T> = {
  [K in keyof T & string]?: Element<NonNullable<T[K]>> | null | Comparison<Element<NonNullable<T[K]>>>
} & { [path: `${string}.${string}`]: Comparable | Date | Comparison<Comparable | Date> } & Together<T>

const moment = z.date().transform(date => date.toISOString())
const comparable = z.union([z.string(), z.number(), z.boolean(), z.null(), moment])
const ordered = z.union([z.string(), z.number(), moment])
const operands = {
  eq: comparable,
  ne: comparable,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: z.array(comparable),
  nin: z.array(comparable),
  between: z.tuple([ordered, ordered]),
  exists: z.boolean(),
  contains: z.string().min(1),
  startsWith: z.string(),
  ...areaOperands,
}
const comparison = z
  .strictObject(operands)
  .partial()
  // A comparison whose value got lost would match everything, in deleteWhere() as well.
  .refine(given => {
    const values = Object.values(given)
    return values.length > 0 && !values.includes(undefined)
  })
const condition = z.union([comparable, comparison])
type Given = Exclude<z.output<typeof condition>, Comparable>

/** @throws FindlingError INVALID_ARGUMENT naming the condition that cannot be read, or the unknown field */
export const whereQuery = (where: unknown, fields: QueryFields, what = 'where'): Query =>
  atOnce(readingWhere(where, fields, what))

/** The same piece by piece. */
export function* readingWhere(where: unknown, fields: QueryFields, what: string): Generator<void, Query> {
  const query = yield* new WhereReader(fields, what).read(where)
  return bounded(query, fields, what, 'INVALID_ARGUMENT')
}

/** Number of members read without a pause. */
const AT_ONCE = 256

class WhereReader {
  readonly #fields: QueryFields
  readonly #what: string
  readonly #tally: ClauseCounter
  #read = 0

  constructor(fields: QueryFields, what: string) {
    this.#fields = fields
    this.#what = what
    this.#tally = new ClauseCounter(fields, what, 'INVALID_ARGUMENT')
  }

  *read(where: unknown, what = this.#what, depth = 0): Generator<void, Query> {
    if (!isObject(where) || isEmptyInstance(where)) throw unreadable(what, where, true)
    const members = Object.entries(where)
    checkNumber(members.length, what)
    const queries: Query[] = []
    for (const [path, given] of members)
      if (Object.hasOwn(together, path) && Array.isArray(given))
        queries.push(yield* this.#list(path as keyof typeof together, given, what, depth))
      else queries.push(yield* this.#member(path, given, what))
    return every(queries)
  }

  *#member(path: string, given: unknown, what: string): Generator<void, Query> {
    const query = memberQuery(path, given, this.#fields, what)
    this.#tally.take(query)
    if (++this.#read % AT_ONCE === 0) yield
    return query
  }

  *#list(
    how: keyof typeof together,
    given: readonly unknown[],
    what: string,
    depth: number,
  ): Generator<void, Query> {
    const name = `${what}.${how}`
    if (given.length === 0) throw notReadable(name, given, aList)
    if (depth === deepestQuery) throw notReadable(name, given, `at most ${deepestQuery} lists within lists`)
    checkNumber(given.length, name, how === 'or')
    const queries: Query[] = []
    for (const [i, one] of given.entries()) queries.push(yield* this.read(one, `${name}[${i}]`, depth + 1))
    return together[how](queries)
  }
}

/** A promise that was not awaited, a Map, a Date: read as an object without conditions, it would match everything. */
function isEmptyInstance(where: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(where)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return !isPlain && Object.keys(where).length === 0
}

function memberQuery(path: string, given: unknown, fields: QueryFields, what: string): Query {
  const field = fields.find(path)
  if (Object.hasOwn(together, path) && (!field || isWhere(given)))
    throw notReadable(`${what}.${path}`, given, aList)
  if (isObject(given))
    for (const name of ['in', 'nin'] as const) {
      const among = given[name]
      if (Array.isArray(among)) checkValues(among.length, `${what}.${path}.${name}`)
    }
  const read = isSimple(given) ? given : condition.safeParse(given).data
  if (read === undefined) throw unreadable(`${what}.${path}`, given, false)
  if (!field) throw invalid('INVALID_ARGUMENT', '', [problem(what, path, knownFields(path, fields))])
  return fieldQuery({ name: path, field, what }, read, fields)
}

/** An object that names fields, not operators. */
const isWhere = (given: unknown): boolean =>
  isObject(given) &&
  Object.keys(given).length > 0 &&
  !Object.keys(given).some(name => Object.hasOwn(operands, name))

const aList = 'a list of at least one condition'

const together = {
  or: any,
  and: every,
  not: (of: readonly Query[]) => every(of.map(not)),
}

/** The form of most conditions, which needs no schema to be read. */
const isSimple = (given: unknown): given is Comparable =>
  typeof given === 'string' || typeof given === 'boolean' || Number.isFinite(given)

function fieldQuery(scope: Place, given: Comparable | Given, fields: QueryFields): Query {
  if (typeof given !== 'object' || given === null) return equal(scope, given)
  const { eq, ne, gt, gte, lt, lte, in: among, nin, between: ends, exists, contains, startsWith } = given
  const { within, box, polygon } = given
  const queries: Query[] = []
  if (eq !== undefined) queries.push(equal(scope, eq))
  if (ne !== undefined) queries.push(not(equal(scope, ne)))
  if (among !== undefined) queries.push(any(among.map(value => equal(scope, value))))
  if (nin !== undefined) queries.push(not(any(nin.map(value => equal(scope, value)))))
  if (ends !== undefined) queries.push(between(scope, bound(ends[0], true), bound(ends[1], true)))
  if (exists !== undefined) queries.push(exists ? not(equal(scope, null)) : equal(scope, null))
  if (contains !== undefined)
    queries.push(textual(scope, { kind: 'contains', field: scope.name, text: contains }))
  if (startsWith !== undefined) queries.push(textual(scope, beginningWith(scope.name, startsWith)))
  for (const area of [within, box, polygon])
    if (area) queries.push(areaLeaf(scope, area, fields, refusing(scope, area)))
  const from = [bound(gt, false), bound(gte, true)].filter(one => one !== undefined)
  const to = [bound(lt, false), bound(lte, true)].filter(one => one !== undefined)
  for (let i = 0; i < Math.max(from.length, to.length); i++) queries.push(between(scope, from[i], to[i]))
  return every(queries)
}

const refusing =
  ({ what, name }: Place, { shape }: GeoArea) =>
  (expected: string): never => {
    throw invalid('INVALID_ARGUMENT', '', [problem(`${what}.${name}`, shape, expected)])
  }

type WhereBound = Bound<string | number>

const bound = (value: string | number | undefined, inclusive: boolean): WhereBound | undefined =>
  value === undefined ? undefined : { value, inclusive }

/** A condition that only texts can meet. */
function textual(scope: Place, query: Query): Query {
  const { type } = scope.field
  if (type === 'text' || type === 'any') return query
  throw invalid('INVALID_ARGUMENT', '', [
    problem(
      `${scope.what}.${scope.name}`,
      query.kind === 'contains' ? query.text : '',
      type === 'vector' ? ordering(scope) : `no contains or startsWith, as ${scope.name} does not hold text`,
    ),
  ])
}

function equal(scope: Place, value: Comparable): Query {
  const { name, field } = scope
  if (value === null) return not({ kind: 'exists', field: name })
  if (field.type === 'vector') throw unfit(scope, value, ordering(scope))
  if (field.type !== 'date' || typeof value === 'boolean') return { kind: 'value', field: name, value }
  const whole = { value, inclusive: true }
  return between(scope, whole, whole)
}

/** Both ends of one range: of a list, one element must lie between both. */
function between(scope: Place, from: WhereBound | undefined, to: WhereBound | undefined): Query {
  const { name, field } = scope
  const range = { kind: 'range', field: name } as const
  if (field.type === 'date')
    return { ...range, over: 'times', from: timeBound(scope, from, false), to: timeBound(scope, to, true) }
  for (const end of [from, to])
    if (end && !fits(field.type, end)) throw unfit(scope, end.value, ordering(scope))
  const ends = [from, to].filter(end => end !== undefined)
  if (ends.every(isNumeric)) return { ...range, over: 'numbers', from: numeric(from), to: numeric(to) }
  return ends.some(isNumeric)
    ? nothing
    : { ...range, over: 'texts', from: textBound(from), to: textBound(to) }
}

const fits = (type: QueryFieldType, end: WhereBound): boolean =>
  type === 'any' || type === (isNumeric(end) ? 'number' : 'text')

const ordering = ({ name, field: { type } }: Place): string =>
  type === 'number'
    ? 'a number'
    : type === 'text'
      ? 'text'
      : type === 'vector'
        ? `only exists: ${name} holds vectors`
        : `only eq, ne, in, nin and exists: ${name} has no order`

const isNumeric = ({ value }: WhereBound): boolean => typeof value === 'number'

const numeric = (end: WhereBound | undefined): Bound<number> | null =>
  end ? { value: Number(end.value), inclusive: end.inclusive } : null

const textBound = (end: WhereBound | undefined): Bound<string> | null =>
  end ? { value: String(end.value), inclusive: end.inclusive } : null

/** After 2024 means after its end, and before 2024 before its beginning. */
function timeBound(scope: Place, end: WhereBound | undefined, isTo: boolean): Bound<number> | null {
  if (!end) return null
  const { value, inclusive } = end
  const time = scope.field.moment?.(String(value), inclusive === isTo)
  if (time === undefined)
    throw unfit(scope, value, `a date such as 2024-05-31, or in the format of ${scope.name}`)
  return { value: time, inclusive }
}

const unfit = ({ name, what }: Place, value: string | number | boolean, expected: string): FindlingError =>
  invalid('INVALID_ARGUMENT', '', [problem(`${what}.${name}`, value, expected)])

const operators = Object.keys(operands) as (keyof typeof operands)[]

/** Operator names of other languages, which are too short to be recognized by their letters. */
const otherNames = new Map<string, string>(
  Object.entries({
    notin: 'nin',
    range: 'between',
    has: 'contains',
    includes: 'contains',
    prefix: 'startsWith',
    near: 'within',
    radius: 'within',
    boundingbox: 'box',
  }).concat(
    Object.entries({
      equals: 'eq',
      is: 'eq',
      not: 'ne',
      neq: 'ne',
      above: 'gt',
      ge: 'gte',
      min: 'gte',
    }).concat(Object.entries({ below: 'lt', le: 'lte', max: 'lte', oneof: 'in', any: 'in' })),
  ),
)

/** What other languages call the members that join conditions. */
const joints = new Map([
  ...['$or', 'should', 'any_of', 'anyof'].map(name => [name, 'or'] as const),
  ...['$and', 'must', 'all_of', 'allof'].map(name => [name, 'and'] as const),
  ...['$not', '$nor', 'must_not', 'mustnot', 'nor'].map(name => [name, 'not'] as const),
  ...['or', 'and', 'not'].map(name => [name, name] as const),
])

/** ` (conditions are joined by or)` if the member at the end of the path means that elsewhere. */
function jointMeant(field: string): string {
  const joint = joints.get(field.slice(field.lastIndexOf('.') + 1).toLowerCase())
  return joint ? ` (conditions are joined by ${joint})` : ''
}

const simple = 'text, a number, true, false, null or a date'
const inOrder = 'text, a number or a date'
const simpleList = `a list of which each entry is ${simple}`
const expectedOf: Record<keyof typeof operands, string> = {
  ...{ eq: simple, ne: simple, in: simpleList, nin: simpleList },
  ...{
    gt: inOrder,
    gte: inOrder,
    lt: inOrder,
    lte: inOrder,
    between: `[least, most], both of which are ${inOrder}`,
  },
  ...{ exists: 'true or false', contains: 'a text that is not empty', startsWith: 'a text' },
  ...expectedAreas,
}

function unreadable(field: string, given: unknown, isWhole: boolean): FindlingError {
  if (isWhole) return notReadable(field, given, 'an object with a condition for each field')
  const joint = jointMeant(field)
  if (Array.isArray(given)) return notReadable(field, given, `{ in: […] } for one of several values${joint}`)
  const compared = isObject(given) ? given : {}
  const unknown = Object.keys(compared).find(name => !operators.some(operator => operator === name))
  if (unknown !== undefined) return unknownOperator(`${field}.${unknown}`, unknown, joint)
  for (const [name, value] of Object.entries(compared)) {
    if (operands[name as keyof typeof operands].safeParse(value).success) continue
    return notReadable(`${field}.${name}`, value, expectedOf[name as keyof typeof operands])
  }
  const expected = `text, a number, true, false, null, a date, or an object with ${operators.join(', ')}`
  return notReadable(field, given, expected)
}

function notReadable(where: string, given: unknown, expected: string): FindlingError {
  const field = where.slice(0, 200)
  const received = describeValue(given)
  const message = `${field} is ${received}; expected ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field, received, expected })
}

function unknownOperator(field: string, name: string, joint: string): FindlingError {
  const received = describeValue(name)
  const bare = name.replace(/^\$/, '').toLowerCase()
  const meant: string | undefined = operators.find(one => one.toLowerCase() === bare) ?? otherNames.get(bare)
  const expected = `${operators.join(', ')}${joint || (meant ? didYouMean(meant, operators) : '')}`
  const message = `${field.slice(0, 200)} is not an operator; expected one of ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field: field.slice(0, 200), received, expected })
}
