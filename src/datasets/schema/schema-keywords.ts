import { fieldPath, type Issue, invalid, problem } from '../../input.ts'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../json.ts'
import { didYouMean } from '../../nearest-name.ts'
import { type FieldKind, type FieldType, isNumberType, kindOfValues } from './schema.ts'

type Group = 'text' | 'number' | 'list' | 'object' | 'any'

/** Keywords that are enforced besides the type: for which types, and what their values must be. */
const honoured = new Map<
  string,
  { readonly of: Group; readonly value: 'number' | 'count' | 'names' | 'values' | 'any' | 'boolean' }
>([
  ['required', { of: 'object', value: 'names' }],
  ['additionalProperties', { of: 'object', value: 'boolean' }],
  ['enum', { of: 'any', value: 'values' }],
  ['const', { of: 'any', value: 'any' }],
  ['minimum', { of: 'number', value: 'number' }],
  ['maximum', { of: 'number', value: 'number' }],
  ['exclusiveMinimum', { of: 'number', value: 'number' }],
  ['exclusiveMaximum', { of: 'number', value: 'number' }],
  ['minLength', { of: 'text', value: 'count' }],
  ['maxLength', { of: 'text', value: 'count' }],
  ['minItems', { of: 'list', value: 'count' }],
  ['maxItems', { of: 'list', value: 'count' }],
])

