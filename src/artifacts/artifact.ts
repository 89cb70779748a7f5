import { createHash } from 'node:crypto'
import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { invalid, problem } from '../input.ts'

/**
 * Something that an engine has made and others can adopt, as one sealed stream of bytes.
 *
 *   bytes 0..7    FINDLING
 *   bytes 8..11   version of this form, little endian
 *   bytes 12..15  length of the head, little endian
 *   head          JSON: kind, version, contents, and the name and length of each blob
 *   blobs         one after the other
 *   32 bytes      SHA-256 of all that comes before
 */
const MAGIC = Buffer.from('FINDLING')
const FORM = 1
const PREAMBLE_BYTES = 16
const SUM_BYTES = 32
/** The head of a classifier with 65,535 tags takes some megabytes. */
const MOST_HEAD_BYTES = 64 * 2 ** 20
/** Pieces of this size are handed on: each is hashed in a fraction of a millisecond. */
const PIECE_BYTES = 64 * 1024

const kinds = ['ranking', 'classifier', 'service'] as const
export type ArtifactKind = (typeof kinds)[number]

const headSchema = z.object({
  kind: z.enum(kinds),
  version: z.int().positive(),
  contents: z.unknown(),
  blobs: z
    .array(z.tuple([z.string().regex(/^[a-zA-Z0-9-]{1,100}$/), z.int().nonnegative()]))
    .refine(blobs => new Set(blobs.map(([name]) => name)).size === blobs.length),
})

/** What an artifact says of itself before its blobs. */
export type ArtifactHead = z.output<typeof headSchema>

/** An artifact as it comes: from a file, from another engine, or all at once. */
export type ArtifactSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array

/** Consumes the bytes of an artifact as they come; the job ends when its promise resolves. */
export type TakeArtifact = (pieces: AsyncIterable<Uint8Array>) => Promise<unknown>

/** What an artifact is for: the model of a service, or the classifier or the ranking constants of a dataset. */
export type Adoption =
  | { kind: 'service'; id: string; dataset: string }
  | { kind: 'classifier'; dataset: string }
  | {
      kind: 'ranking'
      dataset: string
      /** The name of the dataset that the constants are from, if it is another. */
      from?: string | undefined
    }

const dataset = z.string()
export const adoptionTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('service'), id: z.string(), dataset }),
  z.strictObject({ kind: z.literal('classifier'), dataset }),
  z.strictObject({ kind: z.literal('ranking'), dataset, from: z.string().optional() }),
])

/** Has an artifact adopted here and elsewhere; resolves when it is adopted here. */
export type AdoptThrough = (what: Adoption, artifact: AsyncIterable<Uint8Array>) => Promise<void>

/** The bytes of an artifact, in pieces. `read` returns the bytes of a blob, as many as the head says. */
export async function* artifactPieces(
  head: ArtifactHead,
  read: (name: string) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256')
  const sealed = (bytes: Uint8Array): Uint8Array => {
    hash.update(bytes)
    return bytes
  }
  const text = Buffer.from(JSON.stringify(head))
  const preamble = Buffer.alloc(PREAMBLE_BYTES)
  MAGIC.copy(preamble)
  preamble.writeUInt32LE(FORM, 8)
  preamble.writeUInt32LE(text.byteLength, 12)
  yield sealed(preamble)
  for (const piece of inPieces(text)) yield sealed(piece)
  for (const [name] of head.blobs)
    for await (const bytes of read(name)) for (const piece of inPieces(bytes)) yield sealed(piece)
  yield hash.digest()
}

