import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, analyzerFor } from '../../src/analysis/analyzer.ts'
import { inStretches } from '../../src/scheduling/stretch.ts'
import { leastLongestTurn } from '../longest-turn.ts'

/** Milliseconds that one turn of the event loop may compute. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 60

const analyzer = analyzerFor('english')

function tokens(scan: Analyzer['scan'], text: string): string[] {
  const found: string[] = []
  scan(text, (chars, length) => found.push(String.fromCharCode(...chars.subarray(0, length))))
  return found
}

/** Other texts are scanned between the pieces. */
const inPieces =
  (piece?: number): Analyzer['scan'] =>
  (text, sink) => {
    for (const _ of analyzer.scanInPieces(text, sink, piece)) analyzer.scan('something else', () => {})
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
      fc.property(
        text,
        fc.integer({ min: 1, max: 4_000 }),
        fc.integer({ min: 1, max: 500 }),
        (part, length, piece) => {
          // Long enough to be cut in any place of the part.
          const long = part.repeat(Math.ceil(length / part.length))
          const [found, wanted] = [tokens(inPieces(piece), long), tokens(analyzer.scan, long)]
          // Only where they differ, or comparing them would take most of the time.
          if (found.length !== wanted.length || found.some((token, i) => token !== wanted[i]))
            expect(found).toEqual(wanted)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('has them in pieces of the usual length, too', () => {
    const long = "Ärger don't M-10.5, 漢字かな e.g. a\u0301".repeat(1_000)
    expect(tokens(inPieces(), long)).toEqual(tokens(analyzer.scan, long))
  })

  it('has every word behind a run of very many letters or marks', () => {
    for (const run of ['e\u0301'.repeat(150_000), `e${'\u0301'.repeat(300_000)}`, '漢字'.repeat(150_000)]) {
      const found = tokens(inPieces(), `saw ${run} drill ${run}é lamp`)
      expect(found[0]).toBe('saw')
      expect(found.at(-1)).toBe('lamp')
      expect(found.filter(token => token === 'drill')).toHaveLength(1)
    }
  })

  it('of six million letters without a blank is scanned in short stretches', async () => {
    for (const letters of ['\u0301', '漢字', 'é']) {
      const text = Buffer.from(letters.repeat(6_000_000 / letters.length)).toString()
      const turn = await leastLongestTurn(LONGEST_TURN, () =>
        inStretches(analyzer.scanInPieces(text, () => {})),
      )
      expect(turn).toBeLessThan(LONGEST_TURN)
    }
  }, 60_000)

  it('is left as soon as nobody wants more of it', () => {
    let count = 0
    for (const _ of analyzer.scanInPieces('word '.repeat(100_000), () => count++)) if (count > 5_000) break
    expect(count).toBeLessThan(10_000)
  })
})
