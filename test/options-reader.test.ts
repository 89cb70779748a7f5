import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseInput } from '../src/input.ts'
import { optionsReader } from '../src/options-reader.ts'

const schema = z.strictObject({
  limit: z.int().min(0).default(10),
  way: z.enum(['or', 'and']).default('or'),
  fields: z.array(z.string()).optional(),
  nested: z.strictObject({ on: z.boolean().default(true) }).optional(),
  shown: z.preprocess(value => value === 'yes' || value, z.boolean()).default(false),
})

const read = optionsReader(schema, 'options')

/** What comes of it: the value, or the error's message. */
function outcome(work: () => unknown): unknown {
  try {
    return { value: work() }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

const member = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    0,
    7,
    -1,
    1.5,
    Number.NaN,
    'or',
    'and',
    'yes',
    true,
    false,
    [],
    ['a'],
    [1],
  ),
  fc.constantFrom<unknown>({}, { on: false }, { on: 1 }, { off: true }),
)
const name = fc.constantFrom('limit', 'way', 'fields', 'nested', 'shown', 'other', '__proto__', 'constructor')

describe('optionsReader', () => {
  test('gives and refuses what parsing all of the schema does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, member), { maxLength: 4 }), members => {
        const options = Object.fromEntries(members)
        expect(outcome(() => read(options))).toEqual(outcome(() => parseInput(schema, options, 'options')))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a list', [1]],
    ['a text', 'limit'],
    ['a date', new Date(0)],
    ['an object without a prototype', Object.assign(Object.create(null), { limit: 3 })],
    [
      'an object of a class',
      new (class Options {
        limit = 3
      })(),
    ],
  ])('treats %s as parsing does', (_, options) => {
    expect(outcome(() => read(options))).toEqual(outcome(() => parseInput(schema, options, 'options')))
  })

  test('answers may be changed without harm to later ones', () => {
    const options = read({})
    options.limit = 99
    expect(read({}).limit).toBe(10)
  })
})
