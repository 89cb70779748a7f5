import * as fc from 'fast-check'
import type { QueryPart } from './naive-index.ts'

/** Families with and without their stem, words whose stem has another stem, codes, and words made of two others. */
export const words = [
  ...['run', 'runs', 'running', 'lamp', 'lamps', 'house', 'houses', 'hous', 'hou'],
  ...['lap', 'laps', 'top', 'laptop', 'red', 'blue', 'zephyr', 'zephir', 'x9z', 'x9q'],
]

/** Those, misspelt ones, beginnings, and some that stand for nothing. */
export const asked = [
  ...words,
  ...[
    'runner',
    'topped',
    'lapped',
    'topping',
    'zepyhr',
    'lamsp',
    'bleu',
    'housse',
    'x9a',
    'redlamp',
    'lamptop',
    'for',
    'without',
    'not red',
  ],
  ...['l', 'ru', 're', 'ze', 'bl', 'lam', 'x', 'sofa', '12345'],
]

/** What a title says behind it is not the thing itself, up to what closes it. */
const openings = ['for', 'with', 'compatible', ',', '(', '-', '1,5', 'for lamp', 'without red', 'red free']

const text = fc
  .array(fc.constantFrom(...words, ...openings, 'lap top', 'red lamp'), { maxLength: 9 })
  .map(list => list.join(' '))

export const made = {
  /** Of a field: one text or some. */
  texts: fc.oneof({ weight: 3, arbitrary: text }, fc.array(text, { maxLength: 4 })),

  parts: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...asked) as fc.Arbitrary<QueryPart> },
      {
        weight: 1,
        arbitrary: fc.record({
          phrase: fc
            .array(fc.constantFrom(...asked, 'lap top', 'red lamp'), { minLength: 1, maxLength: 3 })
            .map(list => list.join(' ')),
          slop: fc.nat(3),
        }),
      },
    ),
    { maxLength: 6, size: 'max' },
  ),

  search: fc.record({
    operator: fc.constantFrom('or' as const, 'and' as const),
    typoTolerance: fc.constantFrom(0 as const, 1 as const, 2 as const),
    prefix: fc.boolean(),
    signals: fc.boolean(),
    now: fc.constantFrom(0, 1e12, 1e12 + 5_000_000),
    weights: fc.constantFrom(undefined, undefined, [1, 4], [0, 1], [2, 0], [0, 0]),
  }),
}
