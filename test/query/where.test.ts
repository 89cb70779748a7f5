import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../src/query/parser.ts'
import { printQuery } from '../../src/query/print.ts'
import { whereQuery } from '../../src/query/where.ts'
import { compileCondition } from './compiled.ts'
import { documents } from './queries.ts'
import { openShop, shop } from './shop.ts'

type Json = unknown

function nestedLists(depth: number): object {
  let where: object = { price: 5 }
  for (let level = 0; level < depth; level++) where = { or: [where] }
  return where
}

interface Given {
  eq?: Json
  ne?: Json
  gt?: string | number
  gte?: string | number
  lt?: string | number
  lte?: string | number
  in?: Json[]
  nin?: Json[]
  between?: [string | number, string | number]
  exists?: boolean
  contains?: string
  startsWith?: string
}

const scalars = [0.5, 2.5, true, false, null, 'lamp', 'red lamp', 'Red LAMP', '', '5', -1, 0, 3, 5] as const
const bounds = [-2, 0, 2.5, 5, '', 'lamp', 'm', 'red'] as const
const value = fc.constantFrom(...scalars)
const bound = fc.constantFrom(...bounds)
const member = fc.oneof(
  fc.record({ eq: value }),
  fc.record({ ne: value }),
  fc.record({ in: fc.array(value, { maxLength: 4 }) }),
  fc.record({ nin: fc.array(value, { maxLength: 4 }) }),
  fc.record({ between: fc.tuple(bound, bound) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ contains: fc.constantFrom('a', 'lamp', ' ', 'R') }),
  fc.record({ startsWith: fc.constantFrom('', 'l', 'red', 'Red L') }),
  fc.record({ gt: bound }),
  fc.record({ gte: bound }),
  fc.record({ lt: bound }),
  fc.record({ lte: bound }),
)
const conditions = fc.oneof(
  value,
  member,
  fc.array(member, { minLength: 1, maxLength: 3 }).map((members): Given => Object.assign({}, ...members)),
)
const paths = fc.constantFrom(
  'title',
  'brand',
  'price',
  'sold',
  'specs.color',
  'specs.weight',
  'variants.price',
)
const plain = fc
  .array(fc.tuple(paths, conditions), { minLength: 1, maxLength: 2 })
  .map(pairs => Object.fromEntries(pairs))
const wheres: fc.Arbitrary<Record<string, Json>> = fc.letrec<{ where: Record<string, Json> }>(tie => ({
  where: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    plain,
    fc
      .tuple(
        plain,
        fc.constantFrom('or', 'and', 'not'),
        fc.array(tie('where'), { minLength: 1, maxLength: 3 }),
      )
      .map(([where, how, list]) => ({ ...where, [how]: list })),
  ),
})).where

function isMeant(where: Record<string, Json>, document: Json): boolean {
  return Object.entries(where).every(([path, given]) => {
    if (!Array.isArray(given)) return holds(elements(document, path.split('.')), given)
    const each = given.map((one: Record<string, Json>) => isMeant(one, document))
    return path === 'or' ? each.includes(true) : path === 'and' ? !each.includes(false) : !each.includes(true)
  })
}

function elements(value: Json, path: readonly string[]): Json[] {
  if (Array.isArray(value)) return value.flatMap(one => elements(one, path))
  if (path.length === 0) return value === undefined ? [] : [value]
  return typeof value === 'object' && value !== null
    ? elements(Reflect.get(value, path[0]!), path.slice(1))
    : []
}

const isEqual = (found: Json[], given: Json): boolean =>
  given === null ? found.every(one => one === null) : found.includes(given)

