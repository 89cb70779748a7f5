import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecimalEvidence, isAmbiguous, readNumber } from '../../../src/datasets/content/number-text.ts'

const both = (text: string) => {
  const readings = readNumber(text)
  return readings && [readings['.'], readings[',']]
}

describe('a number in a text', () => {
  it.each<[string, (number | undefined)[]]>([
    ['12', [12, 12]],
    ['9.50', [9.5, undefined]],
    ['9,50', [undefined, 9.5]],
    ['1.299,00', [undefined, 1299]],
    ['1,299.00', [1299, undefined]],
    ['1.200', [1.2, 1200]],
    ['1,200', [1200, 1.2]],
    ['0.500', [0.5, undefined]],
    ['1234.500', [1234.5, undefined]],
    ['12.345.678', [undefined, 12345678]],
    ['1 234,5', [undefined, 1234.5]],
    ["1'234.50", [1234.5, undefined]],
    ['1\u202f200', [1200, 1200]],
    ['-12,50', [undefined, -12.5]],
    ['12,50-', [undefined, -12.5]],
    ['−3', [-3, -3]],
    ['1.299,00 €', [undefined, 1299]],
    ['€ 12.5', [12.5, undefined]],
    ['EUR 12', [12, 12]],
    ['49,-', [undefined, 49]],
    ['.5', [0.5, undefined]],
    ['1e3', [1000, 1000]],
    ['0', [0, 0]],
    ['-0', [0, 0]],
  ])('%s is read as it may be meant', (text, readings) => {
    expect(both(text)).toEqual(readings)
    expect(Object.is(both(text)?.[0], -0)).toBe(false)
  })

  it.each([
    ...['', ' ', '-', ',', '.', '1.2.3', '1,2,3', '12.34.567', '1.2345.678,0', '1,00,000', 'USB 3', '3 m'],
    ...[
      '1..2',
      '1 2 3',
      '12345678901234567890',
      'NaN',
      'Infinity',
      '0x10',
      '1e',
      '١٢',
      `1${'0'.repeat(80)}`,
      '€',
    ],
  ])('%j is none', text => {
    expect(both(text)).toBeUndefined()
  })

  it('of any value is what it was written from, or may be', () => {
    const styles = [
      ['.', ','],
      [',', '.'],
      [',', ' '],
      ['.', "'"],
    ] as const
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 0, max: 3 }),
        fc.nat(3),
        (whole, places, style) => {
          const [decimal, group] = styles[style]!
          const value = Number((whole / 10 ** places).toFixed(places))
          const [digits = '', decimals] = Math.abs(value).toFixed(places).split('.')
          const grouped = digits.replace(/\B(?=(?:\d{3})+$)/g, group)
          const text = `${value < 0 ? '-' : ''}${grouped}${decimals === undefined ? '' : decimal + decimals}`
          expect(readNumber(text)?.[decimal]).toBe(value + 0)
        },
      ),
    )
  })

  it('of any text takes little time', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."0.,-+ €EURe'\u00a0") }),
        text => void readNumber(text),
      ),
    )
    expect(readNumber('1.'.repeat(5_000_000))).toBeUndefined()
  })
})

describe('the sign of decimals', () => {
  const signOf = (...texts: string[]) => {
    const evidence = new DecimalEvidence()
    for (const text of texts) evidence.add(readNumber(text)!)
    return evidence.decimal
  }

  it('is told by numbers that can be read in one way only', () => {
    expect(signOf('1.200', '12', '9,50')).toBe(',')
    expect(signOf('1.200', '0.500')).toBe('.')
    expect(signOf('1.200', '3.500', '12')).toBeUndefined()
    expect(signOf('9,50', '9.50')).toBeUndefined()
    expect(signOf(...Array.from({ length: 100 }, () => '9,50'), '9.50')).toBe(',')
  })

  it('matters only where it makes another number', () => {
    expect(['12', '1 200', '1.200', '1,5'].map(text => isAmbiguous(readNumber(text)!))).toEqual([
      false,
      false,
      true,
      false,
    ])
  })
})
