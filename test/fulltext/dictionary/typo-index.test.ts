import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TermTable } from '../../../src/fulltext/dictionary/term-table.ts'
import { TypoIndex } from '../../../src/fulltext/dictionary/typo-index.ts'
import { allTerms, intern, madeWord, sequence } from './made-terms.ts'
import { edits } from './textbook-edits.ts'

function near(index: TypoIndex, word: string, most: 1 | 2): number[] {
  const found: number[] = []
  index.near(word, most, term => found.push(term))
  return found.sort((a, b) => a - b)
}

function expectExact(index: TypoIndex, terms: TermTable, word: string): void {
  const distances = allTerms(terms).map(term =>
    Math.abs(terms.length(term) - word.length) > 2 ? 3 : edits(word, terms.term(term)),
  )
  for (const most of [1, 2] as const) {
    const expected = allTerms(terms).filter(term => distances[term]! <= most)
    expect(near(index, word, most)).toEqual(expected)
  }
}

describe('TypoIndex', () => {
  it('finds exactly the terms within one or two edits, each once, while terms arrive', () => {
    const next = sequence(11)
    const letters = [...'abcdé']
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    for (let step = 0; step < 24; step++) {
      const wanted = terms.size + 1 + (next() >>> 19) / 10
      while (terms.size < wanted) intern(terms, madeWord(next, letters, 1))
      expectExact(index, terms, madeWord(next, letters, 1))
      expectExact(index, terms, terms.term((next() >>> 8) % terms.size))
    }
    expect(terms.size).toBeGreaterThan(8_192)
  })

  it('finds a term from the moment it arrived', () => {
    const next = sequence(3)
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    for (let i = 0; i < 3_000; i++) {
      const word = madeWord(next, [...'abcdefghijklmnopqrstuvwxyz'], 3)
      const term = intern(terms, word)
      expect(near(index, `${word.slice(1)}x`, 2)).toContain(term)
    }
  })

  it('stays exact, and within 64 bytes per term, among 150,000 terms', () => {
    const next = sequence(5)
    const letters = [...'abcdefghijklmnop']
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    while (terms.size < 150_000) intern(terms, madeWord(next, letters, 4))
    const word = terms.term(140_000)
    expectExact(index, terms, word)
    for (let i = 0; i < 80; i++) near(index, word, 1)
    for (const term of [65_536, 131_071, 149_999]) {
      const meant = terms.term(term)
      expectExact(index, terms, `${meant.slice(0, 2)}q${meant.slice(2)}`)
    }
    expect(index.bytes / terms.size).toBeLessThan(64)
  })

  it('takes words of any length and any units', () => {
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    const odd = ['', 'a', 'ab', 'abc', '😀😀', '\ud800', '\udc00a', '\u0000\u0000', 'x'.repeat(70_000)]
    for (const term of odd) intern(terms, term)
    for (const word of [...odd, 'ba', '😀', '\udc00', `x${'x'.repeat(70_000)}y`])
      expectExactLong(index, terms, word)
    const next = sequence(1)
    while (terms.size < 600) intern(terms, madeWord(next, [...'abcd'], 1))
    for (const word of [...odd, 'ba', '😀', '\udc00', `x${'x'.repeat(70_000)}y`])
      expectExactLong(index, terms, word)
  })

  it('is built by slices before it is asked, or by asking', () => {
    const next = sequence(9)
    const terms = new TermTable()
    while (terms.size < 12_000) intern(terms, madeWord(next, [...'abcdefgh'], 2))
    const [before, asked] = [new TypoIndex(terms), new TypoIndex(terms)]
    let slices = 1
    while (before.build()) slices++
    expectExact(before, terms, 'abcabc')
    for (let i = 0; i < slices; i++) near(asked, 'abcabc', 2)
    // But for what candidates are gathered in, which is as large as there ever were.
    expect(Math.abs(asked.bytes - before.bytes)).toBeLessThan(before.bytes / 100)
    expect(before.build()).toBe(false)
    expect(asked.build()).toBe(false)
  })

  it('finds words that differ in letters after the first ones only', () => {
    const terms = new TermTable()
    const index = new TypoIndex(terms)
    for (let i = 0; i < 1_000; i++) intern(terms, `catalogue${i}`)
    expectExact(index, terms, 'catalogue5')
    expectExact(index, terms, 'catalogu500')
    expectExact(index, terms, 'actalogue77')
  })

  it('has nothing near anything while there are no terms', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(1, 2), (word, most) => {
        expect(near(new TypoIndex(new TermTable()), word, most)).toEqual([])
      }),
    )
  })
})

/** As `expectExact`, for terms too long for a table of distances, none of which are near but to themselves. */
function expectExactLong(index: TypoIndex, terms: TermTable, word: string): void {
  const isNear = (term: string, most: number) =>
    term.length > 100 || word.length > 100
      ? word.slice(0, 100) === term.slice(0, 100) && Math.abs(word.length - term.length) <= most
      : edits(word, term) <= most
  for (const most of [1, 2] as const) {
    expect(near(index, word, most)).toEqual(allTerms(terms).filter(term => isNear(terms.term(term), most)))
  }
}
