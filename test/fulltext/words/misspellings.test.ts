import { describe, expect, it } from 'vitest'
import { MadeIndex } from './made-index.ts'

const shop = () => new MadeIndex(['compter desk manual', 'oak desk']).add('computer desk', 12)

describe('a rare word like one that is far more frequent', () => {
  it('is taken for both, its own documents first', () => {
    expect(shop().found('compter').slice(0, 2)).toEqual(['compter desk manual', 'computer desk'])
    expect(shop().found('compter desk', { operator: 'and' })).toEqual([
      'compter desk manual',
      'computer desk',
    ])
  })

  it('is told with what was probably meant', () => {
    expect(shop().words('compter')).toMatchObject([
      { kind: 'exact', surfaces: ['compter', 'computer'], suggestion: 'computer' },
    ])
    expect(shop().words('computer')[0]).not.toHaveProperty('suggestion')
    expect(shop().words('conputer')).toMatchObject([{ kind: 'typo', suggestion: 'computer' }])
  })

  it('is explained so that the parts make the score', () => {
    const { hits } = shop().index.search('compter desk', {
      limit: 50,
      operator: 'or',
      typoTolerance: 2,
      explain: true,
    })
    const kinds = new Set<string>()
    for (const { score, explanation } of hits) {
      const { words, titleFactor } = explanation!
      const sum = words.reduce((total, word) => total + word.score, 0)
      expect(score).toBeCloseTo(sum * titleFactor, 6)
      for (const { occurrences, idf, expansions } of words)
        for (const { kind, weight, impact, score } of expansions) {
          kinds.add(kind)
          expect(score).toBeCloseTo(occurrences * idf * weight * impact, 6)
        }
    }
    expect([...kinds].sort()).toEqual(['exact', 'typo'])
  })

  it('stands for itself without tolerance, and when it is a code or a number', () => {
    expect(shop().found('compter', { typoTolerance: 0 })).toEqual(['compter desk manual'])
    const codes = new MadeIndex(['ab123', '1234567']).add('ab124', 20).add('1234568', 20)
    expect(codes.found('ab123')).toEqual(['ab123'])
    expect(codes.found('1234567')).toEqual(['1234567'])
  })

  it('stands for itself where it is no longer rare, or the other one not far more frequent', () => {
    expect(shop().add('compter', 3).found('compter')).toEqual(['compter', 'compter desk manual'])
    expect(new MadeIndex(['cart', 'care']).add('card', 4).found('cart')).toEqual(['cart'])
  })
})

describe('a code', () => {
  it('finds those that begin with it, behind itself, from five characters on', () => {
    const index = new MadeIndex(['dcd791d2 drill', 'dcd791 drill', 'dcd80 drill'])
    expect(index.found('dcd791')).toEqual(['dcd791 drill', 'dcd791d2 drill'])
    expect(index.found('dcd 791')).toEqual(['dcd791 drill', 'dcd791d2 drill'])
    expect(index.words('dcd8 drill')[0]!.kind).toBe('none')
  })

  it('is taken for its neighbours only where a query finds nothing else, which the answer says', () => {
    const index = new MadeIndex(['i76700k', 'processor'])
    expect(index.found('i78700k processor')).toEqual(['processor'])
    expect(index.words('i78700k')).toMatchObject([{ kind: 'typo', suggestion: 'i76700k' }])
    expect(index.found('i78700k')).toEqual(['i76700k'])
    expect(index.found('i78700k', { typoTolerance: 0 })).toEqual([])
  })
})

describe('the unfinished last word', () => {
  const index = new MadeIndex(['keyboard tray', 'turntable mat', 'kimono'])

  it.each([
    ['kybo', 'keyboard tray'],
    ['kebyo', 'keyboard tray'],
    ['keyvoa', 'keyboard tray'],
    ['trunta', 'turntable mat'],
  ])('%s is forgiven an edit', (typed, text) => {
    expect(index.found(typed, { prefix: true })).toEqual([text])
    expect(index.found(`${typed} `, { prefix: true })).toEqual([])
    expect(index.found(typed)).toEqual([])
  })

  it('is not, while something begins so, or without tolerance', () => {
    expect(new MadeIndex(['keybot', 'kybot']).found('kybo', { prefix: true })).toEqual(['kybot'])
    expect(index.found('kybo', { prefix: true, typoTolerance: 0 })).toEqual([])
  })
})
