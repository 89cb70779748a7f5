import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FindlingError } from '../src/errors.ts'
import {
  isJsonObject,
  isWithin,
  type JsonObject,
  type JsonValue,
  mergeDeep,
  toJsonObject,
  valueAt,
} from '../src/json.ts'
import { anyCharacter } from './any-character.ts'

const parse = (text: string) => JSON.parse(text) as JsonObject // every text here holds an object
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', 'b'),
)
const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e6, max: 1e6, noNaN: true })),
    fc.string({ unit: anyCharacter }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('value')), { maxLength: 5 })
    .map(members => Object.fromEntries<JsonValue>(members)),
}))

function refusal(value: unknown): FindlingError {
  try {
    toJsonObject(value)
  } catch (error) {
    if (error instanceof FindlingError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('toJsonObject', () => {
  it('equals a round trip through JSON text, whatever the names', () => {
    fc.assert(
      fc.property(object, value => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(toJsonObject(value))).toBe(text)
        expect(toJsonObject(value)).toEqual(parse(text))
      }),
    )
  })

  it('keeps __proto__ and constructor as ordinary members', () => {
    const copy = toJsonObject(parse('{"__proto__":{"polluted":1},"constructor":2}'))
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(Reflect.get(copy, 'polluted')).toBeUndefined()
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":1},"constructor":2}')
  })

  it('shares nothing with what was given', () => {
    const given = { list: [{ n: 1 }], inner: { n: 1 } }
    const copy = toJsonObject(given)
    given.list[0]!.n = 2
    given.inner.n = 2
    expect(copy).toEqual({ list: [{ n: 1 }], inner: { n: 1 } })
  })

  it('leaves out undefined members and writes a Date as ISO text', () => {
    const given = { a: undefined, at: new Date(Date.UTC(2016, 1, 29)) }
    expect(toJsonObject(given)).toEqual({ at: '2016-02-29T00:00:00.000Z' })
    expect(Object.keys(toJsonObject(given))).toEqual(['at'])
  })

  it('accepts objects without prototype, -0 as 0, lone surrogates and NUL in text', () => {
    const bare: unknown = Object.assign(Object.create(null), { zero: -0, text: '\ud800\0' })
    expect(toJsonObject(bare)).toEqual({ zero: 0, text: '\ud800\0' })
  })

  const cyclic: Record<string, unknown> = { left: 1 }
  cyclic.right = { again: cyclic }
  const nested = (levels: number): JsonObject => parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  class Money {
    readonly amount = 1
    readonly #secret = 2
    get doubled() {
      return this.amount * this.#secret
    }
  }
  class Node {
    self: unknown = this
  }
  const holes: unknown[] = [1, 2]
  delete holes[0]

  const refused: [string, unknown, string][] = [
    ['text at the top', 'x', ''],
    ['a list at the top', [{}], ''],
    ['null at the top', null, ''],
    ['undefined at the top', undefined, ''],
    ['NaN', { a: { b: Number.NaN } }, 'a.b'],
    ['infinity', { a: [1, Number.NEGATIVE_INFINITY] }, 'a[1]'],
    ['a bigint', { a: 1n }, 'a'],
    ['a function', { a: () => 1 }, 'a'],
    ['what toJSON makes no object of', { toJSON: () => 1 }, ''],
    ['what toJSON makes nothing of', { a: { toJSON: () => undefined } }, 'a'],
    ['what toJSON makes a Map of', { a: { toJSON: () => new Map() } }, 'a'],
    ['a toJSON that fails', { a: { toJSON: () => nested(1).b!.toString() } }, 'a'],
    ['a symbol', { a: Symbol('x') }, 'a'],
    ['a method among the members', { price: new Money(), pay: () => 1 }, 'pay'],
    ['a Map at the top', new Map([['id', 1]]), ''],
    ['a promise', { a: Promise.resolve(1) }, 'a'],
    ['bytes at the top', Buffer.from('x'), ''],
    ['a Map', { a: new Map() }, 'a'],
    ['bytes', { a: new Uint8Array(2) }, 'a'],
    ['a boxed text', { a: Object('x') }, 'a'],
    ['an invalid date', { at: new Date('x') }, 'at'],
    ['undefined in a list', { a: [undefined] }, 'a[0]'],
    ['a hole in a list', { a: holes }, 'a[0]'],
  ]
  it.each(refused)('refuses %s and names its field', (_, value, field) => {
    const error = refusal(value)
    expect(error.code).toBe('INVALID_DOCUMENT')
    expect(error.details.field).toBe(field)
    expect(error.details.expected).not.toBe('')
  })

  it('takes of an instance of a class its own enumerable members, as JSON.stringify does', () => {
    class Product {
      id = 'p1'
      price = new Money()
      constructor() {
        Object.defineProperty(this, '__helper__', { value: () => 1, enumerable: false })
      }
    }
    expect(toJsonObject(new Product())).toEqual({ id: 'p1', price: { amount: 1 } })
    expect(Object.getPrototypeOf(toJsonObject(new Product()))).toBe(Object.prototype)
  })

  it('takes what toJSON returns, as JSON.stringify does', () => {
    const entity = {
      cents: 250,
      toJSON: () => ({ id: 7, at: new Date(0), url: new URL('https://a.example') }),
    }
    for (const value of [entity, { list: [entity, { toJSON: () => 'x' }, { toJSON: () => [1, entity] }] }])
      expect(toJsonObject(value)).toEqual(JSON.parse(JSON.stringify(value)))
    expect(toJsonObject(parse('{"toJSON":"text"}'))).toEqual({ toJSON: 'text' })
  })

  it('names what it refuses', () => {
    expect(refusal(new Map()).message).toContain('the document is an instance of Map; expected')
    expect(refusal({ a: new Set() }).message).toContain('a is an instance of Set; expected')
    expect(refusal({ a: new Uint8Array(2) }).message).toContain('a is an instance of Uint8Array; expected')
  })

  it('refuses what contains itself', () => {
    expect(refusal(cyclic).details.expected).toContain('no cycles')
    expect(refusal(new Node()).details.expected).toContain('no cycles')
  })

  it('accepts 128 levels and refuses 129', () => {
    expect(toJsonObject(nested(128))).toEqual(nested(128))
    expect(refusal(nested(129)).details.expected).toContain('128')
    expect(refusal(nested(5000)).code).toBe('INVALID_DOCUMENT')
  })

  it('keeps every finite number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), n => {
        expect(toJsonObject({ n })).toEqual(parse(JSON.stringify({ n })))
      }),
    )
    expect(toJsonObject({ a: 1e20, b: 2 ** 63, c: -(2 ** 53) })).toEqual({
      a: 1e20,
      b: 2 ** 63,
      c: -(2 ** 53),
    })
  })

  it('refuses a bigint, and tells how to store large whole numbers', () => {
    expect(refusal({ ean: 2n ** 60n + 1n }).message).toContain('ean is 1152921504606846977; expected')
    expect(refusal({ ean: 2n ** 60n + 1n }).message).toContain('give larger ones as text')
  })

  it('puts the place of the document before the path and takes another code', () => {
    expect(() => toJsonObject({ a: Number.NaN }, 'documents[3]', 'INVALID_ARGUMENT')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ field: 'documents[3].a' }),
      }),
    )
  })
})

