import { fileTexts, setFileTexts } from '../file-texts.ts'
import type { JsonObject } from '../json.ts'
import { SEAL_BYTES } from '../store/checksum.ts'

/**
 * A stored document:
 *
 *   bytes 0..3    seal (store/checksum.ts)
 *   bytes 4..11   sequence number of its last change, float64
 *   bytes 12..19  modification time, milliseconds since 1970, float64
 *   bytes 20..    JSON, or where the document holds files: the byte 1, the length of the JSON, uint32 little-endian, the
 *                 JSON, and behind it the texts of the files (file-texts.ts) as JSON
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

/** A sealed value with everything but sequence number and time, which are known when its turn comes. */
export function draft(document: Readonly<JsonObject>): Buffer {
  const json = JSON.stringify(document)
  const texts = fileTexts(document)
  if (texts) return draftWithTexts(json, JSON.stringify(texts))
  const value = Buffer.allocUnsafe(JSON_AT + Buffer.byteLength(json))
  value.write(json, JSON_AT)
  return value
}

/** Behind the header; JSON of a document begins with a brace. */
const WITH_TEXTS = 1
const TEXTS_HEADER_BYTES = 5

function draftWithTexts(json: string, texts: string): Buffer {
  const length = Buffer.byteLength(json)
  const jsonAt = JSON_AT + TEXTS_HEADER_BYTES
  const value = Buffer.allocUnsafe(jsonAt + length + Buffer.byteLength(texts))
  value.writeUInt8(WITH_TEXTS, JSON_AT)
  value.writeUInt32LE(length, JSON_AT + 1)
  value.write(json, jsonAt)
  value.write(texts, jsonAt + length)
  return value
}

/** @param from where the header ends */
function parseAt(bytes: Buffer, from: number): JsonObject {
  if (bytes[from] !== WITH_TEXTS) return JSON.parse(bytes.toString('utf8', from)) as JsonObject
  const jsonAt = from + TEXTS_HEADER_BYTES
  const textsAt = jsonAt + bytes.readUInt32LE(from + 1)
  const document = JSON.parse(bytes.toString('utf8', jsonAt, textsAt)) as JsonObject
  return setFileTexts(document, JSON.parse(bytes.toString('utf8', textsAt)) as JsonObject)
}

export function complete(value: Buffer, seq: number, modifiedAt: number): Buffer {
  value.writeDoubleLE(seq, SEAL_BYTES)
  value.writeDoubleLE(modifiedAt, SEAL_BYTES + 8)
  return value
}

/** Reads a sealed value whose checksum has been verified. */
export const seqIn = (sealed: Uint8Array): number => view(sealed).getFloat64(SEAL_BYTES, true)
export const modifiedAtIn = (sealed: Uint8Array): number => view(sealed).getFloat64(SEAL_BYTES + 8, true)
export function documentIn(sealed: Uint8Array): JsonObject {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  return parseAt(bytes, JSON_AT)
}

/** The same of a payload, which has no seal in front. */
export function recordIn(payload: Buffer): StoredRecord {
  return {
    seq: payload.readDoubleLE(0),
    modifiedAt: payload.readDoubleLE(8),
    document: parseAt(payload, HEADER_BYTES),
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
