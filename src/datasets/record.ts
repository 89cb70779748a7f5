import { fileTexts, setFileTexts } from '../file-texts.ts'
import { type JsonObject, type JsonValue, jsonLength } from '../json.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { SEAL_BYTES } from '../store/checksum.ts'
import { type LongList, longListsOf, packLongLists, withLongLists, withoutLongLists } from './long-lists.ts'

/**
 * A stored document:
 *
 *   bytes 0..3    seal (store/checksum.ts)
 *   bytes 4..11   sequence number of its last change, float64
 *   bytes 12..19  modification time, milliseconds since 1970, float64
 *   bytes 20..    JSON. Where the document has more than that: a byte that says what (1 texts, 2 lists, 3 both), the length
 *                 of the JSON, uint32 little-endian, the JSON; the length of the lists and the long lists of numbers
 *                 (long-lists.ts); the texts of files (file-texts.ts) as JSON
 *
 * JSON, because msgpack and cbor were measured and are not faster.
 */
const HEADER_BYTES = 16
const JSON_AT = SEAL_BYTES + HEADER_BYTES

export interface StoredRecord {
  seq: number
  modifiedAt: number
  document: JsonObject
}

/** The first byte after the header where there is more than JSON, which begins with a brace. */
const WITH_TEXTS = 1
const WITH_LISTS = 2
const LENGTH_BYTES = 4

/** Characters and bytes of text between two points at which other work may run. */
const PIECE = 64 * 1024

/** Approximate size of a document in bytes. */
export function sizeOf(document: Readonly<JsonObject>): number {
  const texts = fileTexts(document)
  return JSON_AT + jsonLength(document) + (texts ? jsonLength(texts) : 0)
}

/** Builds a value piece by piece, without seal, sequence number and time, which are known only later. */
export function* draft(document: Readonly<JsonObject>): Generator<void, Buffer> {
  const lists: LongList[] = []
  const json: string[] = []
  const length = yield* writeJson(yield* withoutLongLists(document, lists), json)
  const section = lists.length > 0 ? yield* packLongLists(lists) : undefined
  const texts = fileTexts(document)
  const header = texts || section ? 1 + LENGTH_BYTES : 0
  const sectionBytes = section ? LENGTH_BYTES + section.byteLength : 0
  const jsonEnd = JSON_AT + header + length
  const inJson = json.length
  const value = Buffer.allocUnsafe(jsonEnd + sectionBytes + (texts ? yield* writeJson(texts, json) : 0))
  if (header > 0) {
    value.writeUInt8((texts ? WITH_TEXTS : 0) + (section ? WITH_LISTS : 0), JSON_AT)
    value.writeUInt32LE(length, JSON_AT + 1)
  }
  if (section) value.set(section, value.writeUInt32LE(section.byteLength, jsonEnd))
  let at = JSON_AT + header
  for (const [place, piece] of json.entries()) {
    if (place === inJson) at += sectionBytes
    at += value.write(piece, at)
    if (piece.length >= PIECE) yield
  }
  return value
}

/** Adds the pieces of a JSON text, and returns their size in bytes. */
function* writeJson(value: Readonly<JsonObject>, json: string[]): Generator<void, number> {
  let bytes = 0
  for (const piece of jsonPieces(value)) {
    json.push(piece)
    bytes += Buffer.byteLength(piece)
    if (piece.length >= PIECE) yield
  }
  return bytes
}

/** The result of JSON.stringify(), a long text in pieces. */
function* jsonPieces(value: JsonValue): Generator<string> {
  let text = ''
  for (const part of jsonParts(value)) {
    text += part
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* jsonParts(value: JsonValue): Generator<string> {
  if (jsonLength(value, PIECE) <= PIECE) yield JSON.stringify(value)
  else if (typeof value === 'string') yield* textParts(value)
  else if (Array.isArray(value)) yield* listParts(value)
  else yield* memberParts(value as JsonObject) // nothing else is long
}

function* textParts(text: string): Generator<string> {
  yield '"'
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + PIECE, text.length)
    const isHighSurrogate = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800
    if (isHighSurrogate && to < text.length) to--
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
  }
  yield '"'
}

