import { describe, expect, it } from 'vitest'
import { hitAt, ndcg, pairedBootstrap, percentile } from '../../bench/metrics.ts'

describe('ndcg', () => {
  const grades = new Map([
    ['a', 3],
    ['b', 2],
    ['c', 0],
    ['source', -1],
  ])
  // The ideal is 3 / log2(2) + 2 / log2(3) = 3 + 1.2618595 = 4.2618595.
  const cases: [string, string[], number][] = [
    ['is one for the ideal order', ['a', 'b', 'c'], 1],
    ['discounts by the place: (2 + 3 / 1.5849625) / 4.2618595', ['b', 'a'], 0.9134015],
    [
      'gives unjudged and irrelevant documents nothing: (3 / 2) / 4.2618595',
      ['unknown', 'c', 'a'],
      0.3519591,
    ],
    ['takes documents of a negative grade out of the ranking', ['source', 'a', 'b'], 1],
    ['is zero for an empty ranking', [], 0],
  ]
  it.each(cases)('%s', (_, ranking, expected) => {
    expect(ndcg(ranking, grades)).toBeCloseTo(expected, 6)
  })

  it('looks no further than its depth, in the ranking and in the ideal', () => {
    expect(ndcg(['c', 'a'], grades, 1)).toBe(0)
    expect(ndcg(['b', 'a'], grades, 1)).toBeCloseTo(2 / 3, 12)
  })

  it('counts ten places where nothing else is said', () => {
    const ten = Array.from({ length: 10 }, (_, place) => `filler${place}`)
    expect(ndcg([...ten, 'a'], grades)).toBe(0)
    expect(ndcg([...ten.slice(1), 'a'], grades)).toBeGreaterThan(0)
  })

  it('has no value for a query without a relevant document', () => {
    expect(ndcg(['a'], new Map([['a', 0]]))).toBeUndefined()
    expect(ndcg(['a'], new Map([['a', -1]]))).toBeUndefined()
  })
})

describe('hitAt', () => {
  it('asks whether an expected document stands among the first', () => {
    const expected = new Set(['x', 'y'])
    expect(hitAt(['a', 'x', 'b'], expected, 2)).toBe(true)
    expect(hitAt(['a', 'x', 'b'], expected, 1)).toBe(false)
    expect(hitAt([], expected, 10)).toBe(false)
  })
})

describe('percentile', () => {
  it('is the nearest rank', () => {
    const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    expect([0, 0.05, 0.5, 0.95, 1].map(share => percentile(tenths, share))).toEqual([1, 1, 5, 10, 10])
  })
})

describe('pairedBootstrap', () => {
  it('has no width where every query differs alike', () => {
    const interval = pairedBootstrap([0.75, 0.5, 0.25], [0.5, 0.25, 0])
    expect(interval).toEqual({ difference: 0.25, low: 0.25, high: 0.25 })
  })

  it('agrees with the exact binomial distribution of eight coin-like differences', () => {
    // Resampling four +1 and four -1 draws 2 * Binomial(8, 1/2) - 8 over 8. P(<= 0 heads) = .0039, P(<= 1) = .0352:
    // the 2.5 % point is one head, that is (2 - 8) / 8 = -.75, and by symmetry the other end is .75.
    const interval = pairedBootstrap([1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1])
    expect(interval).toEqual({ difference: 0, low: -0.75, high: 0.75 })
  })

  it('is the same for the same seed and moves with another', () => {
    const ours = Array.from({ length: 40 }, (_, query) => Math.sin(query) ** 2)
    const theirs = Array.from({ length: 40 }, (_, query) => Math.cos(query * 1.7) ** 2)
    expect(pairedBootstrap(ours, theirs)).toEqual(pairedBootstrap(ours, theirs))
    expect(pairedBootstrap(ours, theirs, { seed: 2 }).low).not.toBe(pairedBootstrap(ours, theirs).low)
  })

  it('swaps its ends when the sides are swapped', () => {
    const forth = pairedBootstrap([1, 0.5, 0.25, 0], [0, 0.25, 0.25, 0])
    const back = pairedBootstrap([0, 0.25, 0.25, 0], [1, 0.5, 0.25, 0])
    expect(back.difference).toBeCloseTo(-forth.difference, 12)
    expect(back.low).toBeCloseTo(-forth.high, 1)
  })

  it('refuses lists that are not paired', () => {
    expect(() => pairedBootstrap([1], [1, 2])).toThrow('got 1 and 2')
    expect(() => pairedBootstrap([], [])).toThrow('got 0 and 0')
  })
})
