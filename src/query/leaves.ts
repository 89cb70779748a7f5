import { isWrittenWithin } from '../analysis/bounded-text.ts'
import { fold } from '../analysis/fold.ts'
import type { GeoArea } from '../geo/area.ts'
import { pointNames } from '../geo/point.ts'
import { numberIn, type QueryField, type QueryFields, type QueryFieldType } from './fields.ts'
import { any, type Bound, every, everything, type Query, type Range } from './query.ts'
import { hasWildcard, patternsIn, type TermPart } from './wildcards.ts'

/** The field whose value is asked for. */
export interface Scope {
  readonly name: string
  readonly field: QueryField
}

/** The text at one place of a query, with escapes resolved. */
export interface Term {
  readonly text: string
  readonly parts: readonly TermPart[]
  readonly isQuoted: boolean
}

/** The end of a range as written; null where it is open. */
export type RangeEnd = { readonly term: Term; readonly inclusive: boolean } | null

/** Throws an error that says what is accepted instead. */
export type Refuse = (expected: string) => never

/** What a term or quoted text asks of a field, or of all searched fields if there is none; undefined where it has no word. */
export function termLeaf(
  scope: Scope | null,
  term: Term,
  slop: number,
  fields: QueryFields,
  refuse: Refuse,
): Query | undefined {
  const { analyzer } = fields
  const { text, parts, isQuoted } = term
  const field = scope?.name ?? null
  if (field !== null && isAnything(term)) return { kind: 'exists', field }
  switch (scope?.field.type) {
    case 'number':
      return { kind: 'value', field: scope.name, value: numberOf(scope, text, refuse) }
    case 'boolean':
      return { kind: 'value', field: scope.name, value: booleanOf(scope, text, refuse) }
    case 'date':
      return momentLeaf(scope, text, refuse)
    case 'vector':
      return refuse(`_exists_:${scope.name}, because ${scope.name} holds vectors`)
    case 'object':
      return refuse(
        `a member of ${scope.name}, which holds ${holding(scope)}, or _exists_:${scope.name}${mayHoldPoints(scope.name, fields) ? ', or an area such as within(52.5, 13.4, 5000)' : ''}`,
      )
  }
  checkLength(term, refuse)
  if (isQuoted) return wordsLeaf(field, analyzer.tokens(text), slop, refuse)
  if (parts.some(part => typeof part === 'string')) {
    const patterns = patternsIn(parts)
    if (patterns[0] === '*') return field === null ? everything : { kind: 'exists', field }
    const leaves = patterns.map(pattern =>
      hasWildcard(pattern)
        ? ({ kind: 'pattern', field, pattern } as const)
        : wordsLeaf(field, analyzer.tokens(pattern), 0, refuse),
    )
    return every(leaves.filter(leaf => leaf !== undefined))
  }
  const words = wordsLeaf(field, analyzer.tokens(text), slop, refuse)
  return scope?.field.type === 'any' ? anyLeaf(scope.name, text, words) : words
}

/** `true` or `false`, whatever the case; undefined for other texts. */
function booleanIn(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : undefined
}

/** A field of type `any` may hold the number or boolean, or a text that says so. */
function anyLeaf(field: string, text: string, words: Query | undefined): Query | undefined {
  const value = booleanIn(text) ?? numberIn(text)
  if (value === undefined) return words
  const leaf = { kind: 'value', field, value } as const
  const isPlain = typeof value === 'boolean' || /^\d+$/.test(text)
  return isPlain && words ? { kind: 'any', of: [leaf, words] } : leaf
}

/** Maximum length of a word or phrase in UTF-16 units, ligatures expanded: longer ones would block while they are analyzed. */
const longestText = 131_072
/** Maximum length of a word with wildcards, which is checked against all words of a dataset. */
const longestPattern = 1024

function checkLength({ text, parts }: Term, refuse: Refuse): void {
  const [most, what] = parts.some(part => typeof part === 'string')
    ? [longestPattern, 'a word with wildcards']
    : [longestText, 'a word or phrase']
  if (!isWrittenWithin(text, most)) refuse(`at most ${most} characters in ${what}, with ligatures expanded`)
}

/** Longer phrases could take long to find in a repetitive text. */
const longestPhrase = 1024

function wordsLeaf(
  field: string | null,
  words: readonly string[],
  slop: number,
  refuse: Refuse,
): Query | undefined {
  if (words.length > longestPhrase) refuse(`at most ${longestPhrase} words in a phrase`)
  if (words.length > 1) return { kind: 'words', field, words, slop }
  return words.length === 1 ? { kind: 'word', field, word: words[0]! } : undefined
}

