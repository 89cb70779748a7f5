import type { JsonObject, JsonValue } from '../json.ts'
import { DocumentReading, type FieldWords, hasValue, type WordPath } from './document-reading.ts'
import { numberIn, type QueryFields } from './fields.ts'
import type { Leaf, Query, Range, Value, Word } from './query.ts'
import { anyWordTest, isWordLeaf, type WordLeaf, within, wordsTest } from './word-tests.ts'

type ValueRange = Exclude<Range, { over: 'words' }>
type Test = (document: DocumentReading) => boolean

/**
 * Compiles a query into a predicate over documents: what a search with it finds. It must not be called from within
 * itself.
 */
export function compileQuery(query: Query, fields: QueryFields): (document: JsonObject) => boolean {
  const test = testOf(query, fields)
  const reading = new DocumentReading(fields.analyzer)
  return document => {
    reading.take(document)
    return test(reading)
  }
}

function testOf(query: Query, fields: QueryFields): Test {
  switch (query.kind) {
    case 'everything':
      return () => true
    case 'nothing':
      return () => false
    case 'every': {
      const tests = query.of.map(one => testOf(one, fields))
      return document => tests.every(test => test(document))
    }
    case 'any': {
      const tests = testsOfAny(query.of, fields)
      return document => tests.some(test => test(document))
    }
    case 'not': {
      const test = testOf(query.of, fields)
      return document => !test(document)
    }
    case 'boosted':
      return testOf(query.of, fields)
    default:
      return leafTest(query, fields)
  }
}

/** However many values or words of a field are asked for, they are one test. */
function testsOfAny(queries: readonly Query[], fields: QueryFields): Test[] {
  const tests: Test[] = []
  const values = new Map<Value['field'], Set<Value['value']>>()
  const words = new Map<Word['field'], Set<string>>()
  for (const one of queries) {
    if (one.kind === 'value') added(values, one.field, one.value)
    else if (one.kind === 'word') added(words, one.field, one.word)
    else tests.push(testOf(one, fields))
  }
  for (const [field, wanted] of values) tests.push(valueTest(field, wanted, fields))
  for (const [field, wanted] of words) tests.push(fieldTest(field, anyWordTest(wanted), fields))
  return tests
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
    case 'exists':
      return document => document.values(leaf.field).some(hasValue)
    case 'range':
      return rangeTest(leaf, fields)
  }
}

/** Of several fields one must fit by itself. */
function fieldTest(
  field: WordLeaf['field'],
  fits: (words: FieldWords) => boolean,
  fields: QueryFields,
): Test {
  const paths = wordPaths(field, fields)
  return document => paths.some(path => fits(document.words(path)))
}

/**
 * Where words are looked for.
 * @param field null for all that are searched
 */
export function wordPaths(field: string | null, fields: QueryFields): WordPath[] {
  return (field === null ? fields.searched : [field]).map(path => {
    const known = fields.find(path)
    return { path, isText: known?.type !== 'any' || known.searched, isFile: known?.type === 'file' }
  })
}

/** One of some values. A number field may hold numbers as text, and one of booleans what is true as text. */
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
    const holds = within(range.from, range.to)
    return document => document.values(field).some(one => typeof one === 'string' && holds(one))
  }
  const holds = within(range.from, range.to)
  const read =
    range.over === 'times' ? timeReader(known?.time) : known?.type === 'number' ? numberOf : jsonNumber
  return document =>
    document.values(field).some(one => {
      const number = read(one)
      return number !== undefined && holds(number)
    })
}

const numberOf = (value: JsonValue): number | undefined =>
  typeof value === 'string' ? numberIn(value) : jsonNumber(value)

const jsonNumber = (value: JsonValue): number | undefined => (typeof value === 'number' ? value : undefined)

function timeReader(time: ((value: string | number) => number | undefined) | undefined) {
  return (value: JsonValue) =>
    typeof value === 'string' || typeof value === 'number' ? time?.(value) : undefined
}
