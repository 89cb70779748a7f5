import { setImmediate as breathe } from 'node:timers/promises'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { SEAL_BYTES, sealBytes, sealText } from '../../store/checksum.ts'
import type { Operation } from '../../store/database.ts'
import { keysWithin } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Values of 64 KB: LevelDB reads values of 1 MB eight times slower. */
const CHUNK_BYTES = 65_536 - SEAL_BYTES
const BATCH_BYTES = 4 * 2 ** 20
/** Blobs that are read at the same time: while the bytes of one are copied, threads prepare those of others. */
const READERS = 3

/** The stored form, in which contents are called a manifest. */
const headSchema = z.object({
  fingerprint: z.string(),
  seq: z.int().nonnegative(),
  manifest: z.unknown(),
  blobs: z.array(z.tuple([z.string(), z.int().nonnegative()])),
})

/** The head of a generation, which gives its stored blobs a meaning. */
interface GenerationHead {
  readonly fingerprint: string
  /** Changes up to this number are included; the change log has the rest. */
  readonly seq: number
  readonly contents: unknown
  /** The blobs in use, with their lengths. */
  readonly blobs: readonly (readonly [name: string, bytes: number])[]
}

/** A head, ready to be stored. */
export interface SealedHead {
  readonly key: string
  readonly value: Buffer
}

/** The current state of something derived, to be stored. */
export interface Snapshot {
  /** What its owner needs to read it again, as JSON, including a checksum of each blob. */
  readonly contents: unknown
  /** Blobs that are not stored yet, by name. */
  readonly blobs: ReadonlyMap<string, Uint8Array>
  /** Names of stored blobs that are no longer used. */
  readonly obsolete: readonly string[]
}

/** One generation of something derived in the store: immutable blobs, and a head that names those in use. */
export class Generation {
  readonly #store: Store
  readonly #prefix: string
  #blobs = new Map<string, number>()

  /** @param prefix the prefix of its keys */
  constructor(store: Store, prefix: string) {
    this.#store = store
    this.#prefix = prefix
  }

  get prefix(): string {
    return this.#prefix
  }

