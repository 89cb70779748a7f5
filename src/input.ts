import type * as z from 'zod'
import { type ErrorCode, FindlingError } from './errors.ts'
import { nameHere } from './names-elsewhere.ts'
import { didYouMean } from './nearest-name.ts'

/** One thing that is wrong with a value. `field` is a path such as `tags[2].name`; the empty text is the whole value. */
export interface Issue {
  readonly field: string
  readonly received: string
  readonly expected: string
}

const longestShown = 60

/** A value in a few words, for error messages: never long, whatever was given. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value.length > longestShown
        ? `${JSON.stringify(value.slice(0, longestShown))}… (${value.length} characters)`
        : JSON.stringify(value)
    case 'undefined':
      return 'missing'
    case 'object':
      return describeObject(value)
    case 'number':
    case 'boolean':
      return String(value)
    case 'bigint':
      return BigInt.asIntN(256, value) === value ? String(value) : 'a bigint'
    default:
      return `a ${typeof value}`
  }
}

function describeObject(value: object | null): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (value instanceof Date) return 'a date'
  const name = classOf(value)
  return name === undefined ? 'an object' : `an instance of ${name}`
}

/** Undefined for plain objects, including those of another realm. */
function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (typeof prototype !== 'object' || prototype === null) return undefined
  const made = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
  if (typeof made !== 'function') return undefined
  const name: unknown = Object.getOwnPropertyDescriptor(made, 'name')?.value
  if (typeof name !== 'string' || name === 'Object') return undefined
  return name === '' ? 'a class' : name.slice(0, longestShown)
}

/** `tags[2].name`: names joined by dots, places in lists in brackets. */
export function fieldPath(path: readonly PropertyKey[], root = ''): string {
  let text = root
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += (text === '' ? '' : '.') + String(key).slice(0, longestShown)
  }
  return text
}

export function problem(field: string, value: unknown, expected: string): Issue {
  return { field, received: describeValue(value), expected }
}

/**
 * An error whose message names the first issue; `details` are those of the first, and all of them as `issues`.
 * @param unlisted how many more there are
 */
export function invalid(
  code: ErrorCode,
  what: string,
  issues: readonly [Issue, ...Issue[]],
  cause?: unknown,
  unlisted = 0,
): FindlingError {
  const { field, received, expected } = issues[0]
  const subject = what !== '' && field !== '' ? `${what}: ${field}` : what || field
  const others = issues.length - 1 + unlisted
  const more = others > 0 ? ` (and ${others} more)` : ''
  const message = `${subject} is ${received}; expected ${expected}${more}`
  return new FindlingError(code, message, { ...(what && { what }), field, received, expected, issues }, cause)
}

/** @throws FindlingError INVALID_ARGUMENT when there are issues */
export function refuseIssues(what: string, [first, ...rest]: readonly Issue[]): void {
  if (first) throw invalid('INVALID_ARGUMENT', what, [first, ...rest])
}

/**
 * Reads one member of a value, and reports its issues as issues of the value.
 * @param what names the value, as for `parseInput`
 */
export function readMember<T>(name: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FindlingError) || !error.details.issues) throw error
    const issues = error.details.issues as [Issue, ...Issue[]] // put there by `invalid`
    const [first, ...others] = issues.map(issue => ({ ...issue, field: `${name}.${issue.field}` }))
    throw invalid(error.code, what, [first!, ...others], error)
  }
}

/** The parsed value, or what is wrong with it; `unlisted` counts the issues that were left out. */
export type ReadInput<T> =
  | { readonly data: T; readonly issues?: undefined }
  | { readonly issues: readonly [Issue, ...Issue[]]; readonly unlisted: number }

/** Nobody reads more of a list with a million wrong elements. */
export const mostIssues = 100

/** How many issues zod's words are made for, for each one that is described: zod also reports those inside of unions. */
const wordedFor = 100

/**
 * Reads what a caller gave. Custom messages of a schema say what is expected (`'a whole number from 1 to 6'`). Adapters
 * may use it, too, so that their errors are worded like those of the engine.
 * @param most maximum number of issues described
 */
export function readInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  most = Number.POSITIVE_INFINITY,
): ReadInput<z.output<S>> {
  let worded = 0
  const error = (issue: z.core.$ZodRawIssue) =>
    ++worded > wordedFor * most ? 'another value' : expectation(issue)
  const result = schema.safeParse(value, { error })
  if (result.success) return { data: result.data }
  const issues: Issue[] = []
  let count = 0
  for (const issue of result.error.issues) {
    if (issues.length >= most) count += issue.code === 'unrecognized_keys' ? issue.keys.length : 1
    else
      for (const { describe, isListed } of issuesOf(issue, [], value)) {
        count++
        if (isListed && issues.length < most) issues.push(describe())
      }
  }
  const [first, ...rest] = issues
  return { issues: [first!, ...rest], unlisted: count - issues.length } // zod never fails without an issue
}

