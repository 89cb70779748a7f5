import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordsIn } from '../../src/analysis/plain-words.ts'
import { shownText } from '../../src/analysis/shown-text.ts'

const shownWords = (text: string) => wordsIn(shownText(text))
const countWords = (text: string) => shownWords(text).length

describe('the words of what a text shows', () => {
  const cases: [text: string, words: number][] = [
    ['', 0],
    ['A lamp of oak', 4],
    ['<p class="big bold">A <b>lamp</b></p><br/>of&nbsp;oak', 4],
    ['one<br>two', 2],
    ['caf&eacute; &amp; cr&egrave;me &#8211; stra&szlig;e', 3],
    ['caf&#233; caf&#xE9;', 2],
    ['<a title="a > b">x</a> y', 2],
    ['<!-- not <b>this</b> --> but this', 2],
    ['<script>var a = "<b>" </script>x<style>p { color: red }</style>', 1],
    ['5 < 6 and 7 > 3', 5],
    ['a <b', 2],
    ["it's 3.5 mm_wide", 6],
    ['iPhone用ケース black', 4],
    ['&unknown; &#99999999; x', 2],
  ]
  it.each(cases)('finds in %j %i words', (text, words) => {
    expect(countWords(text)).toBe(words)
  })

  const spelt: [text: string, words: string[]][] = [
    ['Caf&eacute; &Aring;re &Oslash;l stra&szlig;e', ['café', 'åre', 'øl', 'straße']],
    ['&alpha;&Omega; &sigmaf; &dstrok; &#x42F;', ['αω', 'ς', 'đ', 'я']],
    ['ﬁne ＷＩＤＥ co\u00adop 1½', ['fine', 'wide', 'coop', '1', '1', '2']],
    ['naïve i\u0301dee', ['naïve', 'ídee']],
    ['&nothing;&__proto__;&constructor;x', ['nothing', 'proto', 'constructor', 'x']],
    ['Garten<b>stuhl</b><br>rot', ['gartenstuhl', 'rot']],
    ['black 用 case', ['black', '用', 'case']],
    ['<b>a</b> &lt;i&gt; &amp;lt;', ['a', 'i', 'lt']],
  ]
  it.each(spelt)('finds in %j the words %j', (text, words) => {
    expect(shownWords(text)).toEqual(words)
  })

  it('cuts Japanese into words, which are fewer than its pairs of signs', () => {
    expect(countWords('東京都に住んでいます')).toBeGreaterThan(3)
    expect(countWords('東京都に住んでいます')).toBeLessThan(9)
  })

  it('counts plain words whatever tags stand between them', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const tag = fc.constantFrom(
      '<li>',
      '</li>',
      '<br/>',
      '<p class="x y">',
      '<img alt="a > b">',
      '<!-- x y --> ',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(word, tag)), pairs => {
        expect(countWords(pairs.flat().join(''))).toBe(pairs.length)
      }),
    )
  })

  it('takes time in proportion to the text, whatever comes', () => {
    for (const part of ['<', '<a', '<a "', '<!--', '<script>', '&', '&#', '<a b="', '</'])
      expect(countWords(part.repeat(300_000 / part.length))).toBeGreaterThanOrEqual(0)
  })
})
