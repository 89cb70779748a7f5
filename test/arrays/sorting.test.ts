import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sorting } from '../../src/arrays/sorting.ts'

it('sorts piece by piece as at once, equal ones in the order they had', () => {
  const lists = fc.integer({ min: 0, max: 9_000 }).chain(length =>
    fc.record({
      length: fc.constant(length),
      seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      values: fc.integer({ min: 1, max: 10_000 }),
    }),
  )
  fc.assert(
    fc.property(lists, ({ length, seed, values }) => {
      const list = Array.from({ length }, (_, place) => ({
        place,
        value: (Math.imul(place + 1, seed) >>> 3) % values,
      }))
      const compare = (one: { value: number }, other: { value: number }) => one.value - other.value
      const pieces = sorting(list, compare)
      let step = pieces.next()
      let steps = 0
      for (; !step.done; step = pieces.next()) steps++
      expect(step.value).toEqual([...list].sort(compare))
      expect(steps).toBeGreaterThanOrEqual(Math.floor(length / 2_048))
    }),
    { numRuns: 40, seed: 17 },
  )
})