function momentLeaf(scope: Scope, text: string, refuse: Refuse): Query {
  const from = momentOf(scope, text, false, refuse)
  const to = momentOf(scope, text, true, refuse)
  return rangeOf('times', scope.name, { value: from, inclusive: true }, { value: to, inclusive: true })
}

/** A value as a whole: a text if quoted, otherwise a number, true, false or a text, and a boolean in capitals also the text. */
export function valueLeaf(scope: Scope, { text, isQuoted }: Term): Query {
  const value = isQuoted ? text : (booleanIn(text) ?? numberIn(text) ?? text)
  const leaf = { kind: 'value', field: scope.name, value } as const
  const isTyped = typeof value !== 'boolean' || String(value) === text
  return isTyped ? leaf : any([leaf, { ...leaf, value: text }])
}

/** A field that equals this value as a whole; a date must lie in the period that is named. */
export function equalLeaf(scope: Scope, term: Term, refuse: Refuse): Query {
  const { name, field } = scope
  switch (field.type) {
    case 'number':
      return { kind: 'value', field: name, value: numberOf(scope, term.text, refuse) }
    case 'date':
      return momentLeaf(scope, term.text, refuse)
    case 'object':
    case 'file':
      return refuse(`a member of ${name}, which holds ${holding(scope)}, or _exists_:${name}`)
    case 'vector':
      return refuse(`_exists_:${name}, because ${name} holds vectors`)
    case 'boolean':
      return { kind: 'value', field: name, value: booleanOf(scope, term.text, refuse) }
    case 'text':
      return { kind: 'value', field: name, value: term.text }
    default: {
      const leaf = valueLeaf(scope, term)
      const text = { kind: 'value', field: name, value: term.text } as const
      return leaf.kind === 'value' && leaf.value === term.text ? leaf : any([leaf, text])
    }
  }
}

/** One of these values; for numbers and dates also ranges as `10..20`, both ends included. */
export function amongLeaf(scope: Scope, terms: readonly Term[], refuse: Refuse): Query {
  return any(
    terms.map(term => {
      const [from, to, ...more] = term.isQuoted ? [] : term.text.split('..', 3)
      if (from === undefined || to === undefined || more.length > 0 || !isRange(scope, from, to))
        return equalLeaf(scope, term, refuse)
      const end = (text: string) => ({ term: { ...term, text }, inclusive: true })
      return rangeLeaf(scope, end(from), end(to), true, refuse)
    }),
  )
}

/** A text may contain `..` itself, unless both ends are dates or, in a field of type `any`, numbers. */
function isRange({ field: { type } }: Scope, from: string, to: string): boolean {
  if (type === 'number' || type === 'date') return true
  const isEnd = (text: string) => /^\d{4}-\d\d/.test(text) || (type === 'any' && numberIn(text) !== undefined)
  return type !== 'boolean' && isEnd(from) && isEnd(to)
}

/** A text that contains these characters, or begins with them. */
export function partLeaf(scope: Scope, { text }: Term, part: 'in it' | 'begin', refuse: Refuse): Query {
  const { name, field } = scope
  if (field.type !== 'text' && field.type !== 'any') refuse(`another operator, as ${name} does not hold text`)
  if (part === 'begin') return beginningWith(name, text)
  return text === '' ? refuse(`text that ${name} should contain`) : { kind: 'contains', field: name, text }
}

/** Texts are compared by code units, so all with this prefix lie between it and the next text of its length. */
export function beginningWith(field: string, text: string): Query {
  const kept = text.replace(/\uffff+$/, '')
  const last = kept.charCodeAt(kept.length - 1)
  const to =
    kept === '' ? null : { value: kept.slice(0, -1) + String.fromCharCode(last + 1), inclusive: false }
  return { kind: 'range', over: 'texts', field, from: { value: text, inclusive: true }, to }
}

/** A field with a point in an area. */
export function areaLeaf({ name, field }: Scope, area: GeoArea, fields: QueryFields, refuse: Refuse): Query {
  if (field.type === 'any' || (field.type === 'object' && mayHoldPoints(name, fields)))
    return { kind: 'inside', field: name, area }
  return refuse('a field of points, which are objects with the numbers lat and lon')
}

/** Whether the schema has both numbers of a point. */
export function mayHoldPoints(path: string, fields: QueryFields): boolean {
  if (fields.find(path)?.type === 'vector') return false
  const isNumber = (name: string) => {
    const type = fields.find(`${path}.${name}`)?.type
    return type === 'number' || type === 'any'
  }
  return pointNames.some(names => names.every(isNumber))
}

/**
 * Words similar to these.
 * @param given edits as a whole number, or below 1 the minimum similarity, as in old queries; NaN for the default by length:
 * 0 up to two letters, 1 up to five, else 2
 */
