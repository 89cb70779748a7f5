import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { HttpError } from '../../../adapters/http/src/http/errors.ts'
import { readBody, readLargeBody } from '../../../adapters/http/src/request/lenient.ts'
import { namedByUser } from '../../../adapters/http/src/wire/rules.ts'
import { leastLongestTurn } from '../../longest-turn.ts'

const Weight = z.object({ Query: z.string(), Value: z.number() })
const Model = z.object({
  Name: z.string(),
  Count: z.int().min(0).max(10_000).default(5),
  Exact: z.boolean().default(false),
  Type: z.enum(['Match', 'Query']).default('Match'),
  List: z.array(z.string()).default([]),
  Weights: z.array(Weight).optional(),
  Order: z.object({ Field: z.string() }).optional(),
})
const whole = { Name: 'n', Count: 5, Exact: false, Type: 'Match', List: [] }

function errorsOf(schema: z.ZodType, json: unknown): readonly string[] {
  try {
    readBody(schema, json)
  } catch (error) {
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ status: 400 })
    return (error as HttpError).errors
  }
  throw new Error('nothing was refused')
}

describe('readBody accepts', () => {
  test.each<[string, object, object]>([
    ['names of members in any case', { nAME: 'n', COUNT: 3 }, { Count: 3 }],
    ['members it does not know', { Name: 'n', NeedTagInResults: true, constructor: 1 }, {}],
    ['whole numbers as text', { Name: 'n', Count: ' 3 ' }, { Count: 3 }],
    [
      'fractions as text, at any depth',
      { Name: 'n', weights: [{ query: 'q', VALUE: '1.5e1' }] },
      { Weights: [{ Query: 'q', Value: 15 }] },
    ],
    ['numbers as text members', { Name: 1 }, { Name: '1' }],
    ['numbers beyond 2^53 as text, with all digits', { Name: 2 ** 53 + 2 }, { Name: '9007199254740994' }],
    ['numbers that only a bigint holds', { Name: 9007199254740993n }, { Name: '9007199254740993' }],
    ['numbers in lists of text', { Name: 'n', List: [1, 'b', 2.5] }, { List: ['1', 'b', '2.5'] }],
    ['true and false as text', { Name: 'n', Exact: 'True' }, { Exact: true }],
    ['names of an enumeration in any case', { Name: 'n', Type: 'QUERY' }, { Type: 'Query' }],
    ['ordinals of an enumeration', { Name: 'n', Type: 1 }, { Type: 'Query' }],
    ['ordinals of an enumeration as text', { Name: 'n', Type: '1' }, { Type: 'Query' }],
    ['null for an optional object', { Name: 'n', Order: null }, {}],
    ['a list that is left out', { Name: 'n' }, { List: [] }],
  ])('%s', (_, json, expected) => {
    expect(readBody(Model, json)).toEqual({ ...whole, ...expected })
  })

  test('the last of two members that differ only in case', () => {
    expect(readBody(Model, JSON.parse('{"name":"first","NAME":"second"}'))).toMatchObject({ Name: 'second' })
  })

  test('an object or its JSON text where both are allowed, unchanged', () => {
    const Either = z.object({
      Sample: z.union([z.string(), z.custom<object>(value => typeof value === 'object')]),
    })
    const sample = { iD: 1, __proto__: null, nested: { Name: '1' } }
    expect(readBody(Either, { sample }).Sample).toBe(sample)
    expect(readBody(Either, { sample: '{}' }).Sample).toBe('{}')
  })

  test('the alternative that fits, helped where none fits as it is', () => {
    const Mixed = z.union([z.object({ Count: z.number() }), z.boolean()])
    expect(readBody(Mixed, { count: '2' })).toEqual({ Count: 2 })
    expect(readBody(Mixed, 'TRUE')).toBe(true)
  })

  test('members that the user names, as they are called, with numbers as text', () => {
    const given = JSON.parse('{"fields":{"Title":"1","title":2,"__proto__":"3","constructor":4}}')
    const { Fields } = readBody(z.object({ Fields: namedByUser(z.number()) }), given)
    expect([...Fields]).toEqual([
      ['Title', 1],
      ['title', 2],
      ['__proto__', 3],
      ['constructor', 4],
    ])
  })

  test('a schema that leads back to itself', () => {
    const Node = z.object({
      Id: z.string(),
      get Children() {
        return z.array(Node).default([])
      },
    })
    const read = readBody(Node, { id: 1, children: [{ ID: 2, CHILDREN: [{ id: 3 }] }] })
    expect(read).toEqual({ Id: '1', Children: [{ Id: '2', Children: [{ Id: '3', Children: [] }] }] })
  })

  test('what it has itself written, unchanged', () => {
    const written = fc.record({
      Name: fc.string(),
      Count: fc.integer({ min: 0, max: 10_000 }),
      Exact: fc.boolean(),
      Type: fc.constantFrom('Match', 'Query'),
      List: fc.array(fc.string()),
    })
    fc.assert(
      fc.property(written, model => {
        expect(readBody(Model, model)).toEqual(model)
      }),
    )
  })
})

