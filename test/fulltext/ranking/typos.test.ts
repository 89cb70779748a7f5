import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'

const options = { analyzer: analyzerFor('english'), fields: [{ weight: 1, b: 0.5 }] }

function indexOf(...texts: string[]): FulltextIndex {
  const index = new FulltextIndex(options)
  for (const [i, text] of texts.entries()) index.add(`d${i}`, [text])
  return index
}

function takenFor(index: FulltextIndex, word: string, typoTolerance: 0 | 1 | 2 = 2): readonly string[] {
  return index.search(word, { limit: 10, operator: 'or', typoTolerance }).words[0]!.surfaces
}

describe('a word that occurs nowhere', () => {
  it.each([
    ['a letter added', 'quarrtz'],
    ['a letter dropped', 'qurtz'],
    ['another letter', 'quertz'],
    ['neighbours swapped', 'qaurtz'],
    ['a wrong beginning', 'kuartz'],
    ['two edits', 'qarrtz'],
    ['two swaps', 'qaurzt'],
  ])('is taken for a word with %s', (_, typed) => {
    expect(takenFor(indexOf('quartz'), typed)).toEqual(['quartz'])
  })

  it('of up to five letters may be one edit away, a longer one two', () => {
    const index = indexOf('lamp zephyr cat')
    expect(takenFor(index, 'lam')).toEqual(['lamp'])
    expect(takenFor(index, 'lampxx')).toEqual(['lamp'])
    expect(takenFor(index, 'cxx')).toEqual([])
    expect(takenFor(index, 'zephxrx')).toEqual(['zephyr'])
    expect(takenFor(index, 'zexhxrx')).toEqual([])
  })

  it('of four or five letters may be two edits away where the query finds nothing else', () => {
    const index = indexOf('lamp zephyr')
    const words = (query: string) =>
      index
        .search(query, { limit: 10, operator: 'or', typoTolerance: 2 })
        .words.map(({ kind, surfaces }) => [kind, ...surfaces])
    expect(words('laxpx')).toEqual([['typo', 'lamp']])
    expect(words('laxpx qqqqq')).toEqual([['typo', 'lamp'], ['none']])
    expect(words('laxpx zephyr')).toEqual([['none'], ['exact', 'zephyr']])
    expect(takenFor(index, 'laxpx', 1)).toEqual([])
  })

  it('may be no further away than the tolerance', () => {
    const index = indexOf('zephyr')
    expect(takenFor(index, 'zepyhr', 0)).toEqual([])
    expect(takenFor(index, 'zepyhr', 1)).toEqual(['zephyr'])
    expect(takenFor(index, 'zexhxr', 1)).toEqual([])
    expect(takenFor(index, 'zexhxr', 2)).toEqual(['zephyr'])
  })

  it('is left alone when it is short or a number', () => {
    const index = indexOf('ab 12345 ١٢٣٤٥')
    for (const word of ['ac', '12346', '١٢٣٤٦']) expect(takenFor(index, word)).toEqual([])
  })

  it('is taken for the more frequent of two words as near', () => {
    expect(takenFor(indexOf('bat', 'cat', 'cat', 'cat'), 'xat')[0]).toBe('cat')
    expect(takenFor(indexOf('bat', 'bat', 'bat', 'cat'), 'xat')[0]).toBe('bat')
  })

  it('is not taken for words that no document has any more', () => {
    const index = indexOf('zephyr', 'lamp')
    expect(takenFor(index, 'zephir')).toEqual(['zephyr'])
    index.remove('d0')
    expect(takenFor(index, 'zephir')).toEqual([])
  })

  it('counts as occurring nowhere once its last document is gone', () => {
    const index = indexOf('zephir', 'zephyr')
    expect(takenFor(index, 'zephir')).toEqual(['zephir'])
    index.remove('d0')
    expect(takenFor(index, 'zephir')).toEqual(['zephyr'])
  })

  it('is taken for what it stems to before it is taken for a typo', () => {
    const index = indexOf('lamps', 'clamp')
    const [word] = index.search('lamp', { limit: 10, operator: 'or', typoTolerance: 2 }).words
    expect(word).toMatchObject({ kind: 'stem', surfaces: ['lamps'] })
  })
})

describe('misspelt words beyond sixty-four', () => {
  it('are taken for nothing', () => {
    const index = indexOf('zephyr', 'zephyr', 'zephyr')
    const letters = [...'abcdfgijklmnoqstuvwx']
    const misspelt = letters.flatMap(letter => [
      `zephy${letter}r`,
      `zep${letter}hyr`,
      `ze${letter}phyr`,
      `z${letter}ephyr`,
    ])
    const { words } = index.search(misspelt.join(' '), { limit: 10, operator: 'or', typoTolerance: 1 })
    expect(words.map(({ kind }) => kind)).toEqual(misspelt.map((_, i) => (i < 64 ? 'typo' : 'none')))
  })
})

describe('a misspelt word', () => {
  it('finds the other forms of what was meant, after it', () => {
    const index = indexOf('zephyrs', 'zephyr', 'zephyr')
    expect(takenFor(index, 'zepyhr')).toEqual(['zephyr', 'zephyrs'])
  })
})

describe('typo tolerance', () => {
  it('changes nothing for words that occur', () => {
    const word = fc.constantFrom(
      'cat',
      'bat',
      'cats',
      'hat',
      'chat',
      'lamp',
      'clamp',
      'lamps',
      'zephyr',
      'zephir',
    )
    const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('or', 'and'),
        (texts, picks, operator) => {
          const index = indexOf(...texts.map(words => words.join(' ')))
          const known = texts.flat()
          const query = picks.map(pick => known[pick % known.length]).join(' ')
          const search = { limit: 100, operator }
          const exact = index.search(query, { ...search, typoTolerance: 0 })
          expect(index.search(query, { ...search, typoTolerance: 2 })).toEqual(exact)
        },
      ),
    )
  })
})
