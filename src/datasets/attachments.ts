import { FindlingError } from '../errors.ts'
import { fileTexts, setFileTexts } from '../file-texts.ts'
import { fieldPath, invalid } from '../input.ts'
import {
  type DocumentLimits,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  own,
  put,
  toJsonObject,
} from '../json.ts'
import type { FieldSchema } from './schema/schema.ts'
import type { DatasetState } from './state.ts'

/** Reads the text of a file when it is its owner's turn. Its errors are those of the extractor. */
export type FileReader = (bytes: Uint8Array, owner: string) => Promise<string>

/** Texts of files by their contents, base64 without whitespace. */
export type FileTexts = ReadonlyMap<string, string>

const noTexts: FileTexts = new Map()

interface Place {
  readonly state: DatasetState
  readonly readFile: FileReader
  readonly limits: DocumentLimits
  /** The owner of the files. */
  readonly owner?: string
}

/** Whether documents may hold files. */
export function holdsFiles(field: FieldSchema): boolean {
  if (field.type === 'attachment') return true
  if (field.items) return holdsFiles(field.items)
  return field.properties?.some(([, member]) => holdsFiles(member)) ?? false
}

interface ReadingOptions {
  /** Refuses a document that breaks a rule before its files are read. Default: the rules of whole documents. */
  readonly check?: (document: JsonObject) => JsonObject
  /** Texts that need not be read again. */
  readonly known?: FileTexts | undefined
  /** The same, by the paths of the fields. */
  readonly texts?: Readonly<Record<string, string>> | undefined
}

/**
 * Calls `prepare` with the document to be written and the texts of its files: at once if the dataset has no attachments or all
 * texts are known, otherwise when all have been read, with a copy of the input.
 * @throws FindlingError INVALID_DOCUMENT that names the field of a file that cannot be read
 */
export function withFileTexts<T>(
  place: Place,
  input: unknown,
  prepare: (input: unknown, texts: FileTexts) => T,
  options: ReadingOptions = {},
): T | Promise<T> {
  if (!holdsFiles(place.state.schema.root)) return prepare(input, noTexts)
  const { given, files, have } = filesOf(place, input, options)
  if (have.size === files.size) return prepare(given, have)
  return readTexts(place, files, have).then(read => prepare(given, read))
}

/**
 * The same when files can no longer be read.
 * @throws FindlingError INVALID_DOCUMENT that names the field of a file whose text is not known
 */
export function withKnownTexts<T>(
  place: Place,
  input: unknown,
  prepare: (input: unknown, texts: FileTexts) => T,
  options: ReadingOptions,
): T {
  if (!holdsFiles(place.state.schema.root)) return prepare(input, noTexts)
  const { given, files, have } = filesOf(place, input, options)
  for (const [content, field] of files) {
    if (have.has(content)) continue
    const issue = { field, received: 'a file whose text is not known', expected: 'its text in `texts`' }
    throw invalid('INVALID_DOCUMENT', 'document', [issue])
  }
  return prepare(given, have)
}

/** The given document, its files, and those of their texts that are known. */
function filesOf(
  place: Place,
  input: unknown,
  { check = document => place.state.admit(document), known = noTexts, texts = {} }: ReadingOptions,
) {
  const given = toJsonObject(input, '', 'INVALID_DOCUMENT', place.limits)
  const files = filesIn(place.state.schema.root, check(given))
  const have = new Map<string, string>()
  for (const [content, path] of files) {
    const text = Object.hasOwn(texts, path) ? texts[path] : known.get(content)
    if (text !== undefined) have.set(content, text)
  }
  return { given, files, have }
}

/** Files by content, each with a path where it occurs. */
function filesIn(root: FieldSchema, document: JsonObject): Map<string, string> {
  const files = new Map<string, string>()
  mapFiles(root, document, '', (content, path) => {
    files.set(plain(content), path)
    return undefined
  })
  return files
}

async function readTexts(
  { readFile, owner = '' }: Place,
  files: ReadonlyMap<string, string>,
  known: FileTexts,
): Promise<FileTexts> {
  const reading = Array.from(files, async ([content, path]): Promise<[string, string]> => {
    const text =
      known.get(content) ??
      (await readFile(Buffer.from(content, 'base64'), owner).catch(error => refuse(path, error)))
    return [content, text]
  })
  // All are awaited, so that no later rejection goes unhandled.
  const settled = await Promise.allSettled(reading)
  const failed = settled.find(one => one.status === 'rejected')
  if (failed) throw failed.reason
  return new Map(settled.map(one => (one as PromiseFulfilledResult<[string, string]>).value))
}

