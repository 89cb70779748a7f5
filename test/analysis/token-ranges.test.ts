import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/analysis/fold.ts'
import {
  type RangeSink,
  ScanBuffer,
  scanFolded,
  scanRanges,
  scanTokens,
} from '../../src/analysis/tokenizer.ts'
import { anyCharacter } from '../any-character.ts'

type Token = [term: string, start: number, end: number]
type Scan = (text: string, sink: RangeSink) => void

describe('the range of a token', () => {
  const cases: [what: string, text: string, tokens: [term: string, written: string][]][] = [
    [
      'is the word without what surrounds it',
      ' “Noise-cancelling”, 3.5 mm',
      [
        ['noise', 'Noise'],
        ['cancelling', 'cancelling'],
        ['3.5', '3.5'],
        ['mm', 'mm'],
      ],
    ],
    [
      'holds accents, composed or not',
      'É e\u0301\u0323a',
      [
        ['e', 'É'],
        ['ea', 'e\u0301\u0323a'],
      ],
    ],
    [
      'holds letters that fold to more',
      'Straße ﬁne 5㎏',
      [
        ['strasse', 'Straße'],
        ['fine', 'ﬁne'],
        ['5kg', '5㎏'],
      ],
    ],
    [
      'is that of a fraction of one character, and of the number before it',
      '-½-1½-',
      [
        ['1/2', '½'],
        ['1-1/2', '1½'],
      ],
    ],
    [
      'holds apostrophes and the commas of a number, but no sign of inch',
      `rock'n'roll, L'Oréal 20,000mAh 27" 6'2''`,
      [
        ['rocknroll', "rock'n'roll"],
        ['l', 'L'],
        ['oreal', 'Oréal'],
        ['20000mah', '20,000mAh'],
        ['27', '27'],
        ['in', '"'],
        ['6', '6'],
        ['ft', "'"],
        ['2', '2'],
        ['in', "''"],
      ],
    ],
    [
      'holds soft hyphens and the selectors of emoji',
      'um\u00adbrella 🦊\ufe0f👍🏽',
      [
        ['umbrella', 'um\u00adbrella'],
        ['🦊', '🦊\ufe0f'],
        ['👍', '👍'],
      ],
    ],
    [
      'ends before a trade mark',
      'Kindle™️ x',
      [
        ['kindle', 'Kindle'],
        ['x', 'x'],
      ],
    ],
    [
      'holds full-width forms',
      'ｆｕｌｌ，Ⅷ',
      [
        ['full', 'ｆｕｌｌ'],
        ['viii', 'Ⅷ'],
      ],
    ],
    [
      'holds both surrogates',
      '𝒳 𐐀𐐁!',
      [
        ['x', '𝒳'],
        ['𐐨𐐩', '𐐀𐐁'],
      ],
    ],
    [
      'ends before a lone surrogate',
      'né\ud800b',
      [
        ['ne', 'né'],
        ['b', 'b'],
      ],
    ],
    [
      'is a pair of Han or kana',
      '東京タワ',
      [
        ['東京', '東京'],
        ['京タ', '京タ'],
        ['タワ', 'タワ'],
      ],
    ],
    [
      'is a lone Han character',
      '猫 cat',
      [
        ['猫', '猫'],
        ['cat', 'cat'],
      ],
    ],
    ['holds the voice marks of both kana', 'か\u3099は\u309a', [['がぱ', 'か\u3099は\u309a']]],
    ['holds half-width voice marks', 'ｶﾞｽ', [['ガス', 'ｶﾞｽ']]],
    [
      'keeps pairs beyond the basic plane whole',
      '𠮷野家',
      [
        ['𠮷野', '𠮷野'],
        ['野家', '野家'],
      ],
    ],
    [
      'parts scripts where they meet',
      'iPhone用ケ',
      [
        ['iphone', 'iPhone'],
        ['用ケ', '用ケ'],
      ],
    ],
    [
      'is that of the one character which stands for several Han',
      'x㍿',
      [
        ['x', 'x'],
        ['株式', '㍿'],
        ['式会', '㍿'],
        ['会社', '㍿'],
      ],
    ],
    [
      'holds the jamo of its syllables',
      '猫\u1112\u1161\u11ab',
      [
        ['猫', '猫'],
        ['한', '\u1112\u1161\u11ab'],
      ],
    ],
    [
      'holds compatibility jamo',
      '猫ㅎㅏ',
      [
        ['猫', '猫'],
        ['하', 'ㅎㅏ'],
      ],
    ],
    [
      'parts jamo that make no syllable',
      '猫\u1161',
      [
        ['猫', '猫'],
        ['\u1161', '\u1161'],
      ],
    ],
    [
      'holds the marks over a sign of inch or foot',
      `5"\u0301 6'\u0323`,
      [
        ['5', '5'],
        ['in', '"\u0301'],
        ['6', '6'],
        ['ft', "'\u0323"],
      ],
    ],
    ['begins after marks that belong to no letter', '\u093f\u0301ab', [['ab', 'ab']]],
    [
      'holds the joiners between Indic letters, but not what parts a Persian word',
      'క్\u200cవే, कि\u200dता کتاب\u200cها',
      [
        ['క్వే', 'క్\u200cవే'],
        ['किता', 'कि\u200dता'],
        ['كتاب', 'کتاب'],
        ['ها', 'ها'],
      ],
    ],
    ['holds enclosing marks', '1\ufe0f\u20e3', [['1\ufe0f\u20e3', '1\ufe0f\u20e3']]],
    ['is the whole word though only 64 units count', 'é'.repeat(80), [['e'.repeat(64), 'é'.repeat(80)]]],
  ]
  it.each(cases)('%s', (_, text, tokens) => {
    const found = tokensOf(text)
    expect(found.map(([term, start, end]) => [term, text.slice(start, end)])).toEqual(tokens)
  })

  it('is found at its place among others', () => {
    const words = cases.flatMap(([, text]) => [text, '™', '\u0301 ', '…'])
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), pieces => {
        const expected: Token[] = []
        let at = 0
        for (const piece of pieces) {
          for (const [term, start, end] of tokensOf(piece)) expected.push([term, at + start, at + end])
          at += piece.length + 1
        }
        expect(tokensOf(pieces.join('\n'))).toEqual(expected)
      }),
    )
  })

  it('is the smallest part of the text that folds alone to what holds the token', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        expect(tokensOf(text)).toEqual(tokensByTrial(text))
      }),
      { numRuns: 2000, examples: [[['a\ufe71', '\u0e33']], [['\u0a66"', '\u0301']]] },
    )
  })

  it('is exact beside every UTF-16 unit', () => {
    for (let code = 0; code < 0x10000; code++) {
      const text = `a${String.fromCharCode(code)}カ`
      const found = tokensOf(text)
      const expected = tokensByTrial(text)
      if (found.join() !== expected.join()) expect({ code, found }).toEqual({ code, found: expected })
    }
  })

  it('never parts a letter, also where long runs are folded in pieces', () => {
    for (const letter of ['𠮷', 'か\u3099', 'क\u093c\u0951', '猫\u{e0100}', 'e\u0301', 'ß']) {
      for (const before of ['', 'ー']) {
        // Longer than a piece, which has 65,536 units.
        const text = before + letter.repeat(70_000 / letter.length)
        const parts = (at: number) => at > before.length && (at - before.length) % letter.length !== 0
        const parted: [start: number, end: number][] = []
        scanRanges(text, buffer, (_, __, start, end) => {
          if (parts(start) || parts(end)) parted.push([start, end])
        })
        expect({ letter, parted }).toEqual({ letter, parted: [] })
      }
    }
  })
})

