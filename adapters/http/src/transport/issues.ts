import type * as z from 'zod'

const longestShown = 60
/** A body of millions of wrong elements must not be answered by one many times its size. */
const mostListed = 1000

/** One text for each thing a schema refused: which member, what came, what is accepted. */
export function issueTexts(issues: readonly z.core.$ZodIssue[]): string[] {
  const texts = issues.slice(0, mostListed).flatMap(issue => textsOf(issue, []))
  const more = issues.length - mostListed
  return more > 0 ? [...texts, `${more} more problems are not listed.`] : texts
}

function textsOf(issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): string[] {
  const path = [...parent, ...issue.path]
  // A member inside one alternative of a union says more than "none of the alternatives".
  const deeper = issue.code === 'invalid_union' ? issue.errors.filter(isInside) : []
  if (deeper.length === 1) return deeper[0]!.flatMap(inner => textsOf(inner, path))
  return [`${fieldPath(path)} is ${describe(issue.input)}; expected ${issue.message}`]
}

function isInside(branch: readonly z.core.$ZodIssue[]): boolean {
  return branch.some(issue => issue.path.length > 0)
}

/** `Tags[2].Name`; what lies at the top is called the body. */
function fieldPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += (text === '' ? '' : '.') + String(key).slice(0, longestShown)
  }
  return text === '' ? 'the body' : text
}

function describe(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'missing'
    case 'string':
      return value.length > longestShown
        ? `${JSON.stringify(value.slice(0, longestShown))}… (${value.length} characters)`
        : JSON.stringify(value)
    case 'object':
      if (value === null) return 'null'
      if (!Array.isArray(value)) return 'an object'
      return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
    default:
      return String(value)
  }
}

const typeWords = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['map', 'an object'],
  ['array', 'a list'],
  ['tuple', 'a list'],
])

/** What a schema without words of its own expects. */
export function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords.get(issue.expected) ?? issue.expected
    case 'too_small':
      return bounded(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return bounded(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'invalid_format':
      return issue.format === 'regex' ? `text matching ${issue.pattern}` : `text of the form ${issue.format}`
    case 'invalid_value':
      return oneOf(issue.values.map(value => JSON.stringify(value) ?? String(value)))
    case 'invalid_union':
      return oneOf(issue.errors.map(branch => branch[0]?.message ?? 'a valid value'))
    default:
      return 'a valid value'
  }
}

function bounded(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'string') return `text of ${relation} ${limit} characters`
  if (origin === 'array') return `${relation} ${limit} entries`
  return `a number of ${relation} ${limit}`
}

function oneOf(choices: readonly string[]): string {
  return [...new Set(choices)].join(' or ')
}
