import { DateParts, epochMillis, type NumericPart } from './calendar.ts'

/**
 * Reads one date from a whole text: milliseconds since 1970, or undefined. Takes time linear in the pattern.
 * @param last whether to return the last millisecond of the day, month or year that the text names, instead of the first
 */
export type DateReader = (text: string, last?: boolean) => number | undefined

/** How many digits a number may have: exactly as many as letters, up to as many, or the rules of a named format. */
export type Widths = 'custom' | 'strict' | 'free'

type Step = (cursor: Cursor) => boolean

class Cursor {
  parts = new DateParts()
  at = 0
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Token =
  | { readonly kind: 'field'; readonly letter: string; readonly count: number }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }

/**
 * Compiles a pattern of Joda's letters: y x M w e E D d a h K H k m s S Z, quoted text, other signs as they
 * stand, sections in brackets optional.
 * @returns the reader, or undefined when the pattern is not one
 */
export function compileDatePattern(pattern: string, widths: Widths): DateReader | undefined {
  const tokens = tokensOf(pattern)
  const steps = tokens?.some(token => token.kind === 'field') ? stepsOf(tokens, widths) : undefined
  if (!steps) return undefined
  return (text, last) => {
    const cursor = new Cursor(text)
    return runAll(steps, cursor) && cursor.at === text.length ? epochMillis(cursor.parts, last) : undefined
  }
}

function runAll(steps: readonly Step[], cursor: Cursor): boolean {
  for (const step of steps) if (!step(cursor)) return false
  return true
}

function tokensOf(pattern: string): Token[] | undefined {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at]!
    const token = sign === "'" ? quoted(pattern, at) : plainToken(pattern, at)
    if (token === undefined) return undefined
    tokens.push(token.token)
    at = token.end
  }
  return tokens
}

function plainToken(pattern: string, start: number): { token: Token; end: number } {
  const sign = pattern[start]!
  if (sign === '[') return { token: { kind: 'open' }, end: start + 1 }
  if (sign === ']') return { token: { kind: 'close' }, end: start + 1 }
  if (!/[a-zA-Z]/.test(sign)) return { token: { kind: 'literal', text: sign }, end: start + 1 }
  let end = start + 1
  while (pattern[end] === sign) end++
  return { token: { kind: 'field', letter: sign, count: end - start }, end }
}

/** Text between quotes; two quotes in a row stand for one. */
function quoted(pattern: string, start: number): { token: Token; end: number } | undefined {
  if (pattern[start + 1] === "'") return { token: { kind: 'literal', text: "'" }, end: start + 2 }
  let text = ''
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] !== "'") text += pattern[at]
    else if (pattern[at + 1] !== "'") return { token: { kind: 'literal', text }, end: at + 1 }
    else text += pattern[++at]
  }
  return undefined
}

function stepsOf(tokens: readonly Token[], widths: Widths): Step[] | undefined {
  const outer: Step[][] = []
  let steps: Step[] = []
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'open') {
      outer.push(steps)
      steps = []
    } else if (token.kind === 'close') {
      const around = outer.pop()
      if (!around) return undefined
      around.push(optional(steps))
      steps = around
    } else {
      const step = token.kind === 'literal' ? literal(token.text) : field(token, tokens[i + 1], widths)
      if (!step) return undefined
      steps.push(step)
    }
  }
  return outer.length === 0 ? steps : undefined
}

/** If an optional section fails, the text that it had read must be read by later steps, and says nothing before. */
function optional(steps: readonly Step[]): Step {
  return cursor => {
    const { at, parts } = cursor
    cursor.parts = { ...parts }
    if (!runAll(steps, cursor)) {
      cursor.at = at
      cursor.parts = parts
    }
    return true
  }
}

function literal(text: string): Step {
  return cursor => {
    const fits = cursor.text.startsWith(text, cursor.at)
    if (fits) cursor.at += text.length
    return fits
  }
}

interface NumberField {
  readonly most: number
  readonly low: number
  readonly high: number
  readonly part: NumericPart
  /** What the part is for a number in the text. */
  readonly of: (value: number) => number
}

const numberField = (
  most: number,
  low: number,
  high: number,
  part: NumericPart,
  of: NumberField['of'] = value => value,
): NumberField => ({ most, low, high, part, of })

