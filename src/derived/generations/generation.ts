import { setImmediate as breathe } from 'node:timers/promises'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { SEAL_BYTES, sealBytes, sealText } from '../../store/checksum.ts'
import type { Operation } from '../../store/database.ts'
import { keysWithin } from '../../store/keyspace.ts'
import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Values of 64 KB: LevelDB reads values of 1 MB eight times slower. */
const CHUNK_BYTES = 65_536 - SEAL_BYTES
const BATCH_BYTES = 4 * 2 ** 20
/** Blobs that are read at the same time: while one's bytes are taken over, threads prepare those of others. */
const READERS = 3

/** As it is stored, where contents are called a manifest. */
const headSchema = z.object({
  fingerprint: z.string(),
  seq: z.int().nonnegative(),
  manifest: z.unknown(),
  blobs: z.array(z.tuple([z.string(), z.int().nonnegative()])),
})

/** What makes a generation of stored blobs. */
interface GenerationHead {
  readonly fingerprint: string
  /** Changes up to this number are in it; the change log tells the rest. */
  readonly seq: number
  readonly contents: unknown
  /** Those in use with their lengths, by name. */
  readonly blobs: readonly (readonly [name: string, bytes: number])[]
}

/** A head as it is to be put into the store. */
export interface SealedHead {
  readonly key: string
  readonly value: Buffer
}

/** What is to be stored of something derived, as of now. */
export interface Snapshot {
  /** What its maker needs to read it again: JSON. It has a checksum of each blob. */
  readonly contents: unknown
  /** Those that are not stored yet, by name. */
  readonly blobs: ReadonlyMap<string, Uint8Array>
  /** Names of stored ones that it has no more use for. */
  readonly obsolete: readonly string[]
}

/** Where one generation of something derived is stored: immutable blobs, and a head that names those in use. */
export class Generation {
  readonly #store: Store
  readonly #prefix: string
  #blobs = new Map<string, number>()

  /** @param prefix under which its keys lie */
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

  /** What was saved last, if anything was: its blobs can be read from now on. STORE_CORRUPT when it is damaged. */
  async stored(): Promise<GenerationHead | undefined> {
    const payload = await this.#store.get(this.#headKey)
    const head = payload && readHead(payload.toString(), this.#headKey)
    if (head) this.#blobs = new Map(head.blobs)
    return head
  }

  /** STORE_CORRUPT when one is missing or cut. */
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
   * Blobs first, where nothing points to them yet; then, as one write, the head that names them.
   * @param also what else that write does
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
    for (const [name, blob] of blobs) {
      this.#blobs.set(name, blob.byteLength)
      for (let at = 0, chunk = 0; at < blob.byteLength; at += CHUNK_BYTES, chunk++) {
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

  /** The same of one that comes piece by piece: `read` gives as many bytes of it as are asked for. */
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
      // What comes from memory, into a store in memory, would never let anything else have its turn.
      await breathe()
    }
    if (operations.length > 0) await this.#store.writeBeside(operations)
  }

  /** A blob piece by piece, each compared with its checksum. STORE_CORRUPT when some of it is missing or damaged. */
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

  /** The head that makes something of saved blobs. */
  head(snapshot: Pick<Snapshot, 'contents' | 'obsolete'>, seq: number, fingerprint: string): SealedHead {
    const gone = new Set(snapshot.obsolete)
    const blobs = [...this.#blobs].filter(([name]) => !gone.has(name))
    const stored: z.input<typeof headSchema> = { fingerprint, seq, manifest: snapshot.contents, blobs }
    return { key: this.#headKey, value: sealText(this.#headKey, JSON.stringify(stored)) }
  }

  /** From now on nothing is stored of it: what its blobs take is for others to clear. */
  drop(transaction: Transaction): void {
    transaction.delete(this.#headKey)
  }

  #blank(name: string): Uint8Array {
    const bytes = this.#blobs.get(name)
    if (bytes === undefined) throw incomplete(this.#prefix + name)
    return new Uint8Array(new SharedArrayBuffer(bytes))
  }

  /** The index has a checksum of each blob, with which it is compared when it is loaded. */
  async #readInto(name: string, blob: Uint8Array): Promise<void> {
    let at = 0
    for await (const batch of this.#store.unverified(keysWithin(`${this.#prefix}b/${name}/`))) {
      for (const value of batch) {
        const payload = value.subarray(SEAL_BYTES)
        // A save that a crash cut short may have left more under the same name.
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
