import { areaTest } from '../geo/area.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { DocumentReading, type FieldWords, hasValue, type WordPath } from './document-reading.ts'
import { numberIn, type QueryFields } from './fields.ts'
import type { Inside, Leaf, Query, Range, Value, Word, WordSequence } from './query.ts'
import {
  type AnyWords,
  anyWordsTest,
  betweenBounds,
  isPlainWords,
  isWordLeaf,
  type WordLeaf,
  wordsTest,
} from './word-tests.ts'

type ValueRange = Exclude<Range, { over: 'words' }>
type Test = (document: DocumentReading) => boolean

/** A test, or a combination of several. */
type Tests =
  | Test
  | { readonly every: readonly Tests[] }
  | { readonly any: readonly Tests[] }
  | { readonly not: Tests }

/** Whether a document matches a query. Not reentrant: wait for an answer before the next call. */
export interface Predicate {
  (document: JsonObject): boolean
  /** The same piece by piece: both the condition and the document may be long. */
  deciding(document: JsonObject): Generator<void, boolean>
}

/** Compiles a query into a predicate that accepts the documents a search with it finds. */
export function compileQuery(query: Query, fields: QueryFields): Predicate {
  const tests = testsOf(query, fields)
  const reading = new DocumentReading(fields)
  const deciding = function* (document: JsonObject) {
    reading.take(document)
    return yield* decided(tests, reading)
  }
  const matches = (document: JsonObject) => {
    if (typeof tests !== 'function') return atOnce(deciding(document))
    reading.take(document)
    return tests(reading)
  }
  return Object.assign(matches, { deciding })
}

/** Whether a document matches both conditions; undefined where all do. */
export function bothMatch(one: Predicate | undefined, other: Predicate | undefined): Predicate | undefined {
  if (!one || !other) return one ?? other
  return Object.assign((document: JsonObject) => one(document) && other(document), {
    *deciding(document: JsonObject) {
      return (yield* one.deciding(document)) && (yield* other.deciding(document))
    },
  })
}

/** Whether a document is allowed and matches. */
export const restricted = (allows: (document: JsonObject) => boolean, matches: Predicate): Predicate =>
  Object.assign((document: JsonObject) => allows(document) && matches(document), {
    *deciding(document: JsonObject) {
      return allows(document) && (yield* matches.deciding(document))
    },
  })

function* decided(tests: Tests, document: DocumentReading): Generator<void, boolean> {
  if (typeof tests === 'function') return tests(document)
  if ('not' in tests) return !(yield* decided(tests.not, document))
  const [several, sought] = 'every' in tests ? [tests.every, false] : [tests.any, true]
  for (const one of several) {
    const holds = typeof one === 'function' ? one(document) : yield* decided(one, document)
    if (holds === sought) return sought
    yield
  }
  return !sought
}

function testsOf(query: Query, fields: QueryFields): Tests {
  switch (query.kind) {
    case 'everything':
      return () => true
    case 'nothing':
      return () => false
    case 'every':
      return { every: query.of.map(one => testsOf(one, fields)) }
    case 'any':
      return { any: testsOfAny(query.of, fields) }
    case 'not':
      return { not: testsOf(query.of, fields) }
    case 'boosted':
      return testsOf(query.of, fields)
    default:
      return leafTest(query, fields)
  }
}

/** All values or words of one field are combined into one test. */
function testsOfAny(queries: readonly Query[], fields: QueryFields): Tests[] {
  const tests: Tests[] = []
  const values = new Map<Value['field'], Set<Value['value']>>()
  for (const one of queries) if (one.kind === 'value') added(values, one.field, one.value)
  for (const [field, wanted] of values) tests.push(valueTest(field, wanted, fields))
  for (const one of withAnyWords(queries)) {
    if (one.kind === 'anyWords') tests.push(fieldTest(one.field, anyWordsTest(one), fields))
    else if (one.kind !== 'value') tests.push(testsOf(one, fields))
  }
  return tests
}

