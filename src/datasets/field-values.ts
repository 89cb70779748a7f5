import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'
import { compileDateFormat, type DateParser, defaultDateFormat } from './schema/dates.ts'
import { typeRule } from './schema/field-types.ts'
import { type FieldSchema, fieldAt, isWhole } from './schema/schema.ts'
import { tagIds } from './validation.ts'

/** A number, date, boolean or text of a document, by which it can be filtered, counted, sorted or boosted. */
export interface FieldValue {
  /**
   * Dotted path. Where it leads through a list of objects, an empty name stands for its members: `variants..color`.
   */
  readonly name: string
  readonly kind: 'number' | 'date' | 'boolean' | 'text' | 'tags'
  /** Dates in milliseconds since 1970, true as 1 and false as 0. */
  readonly value: number | string
}

/** Reads all such values of a document, including members of lists, in order. */
export type ColumnReader = (document: Readonly<JsonObject>) => FieldValue[]

type Definition = Pick<DatasetSettings, 'idField' | 'tagField' | 'signals' | 'vectors'>

/** What a value counts as. */
type Reading = Pick<FieldValue, 'kind' | 'value'>

/** What the schema says about the values at a path. */
interface KnownPath {
  /** Reads numbers and booleans given as text. */
  readonly read?: (text: string) => Reading | undefined
  readonly parse?: DateParser
  /** Whether values are dates and nothing else. */
  readonly isDate?: boolean
  readonly isAttachment?: boolean
  readonly isVector?: boolean
}

/**
 * Compiles the reader of columns. Every value counts as what it is, and the tag field as tags; where the schema says that texts
 * are numbers, booleans or dates, texts that can be read as such count as these. A field with a signal by age also counts as a
 * date: milliseconds since 1970, or text in the format that the schema gives the field, else an ISO date; without a zone it is
 * UTC. The id, attachments, vectors, and names that no path can reach are left out.
 * @param root the fields that the sample or schema declares
 */
export function compileColumns(
  { idField, tagField, signals, vectors }: Definition,
  root: FieldSchema,
): ColumnReader {
  const known = knownPaths(root, signals, vectors)
  const isOther = (name: string) => (name !== idField && name !== tagField) || Object.hasOwn(signals, name)
  return document => {
    const values: FieldValue[] = []
    for (const value of tagIds(document, { tagField })) values.push({ name: tagField, kind: 'tags', value })
    for (const name of Object.keys(document))
      if (isReachable(name) && isOther(name)) readValue(document[name]!, name, known, values)
    return values
  }
}

function readValue(value: JsonValue, name: string, known: KnownPaths, to: FieldValue[]): void {
  if (typeof value !== 'object') readSimple(value, name, knownAt(name, known), to)
  else if (Array.isArray(value)) {
    if (knownAt(name, known)?.isVector) return
    for (const one of value) readValue(one, isJsonObject(one) ? `${name}.` : name, known, to)
  } else if (value !== null) {
    for (const member of Object.keys(value))
      if (isReachable(member)) readValue(value[member]!, `${name}.${member}`, known, to)
  }
}

function readSimple(
  value: string | number | boolean,
  name: string,
  known: KnownPath | undefined,
  to: FieldValue[],
): void {
  if (known?.isAttachment) return
  const time = typeof value === 'boolean' ? undefined : known?.parse?.(value)
  if (time !== undefined) {
    to.push({ name, kind: 'date', value: time })
    if (known?.isDate) return
  }
  if (typeof value === 'number') to.push({ name, kind: 'number', value })
  else if (typeof value === 'boolean') to.push({ name, kind: 'boolean', value: value ? 1 : 0 })
  else {
    const read = known?.read?.(value)
    to.push(read ? { name, ...read } : { name, kind: 'text', value })
  }
}

const isReachable = (name: string): boolean => name !== '' && !name.includes('.')

type KnownPaths = ReadonlyMap<string, KnownPath>

/** Longer paths are not looked up, which would join their names for every value: they have no columns. */
const longestPath = 1000

const knownAt = (path: string, known: KnownPaths): KnownPath | undefined =>
  path.length > longestPath ? undefined : known.get(path)

function knownPaths(
  root: FieldSchema,
  signals: DatasetSettings['signals'],
  vectors: DatasetSettings['vectors'] = {},
): KnownPaths {
  const known = new Map<string, KnownPath>()
  addMembers(root, '', known)
  for (const [path, signal] of Object.entries(signals)) {
    if ('pivot' in signal) continue
    const field = fieldAt(root, path)
    const format = (field?.items ?? field)?.format ?? defaultDateFormat
    known.set(path, { ...known.get(path), parse: compileDateFormat(format) })
  }
  for (const path of Object.keys(vectors)) known.set(path, { isVector: true })
  return known
}

function addMembers({ properties = [] }: FieldSchema, prefix: string, known: Map<string, KnownPath>): void {
  for (const [name, field] of properties) if (isReachable(name)) addField(field, prefix + name, known)
}

function addField(field: FieldSchema, path: string, known: Map<string, KnownPath>): void {
  if (path.length > longestPath) return
  if (field.items) addField(field.items, field.items.properties ? `${path}.` : path, known)
  else if (field.properties) addMembers(field, `${path}.`, known)
  else {
    const one = knownOf(field)
    if (one) known.set(path, one)
  }
}

function knownOf(field: FieldSchema): KnownPath | undefined {
  const { type } = field
  if (type === 'attachment') return { isAttachment: true }
  if (type === 'date') return { parse: compileDateFormat(field.format ?? defaultDateFormat), isDate: true }
  const rule = typeRule(field, false)
  if (!rule) return undefined
  if (type === 'boolean') {
    const read = (text: string): Reading => ({ kind: 'boolean', value: text === 'true' ? 1 : 0 })
    return { read: text => (rule.fits(text) ? read(text) : undefined) }
  }
  if (!isWhole(type) && type !== 'double' && type !== 'float') return undefined
  // A number with more digits than a double keeps stays text.
  const isKept = (value: number) => !isWhole(type) || Number.isSafeInteger(value)
  return {
    read: text =>
      rule.fits(text) && isKept(Number(text)) ? { kind: 'number', value: Number(text) } : undefined,
  }
}
