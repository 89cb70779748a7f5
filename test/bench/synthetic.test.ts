import { describe, expect, it } from 'vitest'
import { bears, read } from '../../bench/answer-key.ts'
import { type QueryKind, queryKinds, words } from '../../bench/contestant.ts'
import { Catalogue, syllableWords, typicalBytes } from '../../bench/synthetic.ts'

const vocabulary = syllableWords(20_000, 1)
const catalogue = new Catalogue(vocabulary)

describe('syllableWords', () => {
  it('makes as many different words as asked for, the same for the same seed', () => {
    expect(new Set(vocabulary).size).toBe(20_000)
    expect(syllableWords(20_000, 1)).toEqual(vocabulary)
    expect(syllableWords(20_000, 2)).not.toEqual(vocabulary)
  })
})

describe('Catalogue', () => {
  it('makes the same product of the same number, alone or in a row', () => {
    expect([...catalogue.products(5, 8)]).toEqual([5, 6, 7].map(number => catalogue.product(number)))
    expect(new Catalogue(vocabulary).product(6)).toEqual(catalogue.product(6))
    expect(new Catalogue(vocabulary, 43).product(6)).not.toEqual(catalogue.product(6))
  })

  it('makes documents of the size of a shop’s', () => {
    expect(typicalBytes(catalogue)).toBeGreaterThan(350)
    expect(typicalBytes(catalogue)).toBeLessThan(550)
  })

  it('draws words as languages do: as often at ranks 100 to 200 as at 200 to 400', () => {
    const drawn = [...catalogue.products(0, 2_000)].flatMap(({ desc }) => words(desc))
    const count = (from: number, to: number) => {
      const ranks = new Set(vocabulary.slice(from, to))
      return drawn.filter(word => ranks.has(word)).length
    }
    expect(count(0, 10) / count(10, 20)).toBeGreaterThan(3)
    const doubled = count(100, 200) / count(200, 400)
    expect(doubled).toBeGreaterThan(0.85)
    expect(doubled).toBeLessThan(1.15)
  })

  it('gives many titles a model code of their own', () => {
    const codes = [...catalogue.products(0, 1_000)].flatMap(
      ({ title }) => words(title).at(-1)!.match(/\d/) ?? [],
    )
    expect(codes.length).toBeGreaterThan(350)
    expect(codes.length).toBeLessThan(450)
  })
})

describe('queries', () => {
  const documents = [...catalogue.products(0, 200)].map(read)

  it.each(queryKinds)('of kind %s ask for words that stand together in a document', kind => {
    const strictest = (given: QueryKind) => (given === 'phrase' || given === 'prefix' ? given : 'and')
    for (const { meant } of catalogue.queries(kind, 20, 200)) {
      expect(documents.some(document => bears(document, { kind: strictest(kind), meant }))).toBe(true)
    }
  })

  it('have as many words as their kind', () => {
    const sizes = (kind: QueryKind) =>
      [...new Set(catalogue.queries(kind, 100, 500).map(({ meant }) => meant.length))].sort()
    expect(Object.fromEntries(queryKinds.map(kind => [kind, sizes(kind)]))).toEqual({
      term: [1],
      or: [3],
      and: [2, 3],
      phrase: [2, 3],
      typo: [1, 2, 3],
      prefix: [1, 2, 3],
      boosts: [3],
    })
  })

  it('are misspelt in every typo query and in no other', () => {
    const misspelt = (kind: QueryKind) =>
      catalogue.queries(kind, 100, 500).filter(({ text, meant }) => text !== meant.join(' ')).length
    expect(queryKinds.filter(kind => misspelt(kind) > 0)).toEqual(['typo'])
    expect(misspelt('typo')).toBe(100)
  })

  it('end in a beginning of two to five letters where they are prefixes', () => {
    const lengths = catalogue.queries('prefix', 200, 500).map(({ meant }) => meant.at(-1)!.length)
    expect([...new Set(lengths)].sort()).toEqual([2, 3, 4, 5])
  })

  it('ask with weights what OR asks without', () => {
    const texts = (kind: QueryKind) => catalogue.queries(kind, 50, 500).map(({ text }) => text)
    expect(texts('boosts')).toEqual(texts('or'))
  })
})
