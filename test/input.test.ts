import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { FindlingError } from '../src/errors.ts'
import { describeValue, type Issue, parseInput } from '../src/input.ts'

const person = z.strictObject({
  name: z.string().min(2),
  age: z.int('a whole number from 0 to 150').min(0).max(150).optional(),
  share: z.number().max(1).optional(),
  role: z.enum(['reader', 'writer']).optional(),
  tags: z.array(z.strictObject({ name: z.string() })).optional(),
  since: z.union([z.string(), z.number()]).optional(),
  ref: z.union([z.string(), z.strictObject({ id: z.number() })]).optional(),
})

function failure(value: unknown): FindlingError {
  try {
    parseInput(person, value, 'person')
  } catch (error) {
    if (error instanceof FindlingError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('parseInput', () => {
  it('returns what the schema makes of the value', () => {
    expect(parseInput(z.object({ n: z.number().default(3) }), {}, 'options')).toEqual({ n: 3 })
  })

  const cases: [unknown, Issue][] = [
    [3, { field: '', received: '3', expected: 'an object' }],
    [null, { field: '', received: 'null', expected: 'an object' }],
    [{}, { field: 'name', received: 'missing', expected: 'text' }],
    [{ name: 7 }, { field: 'name', received: '7', expected: 'text' }],
    [{ name: 'a' }, { field: 'name', received: '"a"', expected: 'text of at least 2 characters' }],
    [
      { name: 'ab', age: -1 },
      { field: 'age', received: '-1', expected: 'a whole number from 0 to 150' },
    ],
    [
      { name: 'ab', share: 1.5 },
      { field: 'share', received: '1.5', expected: 'a number of at most 1' },
    ],
    [
      { name: 'ab', role: 'x' },
      { field: 'role', received: '"x"', expected: '"reader" or "writer"' },
    ],
    [
      { name: 'ab', tags: 'x' },
      { field: 'tags', received: '"x"', expected: 'a list' },
    ],
    [
      { name: 'ab', tags: [{ name: 'a' }, {}] },
      { field: 'tags[1].name', received: 'missing', expected: 'text' },
    ],
    [
      { name: 'ab', nmae: 1 },
      {
        field: 'nmae',
        received: '1',
        expected: 'no member of this name; there are name, age, share, role, tags, since, ref',
      },
    ],
    [
      { name: 'ab', since: true },
      { field: 'since', received: 'true', expected: 'text or a number' },
    ],
    [
      { name: 'ab', ref: { id: 'x' } },
      { field: 'ref.id', received: '"x"', expected: 'a number' },
    ],
    [
      { name: 'ab', ref: { id: 1, q: 2 } },
      { field: 'ref.q', received: '2', expected: 'no member of this name; there are id' },
    ],
    [
      { name: 'ab', Tag: [] },
      {
        field: 'Tag',
        received: 'an empty list',
        expected: 'no member of this name (did you mean "tags"?)',
      },
    ],
  ]
  it.each(cases)('of %j names the field, what came and what is accepted', (value, issue) => {
    const error = failure(value)
    expect(error.code).toBe('INVALID_ARGUMENT')
    expect(error.details).toEqual({ ...issue, issues: [issue] })
    const subject = issue.field === '' ? 'person' : `person: ${issue.field}`
    expect(error.message).toBe(`${subject} is ${issue.received}; expected ${issue.expected}`)
  })

  it('carries every problem and says how many there are', () => {
    const error = failure({ name: 1, age: 'x', role: 2 })
    expect(error.message).toBe('person: name is 1; expected text (and 2 more)')
    expect(error.details.issues).toMatchObject([{ field: 'name' }, { field: 'age' }, { field: 'role' }])
  })

  it('does not read members from prototypes into its message', () => {
    expect(failure({ name: 'ab', constructor: 1 }).details.received).toBe('1')
    expect(failure(Object.create({ name: 5 })).details).toMatchObject({ field: 'name', received: 'missing' })
  })
})

describe('describeValue', () => {
  it('stays short whatever comes', () => {
    fc.assert(fc.property(fc.anything({ withBigInt: true }), value => describeValue(value).length < 500))
    expect(describeValue('x'.repeat(10_000_000)).length).toBeLessThan(100)
    expect(describeValue(10n ** 10_000n)).toBe('a bigint')
  })

  it('tells an instance of a class from a plain object', () => {
    class Money {}
    const plain = [{}, { constructor: Money }, Object.create(null), JSON.parse('{"constructor":1}')]
    for (const value of plain) expect(describeValue(value)).toBe('an object')
    expect(describeValue(new Money())).toBe('an instance of Money')
    expect(describeValue(new Map())).toBe('an instance of Map')
    expect(describeValue(new (class {})())).toBe('an instance of a class')
    expect(describeValue(9007199254740993n)).toBe('9007199254740993')
  })

  it('shows text in quotes, so that a lone surrogate or NUL is visible', () => {
    expect(describeValue('\ud800\0')).toBe('"\\ud800\\u0000"')
  })
})
