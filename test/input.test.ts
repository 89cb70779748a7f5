import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { FindlingError } from '../src/errors.ts'
import { describeValue, type Issue, parseInput, readInput, readMember } from '../src/input.ts'

const person = z.strictObject({
  name: z.string().min(2),
  age: z.int('a whole number from 0 to 150').min(0).max(150).optional(),
  share: z.number().max(1).optional(),
  role: z.enum(['reader', 'writer']).optional(),
  tags: z.array(z.strictObject({ name: z.string() })).optional(),
  since: z.union([z.string(), z.number()]).optional(),
  ref: z.union([z.string(), z.strictObject({ id: z.number() })]).optional(),
})

function failure(value: unknown, schema: z.ZodType = person, what = 'person'): FindlingError {
  try {
    parseInput(schema, value, what)
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
    [3, { field: '', received: '3', expected: 'an object with members such as name, age, share' }],
    [null, { field: '', received: 'null', expected: 'an object with members such as name, age, share' }],
    [
      { name: 'ab', tags: ['red'] },
      { field: 'tags[0]', received: '"red"', expected: 'an object with members such as name' },
    ],
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
        expected: 'no such member; known members: name, age, share, role, tags, since, ref',
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
      { field: 'ref.q', received: '2', expected: 'no such member; known members: id' },
    ],
    [
      { name: 'ab', Tag: [] },
      {
        field: 'Tag',
        received: 'an empty list',
        expected: 'no such member (did you mean "tags"?)',
      },
    ],
  ]
  it.each(cases)('of %j names the field, what came and what is accepted', (value, issue) => {
    const error = failure(value)
    expect(error.code).toBe('INVALID_ARGUMENT')
    expect(error.details).toEqual({ what: 'person', ...issue, issues: [issue] })
    const subject = issue.field === '' ? 'person' : `person: ${issue.field}`
    expect(error.message).toBe(`${subject} is ${issue.received}; expected ${issue.expected}`)
  })

  it('carries every problem and says how many there are', () => {
    const error = failure({ name: 1, age: 'x', role: 2 })
    expect(error.message).toBe('person: name is 1; expected text (and 2 more)')
    expect(error.details.issues).toMatchObject([{ field: 'name' }, { field: 'age' }, { field: 'role' }])
  })

  it('carries the first hundred problems of a list with more', () => {
    const list = z.array(z.enum(['title', 'tag'])).min(1)
    const error = failure(new Array(20_000).fill('tags'), list, 'kinds')
    expect(error.message).toBe(
      'kinds: [0] is "tags"; expected "title" or "tag" (did you mean "tag"?) (and 19999 more)',
    )
    expect(error.details.issues).toHaveLength(100)
  })

  it('words what the own checks of a schema report', () => {
    const input = { size: 1 }
    const own = z.any().check(({ issues }) => {
      issues.push({ code: 'invalid_type', expected: 'object', input })
      issues.push({ code: 'unrecognized_keys', keys: ['size'], input })
    })
    expect(failure(input, own).details.issues).toMatchObject([
      { field: '', expected: 'an object' },
      { field: 'size', received: '1', expected: 'no such member' },
    ])
  })

  it('does not read members from prototypes into its message', () => {
    expect(failure({ name: 'ab', constructor: 1 }).details.received).toBe('1')
    expect(failure(Object.create({ name: 5 })).details).toMatchObject({ field: 'name', received: 'missing' })
  })
})

const byType = z.discriminatedUnion('type', [
  z.object({ type: z.literal('insert') }),
  z.object({ type: z.literal('delete') }),
])
class Money {}

