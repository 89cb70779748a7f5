import { isJsonObject, type JsonValue } from '../../json.ts'
import { compileDateFormat, defaultDateFormat } from './dates.ts'
import type { FieldSchema, FieldType } from './schema.ts'

/** What values a field takes. Null is never asked about: it is absence. */
export interface TypeRule {
  readonly fits: (value: JsonValue) => boolean
  readonly expected: string
  /** The rule of each entry, if the value may be a list. */
  readonly each?: TypeRule
}

/** @param lenient whether numbers, booleans and lists are text too */
export function typeRule(field: FieldSchema, lenient: boolean): TypeRule | undefined {
  return rules[field.type](field, lenient)
}

export const strictText: TypeRule = {
  fits: value => typeof value === 'string' || Number.isInteger(value),
  expected: 'text or a whole number',
}

export const looseText: TypeRule = {
  fits: value => (Array.isArray(value) ? value.every(isScalar) : isScalar(value)),
  expected: 'text or a list of texts',
  each: { fits: isScalar, expected: 'text' },
}

export const attachmentRule: TypeRule = {
  fits: value => typeof value === 'string' && isBase64(value),
  expected: 'the content of a file as base64 text',
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null
}

const always = (rule: TypeRule | undefined) => () => rule

const rules = {
  string: (_: FieldSchema, lenient: boolean) => (lenient ? looseText : strictText),
  long: always(wholeNumber(-(2n ** 63n), 2n ** 63n - 1n)),
  integer: always(wholeNumber(-(2n ** 31n), 2n ** 31n - 1n)),
  short: always(wholeNumber(-(2n ** 15n), 2n ** 15n - 1n)),
  byte: always(wholeNumber(-128n, 127n)),
  double: always(anyNumber(Number.MAX_VALUE)),
  float: always(anyNumber(3.4028234663852886e38)),
  boolean: always({
    fits: value => typeof value === 'boolean' || value === 'true' || value === 'false',
    expected: 'true or false',
  }),
  date: ({ format = defaultDateFormat }: FieldSchema) => dateRule(format),
  attachment: always(attachmentRule),
  object: always({ fits: isJsonObject, expected: 'an object' }),
  array: always({ fits: Array.isArray, expected: 'a list' }),
  any: always(undefined),
} satisfies Record<FieldType, (field: FieldSchema, lenient: boolean) => TypeRule | undefined>

const longestNumber = 400

function wholeNumber(low: bigint, high: bigint): TypeRule {
  const [lowest, highest] = [Number(low), Number(high)]
  return {
    fits: value => {
      if (Number.isSafeInteger(value)) return Number(value) >= lowest && Number(value) <= highest
      if (typeof value === 'number') return Number.isInteger(value) && isBetween(BigInt(value), low, high)
      if (typeof value !== 'string' || value.length > longestNumber || !/^[+-]?\d+$/.test(value)) return false
      const exact = BigInt(value.startsWith('+') ? value.slice(1) : value)
      return isBetween(exact, low, high)
    },
    expected: `a whole number from ${low} to ${high}`,
  }
}

const isBetween = (value: bigint, low: bigint, high: bigint): boolean => value >= low && value <= high

function anyNumber(largest: number): TypeRule {
  return {
    fits: value => {
      if (typeof value === 'number') return Math.abs(value) <= largest
      if (typeof value !== 'string' || value.length > longestNumber || !/^[-+.\deE]+$/.test(value))
        return false
      return Math.abs(Number(value)) <= largest // NaN is not
    },
    expected: largest === Number.MAX_VALUE ? 'a number' : `a number from -${largest} to ${largest}`,
  }
}

function dateRule(format: string): TypeRule {
  const parse = compileDateFormat(format)
  return {
    fits: value => (typeof value === 'string' || typeof value === 'number') && parse(value) !== undefined,
    expected: `a date of the format ${format}`,
  }
}

/** Spaces and line breaks are skipped; whole groups of four signs, at most three `=` at the end; not empty. */
function isBase64(text: string): boolean {
  let signs = 0
  let padding = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 32 || code === 13 || code === 10) continue
    if (code === 61) padding++
    else if (padding > 0 || !isBase64Sign(code)) return false
    signs++
  }
  return signs > 0 && signs % 4 === 0 && padding <= 3
}

function isBase64Sign(code: number): boolean {
  if (code >= 97) return code <= 122
  if (code >= 65) return code <= 90
  return (code >= 47 && code <= 57) || code === 43
}
