import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'

const fields = [
  { weight: 4, b: 0 },
  { weight: 1, b: 0 },
]

function indexOf(titles: Iterable<readonly [string, string | string[]]>): FulltextIndex {
  const index = new FulltextIndex({ analyzer: analyzerFor('english'), fields })
  for (const [id, title] of titles) index.add(id, [title, undefined])
  return index
}

function hits(index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}) {
  return index.search(query, { limit: 1000, operator: 'or', typoTolerance: 0, explain: true, ...options })
    .hits
}

const ids = (...args: Parameters<typeof hits>) => hits(...args).map(({ id }) => id)

describe('a query that wants to be without something', () => {
  const index = indexOf([
    ['has', 'granola with sugar'],
    ['silent', 'granola'],
    ['free', 'granola sugar free'],
    ['no', 'granola no sugar'],
    ['elsewhere', 'granola without nuts, sugar'],
    ['texts', 'x'],
  ])
  index.add('texts', [['granola without', 'sugar'], undefined])

  it('is told by titles that say so, before those that do not say, before those that have it', () => {
    const factors = hits(index, 'granola without sugar').map(({ id, explanation }) => [
      id,
      explanation!.negationFactor.toFixed(2),
    ])
    expect(new Map(factors as [string, string][])).toEqual(
      new Map([
        ['free', '1.86'],
        ['no', '1.86'],
        ['silent', '1.43'],
        ['has', '1.00'],
        ['elsewhere', '1.00'],
        ['texts', '1.00'],
      ]),
    )
    for (const query of ['granola no sugar', 'granola not the sugar', 'granola non sugar'])
      expect(ids(index, query).slice(0, 2).sort()).toEqual(['free', 'no'])
  })

  it('is one only where a word follows that says something', () => {
    for (const query of ['granola sugar', 'granola sugar without', 'sugar free granola', 'granola not the'])
      for (const { explanation } of hits(index, query)) expect(explanation!.negationFactor).toBe(1)
  })

  it('gives each document once and the same on whatever pages it is read', () => {
    const many = indexOf(
      Array.from({ length: 700 }, (_, i) => {
        const title = ['granola', 'sugar granola', 'granola sugar free', 'sugar bar'][(i * 7) % 4]!
        return [`d${i}`, `${title}${' oats'.repeat(i % 5)}`] as const
      }),
    )
    for (const operator of ['or', 'and'] as const) {
      for (const query of ['granola without sugar', 'granola sugar', '"sugar bar" no oats']) {
        const all = hits(many, query, { operator })
        const scores = all.map(({ score }) => score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        for (const limit of [7, 64, 150, 230]) {
          const paged: typeof all = []
          for (let offset = 0; offset < all.length; offset += limit)
            paged.push(...hits(many, query, { operator, limit, offset }))
          expect(paged).toEqual(all)
        }
      }
    }
  })
})

describe('function words', () => {
  const words = ['oak', 'table', 'lamp', 'chair', 'sofa', 'desk']
  const index = indexOf([...words, 'for', 'the'].map(word => [word, word] as const))

  it.each([
    ['the oak table lamp', 1],
    ['the oak table lamp chair', 0.5],
    ['for the oak table lamp chair sofa', 0.001],
    ['the oak table lamp chair sofa desk', 0.001],
    ['the for', 1],
    ['the oak table lamp sofabed recliner', 1],
  ])('count less beside other words that stand for something: in %s %d', (query, share) => {
    const found = hits(index, query)
    const [the] = found.find(({ id }) => id === 'the')!.explanation!.words
    expect(the!.share).toBe(share)
    const other = found.find(({ id }) => id === 'oak')
    if (other) expect(other.explanation!.words[0]!.share).toBe(1)
  })

  it('are required as others are where all must match', () => {
    const all = indexOf([
      ['without', words.join(' ')],
      ['with', `the ${words.join(' ')}`],
    ])
    expect(ids(all, `the ${words.join(' ')}`, { operator: 'and' })).toEqual(['with'])
  })

  it('that may be the beginning of another word count in full', () => {
    const begun = indexOf([['then', `thermos ${words.join(' ')} the`]])
    const share = (query: string) =>
      hits(begun, query, { prefix: true })[0]!.explanation!.words.find(({ word }) => word === 'the')!.share
    expect(share(`${words.join(' ')} the`)).toBe(1)
    expect(share(`${words.join(' ')} the `)).toBe(0.001)
  })
})
