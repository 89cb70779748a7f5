import { keepsDigits } from '../../json-text.ts'

/** The decimal separator of a number. */
export type DecimalSign = '.' | ','

export const decimalSigns = ['.', ','] as const satisfies readonly DecimalSign[]

/** The number that a text stands for, with either decimal separator; the same for both if it makes no difference. */
export interface NumberReadings {
  readonly '.': number | undefined
  readonly ',': number | undefined
  /** As it stands there: `€`, `EUR`; nothing where there is none. */
  readonly currency: string
}

/** Of longer texts none is a number that somebody wrote. */
const longest = 60

const currencies =
  'EUR USD GBP CHF SEK NOK DKK ISK PLN CZK HUF RON BGN RSD TRY RUB UAH JPY CNY INR KRW AUD CAD NZD BRL MXN ZAR ' +
  'Fr. SFr. kr kr. Kč zł Ft lei R$ US$ CA$ AU$'
const before = new RegExp(`^(?:${escaped(currencies)}|\\p{Sc}) ?(?=[-+−\\d.,])`, 'u')
const behind = new RegExp(` ?(?:${escaped(currencies)}|\\p{Sc})$`, 'u')

/**
 * Reads a number as people and programs write it: with decimals after a point or a comma, with thousands in groups
 * parted by the other sign, a space or an apostrophe, with a sign on either side, with a currency. Undefined for all else.
 */
export function readNumber(text: string): NumberReadings | undefined {
  if (text.length > longest) return undefined
  const plain = text.trim().replace(/[\u00a0\u2007\u2009\u202f]/g, ' ')
  const amount = plain.replace(before, '').replace(behind, '')
  const currency = plain === amount ? '' : plain.replace(amount, '').trim()
  const { sign, body } = signed(amount)
  const [point, comma] = /e/i.test(body)
    ? [scientific(body), scientific(body)]
    : [numberIn(body, '.'), numberIn(body, ',')]
  if (point === undefined && comma === undefined) return undefined
  return { '.': times(sign, point), ',': times(sign, comma), currency }
}

/** Whether the number depends on the decimal separator, as for `1.200`. */
export const isAmbiguous = (readings: NumberReadings): boolean =>
  readings['.'] !== undefined && readings[','] !== undefined && readings['.'] !== readings[',']

/** Detects the decimal separator from numbers that can be read in only one way. */
export class DecimalEvidence {
  #point = 0
  #comma = 0

  add(readings: NumberReadings): void {
    if (readings[','] === undefined) this.#point++
    if (readings['.'] === undefined) this.#comma++
  }

  addAll(other: DecimalEvidence): void {
    this.#point += other.#point
    this.#comma += other.#comma
  }

  /** Undefined if there is no evidence, or if both separators are about equally frequent. */
  get decimal(): DecimalSign | undefined {
    if (this.#point > clearly * this.#comma) return '.'
    return this.#comma > clearly * this.#point ? ',' : undefined
  }
}

/** One mistyped number among so many says nothing. */
const clearly = 20

function escaped(words: string): string {
  return words
    .split(' ')
    .map(word => word.replace(/[.$]/g, '\\$&'))
    .sort((a, b) => b.length - a.length)
    .join('|')
}

/** Some programs write the sign after the number. */
function signed(amount: string): { sign: number; body: string } {
  const text = amount.trim().replaceAll('−', '-')
  if (text.startsWith('-')) return { sign: -1, body: text.slice(1).trimStart() }
  if (text.startsWith('+')) return { sign: 1, body: text.slice(1).trimStart() }
  return /\d-$/.test(text) ? { sign: -1, body: text.slice(0, -1) } : { sign: 1, body: text }
}

const times = (sign: number, value: number | undefined): number | undefined =>
  value === undefined ? undefined : sign * value + 0

function scientific(body: string): number | undefined {
  return /^\d+(?:\.\d+)?e[-+]?\d+$/i.test(body) ? exact(body) : undefined
}

function numberIn(body: string, decimal: DecimalSign): number | undefined {
  const at = body.indexOf(decimal)
  if (at !== body.lastIndexOf(decimal)) return undefined
  const whole = at < 0 ? body : body.slice(0, at)
  const decimals = at < 0 ? '' : body.slice(at + 1)
  // As on price tags: 12,-
  const isRound = at > 0 && /^[-–—]{1,2}$/.test(decimals)
  if (at >= 0 && !isRound && !/^\d+$/.test(decimals)) return undefined
  const digits = ungrouped(whole)
  if (digits === undefined || (digits === '' && at < 0)) return undefined
  return exact(decimals === '' || isRound ? digits : `${digits || '0'}.${decimals}`)
}

/** The digits of a whole number; undefined where it is none, or where its groups are not those of thousands. */
function ungrouped(whole: string): string | undefined {
  const [separator] = /[^\d]/.exec(whole) ?? []
  if (separator === undefined) return whole
  if (!".,' ’".includes(separator)) return undefined
  const [first = '', ...groups] = whole.split(separator)
  if (!/^[1-9]\d{0,2}$/.test(first) || !groups.every(group => /^\d{3}$/.test(group))) return undefined
  return first + groups.join('')
}

function exact(literal: string): number | undefined {
  const value = Number(literal)
  return keepsDigits(literal, value) ? value : undefined
}