/** Elements of lists by themselves: one of them must lie within all bounds of a kind. */
function holds(found: Json[], given: Json): boolean {
  if (typeof given !== 'object' || given === null) return isEqual(found, given)
  const { eq, ne, gt, gte, lt, lte, in: among, nin, between, exists, contains, startsWith } = given as Given
  const isText = (check: (text: string) => boolean) =>
    found.some(one => typeof one === 'string' && check(one))
  if (nin?.some(one => isEqual(found, one))) return false
  if (between && !holds(found, { gte: between[0], lte: between[1] })) return false
  if (exists !== undefined && exists === isEqual(found, null)) return false
  if (contains !== undefined && !isText(text => text.includes(contains))) return false
  if (startsWith !== undefined && !isText(text => text.startsWith(startsWith))) return false
  if (eq !== undefined && !isEqual(found, eq)) return false
  if (ne !== undefined && isEqual(found, ne)) return false
  if (among !== undefined && !among.some(one => isEqual(found, one))) return false
  const pairs: [Json, Json, Json, Json][] =
    gt !== undefined && gte !== undefined
      ? [
          [gt, undefined, lt, lt === undefined ? lte : undefined],
          [undefined, gte, undefined, lt === undefined ? undefined : lte],
        ]
      : lt !== undefined && lte !== undefined
        ? [
            [gt, gte, lt, undefined],
            [undefined, undefined, undefined, lte],
          ]
        : [[gt, gte, lt, lte]]
  return pairs.every(([above, from, below, to]) => {
    const ends = [above, from, below, to].filter(end => end !== undefined)
    return (
      ends.length === 0 ||
      found.some(
        one =>
          ends.every(end => typeof end === typeof one) &&
          (above === undefined || one! > above!) &&
          (from === undefined || one! >= from!) &&
          (below === undefined || one! < below!) &&
          (to === undefined || one! <= to!),
      )
    )
  })
}

describe('a where object', () => {
  it('matches the documents that its comparisons, written by hand, match', () => {
    let matching = 0
    fc.assert(
      fc.property(wheres, documents, (where, document) => {
        const matches = compileCondition(where, openShop, 'where')(document)
        expect(matches).toBe(isMeant(where, document))
        if (matches) matching++
      }),
      { numRuns: 2000 },
    )
    expect(matching).toBeGreaterThan(80)
  })

  it('is the same tree as the query string that it is printed as', () => {
    fc.assert(
      fc.property(wheres, where => {
        const query = whereQuery(where, openShop)
        expect(parseQuery(printQuery(query), openShop)).toEqual(query)
      }),
      { numRuns: 500 },
    )
  })

  const ofDates: [where: object, matching: boolean][] = [
    [{ released: '2024-02-10T12:00:00Z' }, true],
    [{ released: '2024-02-10' }, true],
    [{ released: '2024-02' }, true],
    [{ released: { ne: '2024' } }, false],
    [{ released: Date.parse('2024-02-10T12:00:00Z') }, true],
    [{ released: { gt: '2024-02-10' } }, false],
    [{ released: { gte: '2024-02-10' } }, true],
    [{ released: { lte: '2024-02-10' } }, true],
    [{ released: { lt: '2024-02-10' } }, false],
    [{ released: { gte: '2023', lt: '2024' } }, false],
    [{ released: { in: ['2023', '2024'] } }, true],
    [{ released: new Date('2024-02-10T12:00:00Z') }, true],
    [{ released: { gt: new Date('2024-02-10T12:00:00Z') } }, false],
    [{ released: { in: [new Date(0), new Date('2024-02-10T12:00:00Z')] } }, true],
    [{ extra: { gte: new Date('2024-02-10T12:00:00Z') } }, true],
    [{ checked: '29.02.2024' }, true],
    [{ checked: { gt: '28.02.2024', lt: '2024-03' } }, true],
  ]
  it.each(ofDates)('compares dates by time: %o matches: %s', (where, matching) => {
    const document = {
      released: '2024-02-10T12:00:00Z',
      checked: '29.02.2024',
      extra: '2024-03-10T12:00:00Z',
    }
    expect(compileCondition(where, shop, 'where')(document)).toBe(matching)
  })

  it('takes an empty list or object for no value, as null', () => {
    const none = [{}, { specs: null }, { specs: {} }, { specs: { color: null } }]
    for (const document of none) expect(compileCondition({ specs: null }, shop, 'where')(document)).toBe(true)
    expect(compileCondition({ colors: null }, shop, 'where')({ colors: [null, []] })).toBe(true)
    expect(compileCondition({ colors: { ne: null } }, shop, 'where')({ colors: ['red'] })).toBe(true)
    expect(compileCondition({ colors: null }, shop, 'where')({ colors: [null, 'red'] })).toBe(false)
  })

  const wrong: [where: object, field: string, message: RegExp][] = [
    [{ pric: 5 }, 'where', /^where is "pric"; expected one of the fields .*did you mean "price"/],
    [{ price: { gt: 'cheap' } }, 'where.price', /^where.price is "cheap"; expected a number$/],
    [{ title: { gt: 5 } }, 'where.title', /^where.title is 5; expected text$/],
    [{ sold: { gt: 5 } }, 'where.sold', /expected only eq, ne, in, nin and exists: sold has no order/],
    [
      { price: { gt: true } },
      'where.price.gt',
      /^where.price.gt is true; expected text, a number or a date$/,
    ],
    [{ price: { in: 5 } }, 'where.price.in', /^where.price.in is 5; expected a list/],
    [{ price: {} }, 'where.price', /^where.price is an object; expected text, a number/],
    [{ released: new Date(Number.NaN) }, 'where.released', /^where.released is a date; expected/],
    [{ released: 'soon' }, 'where.released', /^where.released is "soon"; expected a date/],
    [{ released: { lt: '30.02.2024' } }, 'where.released', /a date/],
    [{ brand: ['Uvex', 'Bosch'] }, 'where.brand', /expected \{ in: \[…\] \} for one of several values$/],
    [{ or: [] }, 'where.or', /^where.or is an empty list; expected a list of at least one condition$/],
    [{ or: [{ price: 5 }, { pric: 5 }] }, 'where.or[1]', /^where.or\[1\] is "pric"/],
    [{ not: [5] }, 'where.not[0]', /^where.not\[0\] is 5; expected an object/],
    [{ or: { price: 5 } }, 'where.or', /^where.or is an object; expected a list of at least one condition$/],
    [{ price: { between: [1] } }, 'where.price.between', /expected \[least, most\]/],
    [{ price: { contains: '5' } }, 'where.price', /no contains or startsWith, as price does not hold text$/],
    [{ title: { contains: '' } }, 'where.title.contains', /expected a text that is not empty$/],
    [{ title: { startswith: 'a' } }, 'where.title.startswith', /did you mean "?startsWith/],
    [{ price: { between: [1, 2], min: 3 } }, 'where.price.min', /did you mean "?gte/],
    [JSON.parse('{"__proto__": 5}'), 'where', /^where is "__proto__"; expected one of the fields/],
  ]
  it.each(wrong)('%o is refused by the field in question', (where, field, message) => {
    expect(() => compileCondition(where, shop, 'where')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ field }),
      }),
    )
  })
})

