import { FindlingError, type JsonValue } from 'findling'
import { ChunkedSource, checked, missing } from './blob-chunks.ts'
import {
  checkHash,
  checkNames,
  checkTime,
  rowText,
  type Shared,
  type SharedBlob,
  type SharedRow,
  type StoredBlob,
} from './shared.ts'

interface MemorySharedOptions {
  /** Milliseconds. Default Date.now. */
  clock?: () => number
}

interface Lease {
  readonly owner: string
  readonly fence: number
  readonly until: number
}

/** What all connections share. */
class Tables {
  readonly leases = new Map<string, Lease>()
  /** By kind, then by key. */
  readonly rows = new Map<string, Map<string, { readonly text: string; readonly at: number }>>()
  readonly blobs = new Map<
    string,
    { readonly chunks: readonly Buffer[]; readonly bytes: number; at: number }
  >()

  constructor(readonly clock: () => number) {}
}

/** What nodes share, in the memory of one process, for testing nodes: it is lost when the process ends. */
export class MemoryShared implements Shared {
  readonly #tables: Tables
  #isClosed = false

  /** @param from options for a new one, or an existing one to open again */
  constructor(from: MemorySharedOptions | MemoryShared = {}) {
    this.#tables = from instanceof MemoryShared ? from.#tables : new Tables(from.clock ?? Date.now)
  }

  async lease(name: string, owner: string, ttl: number): Promise<number | undefined> {
    checkNames({ name, owner })
    checkTime(ttl)
    const { leases, clock } = this.#opened()
    const held = leases.get(name)
    const isHeld = held !== undefined && held.until > clock()
    if (isHeld && held.owner !== owner) return undefined
    const fence = (held?.fence ?? 0) + (isHeld ? 0 : 1)
    leases.set(name, { owner, fence, until: clock() + ttl })
    return fence
  }

  async release(name: string, owner: string): Promise<void> {
    checkNames({ name, owner })
    const { leases } = this.#opened()
    const held = leases.get(name)
    if (held?.owner === owner) leases.set(name, { ...held, until: Number.NEGATIVE_INFINITY })
  }

  async put(kind: string, key: string, value: JsonValue): Promise<void> {
    checkNames({ kind, key })
    const text = rowText(value)
    const { rows, clock } = this.#opened()
    const ofKind = rows.get(kind) ?? new Map()
    rows.set(kind, ofKind.set(key, { text, at: clock() }))
  }

  async get(kind: string, key: string): Promise<SharedRow | undefined> {
    checkNames({ kind, key })
    return (await this.list(kind)).find(row => row.key === key)
  }

  async list(kind: string): Promise<SharedRow[]> {
    checkNames({ kind })
    const { rows, clock } = this.#opened()
    const now = clock()
    return [...(rows.get(kind) ?? [])]
      .map(([key, { text, at }]) => ({ key, value: JSON.parse(text), age: Math.max(0, now - at) }))
      .sort(({ key: one }, { key: other }) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  }

  async delete(kind: string, key: string): Promise<void> {
    checkNames({ kind, key })
    this.#opened().rows.get(kind)?.delete(key)
  }

  async putBlob(source: AsyncIterable<Uint8Array>): Promise<SharedBlob> {
    this.#opened()
    const chunked = new ChunkedSource(source)
    const chunks: Buffer[] = []
    for await (const chunk of chunked.chunks()) chunks.push(chunk)
    const { sha256, bytes } = chunked.total()
    const { blobs, clock } = this.#opened()
    blobs.set(sha256, { chunks, bytes, at: clock() })
    return { sha256, bytes }
  }

  async *readBlob(sha256: string): AsyncGenerator<Uint8Array, void> {
    checkHash(sha256)
    const { blobs } = this.#opened()
    const blob = blobs.get(sha256)
    if (!blob) throw missing(sha256)
    const copies = async function* () {
      for (const chunk of blob.chunks) yield Uint8Array.from(chunk)
    }
    yield* checked({ sha256, bytes: blob.bytes }, copies())
  }

  async removeBlob(sha256: string): Promise<void> {
    checkHash(sha256)
    this.#opened().blobs.delete(sha256)
  }

  async listBlobs(): Promise<StoredBlob[]> {
    const { blobs, clock } = this.#opened()
    const now = clock()
    return [...blobs]
      .map(([sha256, { bytes, at }]) => ({ sha256, bytes, age: Math.max(0, now - at) }))
      .sort(({ sha256: one }, { sha256: other }) => (one < other ? -1 : 1))
  }

  /** Corrupts the stored bytes of a blob, as a faulty disk would. */
  damage(sha256: string, spoil: (chunks: readonly Buffer[]) => readonly Buffer[]): void {
    const { blobs } = this.#tables
    const blob = blobs.get(sha256)
    if (blob) blobs.set(sha256, { ...blob, chunks: spoil(blob.chunks) })
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #opened(): Tables {
    if (this.#isClosed) throw new FindlingError('CLOSED', 'The shared storage of the nodes is closed.')
    return this.#tables
  }
}
