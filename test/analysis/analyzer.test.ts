import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { fold } from '../../src/analysis/fold.ts'
import { scanFolded } from '../../src/analysis/tokenizer.ts'
import { anyCharacter } from '../any-character.ts'

const english = analyzerFor('english')
const plain = analyzerFor('none')

describe('tokens', () => {
  const cases: [what: string, text: string, tokens: string[]][] = [
    [
      'splits at everything that is no letter, digit or mark and links no number',
      'Mixed T-shirt, 3.5 oz and/or v1.2.3',
      ['mixed', 't', 'shirt', '3.5', 'oz', 'and', 'or', 'v1', '2', '3'],
    ],
    ['keeps model codes whole', 'PSLX350H wh1000xm4', ['pslx350h', 'wh1000xm4']],
    [
      'drops Latin accents, composed or not',
      'Éclair e\u0301clair Ångström',
      ['eclair', 'eclair', 'angstrom'],
    ],
    ['writes sharp s as ss', 'Straße STRASSE STRAẞE', ['strasse', 'strasse', 'strasse']],
    ['resolves compatibility forms', 'ﬁne ｆｕｌｌ Ⅷ 5㎏ x²', ['fine', 'full', 'viii', '5kg', 'x2']],
    [
      'reads genitives and contractions as one word',
      "Men's women’s James's don't o'Neill",
      ['mens', 'womens', 'james', 'dont', 'oneill'],
    ],
    [
      'parts an elided article from its noun',
      "l'eau d'Orsay dell'arte qu'on",
      ['l', 'eau', 'd', 'orsay', 'dell', 'arte', 'qu', 'on'],
    ],
    [
      'keeps fractions whole, however they are written',
      '½ 1/2 1½ 1-1/2 1 1/2 3⁄4',
      ['1/2', '1/2', '1-1/2', '1-1/2', '1-1/2', '3/4'],
    ],
    [
      'takes no date and no ratio for a fraction',
      '24/7 1/2/2020 12.05.2020',
      ['24', '7', '1', '2', '2020', '12', '05', '2020'],
    ],
    ['reads thousands as one number', '20,000 1,234,567.5', ['20000', '1234567.5']],
    [
      'reads decimals after a comma, but no lists',
      '1,5 10,5W 1.299,00 €, 12,5x30; 1,2,3',
      ['1.5', '10.5w', '1299.00', '12.5x30', '1', '2', '3'],
    ],
    [
      'reads the signs of inch and foot behind a number',
      `27" 27″ 27'' 6'2" 10"x12"`,
      ['27', 'in', '27', 'in', '27', 'in', '6', 'ft', '2', 'in', '10', 'in', 'x12', 'in'],
    ],
    ['joins what a soft hyphen or a word joiner parts', 'um\u00adbrella a\u2060b', ['umbrella', 'ab']],
    [
      'writes letters without accents that have a spelling in plain ones',
      'Smørrebrød Łódź œuf Æther',
      ['smorrebrod', 'lodz', 'oeuf', 'aether'],
    ],
    ['drops the points of Hebrew and the vowel signs of Arabic', 'סֵפֶר كِتَاب كـتـاب', ['ספר', 'كتاب', 'كتاب']],
    ['reads emoji as words, whatever their shade', 'fox🦊 👍🏽', ['fox', '🦊', '👍']],
    ['pairs the signs of Thai, Lao and Khmer', 'ข้าว ເກີບ', ['ข้า', 'าว', 'ເກີ', 'ກີບ']],
    ['ignores trade marks', 'Kindle™ Sharpie℠ Lego®', ['kindle', 'sharpie', 'lego']],
    ['has one sigma, whatever follows', 'ΟΔΟΣ οδός ΟΔΟΣ-Α', ['οδοσ', 'οδοσ', 'οδοσ', 'α']],
    ['lower-cases the dotted capital I', 'İstanbul', ['istanbul']],
    ['has one i in Turkish', 'ışık Işık IŞIK', ['isik', 'isik', 'isik']],
    ['folds Cyrillic', 'Ёлка ЁЛКА Чайник їжа', ['елка', 'елка', 'чаиник', 'іжа']],
    ['folds Vietnamese', 'Tiếng Việt đẹp', ['tieng', 'viet', 'dep']],
    ['reads Arabic', 'كتاب جديد؟ أحمد، ٢٠٢٤', ['كتاب', 'جديد', 'احمد', '2024']],
    [
      'drops the hamza that Arabic letters carry',
      'إضاءة مسؤول مسئول آلة',
      ['اضاءه', 'مسوول', 'مسيول', 'اله'],
    ],
    [
      'has one yeh, kaf and heh for Arabic, Persian and Urdu',
      'كتابی کتابي مكتبة مکتبه',
      ['كتابي', 'كتابي', 'مكتبه', 'مكتبه'],
    ],
    ['reads the numbers of Arabic and Persian', '١٬٢٩٩٫٥٠ ۲٫۵ کیلو', ['1299.50', '2.5', 'كيلو']],
    ['parts Persian words at the sign that parts them', 'کتاب\u200cها', ['كتاب', 'ها']],
    ['has one nasal sign in Hindi, and no nukta', 'चाँद चांद बाज़ार बाजार', ['चांद', 'चांद', 'बाजार', 'बाजार']],
    [
      'ignores what only says how Indic letters are joined',
      'సాఫ్ట్\u200cవేర్ సాఫ్ట్వేర్ क्\u200dष र\u200c\u09cd',
      ['సాఫ్ట్వేర్', 'సాఫ్ట్వేర్', 'क्ष', 'र\u09cd'],
    ],
    ['resolves the presentation forms of Arabic', 'ﻛﺘﺎﺏ', ['كتاب']],
    ['reads Hebrew', 'ספר, ספרים!', ['ספר', 'ספרים']],
    ['keeps the vowel signs of Tamil', 'தமிழ் புத்தகம்', ['தமிழ்', 'புத்தகம்']],
    ['keeps the vowel signs of Hindi', 'हिन्दी में किताब', ['हिन्दी', 'में', 'किताब']],
    ['keeps the tone marks of Thai', 'น้ำ ที่', ['น\u0e49\u0e4dา', 'ที่']],
    ['leaves a mark with the letter before it, whatever the script', 'ab\u0e33', ['ab\u0e4d', 'า']],
    ['keeps Hangul syllables, composed or not', '한국어 \u1112\u1161\u11ab', ['한국어', '한']],
    ['pairs Han and kana', '東京タワー', ['東京', '京タ', 'タワ', 'ワー']],
    ['keeps a lone Han character', '猫 cat', ['猫', 'cat']],
    ['separates Han from Latin', 'iPhone用ケース', ['iphone', '用ケ', 'ケー', 'ース']],
    ['joins voiced kana before pairing', 'か\u3099っこ', ['がっ', 'っこ']],
    ['reads half-width kana', 'ｶﾞｽ', ['ガス']],
    ['reads letters beyond the basic plane', '𐐀𐐁 𝒳 𠮷野家', ['𐐨𐐩', 'x', '𠮷野', '野家']],
    ['finds nothing in symbols', '§ — … \u0000 \u200b', []],
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
      { weight: 3, arbitrary: fc.string({ unit: anyCharacter }) },
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
        'क\u094d',
        '\u200c',
        '\u200d',
        '٣٫٥',
      ),
      fc.constantFrom(...'35"\'’”′″،٫\u0301\u00ad-/ '),
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

  it('have the digits of ASCII for those of any script', () => {
    const scripts = Intl.supportedValuesOf('numberingSystem')
    const compared = scripts.filter(script => {
      const digits = new Intl.NumberFormat(`en-u-nu-${script}`, { useGrouping: false }).format(1_234_567_890)
      if (!/^\p{Nd}{10}$/u.test(digits)) return false
      expect([script, plain.tokens(digits)]).toEqual([script, ['1234567890']])
      return true
    })
    expect(compared.length).toBeGreaterThan(30)
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
  it('joins irregular plurals of English, also in the genitive that lost its apostrophe', () => {
    const family = (...words: string[]) => expect(new Set(words.map(english.stem)).size).toBe(1)
    family('woman', 'women', 'womens')
    family('man', 'men', 'mens')
    family('child', 'children', 'childrens')
    family('knife', 'knives', 'knifes')
    family('shelf', 'shelves', 'bookshelf'.slice(4))
    family('snowman', 'snowmen')
    for (const word of ['specimen', 'abdomen', 'regimen'])
      expect(english.stem(word)).toBe(english.stem(`${word}s`))
  })

  it('takes the particle from Korean nouns, whatever the language', () => {
    for (const word of ['자전거를', '자전거는', '자전거에서', '자전거의'])
      expect(plain.stem(word)).toBe('자전거')
    expect(plain.stem('책상을')).toBe('책상')
    for (const word of ['종이', '고양이', '가을', '우리', '사과']) expect(plain.stem(word)).toBe(word)
  })

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
