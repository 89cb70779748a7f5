import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'

const analyzer = analyzerFor('english')
const fields = [
  { weight: 3, b: 0.5 },
  { weight: 1, b: 0.5 },
]

function indexOf(documents: Record<string, [string | string[], string?]>): FulltextIndex {
  const index = new FulltextIndex({ analyzer, fields })
  for (const [id, [title, body]] of Object.entries(documents)) index.add(id, [title, body])
  return index
}

function ids(index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}): string[] {
  const { hits } = index.search(query, { limit: 100, operator: 'or', typoTolerance: 2, ...options })
  return hits.map(({ id }) => id).sort()
}

describe('a phrase', () => {
  it('must stand in one field, word behind word, in its order', () => {
    const index = indexOf({
      together: ['a red lamp'],
      body: ['chair', 'one red lamp'],
      apart: ['red desk lamp'],
      reversed: ['lamp red'],
      across: ['red', 'lamp'],
      partly: ['red'],
    })
    expect(ids(index, '"red lamp"')).toEqual(['body', 'together'])
    expect(ids(index, '"red lamp"', { operator: 'and' })).toEqual(['body', 'together'])
    expect(ids(index, 'red lamp')).toHaveLength(6)
  })

  it('stands in one text of a list, never across two', () => {
    const index = indexOf({
      one: [['a red lamp', 'chair']],
      across: [['red', 'lamp']],
      late: [['', 'red lamp']],
    })
    expect(ids(index, '"red lamp"')).toEqual(['late', 'one'])
    expect(ids(index, '"red chair"~9')).toEqual([])
    expect(ids(index, 'red lamp')).toEqual(['across', 'late', 'one'])
  })

  it('may have as many other words between as its slop says, all in all', () => {
    const index = indexOf({
      0: ['a b c'],
      1: ['a x b c'],
      2: ['a x b x c'],
      3: ['a x b x x c'],
      9: ['a x x x x b x x x x x c'],
      10: ['a x x x x b x x x x x x c'],
    })
    expect(ids(index, '"a b c"')).toEqual(['0'])
    expect(ids(index, '"a b c"~1')).toEqual(['0', '1'])
    expect(ids(index, '"a b c"~3')).toEqual(['0', '1', '2', '3'])
    expect(ids(index, '"a b c"~9')).toEqual(['0', '1', '2', '3', '9'])
  })

  it('begins anew where its first word comes again', () => {
    const index = indexOf({ a: ['red red red lamp lamp'], b: ['red x red x lamp'] })
    expect(ids(index, '"red lamp"')).toEqual(['a'])
    expect(ids(index, '"red red lamp"')).toEqual(['a'])
    expect(ids(index, '"red red lamp"~2')).toEqual(['a', 'b'])
    expect(ids(index, '"red red red red lamp"~9')).toEqual([])
  })

  it('of one word requires it', () => {
    const index = indexOf({ both: ['red lamp'], lamp: ['lamp'], red: ['red'] })
    expect(ids(index, '"lamp"')).toEqual(['both', 'lamp'])
    expect(ids(index, 'red "lamp"')).toEqual(['both', 'lamp'])
    expect(ids(index, '"red" "lamp"')).toEqual(['both'])
  })

  it('leaves other words free to be there or not', () => {
    const index = indexOf({ a: ['red lamp'], b: ['red lamp chair'], c: ['chair'] })
    expect(ids(index, '"red lamp" chair')).toEqual(['a', 'b'])
    expect(ids(index, '"red lamp" chair', { operator: 'and' })).toEqual(['b'])
    expect(ids(index, '"red lamp" "lamp chair"')).toEqual(['b'])
  })

  it('takes other forms of its words, and misspelt ones for what they were meant to be', () => {
    const index = indexOf({ a: ['red lamps'], b: ['lamps red'] })
    expect(ids(index, '"red lamp"')).toEqual(['a'])
    expect(ids(index, '"red lmaps"')).toEqual(['a'])
    expect(ids(index, '"red lmaps"', { typoTolerance: 0 })).toEqual([])
  })

  it('with a word that occurs nowhere is found nowhere, whatever else there is', () => {
    const index = indexOf({ a: ['red lamp'] })
    expect(ids(index, '"red sofa" lamp')).toEqual([])
    const { total } = index.search('"red sofa" lamp', {
      limit: 5,
      operator: 'or',
      typoTolerance: 0,
      count: true,
    })
    expect(total).toEqual({ count: 0, exact: true })
  })

  it('does not stand in a field that is not searched', () => {
    const index = indexOf({ a: ['lamp red', 'red lamp'], b: ['red lamp', 'lamp red'] })
    expect(ids(index, '"red lamp"', { weights: [1, 0] })).toEqual(['b'])
    expect(ids(index, '"red lamp"', { weights: [0, 1] })).toEqual(['a'])
    expect(ids(index, '"red lamp"', { weights: [0, 0] })).toEqual([])
  })

  it('is told with the words that may stand at each of its places', () => {
    const index = indexOf({ a: ['red lamps'], b: ['lamp'] })
    const search = { limit: 1, operator: 'or', typoTolerance: 2 } as const
    expect(index.search('chair "red lamp"~2', search).phrases).toEqual([
      { places: [['red'], ['lamp', 'lamps']], slop: 2 },
    ])
    expect(index.search('red lamp', search).phrases).toEqual([])
  })

  it('follows the document', () => {
    const index = indexOf({ a: ['red lamp'], b: ['lamp red'] })
    expect(ids(index, '"red lamp"')).toEqual(['a'])
    index.add('b', ['red lamp', undefined])
    index.add('a', ['red', 'lamp'])
    expect(ids(index, '"red lamp"')).toEqual(['b'])
    index.remove('b')
    expect(ids(index, '"red lamp"')).toEqual([])
  })
})