/**
 * `readInput` that throws.
 * @param what names the value in the message, as `dataset settings`
 * @throws FindlingError INVALID_ARGUMENT with `details.issues`, one for each problem, up to 100
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
  code: ErrorCode = 'INVALID_ARGUMENT',
): z.output<S> {
  const read = readInput(schema, value, mostIssues)
  if (read.issues) throw invalid(code, what, read.issues, undefined, read.unlisted)
  return read.data
}

/** Number of elements of a long list read without a pause. */
const AT_ONCE = 256

/**
 * `parseInput` of a list that may be long, piece by piece. It is read no further than where a hundred problems are known;
 * only these are counted.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function* readingList<S extends z.ZodType>(
  schema: z.ZodArray<S>,
  list: unknown,
  what: string,
): Generator<void, z.output<S>[]> {
  if (!Array.isArray(list) || list.length === 0) return parseInput(schema, list, what)
  const elements: z.output<S>[] = []
  const issues: Issue[] = []
  let unlisted = 0
  for (let at = 0; at < list.length && issues.length < mostIssues; at++) {
    const read = readInput(schema.element, list[at], mostIssues - issues.length)
    if (!read.issues) elements.push(read.data)
    else {
      unlisted += read.unlisted
      for (const issue of read.issues) issues.push({ ...issue, field: withinElement(at, issue.field) })
    }
    if (at % AT_ONCE === AT_ONCE - 1) yield
  }
  const [first, ...more] = issues
  if (first) throw invalid('INVALID_ARGUMENT', what, [first, ...more], undefined, unlisted)
  return elements
}

/** The path `[3].id`, by that within the element. */
const withinElement = (place: number, field: string): string =>
  `[${place}]${field === '' || field.startsWith('[') ? '' : '.'}${field}`

/** Described only on demand, because looking for the name that was meant takes time. */
interface Found {
  readonly describe: () => Issue
  /** Of many unknown members, only the first are listed. */
  readonly isListed: boolean
}

/** Maximum number of unknown members of one object that are listed. */
const MOST_UNKNOWN = 10

function issuesOf(issue: z.core.$ZodIssue, parent: readonly PropertyKey[], value: unknown): Found[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key, place) => ({
      describe: () => issueAt([...path, key], value, noMember(key, issue.message)),
      isListed: place < MOST_UNKNOWN,
    }))
  }
  // For an invalid name, the name itself says more than its value.
  if (issue.code === 'invalid_key' && issue.path.length > 0) {
    return [listed(() => problem(fieldPath(path), String(issue.path.at(-1)), issue.message))]
  }
  // A member inside one alternative of a union says more than "none of the alternatives".
  const deeper = issue.code === 'invalid_union' ? issue.errors.filter(isInside) : []
  if (deeper.length === 1) return deeper[0]!.flatMap(inner => issuesOf(inner, path, value))
  return [listed(() => issueAt(path, value, issue.message))]
}

const listed = (describe: () => Issue): Found => ({ describe, isListed: true })

/** @param members the known members, as `expectation` lists them */
function noMember(name: string, members: string): string {
  const known = members.split(', ')
  const near = nameHere(name, known) || didYouMean(name, known)
  const others = near === '' && members !== '' ? `; known members: ${members}` : near
  return `no such member${others}`
}

function isInside(branch: readonly z.core.$ZodIssue[]): boolean {
  return branch.some(issue => issue.path.length > 0 || issue.code === 'unrecognized_keys')
}

function issueAt(path: readonly PropertyKey[], value: unknown, expected: string): Issue {
  let found: unknown = value
  for (const key of path) {
    const inside: object | undefined = typeof found === 'object' && found !== null ? found : undefined
    found = inside && Object.hasOwn(inside, key) ? Reflect.get(inside, key) : undefined
  }
  return problem(fieldPath(path), found, expected)
}

