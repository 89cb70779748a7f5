import { describe, expect, it } from 'vitest'
import { bears } from '../../bench/answer-key.ts'
import { Catalogue, queryKinds, syllableWords, typicalBytes, words } from '../../bench/synthetic.ts'

const vocabulary = syllableWords(20_000, 1)
const catalogue = new Catalogue(vocabulary)

const wordsOf = (number: number): Set<string> => {
  const { title, desc } = catalogue.product(number)
  return new Set(words(`${title} ${desc}`))
}

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
  it.each(queryKinds)('of kind %s ask for words that stand together in a document', kind => {
    for (const { meant, operator } of catalogue.queries(kind, 20, 200)) {
      const together = Array.from({ length: 200 }, (_, number) => wordsOf(number))
      expect(together.some(borne => bears(borne, { meant, operator: 'and' }))).toBe(true)
      expect(operator).toBe(kind === 'and' ? 'and' : 'or')
    }
  })

  it('have one word, three, two to three, and one to three with a typo', () => {
    const sizes = (kind: (typeof queryKinds)[number]) =>
      [...new Set(catalogue.queries(kind, 100, 500).map(({ meant }) => meant.length))].sort()
    expect(queryKinds.map(sizes)).toEqual([[1], [3], [2, 3], [1, 2, 3]])
  })

  it('are misspelt in every typo query and in no other', () => {
    const misspelt = (kind: (typeof queryKinds)[number]) =>
      catalogue.queries(kind, 100, 500).filter(({ text, meant }) => text !== meant.join(' ')).length
    expect(queryKinds.map(misspelt)).toEqual([0, 0, 0, 100])
  })
})
