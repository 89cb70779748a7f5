import { expect, it } from 'vitest'
import { MatchSet } from '../../../src/fulltext/matching/match-set.ts'
import { type MatchOrder, pageBy } from '../../../src/fulltext/reordering/match-order.ts'

it('takes a long page from an order that knows it without comparing all documents', () => {
  const segments = [{ segment: { shape: { documents: 100 } }, dead: undefined }]
  let compared = 0
  const order: MatchOrder = {
    compare: (one, other) => {
      compared++
      return other - one
    },
    first: () => [],
    firstOfMany: (_, count) => Array.from({ length: count }, (_, i) => 99 - i),
  }
  const set = MatchSet.selected(segments, undefined)
  expect(pageBy(order, set, 10, 40)).toEqual(Array.from({ length: 40 }, (_, i) => 89 - i))
  expect(compared).toBe(0)
  expect(pageBy(order, set, 90, 5)).toEqual([9, 8, 7, 6, 5])
  expect(compared).toBeGreaterThan(0)
})