describe('readBody refuses', () => {
  test.each<[string, unknown, string]>([
    ['text that is no number', { Name: 'n', Count: 'three' }, 'Count is "three"; expected a number'],
    [
      'a number out of range',
      { Name: 'n', Count: '10001' },
      'Count is 10001; expected a number of at most 10000',
    ],
    ['NaN and Infinity as text', { Name: 'n', Count: 'Infinity' }, 'Count is "Infinity"; expected a number'],
    ['an empty text as a number', { Name: 'n', Count: '' }, 'Count is ""; expected a number'],
    [
      'a name that the enumeration lacks',
      { Name: 'n', Type: 'Fuzzy' },
      'Type is "Fuzzy"; expected "Match" or "Query"',
    ],
    ['an ordinal beyond the enumeration', { Name: 'n', Type: 2 }, 'Type is 2; expected "Match" or "Query"'],
    ['null for a list', { Name: 'n', List: null }, 'List is null; expected a list'],
    ['null for an optional list', { Name: 'n', Weights: null }, 'Weights is null; expected a list'],
    ['null for a number with a default', { Name: 'n', Count: null }, 'Count is null; expected a number'],
    ['a missing member', {}, 'Name is missing; expected text'],
    [
      'a wrong element of a list',
      { Name: 'n', Weights: [{ Query: 'q', Value: {} }] },
      'Weights[0].Value is an object; expected a number',
    ],
    ['a number of hundreds of digits as text', { Name: 10n ** 300n }, 'Name is a bigint; expected text'],
    ['a number that has lost digits as text', { Name: 1e23 }, 'Name is 1e+23; expected text'],
    [
      'a fraction that has',
      { Name: Number('12345678901234567890.5') },
      'Name is 12345678901234567000; expected text',
    ],
    ['infinity as text', { Name: Number.POSITIVE_INFINITY }, 'Name is Infinity; expected text'],
    [
      'a list for the body',
      [],
      'the body is an empty list; expected an object with members such as Name, Count, Exact',
    ],
    [
      'text for the body',
      'x'.repeat(100),
      `the body is "${'x'.repeat(60)}"… (100 characters); expected an object with members such as Name, Count, Exact`,
    ],
  ])('%s', (_, json, message) => {
    expect(errorsOf(Model, json)).toEqual([message])
  })

  test('members that a strict model does not have, and says which was meant', () => {
    const Strict = z.strictObject({ Text: z.string(), Limit: z.int().default(5) })
    expect(errorsOf(Strict, { text: 'x', LIMITS: 3, colour: 'red' })).toEqual([
      'LIMITS is 3; expected no such member (did you mean "Limit"?)',
      'colour is "red"; expected no such member; known members: Text, Limit',
    ])
    expect(errorsOf(Strict, JSON.parse('{"text":"x","__proto__":1}'))).toHaveLength(1)
  })

  test('the same problem once', () => {
    const Count = z.int('a whole number from 1 to 6').max(6, 'a whole number from 1 to 6')
    expect(errorsOf(z.object({ Count }), { Count: 1e99 })).toEqual([
      'Count is 1e+99; expected a whole number from 1 to 6',
    ])
  })

  test('everything that is wrong at once', () => {
    expect(errorsOf(Model, { Count: -1, Type: 'x', List: 3 })).toHaveLength(4)
  })

  test('a hundred problems with each of them named, and those that are found besides by their number', () => {
    const errors = errorsOf(
      z.array(z.int()),
      Array.from({ length: 1500 }, () => 'x'),
    )
    expect(errors).toHaveLength(101)
    expect(errors[100]).toBe('156 more problems were found and are not listed.')
  })

  test('ten members that a strict model does not have, and the others by their number, wherever they are', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`unknown${i}`, 1]))
    const Strict = z.strictObject({})
    for (const [model, json] of [
      [Strict, unknown],
      [z.array(Strict), [{}, unknown]],
      [z.union([Strict, z.string()]), unknown],
    ] as const) {
      const errors = errorsOf(model, json)
      expect(errors).toHaveLength(11)
      expect(errors[10]).toBe('1490 more problems were found and are not listed.')
    }
  })

  test('members named like parts of every object', () => {
    const Hostile = z.object({ Name: z.string().optional() })
    expect(readBody(Hostile, JSON.parse('{"__proto__":{"Name":"x"},"constructor":{}}'))).toEqual({})
  })

  test('any JSON at all without another error than its own', () => {
    fc.assert(
      fc.property(fc.jsonValue(), json => {
        try {
          readBody(Model, json)
        } catch (error) {
          expect(error).toBeInstanceOf(HttpError)
        }
      }),
    )
  })
})

