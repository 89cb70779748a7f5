import { keepsDigits, parseJson } from '../../json-text.ts'
import type { DatasetSettings } from '../schema/dataset-settings.ts'
import { type DatasetSchema, type FieldSchema, isNumberType } from '../schema/schema.ts'
import type { CellType, CsvColumn } from './csv-columns.ts'

/** What a dataset knows of its fields. */
export interface KnownFields {
  readonly root: FieldSchema
  /** Its cells may be lists of ids, joined by `|`. */
  readonly tagField: string
  /** Paths of fields that hold vectors. */
  readonly vectors?: ReadonlySet<string>
}

interface Definition {
  readonly schema: Pick<DatasetSchema, 'root'>
  readonly settings: Pick<DatasetSettings, 'tagField' | 'vectors'>
}

export const knownFieldsOf = ({ schema, settings }: Definition): KnownFields => ({
  root: schema.root,
  tagField: settings.tagField,
  vectors: new Set(Object.keys(settings.vectors ?? {})),
})

/** Begins a cell that holds any value as JSON; alone it is no value. */
const jsonSign = '\\'

/** Reads the cells of a column. Undefined: the row has no such member. SyntaxError for broken JSON. */
export function cellReader(
  { path, type }: CsvColumn,
  known: KnownFields | undefined,
): (text: string) => unknown {
  if (type) return text => readCell(type, text)
  const field = known && knownField(known, path)
  // An empty list is no vector.
  if (field === vector) return text => (text.trim() === '' ? undefined : readPlain(field, false, text))
  const isTag = path.length === 1 && path[0] === known?.tagField
  return text => readPlain(field, isTag, text)
}

/** The cell that is read as this value in a column of the type. */
export function writeCell(type: CellType, value: unknown): string {
  if (value === undefined) return ''
  return plainText(type, value) ?? jsonSign + JSON.stringify(value)
}

/** Text as a person would write a value: lists joined by `|`, objects as JSON, nothing for null. */
export function readableCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (isTextList(value)) return joinList(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The type in which a value looks most like itself; null has none. */
export function cellTypeOf(value: unknown): CellType | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return isTextList(value) ? 'list' : 'json'
}

/** Whether UTF-8 keeps a text, and a cell that holds it is not taken for JSON. */
export function isOrdinary(text: string): boolean {
  return !text.startsWith(jsonSign) && !/\p{Surrogate}/u.test(text)
}

function readCell(type: CellType, text: string): unknown {
  if (text === '' || text === jsonSign) return undefined
  if (text.startsWith(jsonSign)) return parseJson(text.slice(1))
  switch (type) {
    case 'number':
      return exactNumber(text) ?? text
    case 'boolean':
      return booleans.get(text) ?? text
    case 'list':
      return splitTexts(text)
    case 'json':
      return parseJson(text)
    default:
      return text
  }
}

/** Undefined where such a cell would be read as something else. */
function plainText(type: CellType, value: unknown): string | undefined {
  if (type === 'json') return JSON.stringify(value)
  if (cellTypeOf(value) !== type) return undefined
  const text = isTextList(value) ? joinList(value) : String(value)
  return text !== '' && isOrdinary(text) ? text : undefined
}

/** What does not fit its field stays text, for the dataset's rules to take or refuse. */
function readPlain(field: FieldSchema | undefined, isTag: boolean, text: string): unknown {
  if (text === jsonSign) return undefined
  if (text.startsWith(jsonSign)) return jsonIn(text.slice(1)) ?? text
  if (field && field.type !== 'any') return readByField(field, text)
  const ids = isTag ? splitTexts(text) : []
  return ids.length > 1 ? ids : text
}

function readByField({ type, items }: FieldSchema, text: string): unknown {
  if (type === 'array') return listIn(items, text)
  if (type === 'object') return text === '' ? undefined : (jsonIn(text, '{') ?? text)
  if (type === 'boolean') return text === '' ? undefined : (booleans.get(text) ?? text)
  if (!isNumberType(type)) return text
  return text === '' ? undefined : (exactNumber(text) ?? text)
}

function listIn(items: FieldSchema | undefined, text: string): unknown {
  if (text === '') return []
  const list = jsonIn(text, '[')
  if (list !== undefined) return list
  return splitTexts(text).map(part => (items ? (readByField(items, part) ?? part) : part))
}

/** Undefined for text that is not valid JSON, or does not begin as asked for. */
function jsonIn(text: string, beginning = ''): unknown {
  if (!text.startsWith(beginning)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const vector: FieldSchema = { type: 'array', items: { type: 'double' } }

/** What a dataset knows of the field at a path. */
export function knownField({ root, vectors }: KnownFields, path: readonly string[]): FieldSchema | undefined {
  if (vectors?.has(path.join('.'))) return vector
  let field: FieldSchema | undefined = root
  for (const name of path) field = field?.properties?.find(([known]) => known === name)?.[1]
  return field
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** Undefined where the text is no decimal number, or one whose digits no double keeps. */
function exactNumber(text: string): number | undefined {
  if (!/^[-+.\deE]+$/.test(text)) return undefined
  const number = Number(text)
  return keepsDigits(text, number) ? number : undefined
}

const separator = '|'

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every(one => typeof one === 'string')
}

function joinList(texts: readonly string[]): string {
  return texts.map(text => text.replace(/[\\|]/g, '\\$&')).join(separator)
}

/** The texts of a list: a backslash before `|` or a backslash makes it part of a text. */
export function splitTexts(text: string): string[] {
  const texts: string[] = []
  let part = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    const next = text[at + 1]
    if (sign === jsonSign && (next === separator || next === jsonSign)) {
      part += text.slice(from, at)
      from = ++at
    } else if (sign === separator) {
      texts.push(part + text.slice(from, at))
      part = ''
      from = at + 1
    }
  }
  return [...texts, part + text.slice(from)]
}
