import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AffixIndex } from '../../../src/fulltext/dictionary/affix-index.ts'
import type { TermCounts } from '../../../src/fulltext/dictionary/term-counts.ts'
import { TermTable } from '../../../src/fulltext/dictionary/term-table.ts'
import { allTerms, intern, madeWord, sequence } from './made-terms.ts'

// Units of an astral character, halves of one, and what sorts after them.
const letters = ['a', 'b', 'c', '😀', '\ud83d', '\uff5e', '\u0000']
const prefixes = fc.string({ unit: fc.constantFrom(...letters, 'z'), maxLength: 4 })

function beginning(terms: TermTable, prefix: string): number[] {
  return allTerms(terms).filter(term => terms.term(term).startsWith(prefix))
}

function visited(index: AffixIndex, prefix: string): number[] {
  const found: number[] = []
  index.visit(prefix, term => found.push(term))
  return found.sort((a, b) => a - b)
}

/** By term; an upper bound that is far off must not matter. */
const countsOf = (frequency: Uint32Array): TermCounts => ({
  of: term => frequency[term] ?? 0,
  atMost: term => 2 * (frequency[term] ?? 0) + (term % 3),
})

function best(terms: TermTable, prefix: string, most: number, frequency: Uint32Array): number[] {
  const of = (term: number) => frequency[term] ?? 0
  return beginning(terms, prefix)
    .filter(term => of(term) > 0)
    .sort((a, b) => of(b) - of(a) || (terms.term(a) < terms.term(b) ? -1 : 1))
    .slice(0, most)
}

describe('AffixIndex', () => {
  it('is sorted beforehand in steps, and nothing is left for a question to sort', () => {
    const terms = new TermTable()
    for (let n = 0; n < 40_000; n++) intern(terms, `${(n * 7919) % 40_000}`)
    const index = new AffixIndex(terms)
    let steps = 1
    while (index.build()) steps++
    expect(steps).toBe(5)
    const { bytes } = index
    expect(visited(index, '39')).toEqual(beginning(terms, '39'))
    expect(index.bytes).toBe(bytes)
  })

  const growth = fc.array(fc.record({ arriving: fc.nat({ max: 3_000 }), prefix: prefixes }), {
    minLength: 1,
    maxLength: 8,
  })

  it('visits every term that begins with the prefix once, also the newest', () => {
    fc.assert(
      fc.property(growth, fc.nat(), (steps, seed) => {
        const next = sequence(seed)
        const terms = new TermTable()
        const index = new AffixIndex(terms)
        for (const { arriving, prefix } of steps) {
          for (let i = 0; i < arriving; i++) intern(terms, madeWord(next, letters, 0))
          expect(visited(index, prefix)).toEqual(beginning(terms, prefix))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('finds the terms of highest frequency, equals by text', () => {
    fc.assert(
      fc.property(growth, fc.integer({ min: 0, max: 200 }), fc.nat(), (steps, most, seed) => {
        const next = sequence(seed)
        const terms = new TermTable()
        const index = new AffixIndex(terms)
        for (const { arriving, prefix } of steps) {
          for (let i = 0; i < arriving; i++) intern(terms, madeWord(next, letters, 0))
          const known = terms.size - (next() >>> 24)
          const frequency = Uint32Array.from({ length: Math.max(0, known) }, () => (next() >>> 16) % 7)
          const expected = best(terms, prefix, most, frequency)
          expect(index.best(prefix, most, countsOf(frequency))).toEqual(expected)
          const inAnyOrder = index.amongBest(prefix, most, countsOf(frequency))
          expect(inAnyOrder.sort()).toEqual(expected.sort())
        }
      }),
      { numRuns: 40 },
    )
  })

  it('stays exact when 150,000 terms are sorted bit by bit', () => {
    const next = sequence(2)
    const terms = new TermTable()
    const index = new AffixIndex(terms)
    while (terms.size < 150_000) intern(terms, madeWord(next, [...'abcdefgh'], 3))
    const frequency = Uint32Array.from({ length: terms.size }, () => next() >>> 28)
    for (const prefix of ['a', 'ab', 'abcd', 'hhhhhhhhhhhhhhh', 'cba', 'gh', '']) {
      const [all, most] = [beginning(terms, prefix), best(terms, prefix, 128, frequency)]
      for (let i = 0; i < 3; i++) {
        expect(visited(index, prefix)).toEqual(all)
        expect(index.best(prefix, 128, countsOf(frequency))).toEqual(most)
      }
    }
    expect(index.bytes).toBeLessThanOrEqual(4 * terms.size)
  })

  it('takes every term for the empty prefix and none for one longer than all', () => {
    const terms = new TermTable()
    const index = new AffixIndex(terms)
    for (const term of ['', 'a', '😀', '\ud83d']) intern(terms, term)
    expect(visited(index, '')).toEqual([0, 1, 2, 3])
    expect(visited(index, '\ud83d')).toEqual([2, 3])
    expect(visited(index, 'aaaa')).toEqual([])
    expect(index.best('aaaa', 10, countsOf(Uint32Array.of(1, 1, 1, 1)))).toEqual([])
  })

  it('takes no memory until it is asked', () => {
    const terms = new TermTable()
    const index = new AffixIndex(terms)
    for (let i = 0; i < 5_000; i++) intern(terms, `t${i}`)
    expect(index.bytes).toBe(0)
    index.visit('t', () => {})
    expect(index.bytes).toBeGreaterThan(0)
  })
})
