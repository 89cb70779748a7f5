import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, analyzerFor } from '../../src/analysis/analyzer.ts'

const analyzer = analyzerFor('english')

function tokens(scan: Analyzer['scan'], text: string): string[] {
  const found: string[] = []
  scan(text, (chars, length) => found.push(String.fromCharCode(...chars.subarray(0, length))))
  return found
}

/** Other texts are scanned between the pieces. */
const inPieces: Analyzer['scan'] = (text, sink) => {
  for (const _ of analyzer.scanInPieces(text, sink)) analyzer.scan('something else', () => {})
}

describe('a long text that is scanned in pieces', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'drill',
      "don't",
      'M-10.5',
      'e.g.',
      '1,5',
      'Ärger',
      '漢字かな',
      '½',
      '한국어',
      '😀',
      'a\u0301',
      '\u0301',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  const between = fc.constantFrom(' ', '\n', ', ', '. ', ' - ', '/', '\u00a0', '。', ' \u0301')
  const text = fc
    .array(fc.tuple(word, between), { minLength: 1, maxLength: 30 })
    .map(parts => parts.flat().join(''))

  it('has the tokens that it has at once', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 60_000 }), (part, length) => {
        // Long enough to be cut in any place of the part.
        const long = part.repeat(Math.ceil(length / part.length))
        expect(tokens(inPieces, long)).toEqual(tokens(analyzer.scan, long))
      }),
      { numRuns: 150 },
    )
  })

  it('is left as soon as nobody wants more of it', () => {
    let count = 0
    for (const _ of analyzer.scanInPieces('word '.repeat(100_000), () => count++)) if (count > 5_000) break
    expect(count).toBeLessThan(10_000)
  })
})
