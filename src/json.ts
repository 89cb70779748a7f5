import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from './errors.ts'
import { describeValue, fieldPath, invalid, problem } from './input.ts'

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  [name: string]: JsonValue
}

/** Maximum nesting depth of objects and lists, including the document itself. */
export const deepest = 128

/** How large a document may be: processing it in one stretch must not take long. */
export interface DocumentLimits {
  /** Members and entries of lists, at every depth. */
  readonly values: number
  /** UTF-16 units of all its texts and names. */
  readonly text: number
}

export const defaultDocumentLimits: DocumentLimits = { values: 100_000, text: 16 * 2 ** 20 }

const unlimited: DocumentLimits = { values: Infinity, text: Infinity }

/** The current position of a copy; a path is put together only when something is refused. */
interface Place {
  readonly root: string
  readonly code: ErrorCode
  readonly path: (string | number)[]
  readonly size: DocumentSize
}

/** The size of a document so far. */
class DocumentSize {
  readonly #limits: DocumentLimits
  readonly #code: ErrorCode
  #values = 0
  #text = 0

  constructor(limits: DocumentLimits, code: ErrorCode) {
    this.#limits = limits
    this.#code = code
  }

  addValue(): void {
    if (++this.#values > this.#limits.values)
      this.#refuse(`${this.#limits.values} members and list entries (documentLimits.values)`)
  }

  addText(length: number): void {
    this.#text += length
    if (this.#text > this.#limits.text)
      this.#refuse(`${this.#limits.text} characters of text (documentLimits.text)`)
  }

  #refuse(limit: string): never {
    const expected = `at most ${limit}`
    throw invalid(this.#code, 'the document', [{ field: '', received: 'too large', expected }])
  }
}

/**
 * A deep copy as plain JSON, which shares nothing with the input and equals what its JSON text parses to. An object with a
 * method toJSON becomes what that returns, so a Date becomes ISO text; of a class instance, the own enumerable members count.
 * Undefined members are left out. It refuses what JSON cannot hold (NaN, bigint, functions, symbols, collections such as Map,
 * bytes, undefined inside lists, cycles) and nesting deeper than 128 levels.
 * @param field path put before the path of a refused member
 */
export function toJsonObject(
  value: unknown,
  field = '',
  code: ErrorCode = 'INVALID_DOCUMENT',
  limits = unlimited,
): JsonObject {
  const place: Place = { root: field, code, path: [], size: new DocumentSize(limits, code) }
  const object = standIn(value, 0, place)
  if (!hasMembers(object)) refuse(place, 0, object, 'an object with the members of a document')
  return copyObject(object, 1, place)
}

/** Refuses a document that a change makes too large; one that was too large before may still be changed. */
export function checkGrowth(document: JsonObject, earlier: JsonObject, limits: DocumentLimits): void {
  const refusal = refusalOf(document, limits)
  if (refusal && !refusalOf(earlier, limits)) throw refusal
}

function refusalOf(document: JsonObject, limits: DocumentLimits): unknown {
  const size = new DocumentSize(limits, 'INVALID_DOCUMENT')
  const add = (value: JsonValue): void => {
    if (typeof value === 'string') size.addText(value.length)
    if (typeof value !== 'object' || value === null) return
    for (const name of Object.keys(value)) {
      size.addValue()
      if (!Array.isArray(value)) size.addText(name.length)
      add(own(value as JsonObject, name)!)
    }
  }
  try {
    add(document)
  } catch (error) {
    return error
  }
  return undefined
}

/** Approximate length of the JSON text in characters; counting stops at `most`. */
export function jsonLength(value: JsonValue, most = Infinity): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && length <= most; i++)
      length += 1 + jsonLength(value[i]!, most - length)
    return length
  }
  for (const name of Object.keys(value)) {
    if (length > most) break
    length += name.length + 4 + jsonLength(value[name]!, most - length)
  }
  return length
}

/** Whether a value has members and is not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject => isObject(value)

/** The member of this name if it is the object's own. */
export function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** The value at a dotted path of own members; lists are not entered. */
export function valueAt(doc: JsonObject, path: string): JsonValue | undefined {
  if (!path.includes('.')) return own(doc, path)
  let value: JsonValue | undefined = doc
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined
    value = own(value, name)
  }
  return value
}

/** The values at a dotted path of own members, in order. Lists on the way and at its end are entered, nested ones included. */
export function valuesIn(object: JsonObject, path: string): readonly JsonValue[] {
  if (!path.includes('.')) return membersOf(object, path)
  let values: readonly JsonValue[] = [object]
  for (const name of path.split('.'))
    values = values.flatMap(value => (isJsonObject(value) ? membersOf(value, name) : []))
  return values
}

function membersOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = own(object, name)
  if (value === undefined) return []
  return Array.isArray(value) ? elementsOf(value) : [value]
}

/** Including the elements of nested lists. */
function elementsOf(list: readonly JsonValue[]): JsonValue[] {
  return list.flatMap(one => (Array.isArray(one) ? elementsOf(one) : one))
}

/**
 * `patch` merged into `target`: objects are merged member by member at every depth, lists and simple values are replaced;
 * null is a value like any other. Neither is changed; the result shares their parts.
 */
export function mergeDeep(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target }
  for (const name of Object.keys(patch)) {
    const before = own(target, name)
    const after = patch[name]!
    put(merged, name, isJsonObject(before) && isJsonObject(after) ? mergeDeep(before, after) : after)
  }
  return merged
}

/** Whether merging a patch into an object by mergeDeep() would leave it unchanged. */
export function isWithin(patch: JsonObject, target: JsonObject): boolean {
  return Object.keys(patch).every(name => {
    const [before, after] = [own(target, name), patch[name]!]
    if (isJsonObject(after) && isJsonObject(before)) return isWithin(after, before)
    return isDeepStrictEqual(before, after)
  })
}

function copyValue(value: unknown, depth: number, place: Place): JsonValue {
  switch (typeof value) {
    case 'string':
      place.size.addText(value.length)
      return value
    case 'boolean':
      return value
    case 'number':
      return copyNumber(value, depth, place)
    case 'object':
      if (value === null) return null
      return copyStructure(value, depth, place)
    case 'bigint':
      return refuse(place, depth, value, 'a number that keeps all its digits; give larger ones as text')
    default:
      return refuse(place, depth, value, 'a value that JSON can hold')
  }
}

function copyNumber(value: number, depth: number, place: Place): number {
  if (!Number.isFinite(value)) refuse(place, depth, value, 'a finite number')
  return value + 0 // JSON knows no -0
}

function copyStructure(given: object, depth: number, place: Place): JsonValue {
  if (depth >= deepest) refuse(place, depth, given, `at most ${deepest} nested levels and no cycles`)
  if (Array.isArray(given)) return copyList(given, depth + 1, place)
  const value = standIn(given, depth, place)
  if (value === given) {
    if (!hasMembers(given)) refuse(place, depth, given, 'text, a number, true, false, a list or an object')
    return copyObject(given, depth + 1, place)
  }
  if (hasMembers(value)) return copyObject(value, depth + 1, place)
  if (Array.isArray(value)) return copyList(value, depth + 1, place)
  return typeof value === 'object' && value !== null
    ? refuse(place, depth, value, 'a value that JSON can hold')
    : copyValue(value, depth, place)
}

/** What stands for a value in JSON: what its method toJSON returns, as for JSON.stringify(), or the value itself. */
function standIn(value: unknown, depth: number, place: Place): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (value instanceof Date) return copyDate(value, depth, place)
  const toJson: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJson !== 'function') return value
  try {
    return Reflect.apply(toJson, value, [String(place.path[depth - 1] ?? '')])
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const received = `${describeValue(value)} whose toJSON fails: ${reason.slice(0, 200)}`
    const field = fieldPath(place.path.slice(0, depth), place.root)
    const issue = { field, received, expected: 'an object that can be written as JSON' }
    throw invalid(place.code, field === '' ? 'the document' : '', [issue], cause)
  }
}

function copyObject(source: Record<string, unknown>, depth: number, place: Place): JsonObject {
  const copy: JsonObject = {}
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined) continue
    place.path[depth - 1] = name
    place.size.addValue()
    place.size.addText(name.length)
    put(copy, name, copyValue(value, depth, place))
  }
  return copy
}

function copyList(source: readonly unknown[], depth: number, place: Place): JsonValue[] {
  const copy: JsonValue[] = []
  for (let i = 0; i < source.length; i++) {
    place.path[depth - 1] = i
    place.size.addValue()
    copy.push(copyValue(source[i], depth, place))
  }
  return copy
}

function copyDate(date: Date, depth: number, place: Place): string {
  if (Number.isNaN(date.getTime())) refuse(place, depth, date, 'a valid date')
  return date.toISOString()
}

const tagOf = Object.prototype.toString

/** Plain objects and class instances; not objects that keep their content elsewhere (Map, Promise, boxed text). */
function hasMembers(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || tagOf.call(value) === '[object Object]'
}

/** Sets an own member. Assigning to `__proto__` would change the prototype instead. */
export function put(object: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    object[name] = value
  }
}

function refuse(place: Place, depth: number, value: unknown, expected: string): never {
  const field = fieldPath(place.path.slice(0, depth), place.root)
  throw invalid(place.code, field === '' ? 'the document' : '', [problem(field, value, expected)])
}
