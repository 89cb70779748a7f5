// NFKD would turn these into letters ("Kindle™" into "kindletm"); they say nothing about the word.
const tradeMarks = /[™℠]/g
const latinMarks = /[\u0300-\u036f]+/g
// Marks that many writers leave out: Hebrew points, Arabic vowel signs and hamzas on other letters, the Devanagari nukta.
// U+0640 only stretches a word.
const optionalMarks =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c]+/g
/** Beside a virama it only says how letters are drawn; elsewhere it separates the parts of a word, as in Persian. */
export const nonJoiner = '\u200c'
const viramas = '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca'
// These say where a word may be broken, or how letters are joined.
const invisible = new RegExp(
  `[\\u00ad\\u200d\\u2060\\ufeff]|(?<=[${viramas}])\\u200c|\\u200c(?=[${viramas}])`,
  'g',
)
const vulgarFractions = /[\u00bc-\u00be\u2150-\u215e\u2189]/g
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  // Turkish lists write KAPI for kapı.
  ı: 'i',
  // Keyboards and habits differ: Arabic, Persian and Urdu forms of one letter, as in Lucene's Arabic and Persian normalizers.
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ہ: 'ه',
  ە: 'ه',
  '٫': '.',
  '٬': ',',
  // The candrabindu is often written as an anusvara.
  '\u0901': '\u0902',
}
// And other digits than ASCII's.
const otherLetters = new RegExp(`[${Object.keys(letters).join('')}]|[^\\P{Nd}0-9]`, 'gu')
const isDigit = /\p{Nd}/u
// Canonical ordering is quadratic in a run of marks; UAX #15 (stream-safe text) allows 30, no language needs more.
const excessMarks = /(\p{M}{30})\p{M}+/gu

/** Without characters that say nothing about a word. */
function plain(text: string): string {
  return text
    .replace(tradeMarks, ' ')
    .replace(vulgarFractions, ' $&')
    .replace(excessMarks, '$1')
    .replace(invisible, '')
}

/** The text as people read it, except for case and compatibility forms: accents stay. */
export function lowered(text: string): string {
  return plain(text).normalize('NFKC').toLowerCase()
}

/**
 * The form in which texts are compared: compatibility forms resolved; Latin, Greek and Cyrillic accents, the points of Hebrew
 * and Arabic, and the nukta dropped; lower case; letters that are not accented but have a plain spelling (`ß`, `æ`, `ı`)
 * replaced by it; one sigma, one Arabic yeh, kaf and heh; ASCII digits. Marks that carry meaning elsewhere (Thai, kana, most
 * of Devanagari) stay. A single-character fraction is separated from the number before it.
 */
export function fold(text: string): string {
  return plain(text)
    .normalize('NFKD')
    .replace(latinMarks, '')
    .replace(optionalMarks, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(otherLetters, letter => letters[letter] ?? asciiDigit(letter.codePointAt(0)!))
}

/** The ten digits of a script follow each other. */
function asciiDigit(code: number): string {
  let first = code
  while (isDigit.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}
