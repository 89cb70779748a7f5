import { describe, expect, it } from 'vitest'
import { converted, measureUnitsOf } from '../../../src/analysis/units.ts'
import { MadeIndex } from './made-index.ts'

const index = new MadeIndex([
  'bottle 16 oz',
  'flask 16oz',
  'jar 16-ounce',
  'monitor 27 in',
  'screen 27"',
  'display 27-inch',
  'ssd 2 TB',
  'disk 2000GB',
  'bolt 3/4 in',
  'bolt 1-3/4 in',
  'photo 4x6',
  'power bank 20,000 mAh',
])

describe('a measure', () => {
  it.each([
    [
      ['16oz', '16 oz', '16 ounces', '16-oz'],
      ['bottle 16 oz', 'flask 16oz', 'jar 16-ounce'],
    ],
    [
      ['27"', '27 in', '27 inch', '27-inch', '27inch', '27in'],
      ['monitor 27 in', 'screen 27"', 'display 27-inch'],
    ],
    [
      ['2tb', '2 tb', '2000 gb', '2000gb', '2 terabytes'],
      ['ssd 2 TB', 'disk 2000GB'],
    ],
    [['20000mah', '20000 mah', '20,000mah'], ['power bank 20,000 mAh']],
  ])('is the same as %j', (queries, texts) => {
    for (const query of queries)
      expect(index.found(query, { operator: 'and' }).sort(), query).toEqual([...texts].sort())
  })

  it('is told by all that was found', () => {
    const [word] = index.words('16oz')
    expect(word!.kind).toBe('exact')
    expect([...word!.surfaces].sort()).toEqual(['16', '16oz', 'ounce', 'oz'])
    expect(index.words('16ounces')[0]!.kind).toBe('unit')
  })

  it('is not the part of another', () => {
    expect(index.found('3/4 bolt', { operator: 'and' })).toEqual(['bolt 3/4 in'])
    expect(index.found('1 3/4 bolt', { operator: 'and' })).toEqual(['bolt 1-3/4 in'])
    expect(index.found('4x6')).toEqual(['photo 4x6'])
    expect(index.found('4 6')).toEqual([])
  })

  it('has its number for itself, also beside another unit', () => {
    expect(index.found('28"')).toEqual(index.found('in'))
    expect(new MadeIndex(['27 W']).found('27 in')).toEqual(['27 W'])
  })
})

describe('units', () => {
  it('are converted only where the number is one that people write', () => {
    const units = measureUnitsOf('english')
    const to = (value: number, unit: string) =>
      converted(value, units.get(unit)!, units).map(({ value, unit }) => `${value} ${unit.spellings[0]}`)
    expect(to(2, 'tb')).toEqual(['2000000 mb', '2000 gb'].slice(1))
    expect(to(500, 'grams')).toEqual(['500000 mg', '0.5 kg'])
    expect(to(6, 'ft')).toEqual(['72 in', '2 yd'])
    expect(to(1, 'in')).toEqual([])
  })

  it('are named in the language of the texts', () => {
    expect(measureUnitsOf('german').get('zoll')!.spellings).toContain('in')
    expect(measureUnitsOf('english').has('zoll')).toBe(false)
    expect(measureUnitsOf('plain').get('cm')!.spellings).toEqual(['cm'])
  })
})
