import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editsBetween, SymSpell } from '../../bench/peers/symspell.ts'

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 10 })

describe('editsBetween', () => {
  it.each([
    ['same', 'same', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['form', 'from', 1],
    ['ca', 'abc', 3], // the letters that changed places must not be touched again
  ])('%s, %s: %i', (a, b, edits) => {
    expect(editsBetween(a, b)).toBe(edits)
    expect(editsBetween(b, a)).toBe(edits)
  })

  it('is one after any single edit', () => {
    fc.assert(
      fc.property(word, fc.nat(), (text, draw) => {
        const at = draw % text.length
        expect(editsBetween(text, text.slice(0, at) + text.slice(at + 1))).toBe(1)
        expect(editsBetween(text, `${text.slice(0, at)}x${text.slice(at)}`)).toBe(1)
        expect(editsBetween(text, `${text.slice(0, at)}x${text.slice(at + 1)}`)).toBe(1)
      }),
    )
  })
})

describe('SymSpell', () => {
  it('finds the nearest within two edits, of these the most frequent, as comparing with every word does', () => {
    const dictionary = fc.uniqueArray(word, { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(dictionary, word, (words, typed) => {
        const counted = words.map((word, at) => ({ word, count: 1 + ((at * 7) % words.length) }))
        const near = counted
          .map(one => ({ ...one, edits: editsBetween(typed, one.word) }))
          .filter(({ edits }) => edits <= 2)
          .sort((a, b) => a.edits - b.edits || b.count - a.count)
        const corrected = new SymSpell(counted).correct(typed)
        const best = near.filter(({ edits, count }) => edits === near[0]!.edits && count === near[0]!.count)
        if (near.length === 0) expect(corrected).toBe(typed)
        else expect(best.map(({ word }) => word)).toContain(corrected)
      }),
    )
  })
})
