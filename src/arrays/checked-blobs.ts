import { crc32 } from 'node:zlib'
import * as z from 'zod'
import type { FindlingError } from '../errors.ts'

/** Bytes that are summed up in one go. */
const PIECE = 2 ** 22

export const nonNegativeInt = z.int().nonnegative()

/** Where some bytes are stored, with their length and checksum. */
export const blobRef = z.strictObject({ name: z.string().min(1), bytes: nonNegativeInt, crc: nonNegativeInt })
export type BlobRef = z.infer<typeof blobRef>

/** Makes the error that says why something stored cannot be read: STORE_CORRUPT. */
export type Corrupt = (reason: string) => FindlingError

export function refTo(name: string, bytes: Uint8Array): BlobRef {
  return { name, bytes: bytes.byteLength, crc: crc32(bytes) }
}

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** The checksum of bytes, piece by piece. */
export function* summing(bytes: Uint8Array): Generator<void, number> {
  let crc = 0
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    crc = crc32(bytes.subarray(at, at + PIECE), crc)
    yield
  }
  return crc
}

/** The blob, aligned for 64-bit views, once its size and checksum agree. Piece by piece. */
export function* checked(
  { name, bytes: size, crc }: BlobRef,
  bytes: unknown,
  corrupt: Corrupt,
): Generator<void, Uint8Array> {
  if (!(bytes instanceof Uint8Array)) throw corrupt(`${name} is missing`)
  if (bytes.byteLength !== size) throw corrupt(`${name} has a wrong size`)
  if ((yield* summing(bytes)) !== crc) throw corrupt(`${name} fails its checksum`)
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
}

/** A table of contents with a checksum of itself. */
export type Sealed<Contents> = Contents & { checksum: number }

/** The schema writes members in its own order, so that the same contents always give the same text. */
const checksumOf = (contents: object): number => crc32(JSON.stringify(contents))

export function sealedContents<S extends z.ZodObject>(schema: S, given: z.output<S>): Sealed<z.output<S>> {
  const contents = schema.parse(given)
  return { ...contents, checksum: checksumOf(contents) }
}

export function readContents<S extends z.ZodObject>(schema: S, raw: unknown, corrupt: Corrupt): z.output<S> {
  const parsed = schema.extend({ checksum: nonNegativeInt }).safeParse(raw)
  if (!parsed.success) throw corrupt(`the table of contents is malformed: ${z.prettifyError(parsed.error)}`)
  const { checksum, ...contents } = parsed.data
  if (checksum !== checksumOf(contents)) throw corrupt('the table of contents fails its checksum')
  return contents as z.output<S> // what is left is what the schema has read
}
