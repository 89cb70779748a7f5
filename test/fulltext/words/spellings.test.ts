import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { MadeIndex } from './made-index.ts'

const plain = (...texts: string[]) => new MadeIndex(texts, analyzerFor('none'))

describe('a word in another spelling', () => {
  it.each([
    ['gruener tee', 'grüner Tee bio'],
    ['grüner tee', 'gruener Tee bio'],
    ['rødvinsglas', 'roedvinsglas'],
    ['roedvinsglas', 'rødvinsglas'],
    ['fussball', 'Fußball'],
    ['coeur', 'cœur'],
    ['encyclopaedia', 'encyclopædia'],
    ['lyzka', 'łyżka'],
  ])('%s finds %s, which is no typo', (query, text) => {
    const index = plain('x', text)
    expect(index.found(query, { typoTolerance: 0, operator: 'and' })).toEqual([text])
    for (const word of index.words(query)) expect(['exact', 'spelling']).toContain(word.kind)
  })

  it.each([
    ['colour', 'color chart'],
    ['organiser', 'organizer box'],
    ['adjustor', 'strap adjuster, to adjust'],
    ['adjuster', 'strap adjustor, to adjust'],
    ['theatre', 'theater seat'],
  ])('%s finds %s', (query, text) => {
    expect(new MadeIndex(['x', text]).found(query, { typoTolerance: 0 })).toEqual([text])
  })

  it('leaves frequent words alone that have such letters by chance', () => {
    const index = new MadeIndex(['blu phone']).add('blue phone', 5)
    expect(index.found('blue')).toEqual(['blue phone'])
    expect(new MadeIndex(['razer mouse', 'razor']).found('razor', { typoTolerance: 0 })).toEqual(['razor'])
  })
})

describe('genitives and plurals', () => {
  it.each([
    ["women's slippers", 'womens slippers'],
    ['mens track pants', 'men’s track pants'],
    ["levi's jeans", 'levis jeans'],
    ["don't stop", 'dont stop'],
  ])('%s is the same query as %s', (one, other) => {
    const index = new MadeIndex([
      "Women's slippers",
      'slippers for women',
      "men's track pants",
      'pants',
      "levi's jeans",
      'dont stop',
    ])
    expect(index.words(one)).toEqual(index.words(other))
    expect(index.found(one)).toEqual(index.found(other))
  })

  it('are one family with the word itself', () => {
    const index = new MadeIndex(['woman', 'women', "women's", 'womens'])
    for (const query of ['woman', 'women', "women's", 'womens']) expect(index.found(query)).toHaveLength(4)
    expect(new MadeIndex(['mouse', 'mice', 'mine']).found('mice')).toEqual(['mice', 'mouse'])
  })
})

describe('a script', () => {
  it('without blanks has words that hold a single character', () => {
    const index = plain('抹茶', '茶色', '緑の茶', '猫')
    expect(index.found('茶').sort()).toEqual(['抹茶', '茶色', '緑の茶'].sort())
    expect(index.found('猫')).toEqual(['猫'])
  })

  it('has parts of Thai, Lao and Khmer texts', () => {
    expect(plain('กระเป๋าสะพาย', 'x').found('กระเป๋า')).toEqual(['กระเป๋าสะพาย'])
    expect(plain('ស្បែកជើងកីឡា', 'x').found('ស្បែកជើង')).toEqual(['ស្បែកជើងកីឡា'])
  })

  it('has Korean nouns with and without particles', () => {
    const index = plain('자전거를 위한 가방', '자전거')
    expect(index.found('자전거')).toHaveLength(2)
    expect(index.found('자전거는')).toHaveLength(2)
  })

  it('has words with and without points, hyphens and tints', () => {
    expect(plain('סֵפֶר בישול').found('ספר')).toHaveLength(1)
    expect(plain('قَهْوَة').found('قهوة')).toHaveLength(1)
    expect(plain('um\u00adbrella').found('umbrella')).toHaveLength(1)
    expect(plain('mug 🦊', 'mug').found('🦊')).toEqual(['mug 🦊'])
  })
})
