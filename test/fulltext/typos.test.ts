import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { isWithin, typingCost } from '../../src/fulltext/edit-distance.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { TermTable, unitsOf } from '../../src/fulltext/term-table.ts'
import { TypoIndex } from '../../src/fulltext/typo-index.ts'

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
    expect(takenFor(index, 'laxpx')).toEqual([])
    expect(takenFor(index, 'zephxrx')).toEqual(['zephyr'])
    expect(takenFor(index, 'zexhxrx')).toEqual([])
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
    expect(index.search('lamp', { limit: 10, operator: 'or', typoTolerance: 2 }).words).toEqual([
      { word: 'lamp', kind: 'stem', surfaces: ['lamps'] },
    ])
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

describe('TypoIndex', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abcdé'), minLength: 1, maxLength: 11 })

  it('finds exactly the terms within one or two edits, whether read through or by table', () => {
    const next = sequence(11)
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    for (let i = 0; i < 20_000; i++)
      intern(
        terms,
        Array.from({ length: 3 + (next() >>> 30) * 2 }, () => 'abcde'[(next() >>> 16) % 5]).join(''),
      )
    expect(terms.size).toBeGreaterThan(9000)
    for (let i = 0; i < 12; i++) {
      const word = Array.from({ length: 4 + (i % 6) }, () => 'abcde'[(next() >>> 16) % 5]).join('')
      for (const most of [1, 2]) {
        const near = Array.from({ length: terms.size }, (_, id) => id).filter(
          id => edits(word, terms.term(id)) <= most,
        )
        expect(index.near(word, most).sort((a, b) => a - b)).toEqual(near)
      }
    }
  })

  it('measures edits as the textbook does', () => {
    fc.assert(
      fc.property(letters, letters, fc.constantFrom(1, 2), (a, b, most) => {
        expect(isWithin(a, b, most)).toBe(edits(a, b) <= most)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('typingCost', () => {
  it('is nothing for the word itself', () => {
    expect(typingCost('separate', 'separate')).toBe(0)
  })

  it.each([
    ['a letter doubled', 'separatte', 'another added', 'separabte'],
    ['a vowel for a vowel', 'seperate', 'a consonant for it', 'sepxrate'],
    ['a letter that sounds alike', 'zeparate', 'one that does not', 'peparate'],
    ['a swap', 'sepraate', 'two other letters', 'sepxxate'],
    ['a slip inside', 'sekarate', 'one at the beginning', 'keparate'],
    ['a letter forgotten', 'sepaate', 'a letter too many', 'sepaxrate'],
  ])('is less for %s (%s) than for %s (%s)', (_, slip, __, blunder) => {
    expect(typingCost(slip, 'separate')).toBeLessThan(typingCost(blunder, 'separate'))
  })
})

function intern(terms: TermTable, term: string): void {
  terms.intern(unitsOf(term), term.length)
}

/** The optimal string alignment distance, by its recursive definition. */
function edits(a: string, b: string, known = new Map<number, number>()): number {
  if (a === '' || b === '') return a.length + b.length
  const key = a.length * 64 + b.length
  const done = known.get(key)
  if (done !== undefined) return done
  const rest = (fromA: number, fromB: number) => edits(a.slice(fromA), b.slice(fromB), known)
  let least = Math.min(rest(1, 0) + 1, rest(0, 1) + 1, rest(1, 1) + (a[0] === b[0] ? 0 : 1))
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) least = Math.min(least, rest(2, 2) + 1)
  known.set(key, least)
  return least
}

/** A linear congruential sequence of 32-bit numbers (Numerical Recipes). */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
}
