import { describe, expect, it } from 'vitest'
import { parseSize, sizeName } from '../../bench/sizes.ts'

describe('parseSize', () => {
  it.each([
    ['10k', 10_000],
    ['100K', 100_000],
    ['1m', 1_000_000],
    ['2500', 2_500],
  ])('reads %s as %i', (text, documents) => {
    expect(parseSize(text)).toBe(documents)
  })

  it.each(['', 'k', '1.5m', '-1k', '1g', '10 k', '12345678', '__proto__'])('takes no %j', text => {
    expect(parseSize(text)).toBeUndefined()
  })
})

describe('sizeName', () => {
  it('names what it can read again', () => {
    for (const documents of [10_000, 100_000, 1_000_000, 2_500, 1_500_000]) {
      expect(parseSize(sizeName(documents))).toBe(documents)
    }
    expect([10_000, 1_000_000, 2_500].map(sizeName)).toEqual(['10k', '1m', '2500'])
  })
})
