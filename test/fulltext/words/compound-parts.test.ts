import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import { MadeIndex } from './made-index.ts'

const german = await loadAnalyzer('german')
const dutch = await loadAnalyzer('dutch')
const swedish = await loadAnalyzer('swedish')
const danish = await loadAnalyzer('danish')
const finnish = await loadAnalyzer('finnish')
const norwegian = await loadAnalyzer('norwegian')

const shop = [
  'Gartenstuhl Eiche',
  'Bürostuhl schwarz',
  'Gartentisch rund',
  'Bratpfanne 28 cm',
  'Pfanne aus Eisen',
  'Wein vom Garten',
  'Büro Bedarf',
  'zum Braten',
]

describe('words written as one in German', () => {
  it.each([
    ['stuhl', ['Bürostuhl schwarz', 'Gartenstuhl Eiche']],
    ['stühle', ['Bürostuhl schwarz', 'Gartenstuhl Eiche']],
    ['tisch', ['Gartentisch rund']],
    ['STUHL', ['Bürostuhl schwarz', 'Gartenstuhl Eiche']],
  ])('are found by what they end in: %s', (query, expected) => {
    expect(new MadeIndex(shop, german).found(query).sort()).toEqual(expected)
  })

  it('are found by what they begin with, behind the word itself', () => {
    const found = new MadeIndex(shop, german).found('garten')
    expect(found[0]).toBe('Wein vom Garten')
    expect(found.slice(1).sort()).toEqual(['Gartenstuhl Eiche', 'Gartentisch rund'])
  })

  it('come behind the word itself', () => {
    expect(new MadeIndex(shop, german).found('pfanne')).toEqual(['Pfanne aus Eisen', 'Bratpfanne 28 cm'])
  })

  it.each([
    ['horn', 'Ahorn Brett', 'Gummihorn'],
    ['säge', 'Massage Öl', 'Stichsäge'],
    ['schluss', 'Verschluss', 'Ladenschluss'],
    ['uhr', 'Gebühr', 'Wanduhr'],
  ])('have %s as a part only where the rest is one, too: not in %s', (query, without, having) => {
    const index = new MadeIndex(['Gummi', 'Laden', 'Stich', 'Wand', without, having], german)
    expect(index.found(query, { typoTolerance: 0 })).toEqual([having])
  })

  it.each([
    ['arbeit tisch', 'Arbeitstisch'],
    ['küche schrank', 'Küchenschrank'],
    ['kind stuhl', 'Kinderstuhl'],
    ['kaffee vollautomat', 'Kaffeevollautomat'],
    ['kafee vollautomat', 'Kaffeevollautomat'],
    ['kaffee volautomat', 'Kaffeevollautomat'],
  ])('are found written apart: %s', (query, text) => {
    const index = new MadeIndex(['Topf', 'Decke', 'Lampe', text], german)
    expect(index.found(query)[0]).toBe(text)
  })

  it('are found by a misspelt part', () => {
    const index = new MadeIndex(shop, german)
    expect(index.found('stul').sort()).toEqual(['Bürostuhl schwarz', 'Gartenstuhl Eiche'])
    expect(index.words('pfane')).toMatchObject([{ kind: 'typo', suggestion: 'pfanne' }])
    expect(index.found('pfane')).toEqual(['Pfanne aus Eisen', 'Bratpfanne 28 cm'])
  })

  it('are not what was probably meant, whatever else is asked', () => {
    const index = new MadeIndex([...shop, 'Pfanner Saft'], german).add('Bratpfanne Buche', 5).add('Lampe', 40)
    for (const query of ['pfane', 'pfane buche', 'buche pfane'])
      expect(index.words(query).find(({ word }) => word === 'pfane')?.suggestion, query).toMatch(/^pfanner?$/)
  })

  it('are found by the first misspelt parts of a long query, not by each of a thousand', () => {
    const index = new MadeIndex(shop, german)
    const unknown = Array.from({ length: 8 }, (_, i) => `qx${'yz'.repeat(3)}${'abcdefgh'[i]}`)
    expect(index.found(`${unknown.slice(0, 7).join(' ')} stul`)).not.toEqual([])
    expect(index.found(`${unknown.join(' ')} stul`)).toEqual([])
  })

  it('are told with their part', () => {
    const [word] = new MadeIndex(shop, german).words('stühle')
    expect(word).toMatchObject({ word: 'stuhle', kind: 'part' })
    expect([...word!.parts!].sort((a, b) => (a.surface < b.surface ? -1 : 1))).toEqual([
      { surface: 'burostuhl', from: 4, to: 9 },
      { surface: 'gartenstuhl', from: 6, to: 11 },
    ])
  })

  it('are not told of a word that none has as a part', () => {
    expect(new MadeIndex(shop, german).words('eisen')[0]).not.toHaveProperty('parts')
  })

  it('have parts in a first search as in a later one, and as in an index made anew', () => {
    const words = ['garten', 'stuhl', 'tisch', 'büro', 'lampe', 'brat', 'pfanne', 'horn', 'säge']
    const text = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
      .chain(parts => fc.boolean().map(isOne => parts.join(isOne ? '' : ' ')))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), fc.nat(12), (texts, removed) => {
        const unique = [...new Set(texts)]
        const index = new MadeIndex(unique, german)
        const ask = (of: MadeIndex) =>
          words.map(word => of.index.search(word, { limit: 100, operator: 'or', typoTolerance: 1 }))
        ask(index)
        const gone = unique[removed]
        if (gone !== undefined) index.index.remove(gone)
        const left = new MadeIndex(
          unique.filter(one => one !== gone),
          german,
        )
        const plain = (answers: ReturnType<typeof ask>) =>
          answers.map(({ hits, words }) => [
            hits.map(({ id }) => id).sort(),
            words.map(({ kind, surfaces }) => [kind, [...surfaces].sort()]),
          ])
        expect(plain(ask(index))).toEqual(plain(ask(left)))
      }),
      { numRuns: 200 },
    )
  })
})

