import { areUnitsWithin } from '../fulltext/dictionary/edit-distance.ts'
import { unitsOf } from '../fulltext/dictionary/term-table.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { DocumentReading, type FieldWords, hasValue } from './document-reading.ts'
import { numberIn, type QueryFields } from './fields.ts'
import type { Bound, Leaf, Near, Query, Range, Value, Words } from './query.ts'
import { compilePattern } from './wildcards.ts'

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
      const tests = query.of.map(one => testOf(one, fields))
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

function leafTest(leaf: Leaf, fields: QueryFields): Test {
  switch (leaf.kind) {
    case 'word':
      return wordsTest(leaf.field, fields, ({ set }) => set.has(leaf.word))
    case 'words':
      return wordsTest(leaf.field, fields, words => standsIn(leaf, words))
    case 'pattern': {
      const fits = compilePattern(leaf.pattern)
      return wordsTest(leaf.field, fields, ({ set }) => someOf(set, fits))
    }
    case 'near': {
      const isNear = nearness(leaf)
      return wordsTest(leaf.field, fields, ({ set }) => someOf(set, isNear))
    }
    case 'value':
      return valueTest(leaf, fields)
    case 'exists':
      return document => document.values(leaf.field).some(hasValue)
    case 'range':
      return rangeTest(leaf, fields)
  }
}

/** @param field null for all that are searched, one of which must fit by itself */
function wordsTest(field: string | null, fields: QueryFields, fits: (words: FieldWords) => boolean): Test {
  const paths = (field === null ? fields.searched : [field]).flatMap(path => {
    const known = fields.find(path)
    return known?.type === 'file' ? [] : { path, isText: known?.type !== 'any' || known.searched }
  })
  return document => paths.some(({ path, isText }) => fits(document.words(path, isText)))
}

function someOf(words: ReadonlySet<string>, fits: (word: string) => boolean): boolean {
  for (const word of words) if (fits(word)) return true
  return false
}

/** From each place of the first word the others are taken where they come first, which leaves the fewest between. */
function standsIn({ words, slop }: Words, { list, set }: FieldWords): boolean {
  if (!words.every(word => set.has(word))) return false
  for (let start = list.indexOf(words[0]!); start >= 0; start = list.indexOf(words[0]!, start + 1)) {
    const end = Math.min(list.length, start + words.length + slop)
    let reached = 1
    for (let at = start + 1; at < end && reached < words.length; at++) {
      if (list[at] === words[reached]) reached++
      else if (end - at <= words.length - reached) break
    }
    if (reached === words.length) return true
  }
  return false
}

function nearness({ word, edits }: Near): (other: string) => boolean {
  const units = unitsOf(word)
  return other => {
    if (Math.abs(other.length - word.length) > edits) return false
    return areUnitsWithin(units, 0, units.length, unitsOf(other), 0, other.length, edits)
  }
}

/** A number field may hold numbers as text, and one of booleans what is true as text. */
function valueTest({ field, value }: Value, fields: QueryFields): Test {
  const type = fields.find(field)?.type
  const fits: (one: JsonValue) => boolean =
    type === 'number' && typeof value === 'number'
      ? one => numberOf(one) === value
      : type === 'boolean' && typeof value === 'boolean'
        ? one => one === value || one === String(value)
        : one => one === value
  return document => document.values(field).some(fits)
}

function rangeTest(range: Range, fields: QueryFields): Test {
  if (range.over === 'words') {
    const holds = within(range.from, range.to)
    return wordsTest(range.field, fields, ({ set }) => someOf(set, holds))
  }
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

function within<V extends string | number>(
  from: Bound<V> | null,
  to: Bound<V> | null,
): (value: V) => boolean {
  return value =>
    (!from || value > from.value || (from.inclusive && value === from.value)) &&
    (!to || value < to.value || (to.inclusive && value === to.value))
}

const numberOf = (value: JsonValue): number | undefined =>
  typeof value === 'string' ? numberIn(value) : jsonNumber(value)

const jsonNumber = (value: JsonValue): number | undefined => (typeof value === 'number' ? value : undefined)

function timeReader(time: ((value: string | number) => number | undefined) | undefined) {
  return (value: JsonValue) =>
    typeof value === 'string' || typeof value === 'number' ? time?.(value) : undefined
}