export function nearLeaf(
  scope: Scope | null,
  term: Term,
  given: number,
  { analyzer }: QueryFields,
  refuse: Refuse,
): Query | undefined {
  const type = scope?.field.type ?? 'text'
  if (type !== 'text' && type !== 'any' && type !== 'file')
    refuse(`no ~ on ${scope!.name}, which does not hold text`)
  if (term.parts.some(part => typeof part === 'string')) refuse('either a wildcard or ~')
  checkLength(term, refuse)
  const field = scope?.name ?? null
  const leaves = analyzer.tokens(term.text).map((word): Query => {
    const edits = editsOf(given, word)
    return edits === 0 ? { kind: 'word', field, word } : { kind: 'near', field, word, edits }
  })
  return leaves.length > 0 ? every(leaves) : undefined
}

const mostEdits = 2

function editsOf(given: number, word: string): 0 | 1 | 2 {
  const { length } = word
  const automatic = length < 3 ? 0 : length < 6 ? 1 : mostEdits
  const edits = Number.isNaN(given) ? automatic : given < 1 && given > 0 ? (1 - given) * length : given
  return Math.min(mostEdits, Math.floor(edits)) as 0 | 1 | 2
}

/**
 * A range of numbers, times or texts, depending on the type of the field.
 * @param whole whether texts are compared as a whole even in a searched field, whose words are compared otherwise
 */
export function rangeLeaf(
  scope: Scope | null,
  from: RangeEnd,
  to: RangeEnd,
  whole: boolean,
  refuse: Refuse,
): Query {
  if (!from && !to) return scope ? { kind: 'exists', field: scope.name } : everything
  if (!scope) return rangeOf('words', null, foldedBound(from), foldedBound(to))
  const { name, field } = scope
  switch (field.type) {
    case 'number':
      return rangeOf('numbers', name, numberBound(scope, from, refuse), numberBound(scope, to, refuse))
    case 'date':
      return rangeOf(
        'times',
        name,
        // After 2024 means after its end, and before it before its beginning.
        from && { ...from, value: momentOf(scope, from.term.text, !from.inclusive, refuse) },
        to && { ...to, value: momentOf(scope, to.term.text, to.inclusive, refuse) },
      )
    case 'file':
      if (whole) refuse(`no range of ${name}, which holds ${holding(scope)}`)
      return rangeOf('words', name, foldedBound(from), foldedBound(to))
    case 'any':
    case 'text':
      if (field.type === 'any' && isNumeric(from) && isNumeric(to))
        return rangeOf('numbers', name, numberBound(scope, from, refuse), numberBound(scope, to, refuse))
      if (field.searched && !whole) return rangeOf('words', name, foldedBound(from), foldedBound(to))
      return rangeOf('texts', name, textBound(from), textBound(to))
    default:
      return refuse(`no range of ${name}, which holds ${holding(scope)}`)
  }
}

/** At least one end is given. */
function rangeOf<R extends Range>(over: R['over'], field: R['field'], from: R['from'], to: R['to']): Query {
  const bound = (given: Bound<number | string> | null) =>
    given && { value: given.value, inclusive: given.inclusive }
  return { kind: 'range', over, field, from: bound(from), to: bound(to) } as Range // the callers pair them rightly
}

const isNumeric = (end: RangeEnd): boolean =>
  !end || (!end.term.isQuoted && numberIn(end.term.text) !== undefined)

const textBound = (end: RangeEnd): Bound<string> | null =>
  end && { value: end.term.text, inclusive: end.inclusive }

const foldedBound = (end: RangeEnd): Bound<string> | null =>
  end && { value: fold(end.term.text), inclusive: end.inclusive }

const numberBound = (scope: Scope, end: RangeEnd, refuse: Refuse): Bound<number> | null =>
  end && { value: numberOf(scope, end.term.text, refuse), inclusive: end.inclusive }

function numberOf({ name }: Scope, text: string, refuse: Refuse): number {
  return numberIn(text.trim()) ?? refuse(`a number, because ${name} holds numbers`)
}

function booleanOf({ name }: Scope, text: string, refuse: Refuse): boolean {
  return booleanIn(text) ?? refuse(`true or false, because ${name} holds booleans`)
}

function momentOf({ name, field }: Scope, text: string, last: boolean, refuse: Refuse): number {
  return field.moment?.(text.trim(), last) ?? refuse(`a date such as 2024-05-31, or in the format of ${name}`)
}

const isAnything = ({ parts, isQuoted }: Term): boolean =>
  !isQuoted && parts.length > 0 && parts.every(part => part === '*')

const held: Partial<Record<QueryFieldType, string>> = {
  object: 'an object',
  file: 'a file',
  vector: 'vectors',
}

const holding = ({ field }: Scope): string => held[field.type] ?? 'true or false'