function* listParts(list: readonly JsonValue[]): Generator<string> {
  let sign = '['
  for (const one of list) {
    yield sign
    yield* jsonParts(one)
    sign = ','
  }
  yield ']'
}

function* memberParts(object: JsonObject): Generator<string> {
  let sign = '{'
  for (const name of Object.keys(object)) {
    yield sign
    yield* textParts(name)
    yield ':'
    yield* jsonParts(object[name]!)
    sign = ','
  }
  yield '}'
}

/** Where the parts of a value are. */
interface Parts {
  readonly jsonAt: number
  readonly jsonEnd: number
  readonly lists: Buffer | undefined
  /** Undefined where there are none. */
  readonly textsAt: number | undefined
}

/** @param from where the header ends */
function partsAt(bytes: Buffer, from: number): Parts {
  const form = bytes[from]!
  if (form > WITH_TEXTS + WITH_LISTS)
    return { jsonAt: from, jsonEnd: bytes.byteLength, lists: undefined, textsAt: undefined }
  const jsonAt = from + 1 + LENGTH_BYTES
  const jsonEnd = jsonAt + bytes.readUInt32LE(from + 1)
  const listsAt = jsonEnd + LENGTH_BYTES
  const listsEnd = form & WITH_LISTS ? listsAt + bytes.readUInt32LE(jsonEnd) : jsonEnd
  return {
    ...{ jsonAt, jsonEnd },
    lists: form & WITH_LISTS ? bytes.subarray(listsAt, listsEnd) : undefined,
    textsAt: form & WITH_TEXTS ? listsEnd : undefined,
  }
}

/** @param from where the header ends */
function* parseAt(bytes: Buffer, from: number): Generator<void, JsonObject> {
  const { jsonAt, jsonEnd, lists, textsAt } = partsAt(bytes, from)
  const document = JSON.parse(yield* textIn(bytes, jsonAt, jsonEnd)) as JsonObject
  if (lists) yield* withLongLists(document, lists)
  if (textsAt === undefined) return document
  yield
  return setFileTexts(document, JSON.parse(yield* textIn(bytes, textsAt)) as JsonObject)
}

function* textIn(bytes: Buffer, from: number, end = bytes.byteLength): Generator<void, string> {
  let text = ''
  let at = from
  while (end - at > PIECE) {
    let to = at + PIECE
    while ((bytes[to]! & 0xc0) === 0x80) to--
    text += bytes.toString('utf8', at, to)
    at = to
    yield
  }
  return text + bytes.toString('utf8', at, end)
}

export function complete(value: Buffer, seq: number, modifiedAt: number): Buffer {
  value.writeDoubleLE(seq, SEAL_BYTES)
  value.writeDoubleLE(modifiedAt, SEAL_BYTES + 8)
  return value
}

/** Reads a sealed value whose checksum has been verified. */
export const seqIn = (sealed: Uint8Array): number => view(sealed).getFloat64(SEAL_BYTES, true)
export const modifiedAtIn = (sealed: Uint8Array): number => view(sealed).getFloat64(SEAL_BYTES + 8, true)
export const documentIn = (sealed: Uint8Array): JsonObject => atOnce(documentInPieces(sealed))
export function documentInPieces(sealed: Uint8Array): Generator<void, JsonObject> {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  return parseAt(bytes, JSON_AT)
}

/** The same for a payload, which has no seal. */
export function recordIn(payload: Buffer): StoredRecord {
  return {
    seq: payload.readDoubleLE(0),
    modifiedAt: payload.readDoubleLE(8),
    document: atOnce(parseAt(payload, HEADER_BYTES)),
  }
}

/** A payload's long lists of numbers, by their paths, as JSON lists of names. Nothing else is parsed. */
export function longListsIn(payload: Buffer): ReadonlyMap<string, number[]> {
  const { lists } = partsAt(payload, HEADER_BYTES)
  return new Map(lists && longListsOf(lists))
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