/** An artifact that comes from somewhere else, to be passed on as it is. INVALID_ARGUMENT */
export async function* passedOn(source: unknown): AsyncGenerator<Uint8Array, void> {
  const pieces = piecesOf(source)
  for await (const piece of pieces) {
    if (!(piece instanceof Uint8Array)) throw notBytes(piece)
    yield piece
  }
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** Reads an artifact as it comes, never more than was requested. What it returned is verified only after `end`. */
export class ArtifactReader {
  readonly head: ArtifactHead
  readonly #bytes: IncomingBytes

  private constructor(head: ArtifactHead, bytes: IncomingBytes) {
    this.head = head
    this.#bytes = bytes
  }

  /**
   * Reads the head of an artifact, passes it to the work, and closes the source afterwards.
   * INVALID_ARGUMENT, ARTIFACT_DAMAGED, ARTIFACT_MISMATCH, FORMAT_UNSUPPORTED
   */
  static async reading<T>(
    source: unknown,
    wanted: { readonly kind: ArtifactKind; readonly version: number },
    work: (reader: ArtifactReader) => Promise<T>,
  ): Promise<T> {
    const bytes = new IncomingBytes(source)
    try {
      const head = await readHead(bytes)
      if (head.kind !== wanted.kind) throw mismatch('kind', head.kind, wanted.kind)
      if (head.version !== wanted.version) throw otherVersion(head.version, wanted.version)
      return await work(new ArtifactReader(head, bytes))
    } finally {
      await bytes.letGo()
    }
  }

  /** The next bytes of its blobs. ARTIFACT_DAMAGED */
  read(size: number): Promise<Uint8Array> {
    return this.#bytes.take(size)
  }

  /** Call after the last blob: verifies that everything was read as it was written. ARTIFACT_DAMAGED */
  async end(): Promise<void> {
    const sum = this.#bytes.sum()
    const stored = await this.#bytes.take(SUM_BYTES)
    if (!sum.equals(stored)) throw artifactDamaged('its checksum does not match')
    if (!(await this.#bytes.isOver())) throw artifactDamaged('there is data after its end')
  }
}

async function readHead(bytes: IncomingBytes): Promise<ArtifactHead> {
  const preamble = Buffer.from(await bytes.take(PREAMBLE_BYTES))
  if (!preamble.subarray(0, 8).equals(MAGIC)) throw artifactDamaged('it does not begin like an artifact')
  const form = preamble.readUInt32LE(8)
  if (form !== FORM) throw otherVersion(form, FORM)
  const length = preamble.readUInt32LE(12)
  if (length > MOST_HEAD_BYTES) throw artifactDamaged('its head is too long')
  const parsed = headSchema.safeParse(jsonOf(await bytes.take(length)))
  if (!parsed.success) throw artifactDamaged('its head cannot be read')
  return parsed.data
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw artifactDamaged('its head cannot be read')
  }
}

/** Bytes that come in pieces of any size, taken in others. */
class IncomingBytes {
  readonly #pieces: AsyncIterator<unknown> | Iterator<unknown>
  readonly #hash = createHash('sha256')
  #piece: Uint8Array = new Uint8Array()

  constructor(source: unknown) {
    const pieces = piecesOf(source)
    this.#pieces = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
  }

  async take(size: number): Promise<Uint8Array> {
    if (this.#piece.byteLength < size && size > 0) return await this.#gather(size)
    return this.#cut(size)
  }

  /** Of all that was taken so far. */
  sum(): Buffer {
    return this.#hash.copy().digest()
  }

  async isOver(): Promise<boolean> {
    while (this.#piece.byteLength === 0) if (!(await this.#next())) return true
    return false
  }

  /** Ends the source, which may have more. */
  async letGo(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #gather(size: number): Promise<Uint8Array> {
    const all = new Uint8Array(size)
    for (let at = 0; at < size; ) {
      if (this.#piece.byteLength === 0 && !(await this.#next())) throw artifactDamaged('it is cut off')
      const some = this.#cut(Math.min(size - at, this.#piece.byteLength, PIECE_BYTES))
      all.set(some, at)
      at += some.byteLength
    }
    return all
  }

  #cut(size: number): Uint8Array {
    const some = this.#piece.subarray(0, size)
    this.#piece = this.#piece.subarray(size)
    this.#hash.update(some)
    return some
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#pieces.next()
    if (done) return false
    if (!(value instanceof Uint8Array)) throw notBytes(value)
    this.#piece = value
    return true
  }
}

/** INVALID_ARGUMENT */
function piecesOf(source: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  const pieces = source instanceof Uint8Array ? [source] : source
  if (!isIterable(pieces)) throw notBytes(source)
  return pieces
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> =>
  typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)

const notBytes = (received: unknown): FindlingError =>
  invalid('INVALID_ARGUMENT', '', [problem('source', received, 'bytes, or an iterable of them')])

/** @param reason what is wrong with it */
export const artifactDamaged = (reason: string): FindlingError =>
  new FindlingError('ARTIFACT_DAMAGED', `The artifact is damaged: ${reason}. Export it again.`, {
    field: 'source',
  })

/** What cannot be read once it is stored was damaged when it arrived. */
export const asDamage = (error: unknown): unknown =>
  error instanceof FindlingError && error.code === 'STORE_CORRUPT'
    ? artifactDamaged('its parts contradict each other')
    : error

export function undamaged<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw asDamage(error)
  }
}

/** The error for an artifact that was made for something else; `field` is the member that differs. */
export function mismatch(field: string, received: unknown, expected: unknown): FindlingError {
  const [had, wanted] = [shown(received), shown(expected)]
  const message = `The artifact was made with other settings: ${field} is ${had} there, and ${wanted} here.`
  return new FindlingError('ARTIFACT_MISMATCH', message, { field, received: had, expected: wanted })
}

function otherVersion(received: number, expected: number): FindlingError {
  const message = `The artifact has version ${received}; this version of Findling reads version ${expected}.`
  return new FindlingError('FORMAT_UNSUPPORTED', message, {
    field: 'version',
    received: String(received),
    expected: String(expected),
  })
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
