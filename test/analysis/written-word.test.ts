import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor, type WrittenSink } from '../../src/analysis/analyzer.ts'
import { MAX_TOKEN_LENGTH } from '../../src/analysis/tokenizer.ts'
import { writtenForm } from '../../src/analysis/written-word.ts'

const analyzer = analyzerFor('none')

type Word = readonly [term: string, written: string]

const taking = (found: Word[]): WrittenSink => {
  return (chars, length, _, __, written) => {
    const term = String.fromCharCode(...chars.subarray(0, length))
    found.push([term, written ? String.fromCharCode(...written.units.subarray(0, written.length)) : term])
  }
}

function wordsOf(text: string): Word[] {
  const found: Word[] = []
  analyzer.scanWritten(text, taking(found))
  return found
}

/** The same, slowly: every word is cut out of the text. */
function cutOut(text: string): Word[] {
  const found: Word[] = []
  analyzer.scanRanges(text, (chars, length, start, end) => {
    const term = String.fromCharCode(...chars.subarray(0, length))
    found.push([term, writtenForm(text.slice(start, end), MAX_TOKEN_LENGTH) ?? term])
  })
  return found
}

const letters = [
  ...'aZäÖüßéÈñçøŁæÆœ',
  ...'ΣσςάΏ',
  ...'йЁжЩ',
  ...'שׁלוםשָׁ',
  ...'مُحَمّدـ',
  ...'ｶﾞガ日本한글',
  ...['ﬁ', 'İ', 'ı', 'ſ', 'ª', '²', '½', '①', 'e\u0301', 'o\u0308', '\u00ad', '™', '𝐀', '👍🏽', '\ud800'],
  ...'0123',
]
const signs = [' ', ' ', ' ', '-', '.', "'", '’', '"', ',', '/']
const text = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...letters) }, fc.constantFrom(...signs)), {
    maxLength: 40,
  })
  .map(parts => parts.join(''))

describe('how a text writes its words', () => {
  it('is what stands in it, in lower case, whatever else is in the text', () => {
    fc.assert(
      fc.property(text, text => {
        expect(wordsOf(text)).toEqual(cutOut(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('is told of a long text, too', () => {
    const found: Word[] = []
    const long = 'Rasenmäher für große Gärten, “women’s” Größe 42. '.repeat(400)
    for (const _ of analyzer.scanWrittenInPieces(long, taking(found))) analyzer.tokens('something else')
    expect(found).toEqual(cutOut(long))
  })

  it('has accents and apostrophes, but is the term itself of numbers, signs and words that are too long', () => {
    expect(wordsOf('GROẞE Straße, Women’s Café ΟΔΟΣ')).toEqual([
      ['grosse', 'große'],
      ['strasse', 'straße'],
      ['womens', 'women’s'],
      ['cafe', 'café'],
      ['οδοσ', 'οδος'],
    ])
    expect(wordsOf('27" 1.200,5mm ½ x1é lamp').every(([term, written]) => term === written)).toBe(true)
    expect(wordsOf('ä'.repeat(65))).toEqual([['a'.repeat(64), 'a'.repeat(64)]])
  })
})