describe('mergeDeep', () => {
  type Flat = Map<string, string>

  /** Every leaf by its path: merging is then laying one map over the other. */
  function leaves(value: JsonObject, path: string[] = [], into: Flat = new Map()): Flat {
    for (const name of Object.keys(value)) {
      const here = [...path, name]
      const member = value[name]!
      if (isJsonObject(member) && Object.keys(member).length > 0) leaves(member, here, into)
      else into.set(JSON.stringify(here), JSON.stringify(member))
    }
    return into
  }

  function naive(target: JsonObject, patch: JsonObject): Flat {
    const merged = leaves(target)
    for (const [path, value] of leaves(patch)) {
      const steps: string[] = JSON.parse(path)
      const isInside = (other: string) => {
        const names: string[] = JSON.parse(other)
        return names.length > steps.length && steps.every((step, i) => names[i] === step)
      }
      if (value === '{}' && [...merged.keys()].some(isInside)) continue
      for (let n = 1; n < steps.length; n++) merged.delete(JSON.stringify(steps.slice(0, n)))
      for (const other of [...merged.keys()].filter(isInside)) merged.delete(other)
      merged.set(path, value)
    }
    return merged
  }

  it('agrees with laying leaf over leaf', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const got = leaves(mergeDeep(target, patch))
        const want = naive(target, patch)
        expect([...got].sort()).toEqual([...want].sort())
      }),
    )
  })

  it('changes nothing exactly where isWithin() says so', () => {
    const within = fc
      .tuple(object, object)
      .map(([target, patch]) => [mergeDeep(target, patch), patch] as const)
    fc.assert(
      fc.property(fc.oneof(within, fc.tuple(object, object)), ([target, patch]) => {
        const isSame = isDeepStrictEqual(mergeDeep(target, patch), target)
        expect(isWithin(patch, target)).toBe(isSame)
      }),
    )
  })

  it('changes neither side', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = JSON.stringify([target, patch])
        mergeDeep(target, patch)
        expect(JSON.stringify([target, patch])).toBe(before)
      }),
    )
  })

  const cases: [string, string, string][] = [
    ['{"a":{"b":1,"c":{"d":2}}}', '{"a":{"c":{"e":3}}}', '{"a":{"b":1,"c":{"d":2,"e":3}}}'],
    ['{"a":[1,2]}', '{"a":[3]}', '{"a":[3]}'],
    ['{"a":{"b":1}}', '{"a":null}', '{"a":null}'],
    ['{"a":1}', '{"a":{"b":1}}', '{"a":{"b":1}}'],
    ['{"a":{"b":1}}', '{"a":[1]}', '{"a":[1]}'],
    ['{"a":{"b":1}}', '{"a":{}}', '{"a":{"b":1}}'],
    ['{"a":1}', '{"__proto__":{"x":1}}', '{"a":1,"__proto__":{"x":1}}'],
    ['{"__proto__":{"x":1}}', '{"__proto__":{"y":2}}', '{"__proto__":{"x":1,"y":2}}'],
    ['{}', '{"constructor":{"prototype":{"x":1}}}', '{"constructor":{"prototype":{"x":1}}}'],
  ]
  it.each(cases)('lays over %s the patch %s', (target, patch, merged) => {
    expect(JSON.stringify(mergeDeep(parse(target), parse(patch)))).toBe(merged)
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })
})

describe('valueAt', () => {
  const doc = parse('{"a":{"b":{"c":1}},"list":[{"x":1}],"n":null,"__proto__":{"p":2}}')
  const cases: [string, JsonValue | undefined][] = [
    ['a.b.c', 1],
    ['a.b', { c: 1 }],
    ['a.x', undefined],
    ['a.b.c.d', undefined],
    ['list.x', undefined],
    ['list.0', undefined],
    ['n', null],
    ['n.x', undefined],
    ['__proto__.p', 2],
    ['constructor', undefined],
    ['a.constructor.name', undefined],
    ['', undefined],
    ['.', undefined],
  ]
  it.each(cases)('finds at %s only own members of objects', (path, value) => {
    expect(valueAt(doc, path)).toEqual(value)
  })
})