it.each([Promise.resolve(), new Map([['price', 3]]), new Date(), new Set([1])])(
  'refuses %o, which names no field',
  where => {
    expect(() => compileCondition(where, shop, 'where')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  },
)

it('refuses a list with a hole', () => {
  const holes: object[] = []
  holes[1] = { price: 3 }
  expect(() => compileCondition({ or: holes }, shop, 'where')).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  )
})

it('refuses lists within lists beyond 256', () => {
  expect(() => compileCondition(nestedLists(256), shop, 'where')).not.toThrow()
  expect(() => compileCondition(nestedLists(50_000), shop, 'where')).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/at most 256 lists within lists$/),
    }),
  )
})

describe('a field with the name of an operator', () => {
  it('is asked as any other', () => {
    const documents = [{ or: 5 }, { or: 6 }]
    const idsOf = (where: object) => documents.map(compileCondition(where, openShop, 'where'))
    expect(idsOf({ or: 5 })).toEqual([true, false])
    expect(idsOf({ or: { in: [6] } })).toEqual([false, true])
    expect(idsOf({ or: [{ or: 6 }] })).toEqual([false, true])
  })
})

describe('a list of conditions', () => {
  const broken = fc.constantFrom(
    'lamp) OR (red',
    'red OR (',
    '"open',
    '(',
    'OR',
    'lamp OR',
    '-lamp',
    'price:>1 OR lamp',
  )
  const single = fc.oneof(wheres, broken, fc.constantFrom('lamp', 'red OR lamp', 'NOT brand:acme'))
  const read = (given: unknown) => {
    try {
      return compileCondition(given, openShop, 'where')
    } catch {
      return undefined
    }
  }

  it('means what all of them mean, each read by itself', () => {
    fc.assert(
      fc.property(fc.array(single, { minLength: 1, maxLength: 3 }), documents, (all, document) => {
        const each = all.map(read)
        const whole = read(all)
        expect(whole === undefined).toBe(each.includes(undefined))
        if (whole) expect(whole(document)).toBe(each.every(one => one!(document)))
      }),
    )
  })

  it.each([[[]], [[['lamp']]], [[1]], [['lamp', null]]])('cannot be %j', given => {
    expect(() => compileCondition(given, openShop, 'where')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
