import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import { MadeIndex } from './made-index.ts'

const index = new MadeIndex(
  [
    'Kabel 1,5 m',
    'Leitung 1.5m',
    'Schlauch 1,50 m',
    'Lampe 10,5 W',
    'Leuchte 10.5w',
    'Motor 1.200 W',
    'Ofen 1200 Watt',
    'Tisch 1.299,00 €',
    'Größen 1,2,3',
  ],
  await loadAnalyzer('german'),
)

describe('a number', () => {
  it.each([
    [
      ['1,5', '1.5', '1,50'],
      ['Kabel 1,5 m', 'Schlauch 1,50 m'],
    ],
    [
      ['1,5 m', '1.5 m', '1,5m', '1.50 m', '1,5 meter'],
      ['Kabel 1,5 m', 'Leitung 1.5m', 'Schlauch 1,50 m'],
    ],
    [
      ['10,5 w', '10.5w', '10,5W', '10.5 Watt'],
      ['Lampe 10,5 W', 'Leuchte 10.5w'],
    ],
    [
      ['1200', '1.200', '1,200', '1200 w', '1.200 Watt'],
      ['Motor 1.200 W', 'Ofen 1200 Watt'],
    ],
    [['1299', '1.299', '1299,00', '1.299,00'], ['Tisch 1.299,00 €']],
    [['2', '3'], ['Größen 1,2,3']],
  ])('is found however it is written: %j', (queries, texts) => {
    for (const query of queries)
      expect(index.found(query, { operator: 'and', typoTolerance: 0 }).sort(), query).toEqual(
        [...texts].sort(),
      )
  })

  it('as it was typed comes first', () => {
    expect(index.found('1200', { operator: 'and' })).toEqual(['Ofen 1200 Watt', 'Motor 1.200 W'])
    expect(index.found('1.200', { operator: 'and' })).toEqual(['Motor 1.200 W', 'Ofen 1200 Watt'])
  })
})