/** The texts of the files of a document, by the paths of their fields, to be passed along when it is written. */
export async function textsByPath(place: Place, input: unknown): Promise<Record<string, string>> {
  const { root } = place.state.schema
  if (!holdsFiles(root)) return {}
  const files = filesIn(root, toJsonObject(input, '', 'INVALID_DOCUMENT', place.limits))
  const read = await readTexts(place, files, noTexts)
  return Object.fromEntries(Array.from(files, ([content, path]) => [path, read.get(content)!]))
}

const unreadable = new Set(['FILE_UNSUPPORTED', 'FILE_BROKEN', 'FILE_ENCRYPTED', 'FILE_LIMIT'])

function refuse(field: string, error: unknown): never {
  if (!(error instanceof FindlingError) || !unreadable.has(error.code)) throw error
  const received = error.details.received ?? 'a file that cannot be read'
  const issue = { field, received, expected: error.details.expected ?? 'a file whose text can be read' }
  throw invalid('INVALID_DOCUMENT', 'document', [issue], error)
}

/** The texts of the files in a document to be written, by the paths of their fields; undefined if it has none. */
export function pathTexts(
  root: FieldSchema,
  given: JsonObject,
  texts: FileTexts,
): Readonly<Record<string, string>> | undefined {
  if (texts.size === 0) return undefined
  const byPath: Record<string, string> = {}
  mapFiles(root, given, '', (content, path) => {
    const text = texts.get(plain(content))
    if (text !== undefined) byPath[path] = text
    return undefined
  })
  return Object.keys(byPath).length > 0 ? byPath : undefined
}

/** Attaches the known texts of its files to a document. */
export function giveTexts(root: FieldSchema, document: JsonObject, known: FileTexts): JsonObject {
  if (known.size === 0) return document
  const texts = mapFiles(root, document, '', content => known.get(plain(content)))
  return isJsonObject(texts) ? setFileTexts(document, texts) : document
}

/** The texts that came with a document from the store. */
export function attachedTexts(root: FieldSchema, document: JsonObject): FileTexts {
  const texts = fileTexts(document)
  if (!texts) return noTexts
  const known = new Map<string, string>()
  mapFiles(root, document, '', (content, _, keys) => {
    const text = keys.reduce<JsonValue | undefined>(memberOf, texts)
    if (typeof text === 'string') known.set(plain(content), text)
    return undefined
  })
  return known
}

type Key = string | number

const memberOf = (value: JsonValue | undefined, key: Key): JsonValue | undefined => {
  if (Array.isArray(value)) return value[key as number]
  return isJsonObject(value) ? own(value, String(key)) : undefined
}

/** An object in the shape of the value with what `read` returns for the contents of files; undefined if it returns nothing. */
function mapFiles(
  field: FieldSchema,
  value: JsonValue | undefined,
  path: string,
  read: (content: string, path: string, keys: readonly Key[]) => string | undefined,
  keys: readonly Key[] = [],
): JsonValue | undefined {
  if (field.type === 'attachment') return typeof value === 'string' ? read(value, path, keys) : undefined
  if (!holdsFiles(field)) return undefined
  if (field.items) {
    if (!Array.isArray(value)) return undefined
    const items = value.map((one, i) => mapFiles(field.items!, one, fieldPath([i], path), read, [...keys, i]))
    // Positions without a text are kept as null.
    return items.some(item => item !== undefined) ? items.map(item => item ?? null) : undefined
  }
  if (!isJsonObject(value)) return undefined
  const texts: JsonObject = {}
  let isEmpty = true
  for (const [name, member] of field.properties ?? []) {
    const text = mapFiles(member, own(value, name), fieldPath([name], path), read, [...keys, name])
    if (text === undefined) continue
    put(texts, name, text)
    isEmpty = false
  }
  return isEmpty ? undefined : texts
}

/** Content without whitespace. Most contents have none, which is checked quickly however long they are. */
const plain = (content: string): string =>
  [' ', '\r', '\n'].some(blank => content.includes(blank)) ? content.replace(/[ \r\n]+/g, '') : content