/** Schema, a value that it refuses, and what is expected then. */
const wordings: Record<z.core.$ZodIssue['code'], [schema: z.ZodType, value: unknown, expected: string][]> = {
  invalid_type: [
    [z.int(), 1.5, 'a whole number'],
    [z.bigint(), 1, 'a bigint'],
    [z.null(), 1, 'null'],
    [z.undefined(), 1, 'nothing'],
    [z.never(), 1, 'nothing'],
    [z.nan(), 1, 'NaN'],
    [z.symbol(), 1, 'a symbol'],
    [z.set(z.string()), 1, 'a set'],
    [z.date(), 1, 'a date'],
    [z.tuple([z.string()]), 1, 'a list'],
    [z.string().optional().nonoptional(), undefined, 'a value'],
    [z.instanceof(Money), 1, 'an instance of Money'],
    [byType, 1, 'an object'],
    [z.strictObject({}), 1, 'an object'],
    [z.record(z.string(), z.number()), 1, 'an object'],
    [z.object({ a: z.number().optional(), b: z.number() }), 1, 'an object with members such as b, a'],
  ],
  too_small: [
    [z.number().gt(1), 1, 'a number of more than 1'],
    [z.bigint().min(5n), 1n, 'a number of at least 5'],
    [z.string().length(3), 'a', 'text of exactly 3 characters'],
    [z.array(z.string()).min(2), [], 'at least 2 entries'],
    [z.array(z.string()).min(1), [], 'at least 1 entry'],
    [z.string().min(1), '', 'text of at least 1 character'],
    [z.tuple([z.string(), z.string()]), ['a'], 'at least 2 entries'],
    [z.date().min(new Date(0)), new Date(-1), 'a date, at least 1970-01-01T00:00:00.000Z'],
  ],
  too_big: [
    [z.number().lt(1), 1, 'a number of less than 1'],
    [z.int32(), 2 ** 40, 'a number of at most 2147483647'],
    [z.array(z.string()).length(1), ['a', 'b'], 'exactly 1 entry'],
    [z.set(z.string()).max(1), new Set(['a', 'b']), 'at most 1 entry'],
    [z.tuple([z.string()]), ['a', 'b'], 'at most 1 entry'],
    [z.file().max(1), new File(['abc'], 'a'), 'a file of at most 1 bytes'],
  ],
  invalid_format: [
    [z.email(), 'x', 'text of the form email'],
    [z.iso.datetime(), '2030-01-01', 'a moment such as 2030-01-01T00:00:00Z'],
    [z.string().regex(/^a/), 'x', 'text matching /^a/'],
    [z.string().startsWith('"a'), 'x', 'text that begins with "\\"a"'],
    [z.string().endsWith('a'), 'x', 'text that ends with "a"'],
    [z.string().includes('a'), 'x', 'text that contains "a"'],
    [z.templateLiteral(['a', z.number()]), 'x', 'text matching'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 7, 'a multiple of 5']],
  unrecognized_keys: [
    [z.strictObject({ a: z.string() }), { a: '', b: 1 }, 'no such member; known members: a'],
  ],
  invalid_union: [
    [byType, { type: 'insrt' }, '"insert" or "delete" (did you mean "insert"?)'],
    [byType, {}, '"insert" or "delete"'],
    [z.union([z.string(), z.null()]), 1, 'text or null'],
    [z.xor([z.string(), z.string().min(1)]), 'a', 'a value that fits exactly one of the alternatives'],
  ],
  invalid_key: [
    [z.record(z.string().max(2), z.string()), { long: '' }, 'a name that is text of at most 2 characters'],
    [z.map(z.object({}).strict(), z.string()), new Map([[{ a: 1 }, '']]), 'a name that is'],
  ],
  invalid_element: [[z.map(z.object({}), z.string()), new Map([[{}, 1]]), 'entries of which each is text']],
  invalid_value: [
    [z.enum(['upsert', 'insert']), 'upsrt', '"upsert" or "insert" (did you mean "upsert"?)'],
    [z.enum(['top', 'few', 'none']), 'some', '"top", "few" or "none"'],
    [z.enum(['a, b', 'c', 'd']), 'e', '"a, b" or "c" or "d"'],
    [z.literal(5), 'x', '5'],
  ],
  custom: [
    [z.string().refine(() => false), 'x', 'a valid value'],
    [z.custom(() => false), 'x', 'a valid value'],
    [z.custom(() => false, 'a function'), 'x', 'a function'],
  ],
}

describe('every kind of problem that zod knows', () => {
  const rows = Object.entries(wordings).flatMap(([code, cases]) => cases.map(one => [code, ...one] as const))
  it.each(rows)('%s is told in the words of the engine (%#)', (code, schema, value, expected) => {
    const own = schema.safeParse(value).error!.issues[0]!
    expect(own.code).toBe(code)
    const read = readInput(z.object({ given: schema }), { given: value })
    const told = read.issues!.map(issue => issue.expected).join()
    expect(told).toContain(expected)
    expect(told).not.toMatch(/invalid|too (small|big)|unrecognized|expected|received/i)
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

describe('readMember', () => {
  it('tells what is wrong with a member of the value that has it', () => {
    const wrong = { age: 200 }
    const read = () => readMember('owner', 'house', () => parseInput(person, wrong, 'person'))
    expect(read).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^house: owner\.(name|age) is .*\(and 1 more\)$/),
        details: expect.objectContaining({
          issues: expect.arrayContaining([
            expect.objectContaining({ field: 'owner.name' }),
            expect.objectContaining({ field: 'owner.age' }),
          ]),
        }),
      }),
    )
  })

  it('leaves other errors, and what can be read, as they are', () => {
    const broken = new Error('broken')
    const read = () =>
      readMember('owner', 'house', () => {
        throw broken
      })
    expect(read).toThrow(broken)
    expect(readMember('owner', 'house', () => 7)).toBe(7)
  })
})