/** Keywords of JSON schema that restrict documents and are not enforced. Matching a pattern could take for ever. */
const refusedWords = new Set([
  ...[
    'pattern',
    'patternProperties',
    'multipleOf',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'propertyNames',
  ],
  ...['contains', 'minContains', 'maxContains', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...[
    'unevaluatedProperties',
    'dependencies',
    'dependentRequired',
    'dependentSchemas',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
  ],
  ...['if', 'then', 'else', '$ref', '$dynamicRef', '$recursiveRef'],
])

const types = ['type', 'format', 'items', 'properties']
const known = [...honoured.keys(), ...refusedWords, ...types]
const valueRules = {
  number: { fits: (value: JsonValue) => typeof value === 'number', expected: 'a number' },
  count: {
    fits: (value: JsonValue) => Number.isSafeInteger(value) && Number(value) >= 0,
    expected: 'a whole number of at least 0',
  },
  names: {
    fits: (value: JsonValue) => Array.isArray(value) && value.every(name => typeof name === 'string'),
    expected: 'a list of names',
  },
  values: {
    fits: (value: JsonValue) => Array.isArray(value) && value.length > 0,
    expected: 'a list of values',
  },
  boolean: { fits: (value: JsonValue) => typeof value === 'boolean', expected: 'true or false' },
  any: { fits: () => true, expected: 'a value' },
}

const heldWords = [...honoured.keys()].join(', ')

/** Keywords beside a type that are not enforced, or not for this type. Keywords that only describe are ignored. */
export function keywordIssues(schema: JsonObject, type: FieldType, path: string): Issue[] {
  return Object.keys(schema).flatMap(word => {
    const value = schema[word]!
    const field = fieldPath([word], path)
    const rule = honoured.get(word)
    if (rule) {
      if (rule.of !== 'any' && type !== 'any' && rule.of !== groupOf(type))
        return [
          {
            field,
            received: `used with the type ${type}`,
            expected: `a type for ${wordsFor[rule.of]}`,
          },
        ]
      const { fits, expected } = valueRules[rule.value]
      return fits(value) ? [] : [problem(field, value, expected)]
    }
    if (refusedWords.has(word) && value !== false) {
      const received = 'a rule that Findling does not check'
      return [
        { field, received, expected: `only the types and ${heldWords}; for other rules use a zod object` },
      ]
    }
    const meant = types.includes(word) || refusedWords.has(word) ? '' : didYouMean(word, known)
    return meant === ''
      ? []
      : [{ field, received: 'not a keyword of JSON schema', expected: `another name${meant}` }]
  })
}

const wordsFor = { text: 'text', number: 'numbers', list: 'lists', object: 'objects', any: 'anything' }

const groupOf = (type: FieldType): Group | FieldKind => (isNumberType(type) ? 'number' : kindOfValues(type))

export type KeywordCheck = (value: JsonValue, path: string, isPartial: boolean) => void

/**
 * Enforces the keywords of a JSON schema: a document that breaks one is INVALID_DOCUMENT. In a partial document required members
 * may be missing, but not in its lists, which are given whole.
 */
export function compileKeywords(schema: JsonValue | undefined): KeywordCheck | undefined {
  if (!isJsonObject(schema)) return undefined
  const checks = [...valueChecks(schema), objectCheck(schema), listCheck(schema)].filter(
    check => check !== undefined,
  )
  if (checks.length === 0) return undefined
  return (value, path, isPartial) => {
    for (const check of checks) check(value, path, isPartial)
  }
}

function valueChecks(schema: JsonObject): KeywordCheck[] {
  const checks: KeywordCheck[] = []
  const add = (word: string, expected: string, holds: (value: JsonValue, limit: JsonValue) => boolean) => {
    const limit = own(schema, word)
    if (limit === undefined) return
    checks.push((value, path) => {
      if (value !== null && !holds(value, limit)) refuse(path, value, expected + describe(limit))
    })
  }
  const describe = (limit: JsonValue) =>
    (Array.isArray(limit) ? limit : [limit])
      .map(one => JSON.stringify(one).slice(0, 60))
      .slice(0, 20)
      .join(', ')
  const number =
    (holds: (value: number, limit: number) => boolean) => (value: JsonValue, limit: JsonValue) => {
      const given = typeof value === 'string' ? Number(value) : value
      return typeof given !== 'number' || holds(given, Number(limit))
    }
  const length =
    (holds: (length: number, limit: number) => boolean) => (value: JsonValue, limit: JsonValue) =>
      typeof value !== 'string' || holds(charactersIn(value), Number(limit))
  const count = (holds: (length: number, limit: number) => boolean) => (value: JsonValue, limit: JsonValue) =>
    !Array.isArray(value) || holds(value.length, Number(limit))
  add(
    'enum',
    'one of ',
    (value, choices) => Array.isArray(choices) && choices.some(one => isSame(one, value)),
  )
  add('const', '', (value, only) => isSame(value, only))
  add(
    'minimum',
    'a number of at least ',
    number((value, limit) => value >= limit),
  )
  add(
    'maximum',
    'a number of at most ',
    number((value, limit) => value <= limit),
  )
  add(
    'exclusiveMinimum',
    'a number of more than ',
    number((value, limit) => value > limit),
  )
  add(
    'exclusiveMaximum',
    'a number of less than ',
    number((value, limit) => value < limit),
  )
  add(
    'minLength',
    'text with a number of characters of at least ',
    length((value, limit) => value >= limit),
  )
  add(
    'maxLength',
    'text with a number of characters of at most ',
    length((value, limit) => value <= limit),
  )
  add(
    'minItems',
    'a list with a number of entries of at least ',
    count((value, limit) => value >= limit),
  )
  add(
    'maxItems',
    'a list with a number of entries of at most ',
    count((value, limit) => value <= limit),
  )
  return checks
}

function objectCheck(schema: JsonObject): KeywordCheck | undefined {
  const properties = own(schema, 'properties')
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  const members = names.flatMap(name => {
    const check = compileKeywords(own(properties as JsonObject, name))
    return check ? [[name, check] as const] : []
  })
  const required = own(schema, 'required')
  const needed = Array.isArray(required) ? required.map(String) : []
  const only = own(schema, 'additionalProperties') === false ? new Set(names) : undefined
  if (members.length === 0 && needed.length === 0 && !only) return undefined
  return (value, path, isPartial) => {
    if (!isJsonObject(value)) return
    for (const name of needed) {
      const member = own(value, name)
      const isMissing = member === undefined ? !isPartial : member === null
      if (isMissing) refuse(fieldPath([name], path), member, 'a value, because it is required')
    }
    if (only) {
      const other = Object.keys(value).find(name => !only.has(name))
      if (other !== undefined) refuseOther(fieldPath([other], path), other, names)
    }
    for (const [name, check] of members) {
      const member = own(value, name)
      if (member !== undefined) check(member, fieldPath([name], path), isPartial)
    }
  }
}

function listCheck(schema: JsonObject): KeywordCheck | undefined {
  const check = compileKeywords(own(schema, 'items'))
  return (
    check &&
    ((value, path) => {
      if (!Array.isArray(value)) return
      for (const [i, element] of value.entries()) check(element, fieldPath([i], path), false)
    })
  )
}

/** As JSON schema counts them: a pair of surrogates is one. */
function charactersIn(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return one === other
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return false
    return one.length === other.length && one.every((element, i) => isSame(element, other[i]!))
  }
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every(name => Object.hasOwn(other, name) && isSame(one[name]!, other[name]!))
}

function refuse(field: string, value: JsonValue | undefined, expected: string): never {
  throw invalid('INVALID_DOCUMENT', 'document', [problem(field, value, expected)])
}

function refuseOther(field: string, name: string, names: readonly string[]): never {
  const expected = `only members of the schema${didYouMean(name, names)}`
  throw invalid('INVALID_DOCUMENT', 'document', [{ field, received: 'not known', expected }])
}
