const start = '(?<![\\p{L}\\p{N}\\p{M}])(?<!\\d[.,/⁄])'
const end = '(?![.,/⁄]?\\d)'
const rest = '[\\p{L}\\p{N}\\p{M}]*'
const denominator = '(?:2|3|4|5|6|8|10|12|16|32|64)'
const unit = '(?!\\p{N}|(?!x\\d)\\p{L})'

const kinds = [
  // `1-3/4`, `1 3/4`, `3/4`, but not `24/7` and dates.
  `${start}(?:\\d{1,3}[ -])?\\d{1,2}[/⁄]${denominator}${end}`,
  // `20,000mAh`, `2.5l`, but not `1.2.3`.
  `${start}\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?${end}${rest}`,
  // `1,5`, `10,5w`, `1.299,00`, but not `1,2,3`.
  `${start}(?:\\d{1,3}(?:\\.\\d{3})+|\\d+),\\d{1,2}${end}${rest}`,
  `${start}\\d+\\.\\d+${end}${rest}`,
  // The article of `l'eau`, `dell'arte`; `d'` of `d'Artagnan`.
  `(?<![\\p{L}\\p{N}\\p{M}])(?:[cdjlmnst]|qu|un|dell|all|nell|dall|sull|quell)(?=['’]\\p{L}{2})`,
  `[\\p{L}\\p{N}]${rest}(?:['’](?=\\p{L})${rest})*`,
  `(?<=\\d)(?:["”]|['’′]{2})${unit}`,
  `(?<=\\d)['’′](?![\\p{L}'’′])`,
  '(?![\\u{1f3fb}-\\u{1f3ff}])\\p{Emoji_Presentation}\\p{M}*',
]

/** Everything that is a word in folded text: letters and digits with their marks, numbers, inch and foot signs, emoji. */
export const words = new RegExp(kinds.join('|'), 'gu')

const linked = /['’,⁄ "”′\p{Emoji_Presentation}]/u
const emoji = /^\p{Emoji_Presentation}/u

const decimalComma = /^[\d.]+,\d{1,2}(?!\d)/

/**
 * The term of a word: without apostrophes and thousands separators, with a decimal point, one fraction sign, and the names
 * of inch and foot.
 */
export function termOfWord(word: string): string {
  if (!linked.test(word)) return word
  if (emoji.test(word)) return word.replace(/\p{M}+$/u, '')
  const first = word.charCodeAt(0)
  if (decimalComma.test(word)) return word.replace(/[.'’]/g, '').replace(',', '.')
  if (first >= 0x30 && first <= 0x39) return word.replace(/['’,]/g, '').replace('⁄', '/').replace(' ', '-')
  if (/^["”'’′]/.test(word)) return word.length === 2 || /^["”]/.test(word) ? 'in' : 'ft'
  return word.replace(/(s)['’]s$/, '$1').replace(/['’]/g, '')
}

/** Signs that may link what precedes and follows them to one word, and units of characters that fold to such signs. */
export const links = /^['’"”′.,/⁄ -]+$/

const blank = 0x20
const hyphen = 0x2d

/** Whether a sign may belong to a word: where it may not, text can be cut without looking further. */
export function mayLink(units: ArrayLike<number>, at: number, length: number): boolean {
  const sign = units[at]!
  const isAfterDigit = at > 0 && isDigit(units[at - 1]!)
  if (sign === blank || sign === hyphen)
    return isAfterDigit && at + 1 < length && isDigit(units[at + 1]!) && maySlash(units, at + 2, length)
  if (isAfterDigit) return true
  // The second of two signs, as in 27''.
  if (at > 1 && isDigit(units[at - 2]!)) return true
  return isApostrophe(sign) && at > 0 && at + 1 < length && units[at - 1]! > blank && units[at + 1]! > blank
}

/** Whether a slash may follow, perhaps behind digits. */
function maySlash(units: ArrayLike<number>, from: number, length: number): boolean {
  for (let at = from; at < from + 4 && at < length; at++) {
    const unit = units[at]!
    if (unit === 0x2f || unit === 0x2044 || unit > 0xff00) return true
    if (!isDigit(unit)) return false
    // A fraction, or marks, of which there may be many.
    if (unit > 0x80) return true
  }
  return false
}

const isApostrophe = (unit: number): boolean => unit === 0x27 || unit === 0x2019 || unit > 0xff00

// Or marks and other characters that fold to nothing, which may hide a digit before them.
const digit = /[\p{N}\p{M}\p{Default_Ignorable_Code_Point}\u0640]/u

/** Whether a unit is a digit, holds one as `㎟` does, may be part of one, or may stand over one. */
function isDigit(unit: number): boolean {
  if (unit < 0x80) return unit >= 0x30 && unit <= 0x39
  if ((unit & 0xf800) === 0xd800) return true
  const char = String.fromCharCode(unit)
  // Signs like `㎟` are all beyond the letters of most alphabets.
  return digit.test(unit < 0x2000 ? char : char.normalize('NFKD'))
}
