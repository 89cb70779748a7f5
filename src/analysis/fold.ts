// NFKD would turn these into letters ("Kindle™" into "kindletm"); they say nothing about the word.
const tradeMarks = /[™℠]/g
const latinMarks = /[\u0300-\u036f]+/g
// Hebrew points and Arabic vowel signs, which most writers leave out, and the stroke that only stretches a word.
const optionalMarks =
  /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670]+/g
// These only say where a word may be broken.
const invisible = /[\u00ad\u2060\ufeff]/g
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
}
const otherLetters = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')
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
 * The form in which texts are compared: compatibility forms resolved; Latin, Greek and Cyrillic accents and the points of Hebrew
 * and Arabic dropped; lower case; letters that are not accented but have a plain spelling (`ß`, `æ`, `ø`) replaced by it; one
 * sigma. Marks that carry meaning elsewhere (Devanagari, Thai, kana) stay. A single-character fraction is separated from
 * the number before it.
 */
export function fold(text: string): string {
  return plain(text)
    .normalize('NFKD')
    .replace(latinMarks, '')
    .replace(optionalMarks, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(otherLetters, letter => letters[letter]!)
}
