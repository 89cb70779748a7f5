import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areUnitsWithin, TypedWord } from '../../../src/fulltext/dictionary/edit-distance.ts'
import { unitsOf } from '../../../src/fulltext/dictionary/term-table.ts'
import { typingCost } from '../typing-cost.ts'
import { edits } from './textbook-edits.ts'

const fewLetters = fc.string({ unit: fc.constantFrom(...'abcdé'), maxLength: 11 })
const units = fc.string({
  unit: fc.constantFrom('a', 'e', 's', 'c', '7', '😀', '\ud800', '\u0000'),
  maxLength: 9,
})

describe('areUnitsWithin', () => {
  it('measures edits as the textbook does', () => {
    fc.assert(
      fc.property(fewLetters, fewLetters, fc.integer({ min: 0, max: 3 }), (a, b, most) => {
        const within = areUnitsWithin(unitsOf(a), 0, a.length, unitsOf(b), 0, b.length, most)
        expect(within).toBe(edits(a, b) <= most)
      }),
      { numRuns: 3000 },
    )
  })

  it('measures edits as the textbook does, in the midst of other letters', () => {
    fc.assert(
      fc.property(
        fewLetters,
        fewLetters,
        fewLetters,
        fc.integer({ min: 0, max: 3 }),
        (a, b, around, most) => {
          const typed = unitsOf(around + a + around)
          const meant = unitsOf(around + around + b + around)
          const [i, j] = [around.length, 2 * around.length]
          expect(areUnitsWithin(typed, i, i + a.length, meant, j, j + b.length, most)).toBe(
            edits(a, b) <= most,
          )
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('agrees for every pair of words of up to five letters out of two', () => {
    const words = ['']
    for (const word of words) if (word.length < 5) words.push(`${word}a`, `${word}b`)
    for (const a of words) {
      for (const b of words) {
        const distance = edits(a, b)
        for (const most of [1, 2]) {
          const within = areUnitsWithin(unitsOf(a), 0, a.length, unitsOf(b), 0, b.length, most)
          if (within !== distance <= most) expect.fail(`${a} and ${b} are ${distance} edits apart`)
        }
      }
    }
  })
})

describe('typingCost', () => {
  it('is nothing for the word itself', () => {
    expect(typingCost('separate', 'separate')).toBe(0)
    expect(typingCost('', '')).toBe(0)
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

  it.each([
    ['quartz', 'quratz', 0.75],
    ['quartz', 'uqartz', 0.75 + 0.63 / 2],
    ['quartz', 'quarttz', 0.4],
    ['quarttz', 'quartz', 0.4],
    ['quarz', 'quartz', 0.7],
    ['quartzx', 'quartz', 1.61],
    ['guartz', 'quartz', 1.85 + 0.63],
    ['quertz', 'quartz', 0.8],
    ['quirtz', 'quartz', 0.99],
    ['xk4121', 'xk4120', 1.85],
  ])('of %s for %s is %d', (typed, meant, cost) => {
    expect(typingCost(typed, meant)).toBeCloseTo(cost, 12)
  })
})

describe('TypedWord', () => {
  it('costs any number of terms for one word after the other as the cheapest of all alignments', () => {
    const word = new TypedWord()
    fc.assert(
      fc.property(units, fc.array(units, { maxLength: 6 }), (typed, terms) => {
        word.set(typed)
        const all = unitsOf(terms.join(''))
        let start = 0
        for (const term of terms) {
          expect(word.cost(all, start, start + term.length)).toBe(cheapest(typed, term))
          start += term.length
        }
      }),
      { numRuns: 2000 },
    )
  })
})

/** The cost by its recursive definition: of the last letters of both, one is edited, or both. */
function cheapest(typed: string, meant: string, known = new Map<string, number>()): number {
  if (typed === '' && meant === '') return 0
  const key = `${typed.length}|${meant.length}`
  const done = known.get(key)
  if (done !== undefined) return done
  const without = (a: number, b: number) =>
    cheapest(typed.slice(0, typed.length - a), meant.slice(0, meant.length - b), known)
  const costs: number[] = []
  if (typed !== '') costs.push(without(1, 0) + single(typed, 1.61))
  if (meant !== '') costs.push(without(0, 1) + single(meant, 0.7))
  if (typed !== '' && meant !== '') costs.push(without(1, 1) + change(typed, meant))
  if (isSwapped(typed, meant)) {
    costs.push(without(2, 2) + (typed.length === 2 || meant.length === 2 ? 0.75 + 0.63 / 2 : 0.75))
  }
  const least = Math.min(...costs)
  known.set(key, least)
  return least
}

function single(word: string, usual: number): number {
  if (word.length === 1) return usual + 0.63
  return word.at(-1) === word.at(-2) ? 0.4 : usual
}

function change(typed: string, meant: string): number {
  const [a, b] = [typed.at(-1)!, meant.at(-1)!]
  if (a === b) return 0
  const first = typed.length === 1 || meant.length === 1 ? 0.63 : 0
  // Of the letters these words are made of: the pairs fitted as alike, and the vowels.
  if (['ae', 'ea', 'cs', 'sc'].includes(a + b)) return 0.8 + first
  return 1.85 + first
}

function isSwapped(typed: string, meant: string): boolean {
  if (typed.length < 2 || meant.length < 2 || typed.at(-1) === typed.at(-2)) return false
  return typed.at(-1) === meant.at(-2) && typed.at(-2) === meant.at(-1)
}