const typeWords = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['bigint', 'a bigint'],
  ['nan', 'NaN'],
  ['boolean', 'true or false'],
  ['symbol', 'a symbol'],
  ['undefined', 'nothing'],
  ['void', 'nothing'],
  ['never', 'nothing'],
  ['nonoptional', 'a value'],
  ['record', 'an object'],
  ['map', 'an object'],
  ['array', 'a list'],
  ['tuple', 'a list'],
  ['set', 'a set'],
  ['function', 'a function'],
  ['promise', 'a promise'],
  ['date', 'a date'],
  ['file', 'a file'],
])

/** What is expected, in our own words for each code that zod has. */
export function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'object') return objectLike(issue.inst)
      return typeWords.get(issue.expected) ?? classOrWord(issue.expected)
    case 'too_small':
      return bounded(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return bounded(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')
    case 'invalid_format':
      return formed(issue)
    case 'invalid_value':
      return oneOfValues(issue.values, issue.input)
    case 'unrecognized_keys':
      return Object.keys(shapeOf(issue.inst) ?? {}).join(', ')
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`
    case 'invalid_union':
      return alternatives(issue)
    case 'invalid_key':
      return `a name that is ${firstMessage(issue.issues)}`
    case 'invalid_element':
      return `entries of which each is ${firstMessage(issue.issues)}`
    default:
      return 'a valid value'
  }
}

/** Names of classes begin with a capital; anything else is null or the name of a format. */
const classOrWord = (expected: string): string =>
  /^[A-Z]/.test(expected) ? `an instance of ${expected}` : expected

const firstMessage = (issues: readonly { message: string }[]): string => issues[0]?.message ?? 'a valid value'

/** The members of a schema of objects; an issue that somebody's own check has added has no schema. */
function shapeOf(schema: unknown): z.core.$ZodShape | undefined {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def // every schema that zod itself makes is one of these
  return def?.type === 'object' ? def.shape : undefined
}

/** Maximum number of members that are named where there is no object at all. */
const MOST_NAMED = 3

/** Names a few members, those that are required first. */
function objectLike(schema: unknown): string {
  const members = Object.entries(shapeOf(schema) ?? {})
  const isOptional = ([, member]: (typeof members)[number]) => member._zod.optin === 'optional'
  const required = members.filter(member => !isOptional(member))
  const named = [...required, ...members.filter(isOptional)].slice(0, MOST_NAMED).map(([name]) => name)
  return named.length === 0 ? 'an object' : `an object with members such as ${named.join(', ')}`
}

function alternatives(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if (issue.errors.length > 0) return oneOf(issue.errors.map(firstMessage))
  if (issue.inclusive === false) return 'a value that fits exactly one of the alternatives'
  const { options = [], discriminator = '', input } = issue
  const given = typeof input === 'object' && input !== null ? Reflect.get(input, discriminator) : undefined
  return oneOfValues(options, given)
}

/** The accepted values, and which of them was probably meant. */
function oneOfValues(values: readonly unknown[], given: unknown): string {
  const texts = values.filter(value => typeof value === 'string')
  const near = typeof given === 'string' ? nameHere(given, texts) || didYouMean(given, texts) : ''
  return oneOf(values.map(value => JSON.stringify(value) ?? String(value))) + near
}

function formed(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const { format, pattern, prefix, suffix, includes } = issue
  if (format === 'starts_with') return `text that begins with ${JSON.stringify(prefix)}`
  if (format === 'ends_with') return `text that ends with ${JSON.stringify(suffix)}`
  if (format === 'includes') return `text that contains ${JSON.stringify(includes)}`
  if (format === 'regex' || format === 'template_literal') return `text matching ${pattern}`
  if (format === 'datetime') return 'a moment such as 2030-01-01T00:00:00Z'
  return `text of the form ${format}`
}

interface Bound {
  readonly origin: string
  readonly exact?: boolean | undefined
}

function bounded({ origin, exact }: Bound, limit: number | bigint | Date, relation: string): string {
  const much = `${exact ? 'exactly' : relation} ${limit}`
  if (origin === 'string') return `text of ${much} ${Number(limit) === 1 ? 'character' : 'characters'}`
  if (origin === 'array' || origin === 'set' || origin === 'map')
    return `${much} ${Number(limit) === 1 ? 'entry' : 'entries'}`
  if (origin === 'file') return `a file of ${much} bytes`
  if (origin === 'date') return `a date, ${relation} ${new Date(Number(limit)).toISOString()}`
  return `a number of ${much}`
}

/** As `a, b or c`; with `or` alone where a choice has a comma of its own. */
function oneOf(given: readonly string[]): string {
  const choices = [...new Set(given)]
  if (choices.some(choice => choice.includes(','))) return choices.join(' or ')
  return choices.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}
