import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashUnits, TermTable, unitsOf } from '../../../src/fulltext/dictionary/term-table.ts'
import { anyCharacter } from '../../any-character.ts'

const words = fc.uniqueArray(fc.string({ unit: anyCharacter, maxLength: 12 }), { maxLength: 3000 })

function interned(terms: readonly string[], table = new TermTable()): TermTable {
  for (const term of terms) table.intern(unitsOf(term), term.length)
  return table
}

/** Restores the terms in two goes, before which there is something else in the array. */
function restored(table: TermTable, terms: readonly string[]): number {
  const units = unitsOf(`before${terms.join('')}`)
  table.reserve(terms.length, units.length)
  const lengths = Uint16Array.from(terms, ({ length }) => length)
  const half = terms.length >> 1
  const at = table.restore(units, 6, lengths.subarray(0, half))
  return at < 0 ? at : table.restore(units, at, lengths.subarray(half))
}

/** Strings that differ in little: short and long, of narrow and wide units, with NULs at their ends. */
const alike = fc
  .array(fc.constantFrom('a', 'b', '\0', '\u00ff', '\u0100', 'aaaaaaa'), { maxLength: 8 })
  .map(parts => parts.join(''))

describe('interning terms', () => {
  it('numbers distinct ones in the order of their arrival, as a plain map does', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(alike, fc.string({ maxLength: 40 })), { maxLength: 3000 }), terms => {
        const table = new TermTable()
        const expected = new Map<string, number>()
        for (const term of terms) {
          expect(table.find(term)).toBe(expected.get(term) ?? -1)
          if (!expected.has(term)) expected.set(term, expected.size)
          expect(table.intern(unitsOf(term), term.length)).toBe(expected.get(term))
        }
        expect([...expected.keys()].map((_, id) => table.term(id))).toEqual([...expected.keys()])
      }),
    )
  })

  it('tells long words of one hash and one length apart', () => {
    const [word, other] = ['kelinugira-kelinugira', 'fepulilira-kelinugira']
    expect(hashUnits(unitsOf(word), 0, word.length, 0)).toBe(hashUnits(unitsOf(other), 0, other.length, 0))
    const table = interned([word], new TermTable(0))
    expect(table.find(other)).toBe(-1)
    expect(table.intern(unitsOf(other), other.length)).toBe(1)
    expect([table.find(word), table.find(other)]).toEqual([0, 1])
  })

  it('finds each of many when the table has grown', () => {
    const table = new TermTable()
    const terms = Array.from(
      { length: 20_000 },
      (_, i) => `${i % 3 ? 'model' : 'a very long model code '}${i}`,
    )
    for (const term of terms) table.intern(unitsOf(term), term.length)
    expect(terms.every((term, id) => table.find(term) === id)).toBe(true)
    expect(table.find('model20000')).toBe(-1)
  })
})

describe('restoring terms', () => {
  it('makes the table that interning them one by one makes', () => {
    fc.assert(
      fc.property(words, words, (terms, more) => {
        const table = new TermTable()
        expect(restored(table, terms)).toBe(6 + terms.join('').length)
        const expected = interned(terms)
        expect(table.size).toBe(expected.size)
        for (const term of [...terms, ...more]) expect(table.find(term)).toBe(expected.find(term))
        for (const [id, term] of terms.entries()) expect(table.term(id)).toBe(term)
        for (const term of more)
          expect(table.intern(unitsOf(term), term.length)).toBe(expected.intern(unitsOf(term), term.length))
      }),
    )
  })

  it('adds to what is there', () => {
    const table = interned(['red', 'lamp'])
    restored(table, ['sofa', '', 'chair'])
    expect(['red', 'lamp', 'sofa', '', 'chair'].map(term => table.find(term))).toEqual([0, 1, 2, 3, 4])
  })

  it('refuses a term that is there already', () => {
    expect(restored(interned(['lamp']), ['sofa', 'lamp'])).toBe(-1)
    expect(restored(new TermTable(), ['sofa', 'chair', 'sofa'])).toBe(-1)
    expect(restored(new TermTable(), ['', 'chair', ''])).toBe(-1)
  })
})
