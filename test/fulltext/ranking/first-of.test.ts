import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { between, firstOf } from '../../../src/fulltext/reordering/first-of.ts'

describe('between', () => {
  it('gives what a sorted list has at these places', () => {
    const shuffled = fc.uniqueArray(fc.nat(500), { maxLength: 60 })
    fc.assert(
      fc.property(shuffled, fc.nat(70), fc.nat(70), fc.constantFrom(1, -1), (things, from, length, sign) => {
        const compare = (one: number, other: number) => sign * (one - other)
        const sorted = things.toSorted(compare)
        expect(between(Uint32Array.from(things), from, from + length, compare)).toEqual(
          sorted.slice(from, from + length),
        )
        expect(firstOf(things, length, compare)).toEqual(sorted.slice(0, length))
      }),
    )
  })

  it('compares few of many, wherever the places are and however they lie', () => {
    const size = 20_000
    for (const factor of [1, -1, 7_919]) {
      const things = Uint32Array.from({ length: size }, (_, i) => (i * factor + 5 * size) % size)
      let compared = 0
      const page = between(things, 19_000, 19_010, (one, other) => {
        compared++
        return one - other
      })
      expect(page).toEqual(Array.from({ length: 10 }, (_, i) => 19_000 + i))
      // To sort all of them takes 14 times their number.
      expect(compared).toBeLessThan(10 * size)
    }
  })
})
