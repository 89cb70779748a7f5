import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { syncFolderOf } from '../checked-file.ts'

/**
 * A file of entries in the order of their keys' bytes:
 *
 *   bytes 0..7   'findling'
 *   blocks       length packed, length unpacked (4 bytes each, little endian), entries packed by DEFLATE
 *   an entry     length of the key, length of the value (4 bytes each; the highest number: the key is gone), both
 *
 * A block is packed and unpacked at once and has about 256 KB, more where a value has more.
 */
const MAGIC = Buffer.from('findling')
const LENGTHS = 8
const GONE = 0xff_ff_ff_ff
const BLOCK_BYTES = 2 ** 18

const pack = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw)
const unpack = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw)

/** What a backup records about one of its files. */
export const layerSchema = z.object({
  file: z.string().regex(/^layer-\d{6,15}$/),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** How many backups it was made of; meaningless for the first layer. */
  weight: z.int().positive(),
})
export type Layer = z.output<typeof layerSchema>

export interface Entry {
  readonly key: string
  /** Sealed; undefined if lower layers have the key but the store does not. */
  readonly value: Uint8Array | undefined
}

/** Writes a layer. Compression and writing continue while entries are added. */
export class LayerWriter {
  readonly #path: string
  readonly #file: FileHandle
  readonly #hash = createHash('sha256')
  #parts: Uint8Array[] = []
  #size = 0
  #written: Promise<void> = Promise.resolve()
  #bytes = 0

  static async create(path: string): Promise<LayerWriter> {
    const writer = new LayerWriter(path, await open(path, 'wx'))
    await writer.#append(MAGIC)
    return writer
  }

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  /** Adds an entry whose key follows the previous one's; returns a promise if the next one has to wait. */
  add({ key, value }: Entry): Promise<void> | undefined {
    const bytes = Buffer.byteLength(key)
    const head = Buffer.allocUnsafe(LENGTHS + bytes)
    head.writeUInt32LE(bytes, 0)
    head.writeUInt32LE(value?.byteLength ?? GONE, 4)
    head.write(key, LENGTHS)
    this.#parts.push(head)
    if (value) this.#parts.push(value)
    this.#size += head.length + (value?.byteLength ?? 0)
    return this.#size >= BLOCK_BYTES ? this.#flush() : undefined
  }

  /** Resolves once all of it is on the disk. */
  async finish(): Promise<Pick<Layer, 'bytes' | 'sha256'>> {
    if (this.#size > 0) await this.#flush()
    await this.#written
    await this.#file.sync()
    await this.#file.close()
    await syncFolderOf(this.#path)
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  async discard(): Promise<void> {
    await this.#written.catch(() => undefined)
    await this.#file.close().catch(() => undefined)
    await rm(this.#path, { force: true })
  }

  /** Waits for the previous block, not for this one. */
  async #flush(): Promise<void> {
    const before = this.#written
    const block = Buffer.concat(this.#parts, this.#size)
    this.#parts = []
    this.#size = 0
    await before
    this.#written = this.#write(block)
    // The next await receives it.
    this.#written.catch(() => undefined)
  }

  async #write(block: Buffer): Promise<void> {
    const packed = await pack(block, { level: 1 })
    const lengths = Buffer.allocUnsafe(LENGTHS)
    lengths.writeUInt32LE(packed.length, 0)
    lengths.writeUInt32LE(block.length, 4)
    await this.#append(lengths)
    await this.#append(packed)
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.byteLength
    for (let at = 0; at < bytes.byteLength; ) {
      at += (await this.#file.write(bytes, at)).bytesWritten
    }
  }
}

/** The entries of a layer, block by block; STORE_CORRUPT, at the latest at its end, if it is not as it was written. */
export async function* readLayer(folder: string, layer: Layer): AsyncGenerator<Entry[]> {
  const path = join(folder, layer.file)
  const file = await open(path, 'r').catch(error => {
    throw error.code === 'ENOENT' ? damaged(path, 'it is missing', error) : error
  })
  try {
    const { size } = await file.stat()
    if (size !== layer.bytes) throw damaged(path, `it has ${size} bytes instead of ${layer.bytes}`)
    const hash = createHash('sha256')
    let left = size
    const take = async (bytes: number): Promise<Buffer> => {
      if (bytes > left) throw damaged(path, 'a length in it is wrong')
      left -= bytes
      const taken = await readFully(file, bytes, path)
      hash.update(taken)
      return taken
    }
    if (!(await take(MAGIC.length)).equals(MAGIC)) throw damaged(path, 'it is not a file of a backup')
    while (left > 0) {
      const lengths = await take(LENGTHS)
      const packed = await take(lengths.readUInt32LE(0))
      yield await entriesOf(packed, lengths.readUInt32LE(4), path)
    }
    if (hash.digest('hex') !== layer.sha256) throw damaged(path, 'its checksum does not match')
  } finally {
    await file.close()
  }
}

async function readFully(file: FileHandle, bytes: number, path: string): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes)
  for (let at = 0; at < bytes; ) {
    const { bytesRead } = await file.read(buffer, at, bytes - at)
    if (bytesRead === 0) throw damaged(path, 'it ends too early')
    at += bytesRead
  }
  return buffer
}

async function entriesOf(packed: Buffer, size: number, path: string): Promise<Entry[]> {
  const block = await unpack(packed, { maxOutputLength: Math.max(1, size) }).catch((error: unknown) => {
    throw damaged(path, 'a block of it cannot be unpacked', error)
  })
  if (block.length !== size) throw damaged(path, 'a block of it has the wrong length')
  const entries: Entry[] = []
  for (let at = 0; at < size; ) {
    if (at + LENGTHS > size) throw damaged(path, 'an entry in it is cut off')
    const keyBytes = block.readUInt32LE(at)
    const valueBytes = block.readUInt32LE(at + 4)
    const keyEnd = at + LENGTHS + keyBytes
    const end = valueBytes === GONE ? keyEnd : keyEnd + valueBytes
    if (end > size) throw damaged(path, 'an entry in it is cut off')
    const key = block.toString('utf8', at + LENGTHS, keyEnd)
    entries.push({ key, value: valueBytes === GONE ? undefined : block.subarray(keyEnd, end) })
    at = end
  }
  return entries
}

const damaged = (path: string, why: string, cause?: unknown): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    `The backup is damaged: ${path} cannot be used, because ${why}. Back up again: the next backup rewrites what it cannot read.`,
    { backup: path },
    cause,
  )
