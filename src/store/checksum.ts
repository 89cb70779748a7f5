import { crc32 } from 'node:zlib'
import { FindlingError } from '../errors.ts'

/**
 * LevelDB does not notice every flipped byte, so each value carries a CRC32 over its key and its bytes:
 * damage to either is told from absence and never served.
 *
 *   bytes 0..3   CRC32 of key and payload, little endian
 *   bytes 4..    payload
 */
export const SEAL_BYTES = 4

/** Seals, in place, a value whose payload starts at SEAL_BYTES. Returns the checksum. */
export function seal(key: string, value: Buffer): number {
  const sum = crc32(value.subarray(SEAL_BYTES), crc32(key))
  value.writeUInt32LE(sum, 0)
  return sum
}

export function sealText(key: string, text: string): Buffer {
  const value = Buffer.allocUnsafe(SEAL_BYTES + Buffer.byteLength(text))
  value.write(text, SEAL_BYTES)
  seal(key, value)
  return value
}

export function sealBytes(key: string, bytes: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(SEAL_BYTES + bytes.byteLength)
  value.set(bytes, SEAL_BYTES)
  seal(key, value)
  return value
}

/** The payload without a copy, or undefined when the checksum does not fit. */
export function unseal(key: string, value: Uint8Array): Buffer | undefined {
  if (value.byteLength < SEAL_BYTES) return undefined
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const payload = bytes.subarray(SEAL_BYTES)
  return crc32(payload, crc32(key)) === bytes.readUInt32LE(0) ? payload : undefined
}

/** The payload without a copy; STORE_CORRUPT when the checksum does not fit. */
export function verified(key: string, value: Uint8Array): Buffer {
  const payload = unseal(key, value)
  if (!payload) throw damaged(key)
  return payload
}

/** The sealed value a payload was taken from. */
export const sealedValueOf = (payload: Buffer): Uint8Array =>
  new Uint8Array(payload.buffer, payload.byteOffset - SEAL_BYTES, payload.byteLength + SEAL_BYTES)

/** The checksum a sealed value carries: the fingerprint of its content in a dataset's digest. */
export function sumOf(value: Uint8Array): number {
  return ((value[0] ?? 0) | ((value[1] ?? 0) << 8) | ((value[2] ?? 0) << 16) | ((value[3] ?? 0) << 24)) >>> 0
}

export const damaged = (key: string): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    `The stored value of ${JSON.stringify(key)} is damaged: its checksum does not match. Run engine.doctor() to see what else is damaged; a repair rebuilds what can be rebuilt.`,
    { key },
  )
