import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSet } from '../../../src/arrays/set-bits.ts'
import { columnsOf } from '../../../src/fulltext/segments/columns/rows.ts'

const documents = (values: fc.Arbitrary<number[]>) => fc.array(values, { minLength: 1, maxLength: 300 })
const oneOf = fc.constantFrom(-2.5, 0, 1, 1.5, 3, 40, 1e300)

describe('the documents of a range of values', () => {
  it.each([
    ['one value each', documents(fc.tuple(oneOf))],
    ['a value or none', documents(fc.array(oneOf, { maxLength: 1 }))],
    ['lists of values', documents(fc.array(oneOf, { maxLength: 3 }))],
  ])('are those that have one of them, where documents have %s', (_, some) => {
    fc.assert(
      fc.property(some, fc.nat(7), fc.nat(7), (given, one, other) => {
        const columns = columnsOf(
          given.map(values => values.map(value => ({ name: 'n', kind: 'number' as const, value }))),
        )
        const column = columns.find('n', 'number')
        if (!column) return
        const { values } = column.numbers
        expect([...values]).toEqual([...new Set(given.flat())].sort((a, b) => a - b))
        const [from, end] = [Math.min(one, other), Math.max(one, other)].map(at =>
          Math.min(at, values.length),
        )
        const found = column.lists.between(from!, end!)
        const wanted = new Set(values.slice(from, end))
        for (const [document, own] of given.entries()) {
          const isIn = found === 'all' || (found !== 'none' && isSet(found, document))
          expect(isIn).toBe(own.some(value => wanted.has(value)))
        }
        if (typeof found !== 'string') expect(found.length).toBe(Math.ceil(given.length / 32))
      }),
      { numRuns: 300 },
    )
  })
})
