import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type HighlightRange, highlight, marked } from '../../src/highlighting/highlight.ts'
import { WordFinder } from '../../src/highlighting/word-finder.ts'
import { anyFound, anyText, finderOf, placesByTrial } from './found.ts'

describe('highlight', () => {
  const cases: [what: string, text: string, found: string, marked: string][] = [
    ['marks each word as it is written', 'Lamps, LAMP and lámp', 'lamp', 'Lamps, [LAMP] and [lámp]'],
    ['marks neighbours one by one', 'brass desk lamp', 'desk lamp', 'brass [desk] [lamp]'],
    ['marks a phrase from its first to its last word', 'A desk-lamp.', '"desk lamp"', 'A [desk-lamp].'],
    ['leaves words alone that are found in a phrase only', 'lamp on a desk', '"desk lamp"', 'lamp on a desk'],
    ['marks a phrase around its words', 'desk lamp, desk', 'desk lamp "desk lamp"', '[desk lamp], [desk]'],
    ['knows several words for a place', 'oak tables', '"oak table|tables"', '[oak tables]'],
    ['lets a phrase be interrupted', 'desk and a lamp', '"desk lamp"~2', '[desk and a lamp]'],
    ['but only so far', 'desk with a lamp', '"desk lamp"~1', 'desk with a lamp'],
    ['counts all gaps of a phrase together', 'a x b x c', '"a b c"~1', 'a x b x c'],
    ['keeps the order of a phrase', 'lamp desk', '"desk lamp"~5', 'lamp desk'],
    ['marks the shortest occurrence of a phrase', 'a a b b', '"a b"~2', 'a [a b] b'],
    ['joins phrases that share a word', 'so very very very good', '"very very"', 'so [very very very] good'],
    ['takes a word of a phrase once', 'very good', '"very very"~3', 'very good'],
    ['finds a phrase that begins again', 'a b a b c', '"a b c"', 'a b [a b c]'],
    ['marks words by their beginning', 'lamp lamps clamp', 'lam*', '[lamp] [lamps] clamp'],
    ['joins pairs of Han and kana that overlap', '東京タワーへ', '東京 京タ ワー', '[東京タ][ワー]へ'],
    ['joins no words that only touch', 'iPhone用ケース', 'iphone 用ケ', '[iPhone][用ケ]ース'],
    [
      'marks whole letters',
      'e\u0301clair Straße か\u3099す',
      'eclair strasse がす',
      '[e\u0301clair] [Straße] [か\u3099す]',
    ],
    ['marks a character once that stands for several words', '㍿ x', '株式 会社', '[㍿] x'],
    ['finds nothing in nothing', '', 'lamp', ''],
    ['finds nothing when nothing is looked for', 'desk lamp', '', 'desk lamp'],
    [
      'takes names of object members as words',
      'constructor __proto__',
      'constructor proto',
      '[constructor] __[proto]__',
    ],
  ]
  it.each(cases)('%s', (_, text, found, marked) => {
    expect(bracketed(text, highlight(text, finderOf(found)))).toBe(marked)
  })

  it('marks what trying every stretch of words marks', () => {
    fc.assert(
      fc.property(anyText, anyFound, (text, found) => {
        expect(highlight(text, new WordFinder(found))).toEqual(joined(placesByTrial(text, found)))
      }),
      { numRuns: 1000 },
    )
  })

  it('gives as many ranges as asked for, the first ones', () => {
    const text = 'lamp '.repeat(3000)
    const all = highlight(text, finderOf('lamp'), { mostRanges: 5000 })
    expect(all).toHaveLength(3000)
    expect(highlight(text, finderOf('lamp'))).toEqual(all.slice(0, 1000))
    expect(highlight(text, finderOf('lamp'), { mostRanges: 2 })).toEqual(all.slice(0, 2))
  })

  it('survives a query made to hurt', () => {
    const words = Array.from({ length: 1000 }, () => new Set(['a', 'b']))
    const finder = new WordFinder({ terms: new Set(['a']), phrases: [{ words, slop: 1000 }] })
    const text = 'a b '.repeat(1_000_000)
    expect(highlight(text, finder)[0]).toMatchObject({ start: 0 })
  })

  it('may be asked again about other texts', () => {
    const finder = finderOf('"desk lamp"')
    expect(highlight('desk', finder)).toEqual([])
    expect(highlight('lamp', finder)).toEqual([])
    expect(highlight('desk lamp', finder)).toEqual([{ start: 0, end: 9 }])
  })
})

function bracketed(text: string, ranges: HighlightRange[]): string {
  let marked = ''
  let at = 0
  for (const { start, end } of ranges) {
    marked += `${text.slice(at, start)}[${text.slice(start, end)}]`
    at = end
  }
  return marked + text.slice(at)
}

/** Places that share a unit, joined until none does. */
function joined(places: HighlightRange[]): HighlightRange[] {
  const ranges: HighlightRange[] = []
  for (const { start, end } of places.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  }
  return ranges
}

describe('marked', () => {
  const ranges = (...pairs: [number, number][]) => pairs.map(([start, end]) => ({ start, end }))

  it('escapes the text and puts the marks in as they are', () => {
    const text = `<b>"Tom" & 'Jerry'</b>`
    expect(marked(text, ranges([4, 7]), ['<mark>', '</mark>'])).toBe(
      '&lt;b&gt;&quot;<mark>Tom</mark>&quot; &amp; &#39;Jerry&#39;&lt;/b&gt;',
    )
    expect(marked('a & b', [], ['<i>', '</i>'])).toBe('a &amp; b')
  })

  it('marks ranges that touch as one', () => {
    expect(marked('abcdef', ranges([0, 2], [2, 3], [4, 6]), ['[', ']'])).toBe('[abc]d[ef]')
  })

  it('gives back the text and its ranges, whatever they are', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.nat(30)), (text, cuts) => {
        const places = [...new Set(cuts)].filter(at => at <= text.length).sort((a, b) => a - b)
        const found: [number, number][] = []
        for (let i = 0; i + 1 < places.length; i += 2) found.push([places[i]!, places[i + 1]!])
        const html = marked(text, ranges(...found), ['①', '②'])
        const plain = html
          .replace(/[①②]/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&')
        if (/[①②]/.test(text)) return
        expect(plain).toBe(text)
        expect(html.replace(/[^①②]/g, '')).toBe('①②'.repeat(found.length))
        expect(/[<>"']/.test(html)).toBe(false)
      }),
    )
  })
})
