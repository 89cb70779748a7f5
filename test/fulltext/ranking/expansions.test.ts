import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'

const analyzer = analyzerFor('english')
const search: QueryOptions = { limit: 1000, operator: 'or', typoTolerance: 2 }

function indexOf(...titles: string[]): FulltextIndex {
  const fields = [
    { weight: 2, b: 0.5 },
    { weight: 1, b: 0.5 },
  ]
  const index = new FulltextIndex({ analyzer, fields })
  for (const [i, title] of titles.entries()) index.add(`d${i}`, [title, undefined])
  return index
}

function ids(index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}): string[] {
  return index.search(query, { ...search, ...options }).hits.map(({ id }) => id)
}

describe('the last word of a search by prefix', () => {
  const index = indexOf('lamp', 'lampshade', 'lampshades', 'clamp', 'red lampoon')

  it('stands for the words that begin with it, after itself', () => {
    expect(ids(index, 'lam', { prefix: true }).sort()).toEqual(['d0', 'd1', 'd2', 'd4'])
    expect(ids(index, 'lamp', { prefix: true })[0]).toBe('d0')
    expect(ids(index, 'lamp', { prefix: true })).toHaveLength(4)
    expect(ids(index, 'lamp')).toEqual(['d0'])
  })

  it('is the only one of them that does', () => {
    expect(ids(index, 'lam red', { prefix: true, typoTolerance: 0 })).toEqual(['d4'])
    expect(ids(index, 'red lam', { prefix: true, operator: 'and' })).toEqual(['d4'])
    expect(ids(index, 'lam red lam', { prefix: true, operator: 'and' })).toEqual(['d4'])
  })

  it('is told as a prefix when it is no word itself', () => {
    const [lam, lamp] = ['lam', 'lamp'].map(
      query => index.search(query, { ...search, prefix: true }).words[0]!,
    )
    expect(lam).toMatchObject({ kind: 'prefix', surfaces: ['lamp', 'lampoon', 'lampshade', 'lampshades'] })
    expect(lamp).toMatchObject({ kind: 'exact', surfaces: ['lamp', 'lampoon', 'lampshade', 'lampshades'] })
  })

  it('is taken for a misspelt word when nothing begins with it', () => {
    expect(ids(index, 'lmap', { prefix: true }).sort()).toEqual(['d0', 'd1', 'd2', 'd4'])
    expect(ids(index, 'lmap ', { prefix: true })).toEqual(['d0'])
    expect(ids(index, 'lmap', { prefix: true, typoTolerance: 0 })).toEqual([])
  })

  it('stands for the 128 most frequent of many', () => {
    const many = indexOf(
      ...Array.from({ length: 300 }, (_, i) => `code${i} ${i < 128 ? `code${i + 500}` : ''}`),
    )
    for (let i = 0; i < 128; i++) many.add(`more${i}`, [`code${i + 500}`, undefined])
    const { words } = many.search('code', { ...search, prefix: true })
    const frequent = Array.from({ length: 128 }, (_, i) => `code${i + 500}`)
    expect(words[0]!.surfaces).toEqual(frequent.sort())
  })
})

describe('an explanation', () => {
  it('names the forms that stand in each field, how often, and what they add', () => {
    const index = indexOf('chair', 'sofa')
    index.add('a', ['lamp lamps lamp', 'two lamps here'])
    const [hit] = index.search('lamps lamps chairs', { ...search, explain: true }).hits
    const { words, titleFactor, signalFactors } = hit!.explanation!
    expect(words).toMatchObject([
      {
        word: 'lamps',
        occurrences: 2,
        expansions: [
          {
            kind: 'stem',
            surfaces: ['lamp', 'lamps'],
            weight: expect.closeTo(0.8, 4),
            fields: [
              { occurrences: 3, length: 3 },
              { occurrences: 1, length: 3 },
            ],
          },
          {
            kind: 'exact',
            surfaces: ['lamps'],
            weight: expect.closeTo(0.2, 4),
            fields: [
              { occurrences: 1, length: 3 },
              { occurrences: 1, length: 3 },
            ],
          },
        ],
      },
    ])
    expect(titleFactor).toBe(1.15)
    expect(signalFactors).toEqual([])
  })

  it('leaves out words that the document lacks', () => {
    const { hits } = indexOf('red lamp', 'lamp').search('red lamp sofa', { ...search, explain: true })
    const explained = hits.map(({ id, explanation }) => [id, ...explanation!.words.map(({ word }) => word)])
    expect(explained).toEqual([
      ['d0', 'red', 'lamp'],
      ['d1', 'lamp'],
    ])
  })

  it('comes only when asked for', () => {
    const [hit] = indexOf('lamp').search('lamp', search).hits
    expect(Object.keys(hit!)).toEqual(['id', 'score'])
  })
})

describe('an explanation of a long query', () => {
  it('names the words that a document has, in the order of the query, and they add up to its score', () => {
    const titles = Array.from(
      { length: 60 },
      (_, i) => `lamps ${i} oak${i % 7} ${i % 3 === 0 ? 'chair' : 'desks'}`,
    )
    const index = indexOf(...titles)
    const asked = ['chairs', 'lamp', 'desk', 'brass', ...Array.from({ length: 300 }, (_, i) => `oak${i}`)]
    const { hits } = index.search(asked.join(' '), { ...search, typoTolerance: 0, explain: true })
    expect(hits).toHaveLength(60)
    for (const { id, score, explanation } of hits) {
      const i = Number(id.slice(1))
      const { words, titleFactor, negationFactor, topicFactor } = explanation!
      expect(words.map(({ word }) => word)).toEqual([
        ...(i % 3 === 0 ? ['chairs', 'lamp'] : ['lamp', 'desk']),
        `oak${i % 7}`,
      ])
      const sum = words.reduce((total, word) => total + word.score, 0)
      expect(sum * titleFactor * negationFactor * topicFactor).toBeCloseTo(score, 6)
    }
  })
})