describe('readLargeBody', () => {
  const Row = z.object({ Id: z.string(), Size: z.int().default(1) })
  const Large = z.object({
    Rows: z.array(Row.nullable()).min(2).default([]),
    Ids: z
      .array(z.string())
      .refine(ids => new Set(ids).size === ids.length, 'ids that are all different')
      .optional(),
    Limit: z.int().default(5),
  })
  const row = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({ ID: fc.oneof(fc.string(), fc.nat()), size: fc.constantFrom(1, '2') }),
    },
    fc.constantFrom(null, {}, { Id: 1, Size: 'x' }, 3),
  )
  const body = fc.record(
    {
      rows: fc
        .tuple(fc.array(row, { maxLength: 5 }), fc.integer({ min: 0, max: 400 }))
        .map(([rows, times]) => Array(times).fill(rows).flat()),
      ROWS: fc.constantFrom([], null, 3, [{ Id: 'last' }, { Id: 'two' }]),
      Ids: fc.integer({ min: 0, max: 600 }).map(count => Array.from({ length: count }, (_, i) => i % 550)),
      Limit: fc.constantFrom(1, '2', 'x'),
    },
    { requiredKeys: [] },
  )

  test('reads and refuses what readBody does', async () => {
    const outcome = async (read: () => unknown) => {
      try {
        return { read: await read() }
      } catch (error) {
        return { first: (error as HttpError).errors[0] }
      }
    }
    await fc.assert(
      fc.asyncProperty(body, async given => {
        const [large, small] = [
          await outcome(() => readLargeBody(Large, given)),
          await outcome(() => readBody(Large, given)),
        ]
        expect(Object.keys(large)).toEqual(Object.keys(small))
        // Of a body with several faults those of a long list are told alone.
        if (large.read) expect(large).toEqual(small)
      }),
      { numRuns: 300 },
    )
  })

  test('lets others have their turn before what it has read of a long list is used', async () => {
    let hadTurn = false
    setImmediate(() => {
      hadTurn = true
    })
    await readLargeBody(Large, { Ids: Array.from({ length: 2_000 }, (_, i) => `${i}`) })
    expect(hadTurn).toBe(true)
  })

  /** As they come from a body that is read piece by piece. */
  const membersOf = (count: number): Record<string, unknown> => {
    const members: Record<string, unknown> = {}
    for (let i = 0; i < count; i++) members[`m${i}`] = i
    return members
  }

  test.each([
    ['strict', z.strictObject(Model.shape)],
    ['loose', Model],
  ])('takes those that a %s model has among very many others', async (_, schema) => {
    for (const given of [
      { ...membersOf(600), NAME: 'first', list: ['a'], name: 'n' },
      { name: 'n', ...membersOf(2_000), Count: -1 },
    ]) {
      const outcome = (read: () => unknown) =>
        Promise.resolve()
          .then(read)
          .catch(error => (error as HttpError).errors)
      const large = await outcome(() => readLargeBody(schema, given))
      expect(large).toEqual(await outcome(() => readBody(schema, given)))
    }
  })

  test('holds nobody up with a hundred thousand that there are not', async () => {
    const given = membersOf(99_000)
    let errors: readonly string[] = []
    const turn = await leastLongestTurn(80, async () => {
      const reading = readLargeBody(z.strictObject({}), given)
      errors = await reading.then(
        () => [],
        error => (error as HttpError).errors,
      )
    })
    expect(errors).toHaveLength(11)
    expect(errors[10]).toBe('98990 more problems were found and are not listed.')
    expect(turn).toBeLessThan(80)
  })
})
