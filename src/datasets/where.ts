import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue } from '../input.ts'
import { type JsonObject, type JsonValue, valueAt } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'

type Comparable = string | number | boolean | null

/** All given comparisons must hold. Text is compared by code units and numbers by value; different types never match. */
export interface Comparison<V> {
  eq?: V
  ne?: V
  gt?: V
  gte?: V
  lt?: V
  lte?: V
  in?: readonly V[]
}

type Element<V> = V extends readonly (infer E)[] ? E : V

/**
 * A simple condition: every named field must match. A plain value means equality; a list in the document matches if one
 * of its elements does; dotted paths lead into objects; null also matches a field that is missing.
 */
export type Where<T> = {
  [K in keyof T & string]?: Element<NonNullable<T[K]>> | null | Comparison<Element<NonNullable<T[K]>>>
} & { [path: `${string}.${string}`]: Comparable | Comparison<Comparable> }

const comparable = z.union([z.string(), z.number(), z.boolean(), z.null()])
const comparison = z
  .strictObject({
    eq: comparable,
    ne: comparable,
    gt: comparable,
    gte: comparable,
    lt: comparable,
    lte: comparable,
    in: z.array(comparable),
  })
  .partial()
  // A comparison that lost its value would match everything, also in deleteWhere().
  .refine(given => {
    const values = Object.values(given)
    return values.length > 0 && !values.includes(undefined)
  })
const condition = z.union([comparable, comparison])

type Test = (value: JsonValue | undefined) => boolean

/** Compiles a predicate; INVALID_ARGUMENT names the condition that cannot be read. */
export function compileWhere(where: unknown): (document: JsonObject) => boolean {
  if (typeof where !== 'object' || where === null || Array.isArray(where)) throw unreadable('where', where)
  const tests: [string, Test][] = Object.entries(where).map(([path, given]) => {
    const parsed = condition.safeParse(given)
    if (!parsed.success) throw unreadable(`where.${path}`, given)
    return [path, compileCondition(parsed.data)]
  })
  return document => tests.every(([path, test]) => matches(valueAt(document, path), test))
}

const matches = (value: JsonValue | undefined, test: Test): boolean =>
  Array.isArray(value) ? value.some(test) : test(value)

function compileCondition(given: z.output<typeof condition>): Test {
  if (typeof given !== 'object' || given === null) return value => equal(value, given)
  const tests: Test[] = []
  const { eq, ne, gt, gte, lt, lte, in: among } = given
  if (eq !== undefined) tests.push(value => equal(value, eq))
  if (ne !== undefined) tests.push(value => !equal(value, ne))
  if (gt !== undefined) tests.push(value => compares(value, gt, (a, b) => a > b))
  if (gte !== undefined) tests.push(value => compares(value, gte, (a, b) => a >= b))
  if (lt !== undefined) tests.push(value => compares(value, lt, (a, b) => a < b))
  if (lte !== undefined) tests.push(value => compares(value, lte, (a, b) => a <= b))
  if (among !== undefined) tests.push(value => among.some(one => equal(value, one)))
  return value => tests.every(test => test(value))
}

const equal = (value: JsonValue | undefined, given: Comparable): boolean => (value ?? null) === given

/** Texts compare with texts and numbers with numbers; nothing else has an order. */
function compares(
  value: JsonValue | undefined,
  given: Comparable,
  holds: (value: string | number, given: string | number) => boolean,
): boolean {
  if (typeof value === 'string' && typeof given === 'string') return holds(value, given)
  return typeof value === 'number' && typeof given === 'number' && holds(value, given)
}

const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in']

/** What they are called elsewhere: their names are too short to be recognised by their letters. */
const otherNames = new Map<string, string>(
  Object.entries({ equals: 'eq', is: 'eq', not: 'ne', neq: 'ne', above: 'gt', ge: 'gte', min: 'gte' }).concat(
    Object.entries({ below: 'lt', le: 'lte', max: 'lte', oneof: 'in', any: 'in' }),
  ),
)

function unreadable(field: string, given: unknown): FindlingError {
  const names = typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.keys(given) : []
  const unknown = field === 'where' ? undefined : names.find(name => !operators.includes(name))
  if (unknown !== undefined) return unknownOperator(`${field}.${unknown}`, unknown)
  const expected =
    field === 'where'
      ? 'an object with a condition for each field'
      : `text, a number, true, false, null, or an object with ${operators.join(', ')}`
  const received = describeValue(given)
  return new FindlingError('INVALID_ARGUMENT', `${field} is ${received}; expected ${expected}`, {
    field,
    received,
    expected,
  })
}

function unknownOperator(field: string, name: string): FindlingError {
  const received = describeValue(name)
  const bare = name.replace(/^\$/, '').toLowerCase()
  const meant = operators.find(one => one === bare) ?? otherNames.get(bare)
  const expected = `${operators.join(', ')}${meant ? didYouMean(meant, operators) : ''}`
  const message = `${field.slice(0, 200)} is not an operator; expected one of ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field: field.slice(0, 200), received, expected })
}
