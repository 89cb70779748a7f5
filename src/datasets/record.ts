import type { JsonObject } from '../json.ts'
import { SEAL_BYTES } from '../store/checksum.ts'

/**
 * A stored document:
 *
 *   bytes 0..3    seal (store/checksum.ts)
 *   bytes 4..11   sequence number of its last change, float64
 *   bytes 12..19  modification time, milliseconds since 1970, float64
 *   bytes 20..    JSON
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
export function draft(json: string): Buffer {
  const value = Buffer.allocUnsafe(JSON_AT + Buffer.byteLength(json))
  value.write(json, JSON_AT)
  return value
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
  return JSON.parse(bytes.toString('utf8', JSON_AT)) as JsonObject
}

/** The same of a payload, which has no seal in front. */
export function recordIn(payload: Buffer): StoredRecord {
  return {
    seq: payload.readDoubleLE(0),
    modifiedAt: payload.readDoubleLE(8),
    document: JSON.parse(payload.toString('utf8', HEADER_BYTES)) as JsonObject,
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
