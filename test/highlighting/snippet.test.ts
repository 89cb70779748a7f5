import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { highlight } from '../../src/highlighting/highlight.ts'
import { snippet } from '../../src/highlighting/snippet.ts'
import { type FoundWords, WordFinder } from '../../src/highlighting/word-finder.ts'
import { anyFound, anyText, finderOf, placesByTrial } from './found.ts'

const filler = 'There is nothing to see here at all. '

describe('the passage of a text', () => {
  it('is the whole text where that is short enough', () => {
    const text = 'A brass desk lamp.'
    expect(snippet(text, finderOf('desk'), { length: text.length })).toEqual({
      text,
      start: 0,
      ranges: [{ start: 8, end: 12 }],
      before: false,
      after: false,
    })
  })

  it('has 200 units at most where nothing else is asked for', () => {
    const { text } = snippet(filler.repeat(100), finderOf('see'))
    expect(text.length).toBeGreaterThan(180)
    expect(text.length).toBeLessThanOrEqual(200)
  })

  it('is the beginning where nothing is found, up to the end of a word', () => {
    expect(passage('One fine day, somewhere', 'lamp', 18)).toBe('One fine day…')
    expect(passage('Donaudampfschifffahrt', 'lamp', 5)).toBe('Donau…')
  })

  it('begins with the sentence', () => {
    const text = `${filler.repeat(9)}Is it “new”? (Yes.) The lamp of brass stands on a desk of oak, and so on`
    expect(passage(text, 'brass', 40)).toBe('…The lamp of brass stands on a desk of…')
  })

  it('begins with the line', () => {
    expect(passage(`${filler.repeat(9)}\nBrass lamp\nand more of the same`, 'lamp', 24)).toBe(
      '…Brass lamp\nand more of…',
    )
  })

  it('begins with a word where its sentence began long before', () => {
    const text = `${'and so on '.repeat(20)}brass ${'and so on '.repeat(20)}`
    expect(passage(text, 'brass', 40)).toBe('…so on and so on brass and so on and so…')
  })

  it('fills itself from before at the end of the text', () => {
    const text = `${'Short one. '.repeat(20)}Brass lamp.`
    expect(passage(text, 'brass', 50)).toBe('…Short one. Short one. Short one. Brass lamp.')
  })

  it('may begin and end within Han and kana, which know no spaces', () => {
    expect(passage(`${'東'.repeat(50)}猫犬${'京'.repeat(50)}`, '猫犬', 10)).toBe('…東東東東猫犬京京京京…')
    expect(passage(`${'東'.repeat(50)}。猫犬${'京'.repeat(50)}`, '猫犬', 10)).toBe('…猫犬京京京京京京京京…')
  })

  it('holds most of the words', () => {
    const text = `lamp lamp lamp. ${filler.repeat(9)} desk lamp. ${filler.repeat(9)} brass desk lamp.`
    expect(passage(text, 'brass desk lamp', 20)).toBe('…brass desk lamp.')
  })

  it('holds rare words rather than many', () => {
    const text = `brass desk. ${filler.repeat(9)} lamp.`
    expect(passage(text, 'brass desk lamp', 20)).toBe('brass desk. There is…')
    expect(snippet(text, finderOf('brass desk lamp', { lamp: 3 }), { length: 20 }).text).toMatch(/lamp\.$/)
  })

  it('holds a phrase rather than its words', () => {
    const text = `lamp or desk. ${filler.repeat(9)} A desk lamp.`
    expect(passage(text, 'desk lamp "desk lamp"', 20)).toMatch(/A desk lamp\.$/)
  })

  it('is the first of equals', () => {
    expect(snippet('An oak lamp. '.repeat(9), finderOf('lamp'), { length: 20 }).start).toBe(0)
  })

  it('cuts a word that is longer than it', () => {
    const found = snippet(`x ${'é'.repeat(100)}`, finderOf('e'.repeat(64)), { length: 20 })
    expect(found).toEqual({
      text: 'é'.repeat(20),
      start: 2,
      ranges: [{ start: 0, end: 20 }],
      before: true,
      after: true,
    })
  })

  it('cuts a phrase that is longer than it', () => {
    const { text, ranges } = snippet(`desk ${'x '.repeat(50)}lamp`, finderOf('"desk lamp"~50'), {
      length: 20,
    })
    expect(ranges).toEqual([{ start: 0, end: text.length }])
  })

  it('is looked for in the first million units', () => {
    const text = 'x '.repeat(600_000)
    expect(snippet(`${text}lamp`, finderOf('lamp')).ranges).toEqual([])
    expect(snippet(`${text.slice(0, 999_990)}lamp ${text}`, finderOf('lamp')).ranges).toHaveLength(1)
  })

  it('counts a word and others that it begins once', () => {
    expect(passage('Alamp a a é', 'a a* e', 10)).toBe('…a a é')
  })

  it('is part of the text, no longer than asked for, and cuts no letter', () => {
    fc.assert(
      fc.property(anyText, anyFound, fc.integer({ min: 10, max: 60 }), (text, found, length) => {
        const { start, before, after, ...cut } = snippet(text, new WordFinder(found), { length })
        const end = start + cut.text.length
        expect(cut.text).toBe(text.slice(start, end))
        expect(cut.text.length).toBeLessThanOrEqual(length)
        expect([before, after]).toEqual([start > 0, end < text.length])
        expect([start, end].filter(at => splitsLetter(text, at))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('marks what is marked there in the whole text', () => {
    fc.assert(
      fc.property(anyText, anyFound, fc.integer({ min: 10, max: 60 }), (text, found, length) => {
        const finder = new WordFinder(found)
        const { start, ranges, ...cut } = snippet(text, finder, { length })
        const clip = (at: number) => Math.min(Math.max(at - start, 0), cut.text.length)
        const marked = highlight(text, finder).map(range => ({
          start: clip(range.start),
          end: clip(range.end),
        }))
        expect(units(ranges)).toEqual(units(marked))
        for (const [i, range] of ranges.entries()) {
          expect(range.start).toBeGreaterThanOrEqual(i === 0 ? 0 : ranges[i - 1]!.end)
          expect(range.end).toBeGreaterThan(range.start)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('weighs no less than any other stretch of its length', () => {
    fc.assert(
      fc.property(anyText, anyFound, fc.integer({ min: 10, max: 60 }), (text, found, length) => {
        const cut = snippet(text, new WordFinder(found), { length })
        const best = Math.max(...Array.from(text, (_, at) => weightOf(text, found, at, at + length)), 0)
        expect(weightOf(text, found, cut.start, cut.start + cut.text.length)).toBeGreaterThanOrEqual(best)
      }),
      { numRuns: 500 },
    )
  })
})

function passage(text: string, found: string, length: number): string {
  const cut = snippet(text, finderOf(found), { length })
  return `${cut.before ? '…' : ''}${cut.text}${cut.after ? '…' : ''}`
}

function splitsLetter(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return false
  if (/[\ud800-\udbff]$/.test(text.slice(0, at)) && /^[\udc00-\udfff]/.test(text.slice(at))) return true
  return /[\p{L}\p{N}\p{M}]$/u.test(text.slice(0, at)) && /^\p{M}/u.test(text.slice(at))
}

function units(ranges: { start: number; end: number }[]): number[] {
  return ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i))
}

/** What all that stands between two offsets weighs: words and phrases once each, a phrase as much as its words. */
function weightOf(text: string, found: FoundWords, from: number, to: number): number {
  const within = placesByTrial(text, found).filter(({ start, end }) => start >= from && end <= to)
  const weight = (term: string) => found.weights?.get(term) ?? 1
  return [...new Set(within.map(place => place.found))]
    .map(one => {
      if (typeof one === 'string') return weight(one)
      return one.words.reduce((sum, terms) => sum + Math.max(...[...terms].map(weight)), 0)
    })
    .reduce((sum, one) => sum + one, 0)
}
