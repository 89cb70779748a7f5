import { refused } from './request.ts'

const plain = /[\p{L}\p{N}_]/u

/** The name of a field as a query writes it. */
export const fieldText = (field: string): string =>
  Array.from(field, sign => (plain.test(sign) || sign === '.' ? sign : `\\${sign}`)).join('')

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const isNumber = (text: string): boolean =>
  /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))

/** As facets show dates, in whatever format documents have them. */
const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

/** The condition for the documents that a facet value counts; a field of another type finds none, as with Algolia. */
export function valueCondition(field: string, value: string): string {
  const name = fieldText(field)
  const isText = `${name}:=${quoted(value)}`
  // InstantSearch knows values only as text.
  if (isNumber(value) || value === 'true' || value === 'false') return `(${name}:=${value} OR ${isText})`
  return isMoment(value) ? `(${name}:[${value} TO ${value}] OR ${isText})` : isText
}

const operators = ['>=', '<=', '!=', '>', '<', '='] as const

/** `price>=10`, `price:10 TO 20`. */
export function numericCondition(filter: string, member: string): string {
  const between = betweenOf(filter)
  if (between) return `${fieldText(between.field)}:[${between.from} TO ${between.to}]`
  for (const operator of operators) {
    const at = filter.indexOf(operator)
    if (at < 0) continue
    const field = filter.slice(0, at).trim()
    const value = filter.slice(at + operator.length).trim()
    if (field === '' || !isNumber(value)) break
    const name = fieldText(field)
    if (operator === '=') return `${name}:[${value} TO ${value}]`
    if (operator === '!=') return `NOT ${name}:[${value} TO ${value}]`
    return `${name}:${operator}${value}`
  }
  throw refused(
    member,
    `expected conditions such as price>=10 or price:10 TO 20, received ${filter.slice(0, 100)}`,
  )
}

function betweenOf(filter: string): { field: string; from: string; to: string } | undefined {
  const at = filter.lastIndexOf(':')
  if (at <= 0) return undefined
  const [from, to, ...others] = filter.slice(at + 1).split(' TO ')
  if (from === undefined || to === undefined || others.length > 0) return undefined
  if (!isNumber(from.trim()) || !isNumber(to.trim())) return undefined
  return { field: filter.slice(0, at).trim(), from: from.trim(), to: to.trim() }
}