describe('scanRanges', () => {
  it('yields the tokens of scanTokens', () => {
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('')
        const terms: string[] = []
        scanTokens(text, buffer, (chars, length) => terms.push(termOf(chars, length)))
        expect(tokensOf(text).map(([term]) => term)).toEqual(terms)
      }),
      { numRuns: 2000 },
    )
  })

  it('ends where the text does, however long it is and the ones before were', () => {
    for (const length of [65_537, 65_536, 65_535, 65_534, 32_768, 255, 2, 1]) {
      const text = `${'ab '.repeat(length / 3)}${'x'.repeat(length % 3)}`
      const last =
        length % 3 === 0
          ? ['ab', length - 3, length - 1]
          : ['x'.repeat(length % 3), length - (length % 3), length]
      expect(tokensOf(text).at(-1)).toEqual(last)
    }
    expect(tokensOf('')).toEqual([])
  })

  it('places ten megabytes of anything in bounded time and memory', () => {
    const length = 10_000_000
    expect(tokensOf('a'.repeat(length))).toEqual([['a'.repeat(64), 0, length]])
    const accents = `a${'\u0301\u0323'.repeat(length / 2)}`
    expect(tokensOf(accents)).toEqual([['a', 0, accents.length]])
    for (const letter of ['ß', 'क', '\u1112\u1161', '𐐨', '猫']) {
      let end = 0
      scanRanges(letter.repeat(length / 50), new ScanBuffer(), (_, __, ___, to) => (end = to))
      expect(end).toBe((letter.length * length) / 50)
    }
  })
})

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 3, arbitrary: fc.string({ unit: anyCharacter }) },
  { weight: 6, arbitrary: fc.constantFrom(...'ßΣſ™ﬁ½ำかｶﾞーヿ㍿猫\u0301\u0323\u3099\u093c ') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...'\u1112\u1161\u11ab한가ㅎㅏㄴￂ', '\u{16d63}', '\u{16d67}', 'ab'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...'5"\'’”′″٣.,/-') },
  fc.nat(0xffff).map(code => String.fromCharCode(code)),
)