const year = numberField(9, 0, 999_999_999, 'year')
const numbers = new Map<string, NumberField>([
  ['y', year],
  ['Y', year],
  ['x', numberField(9, 0, 999_999_999, 'weekYear')],
  ['M', numberField(2, 1, 12, 'month')],
  ['d', numberField(2, 1, 31, 'day')],
  ['D', numberField(3, 1, 366, 'dayOfYear')],
  ['w', numberField(2, 1, 53, 'week')],
  ['e', numberField(1, 1, 7, 'weekday')],
  ['H', numberField(2, 0, 23, 'hour')],
  ['k', numberField(2, 1, 24, 'hour', value => value % 24)],
  ['K', numberField(2, 0, 11, 'halfDayHour')],
  ['h', numberField(2, 1, 12, 'halfDayHour', value => value % 12)],
  ['m', numberField(2, 0, 59, 'minute')],
  ['s', numberField(2, 0, 59, 'second')],
])

/** 69 to 99 are of the 20th century, 00 to 68 of the 21st, as POSIX strptime has it. */
const twoDigitYear = numberField(2, 0, 99, 'year', value => value + (value < 69 ? 2000 : 1900))

type FieldToken = Extract<Token, { kind: 'field' }>

function field(token: FieldToken, next: Token | undefined, widths: Widths): Step | undefined {
  const { letter, count } = token
  if (letter === 'S') return fraction(widths === 'custom' ? count : 9, isNumeric(next) ? count : 1)
  if (letter === 'Z') return count <= 2 ? offset : undefined
  if (letter === 'a') return count === 1 ? halfDay : undefined
  if (letter === 'E') return name(weekdays, 'weekday')
  if (letter === 'M' && count >= 3) return name(months, 'month')
  const rule = numbers.get(letter)
  if (!rule || count > Math.max(rule.most, 2) || (letter === 'x' && count !== 4)) return undefined
  const [least, most] = digits(token, rule, isNumeric(next), widths)
  return number(isYear(letter) && count === 2 ? twoDigitYear : rule, least, most)
}

function isYear(letter: string): boolean {
  return letter === 'y' || letter === 'Y' || letter === 'x'
}

function isNumeric(token: Token | undefined): boolean {
  if (token?.kind !== 'field') return false
  return token.letter === 'S' || (numbers.has(token.letter) && !(token.letter === 'M' && token.count >= 3))
}

function digits(
  { letter, count }: FieldToken,
  rule: NumberField,
  fixed: boolean,
  widths: Widths,
): readonly [number, number] {
  if (fixed || widths === 'strict') return [count, count]
  // A year of four letters has four digits: otherwise 01.02.16 would silently be in the first century.
  if (widths === 'custom' && isYear(letter) && (count === 2 || count === 4)) return [count, count]
  return [1, rule.most]
}

function number(rule: NumberField, least: number, most: number): Step {
  return cursor => {
    const start = cursor.at
    const value = readDigits(cursor, most)
    if (cursor.at - start < least || value < rule.low || value > rule.high) return false
    cursor.parts[rule.part] = rule.of(value)
    return true
  }
}

function readDigits(cursor: Cursor, most: number): number {
  const end = Math.min(cursor.text.length, cursor.at + most)
  let value = 0
  for (; cursor.at < end; cursor.at++) {
    const digit = cursor.text.charCodeAt(cursor.at) - 48
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
  }
  return value
}

/** Digits after the point of a second; what is finer than a millisecond is cut off. */
function fraction(most: number, least: number): Step {
  return cursor => {
    const start = cursor.at
    readDigits(cursor, most)
    const count = cursor.at - start
    if (count < least) return false
    cursor.parts.millisecond = Number(
      cursor.text
        .slice(start, start + 3)
        .slice(0, count)
        .padEnd(3, '0'),
    )
    return true
  }
}

/** `Z`, `+02`, `+0200` or `+02:00`. */
const offset: Step = cursor => {
  const found = /(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)/y
  found.lastIndex = cursor.at
  const match = found.exec(cursor.text)
  if (!match) return false
  const minutes = Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0)
  cursor.parts.offset = match[1] === '-' ? -minutes : minutes
  cursor.at += match[0].length
  return true
}

const halfDay: Step = cursor => {
  const text = cursor.text.slice(cursor.at, cursor.at + 2).toUpperCase()
  if (text !== 'AM' && text !== 'PM') return false
  cursor.parts.afternoon = text === 'PM'
  cursor.at += 2
  return true
}

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july'],
  ...['august', 'september', 'october', 'november', 'december'],
]

/** An English name, whole or its first three letters, in any case. */
function name(names: readonly string[], part: NumericPart): Step {
  return cursor => {
    const text = cursor.text.slice(cursor.at, cursor.at + 9).toLowerCase()
    const index = names.findIndex(candidate => text.startsWith(candidate.slice(0, 3)))
    if (index < 0) return false
    const full = names[index]!
    cursor.at += text.startsWith(full) ? full.length : 3
    cursor.parts[part] = index + 1
    return true
  }
}