  /** The names and lengths of the blobs that are stored. */
  get blobs(): [name: string, bytes: number][] {
    return [...this.#blobs]
  }

  /** Reads the head that was saved last, if any; its blobs can be read from then on. STORE_CORRUPT when it is damaged. */
  async stored(): Promise<GenerationHead | undefined> {
    const payload = await this.#store.get(this.#headKey)
    const head = payload && readHead(payload.toString(), this.#headKey)
    if (head) this.#blobs = new Map(head.blobs)
    return head
  }

  /** STORE_CORRUPT when one is missing or truncated. */
  async readBlobs(names: readonly string[]): Promise<Map<string, Uint8Array>> {
    const blobs = new Map(names.map(name => [name, this.#blank(name)]))
    const waiting = [...blobs.keys()].reverse()
    const reader = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
        await this.#readInto(name, blobs.get(name)!)
    }
    const reading = Array.from({ length: READERS }, reader)
    await Promise.all(reading).catch(async error => {
      waiting.length = 0
      await Promise.allSettled(reading)
      throw error
    })
    return blobs
  }

  /**
   * Stores the blobs first, while nothing points to them; then, in one write, the head that names them.
   * @param also other changes of that write
   */
  async save(
    snapshot: Snapshot,
    seq: number,
    fingerprint: string,
    also?: (transaction: Transaction) => void,
  ): Promise<void> {
    await this.saveBlobs(snapshot.blobs)
    const head = this.head(snapshot, seq, fingerprint)
    const obsolete = this.#forget(snapshot.obsolete)
    await this.#store.writeWhenRoom({
      reads: [],
      bytes: head.value.byteLength,
      apply(transaction) {
        transaction.put(head.key, head.value)
        for (const key of obsolete) transaction.delete(key)
        also?.(transaction)
      },
    })
  }

  async saveBlobs(blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
    let operations: Operation[] = []
    let bytes = 0
    // Writing to a store in memory would never yield to the event loop.
    const stretch = new Stretch()
    for (const [name, blob] of blobs) {
      this.#blobs.set(name, blob.byteLength)
      for (let at = 0, chunk = 0; at < blob.byteLength; at += CHUNK_BYTES, chunk++) {
        if (stretch.isOver) await stretch.pause()
        const key = this.#chunkKey(name, chunk)
        const value = sealBytes(key, blob.subarray(at, at + CHUNK_BYTES))
        operations.push({ type: 'put', key, value })
        bytes += value.byteLength
        if (bytes >= BATCH_BYTES) {
          await this.#store.writeBeside(operations)
          operations = []
          bytes = 0
        }
      }
    }
    if (operations.length > 0) await this.#store.writeBeside(operations)
  }

  /** The same for one that arrives piece by piece: `read` returns as many bytes of it as requested. */
  async saveIncoming(
    name: string,
    bytes: number,
    read: (size: number) => Promise<Uint8Array>,
  ): Promise<void> {
    this.#blobs.set(name, bytes)
    let operations: Operation[] = []
    for (let at = 0, chunk = 0; at < bytes; at += CHUNK_BYTES, chunk++) {
      const key = this.#chunkKey(name, chunk)
      const value = sealBytes(key, await read(Math.min(CHUNK_BYTES, bytes - at)))
      operations.push({ type: 'put', key, value })
      if (operations.length < BATCH_BYTES / CHUNK_BYTES) continue
      await this.#store.writeBeside(operations)
      operations = []
      // Copying from memory into a store in memory would never yield to the event loop.
      await breathe()
    }
    if (operations.length > 0) await this.#store.writeBeside(operations)
  }

  /** A blob piece by piece, each verified against its checksum. STORE_CORRUPT when some of it is missing or damaged. */
  async *outgoing(name: string): AsyncGenerator<Uint8Array, void> {
    const bytes = this.#blobs.get(name)
    let at = 0
    for await (const batch of this.#store.entries(keysWithin(`${this.#prefix}b/${name}/`))) {
      for (const [, payload] of batch) {
        if (bytes === undefined || at + payload.byteLength > bytes) break
        at += payload.byteLength
        yield payload
      }
    }
    if (at !== bytes) throw incomplete(this.#prefix + name)
  }

  /** The head for saved blobs. */
  head(snapshot: Pick<Snapshot, 'contents' | 'obsolete'>, seq: number, fingerprint: string): SealedHead {
    const gone = new Set(snapshot.obsolete)
    const blobs = [...this.#blobs].filter(([name]) => !gone.has(name))
    const stored: z.input<typeof headSchema> = { fingerprint, seq, manifest: snapshot.contents, blobs }
    return { key: this.#headKey, value: sealText(this.#headKey, JSON.stringify(stored)) }
  }

  /** Deletes the head; the space of its blobs is for others to clear. */
  drop(transaction: Transaction): void {
    transaction.delete(this.#headKey)
  }

  #blank(name: string): Uint8Array {
    const bytes = this.#blobs.get(name)
    if (bytes === undefined) throw incomplete(this.#prefix + name)
    return new Uint8Array(new SharedArrayBuffer(bytes))
  }

  /** Reads without verification: the index has a checksum of each blob, which is compared when it is loaded. */
  async #readInto(name: string, blob: Uint8Array): Promise<void> {
    let at = 0
    for await (const batch of this.#store.unverified(keysWithin(`${this.#prefix}b/${name}/`))) {
      for (const value of batch) {
        const payload = value.subarray(SEAL_BYTES)
        // A save that a crash interrupted may have left more under the same name.
        if (at + payload.byteLength > blob.byteLength) break
        blob.set(payload, at)
        at += payload.byteLength
      }
    }
    if (at !== blob.byteLength) throw incomplete(this.#prefix + name)
  }

  #forget(names: readonly string[]): string[] {
    const keys: string[] = []
    for (const name of names) {
      const chunks = Math.ceil((this.#blobs.get(name) ?? 0) / CHUNK_BYTES)
      for (let chunk = 0; chunk < chunks; chunk++) keys.push(this.#chunkKey(name, chunk))
      this.#blobs.delete(name)
    }
    return keys
  }

  get #headKey(): string {
    return `${this.#prefix}record`
  }

  #chunkKey(name: string, chunk: number): string {
    return `${this.#prefix}b/${name}/${String(chunk).padStart(6, '0')}`
  }
}

function readHead(text: string, key: string): GenerationHead {
  const { data } = headSchema.safeParse(JSON.parse(text))
  if (!data) throw new FindlingError('STORE_CORRUPT', `The stored value ${key} cannot be read.`, { key })
  const { manifest: contents, ...head } = data
  return { ...head, contents }
}

function incomplete(key: string): FindlingError {
  return new FindlingError('STORE_CORRUPT', `Something stored is incomplete: ${key} is missing or cut off.`, {
    key,
  })
}