/** One for all, so that what was left of other texts would show. */
const buffer = new ScanBuffer()

const placed: Scan = (text, sink) => scanRanges(text, buffer, sink)

function tokensOf(text: string, scan = placed): Token[] {
  const tokens: Token[] = []
  scan(text, (chars, length, start, end) => tokens.push([termOf(chars, length), start, end]))
  return tokens
}

function termOf(chars: Uint16Array, length: number): string {
  return String.fromCharCode(...chars.subarray(0, length))
}

/** Cuts the text wherever both parts fold alone as they do together, and reads the ranges off the cuts. */
function tokensByTrial(text: string): Token[] {
  const cuts: [folded: number, at: number][] = []
  const folded = fold(text)
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)]
    const foldedBefore = fold(before)
    if (foldedBefore + fold(after) === folded && !splitsLetter(before, after))
      cuts.push([foldedBefore.length, at])
  }
  return tokensOf(text, (text, sink) => scanFolded(text, new Uint16Array(64), sink)).map(
    ([term, from, to]) => {
      const start = cuts.findLast(([folded]) => folded <= from)!
      const last = cuts.find(([folded]) => folded >= to)!
      const end = cuts.findLast(([folded]) => folded === last[0])!
      return [term, start[1], end[1]]
    },
  )
}

function splitsLetter(before: string, after: string): boolean {
  if (/[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after)) return true
  const isMark = (text: string) => /^[\p{M}\u00ad\u2060\ufeff\u0640]/u.test(text.normalize('NFKD'))
  const characters = [...before]
  const marked = characters.findLast(character => !isMark(character)) ?? ''
  const bears = (text: string) => /[\p{L}\p{N}\p{M}\p{Emoji_Presentation}]/u.test(fold(text))
  const last = characters.at(-1) ?? ''
  const bearsMarks = /\p{M}/u.test(last) || bears(last) || bears(marked)
  return bearsMarks && isMark(after)
}