describe('words written as one in other languages', () => {
  it.each([
    ['Dutch', dutch, 'stoel', 'Tuinstoel groen', 'tuin'],
    ['Swedish', swedish, 'stol', 'Trädgårdsstol grön', 'trädgård'],
    ['Danish', danish, 'stol', 'Havestol grøn', 'have'],
    ['Finnish', finnish, 'tuoli', 'Puutarhatuoli vihreä', 'puutarha'],
    ['Norwegian', norwegian, 'stol', 'Hagestol grønn', 'hage'],
  ])('are found in %s', (_, analyzer, head, text, first) => {
    const index = new MadeIndex([text, first, head], analyzer)
    expect(index.found(head)).toEqual([head, text])
    expect(index.found(first)).toEqual([first, text])
  })

  it.each([
    ['tuolit', 'Puutarhatuoli vihreä'],
    ['tuoli', 'Puutarhatuolit'],
    ['takki', 'Koirantakki'],
    ['koira', 'Koirantakki'],
    ['koira takki', 'Koirantakki'],
    ['puutrha', 'Puutarhatuoli vihreä'],
  ])('are found in Finnish in other forms, linked, apart and misspelt: %s', (query, text) => {
    const others = ['Puutarha', 'Koira', 'Takit', 'Tuoli', 'Puuro', 'Puu']
    expect(new MadeIndex([text, ...others], finnish).found(query)).toContain(text)
    expect(new MadeIndex([text, ...others], finnish).found('puu', { typoTolerance: 0 })).toEqual(['Puu'])
  })

  it('are words of their own in English', () => {
    const index = new MadeIndex(['sunglasses', 'armchair', 'arm', 'sun'])
    expect(index.found('chair', { typoTolerance: 0 })).toEqual([])
    expect(index.found('arm')).toEqual(['arm'])
  })
})