/** The same, with the words and phrases of a field combined into one leaf where there are several. */
export function withAnyWords(
  queries: readonly Query[],
  isMeant: (field: string | null) => boolean = () => true,
): (Query | AnyWords)[] {
  const byField = new Map<string | null, (Word | WordSequence)[]>()
  const others: (Query | AnyWords)[] = []
  for (const one of queries) {
    if (!isPlainWords(one) || !isMeant(one.field)) {
      others.push(one)
      continue
    }
    const list = byField.get(one.field)
    if (list) list.push(one)
    else byField.set(one.field, [one])
  }
  for (const [field, of] of byField) others.push(of.length > 1 ? { kind: 'anyWords', field, of } : of[0]!)
  return others
}

function added<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}

function leafTest(leaf: Leaf, fields: QueryFields): Test {
  if (isWordLeaf(leaf)) return fieldTest(leaf.field, wordsTest(leaf), fields)
  switch (leaf.kind) {
    case 'value':
      return valueTest(leaf.field, new Set([leaf.value]), fields)
    case 'contains': {
      const { field, text } = leaf
      return document => document.values(field).some(one => typeof one === 'string' && one.includes(text))
    }
    case 'exists':
      return document => document.values(leaf.field).some(hasValue)
    case 'range':
      return rangeTest(leaf, fields)
    case 'inside':
      return insideTest(leaf, fields)
  }
}

/** With several fields, one of them alone must match. */
function fieldTest(
  field: WordLeaf['field'],
  fits: (words: FieldWords) => boolean,
  fields: QueryFields,
): Test {
  const paths = wordPaths(field, fields)
  return document => paths.some(path => fits(document.words(path)))
}

/**
 * The fields in which words are looked for.
 * @param field null for all searched ones
 */
export function wordPaths(field: string | null, fields: QueryFields): WordPath[] {
  return (field === null ? fields.searched : [field]).map(path => {
    const known = fields.find(path)
    return { path, isText: known?.type !== 'any' || known.searched, isFile: known?.type === 'file' }
  })
}

/** One of several values. A number field may hold numbers as text, and a boolean field booleans as text. */
function valueTest(field: string, wanted: ReadonlySet<JsonValue | undefined>, fields: QueryFields): Test {
  const type = fields.find(field)?.type
  const fits: (one: JsonValue) => boolean =
    type === 'number'
      ? one => wanted.has(one) || (typeof one === 'string' && wanted.has(numberIn(one)))
      : type === 'boolean'
        ? one =>
            wanted.has(one) || (one === 'true' && wanted.has(true)) || (one === 'false' && wanted.has(false))
        : one => wanted.has(one)
  return document => document.values(field).some(fits)
}

function rangeTest(range: ValueRange, fields: QueryFields): Test {
  const { field } = range
  const known = fields.find(field)
  if (range.over === 'texts') {
    const holds = betweenBounds(range.from, range.to)
    return document => document.values(field).some(one => typeof one === 'string' && holds(one))
  }
  const holds = betweenBounds(range.from, range.to)
  const read =
    range.over === 'times' ? timeReader(known?.time) : known?.type === 'number' ? numberOf : jsonNumber
  return document =>
    document.values(field).some(one => {
      const number = read(one)
      return number !== undefined && holds(number)
    })
}

function insideTest({ field, area }: Inside, fields: QueryFields): Test {
  const { south, north, holds } = areaTest(area)
  const read = coordinateReader(field, fields)
  return document =>
    document.points(field, read).some(({ lat, lon }) => lat >= south && lat <= north && holds(lat, lon))
}

/** Reads the latitudes and longitudes of a field: numbers, or texts where the schema says that these are numbers. */
export function coordinateReader(field: string, fields: QueryFields) {
  return (value: JsonValue, name: string): number | undefined => {
    const type = fields.find(`${field}.${name}`)?.type
    return type === 'date' ? undefined : type === 'number' ? numberOf(value) : jsonNumber(value)
  }
}

const numberOf = (value: JsonValue): number | undefined =>
  typeof value === 'string' ? numberIn(value) : jsonNumber(value)

const jsonNumber = (value: JsonValue): number | undefined => (typeof value === 'number' ? value : undefined)

function timeReader(time: ((value: string | number) => number | undefined) | undefined) {
  return (value: JsonValue) =>
    typeof value === 'string' || typeof value === 'number' ? time?.(value) : undefined
}
