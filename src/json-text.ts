/**
 * Parses like JSON.parse(), except that whole numbers whose digits a double cannot keep become bigints. Datasets refuse
 * bigints, so no number is stored as a different one than was sent.
 * @throws SyntaxError for text that is not valid JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // Fewer than 16 digits are kept by every double.
  return /[\d.]{16}/.test(text) ? withBigints(text, value) : value
}

/** The number that a JSON literal stands for; a bigint if it is a whole number whose digits a double cannot keep. */
export function exactNumber(literal: string): number | bigint {
  const number = Number(literal)
  if (literal.length < 16 || !Number.isFinite(number) || Math.abs(number) <= Number.MAX_SAFE_INTEGER)
    return number
  return exactInteger(literal, number) ?? number
}

/** Whether a double keeps the digits of a decimal number: it equals the number, or is the nearest one and written the same. */
export function keepsDigits(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER || exactInteger(literal, value) === undefined
}

function withBigints(text: string, value: unknown): unknown {
  let marked = ''
  let kept = 0
  const mark = unusedMark(text)
  for (const [start, end] of numbersIn(text)) {
    if (end - start < 16) continue
    const exact = exactNumber(text.slice(start, end))
    if (typeof exact === 'number') continue
    marked += `${text.slice(kept, start)}"${mark}${exact}"`
    kept = end
  }
  if (kept === 0) return value
  return JSON.parse(marked + text.slice(kept), (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  )
}

/** Text that occurs nowhere in another. */
function unusedMark(text: string): string {
  let mark = 'whole number '
  while (text.includes(mark)) mark += '#'
  return mark
}

const quote = 34
const backslash = 92

/** Begin and end of every number in a text that is JSON. */
function* numbersIn(text: string): Generator<[number, number]> {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at + 1)
    else if (code !== 45 && !isDigit(code)) at++
    else {
      const start = at
      while (at < text.length && isNumberSign(text.charCodeAt(at))) at++
      yield [start, at]
    }
  }
}

function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end
    while (slashes > from && text.charCodeAt(slashes - 1) === backslash) slashes--
    if ((end - slashes) % 2 === 0) return end + 1
  }
  return text.length
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Digits, `.`, `+`, `-`, `e` and `E`. */
function isNumberSign(code: number): boolean {
  return isDigit(code) || code === 45 || code === 43 || code === 46 || code === 101 || code === 69
}

/** No double has more digits before its point. */
const mostDigits = 309

/** The whole number that the literal is and the double is not; undefined where its digits are kept. */
function exactInteger(literal: string, value: number): bigint | undefined {
  const given = decimal(literal)
  const held = decimal(String(value))
  if (given.digits === held.digits && given.exponent === held.exponent) return undefined
  // A fraction is rounded to the nearest double, as everywhere.
  if (given.exponent < 0 || given.digits.length + given.exponent > mostDigits) return undefined
  const exact = BigInt(given.digits + '0'.repeat(given.exponent)) * (literal.startsWith('-') ? -1n : 1n)
  return exact === BigInt(value) ? undefined : exact
}

/** Digits without zeros at their ends, and the power of ten of the last one. */
function decimal(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace(/^[-+]/, '').split('.')
  const all = whole + fraction
  let [start, end] = [0, all.length]
  while (start < end && all[start] === '0') start++
  while (end > start && all[end - 1] === '0') end--
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) }
}
