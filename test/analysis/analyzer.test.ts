import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { fold } from '../../src/analysis/fold.ts'
import { scanFolded } from '../../src/analysis/tokenizer.ts'

const english = analyzerFor('english')
const plain = analyzerFor('none')

describe('tokens', () => {
  const cases: [what: string, text: string, tokens: string[]][] = [
    [
      'splits at everything that is no letter, digit or mark',
      "Men's T-shirt, 3.5 oz",
      ['men', 's', 't', 'shirt', '3', '5', 'oz'],
    ],
    ['keeps model codes whole', 'PSLX350H wh1000xm4', ['pslx350h', 'wh1000xm4']],
    [
      'drops Latin accents, composed or not',
      'Éclair e\u0301clair Ångström',
      ['eclair', 'eclair', 'angstrom'],
    ],
    ['writes sharp s as ss', 'Straße STRASSE STRAẞE', ['strasse', 'strasse', 'strasse']],
    ['resolves compatibility forms', 'ﬁne ｆｕｌｌ Ⅷ 5㎏ x²', ['fine', 'full', 'viii', '5kg', 'x2']],
    ['splits vulgar fractions', '½', ['1', '2']],
    ['ignores trade marks', 'Kindle™ Sharpie℠ Lego®', ['kindle', 'sharpie', 'lego']],
    ['has one sigma, whatever follows', "ΟΔΟΣ οδός ΟΔΟΣ'Α", ['οδοσ', 'οδοσ', 'οδοσ', 'α']],
    ['lower-cases the dotted capital I', 'İstanbul', ['istanbul']],
    ['keeps the dotless i of Turkish, whose capital is I to everyone', 'ışık Işık', ['ısık', 'isık']],
    ['folds Cyrillic', 'Ёлка ЁЛКА Чайник їжа', ['елка', 'елка', 'чаиник', 'іжа']],
    ['folds Vietnamese but for its own letter', 'Tiếng Việt đẹp', ['tieng', 'viet', 'đep']],
    ['keeps the letters and digits of Arabic', 'كتاب جديد؟ أحمد، ٢٠٢٤', ['كتاب', 'جديد', 'أحمد', '٢٠٢٤']],
    ['resolves the presentation forms of Arabic', 'ﻛﺘﺎﺏ', ['كتاب']],
    ['reads Hebrew', 'ספר, ספרים!', ['ספר', 'ספרים']],
    ['keeps the vowel signs of Tamil', 'தமிழ் புத்தகம்', ['தமிழ்', 'புத்தகம்']],
    ['keeps the vowel signs of Hindi', 'हिन्दी में किताब', ['हिन्दी', 'में', 'किताब']],
    ['keeps the tone marks of Thai', 'น้ำ ที่', ['น\u0e49\u0e4dา', 'ที่']],
    ['keeps Hangul syllables, composed or not', '한국어 \u1112\u1161\u11ab', ['한국어', '한']],
    ['pairs Han and kana', '東京タワー', ['東京', '京タ', 'タワ', 'ワー']],
    ['keeps a lone Han character', '猫 cat', ['猫', 'cat']],
    ['separates Han from Latin', 'iPhone用ケース', ['iphone', '用ケ', 'ケー', 'ース']],
    ['joins voiced kana before pairing', 'か\u3099っこ', ['がっ', 'っこ']],
    ['reads half-width kana', 'ｶﾞｽ', ['ガス']],
    ['reads letters beyond the basic plane', '𐐀𐐁 𝒳 𠮷野家', ['𐐨𐐩', 'x', '𠮷野', '野家']],
    ['finds nothing in symbols', '👩‍👩‍👧‍👦 — … \u0000 \u200b', []],
    ['splits at lone surrogates', 'a\ud800b \udc00', ['a', 'b']],
    ['drops marks that stand before a word', '\u093fab', ['ab']],
  ]
  it.each(cases)('%s', (_, text, tokens) => {
    expect(plain.tokens(text)).toEqual(tokens)
  })

  it('are cut at 64 units, never inside a character', () => {
    expect(plain.tokens('x'.repeat(100))).toEqual(['x'.repeat(64)])
    expect(plain.tokens('ß'.repeat(100))).toEqual(['s'.repeat(64)])
    expect(plain.tokens(`a${'𐐨'.repeat(100)}`)).toEqual([`a${'𐐨'.repeat(31)}`])
  })

  it('are the same for every script as those of the folded text', () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'grapheme' }) },
      { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
      fc.constantFrom(
        'ß',
        'Σ',
        "Σ'Α",
        '\u0301',
        '\u1161',
        '\u11a8',
        '\uac00',
        '\u3099',
        'か',
        'ー',
        '™',
        'ﬁ',
        ' ',
        'ab',
        '½',
        'ำ',
      ),
      fc.nat(0xffff).map(code => String.fromCharCode(code)),
    )
    fc.assert(
      fc.property(fc.array(piece), pieces => {
        const text = pieces.join('')
        expect(plain.tokens(text)).toEqual(foldedTokens(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('of each single UTF-16 unit are those of its folded form', () => {
    for (let code = 0; code < 0x10000; code++) {
      const text = `a${String.fromCharCode(code)}b`
      const tokens = plain.tokens(text)
      const expected = foldedTokens(text)
      if (tokens.join() !== expected.join()) expect({ code, tokens }).toEqual({ code, tokens: expected })
    }
  })

  it('come from ten megabytes of anything in bounded time and memory', () => {
    const length = 10_000_000
    expect(plain.tokens('a'.repeat(length))).toHaveLength(1)
    expect(plain.tokens(`a${'\u0301\u0323'.repeat(length / 2)}`)).toEqual(['a'])
    expect(plain.tokens(`क${'\u093c\u0951'.repeat(length / 2)}`)).toHaveLength(1)
    for (const letter of ['ß', 'क', '\u1112', '𐐨']) plain.scan(letter.repeat(length / 10), () => {})
    let pairs = 0
    plain.scan('猫'.repeat(length / 10), () => pairs++)
    expect(pairs).toBeGreaterThan(length / 10 - 100)
  })
})

describe('scan', () => {
  it('hands out the same tokens as units', () => {
    const tokens: string[] = []
    plain.scan('Zwei Tassen 茶', (chars, length) =>
      tokens.push(String.fromCharCode(...chars.subarray(0, length))),
    )
    expect(tokens).toEqual(plain.tokens('Zwei Tassen 茶'))
  })

  it('of one analyzer may run inside that of another', () => {
    const tokens: string[] = []
    plain.scan('one two', (chars, length) => {
      analyzerFor('none').scan('longer words', () => {})
      tokens.push(String.fromCharCode(...chars.subarray(0, length)))
    })
    expect(tokens).toEqual(['one', 'two'])
  })
})

describe('fold', () => {
  it('changes nothing when done twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(plain.tokens(fold(fold(text)))).toEqual(plain.tokens(fold(text)))
      }),
    )
  })
})

describe('stem', () => {
  it('joins the forms of English words', () => {
    const stems = ['shoe', 'shoes'].map(english.stem)
    expect(new Set(stems).size).toBe(1)
    expect(english.stem('running')).toBe(english.stem('runs'))
  })

  it('leaves codes, short words and other scripts alone', () => {
    for (const term of ['wh1000xm4s', 'as', 'schöns', 'книги', '東京']) expect(english.stem(term)).toBe(term)
  })

  it('is the word itself where no language is known', () => {
    expect(plain.stem('shoes')).toBe('shoes')
  })
})

function foldedTokens(text: string): string[] {
  const tokens: string[] = []
  scanFolded(text, new Uint16Array(64), (chars, length) =>
    tokens.push(String.fromCharCode(...chars.subarray(0, length))),
  )
  return tokens
}
