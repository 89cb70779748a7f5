import { randomUUID } from 'node:crypto'
import { FindlingError, type JsonValue } from 'findling'
import { CHUNK_BYTES, ChunkedSource, checked, missing } from '../blob-chunks.ts'
import {
  checkHash,
  checkNames,
  checkTime,
  rowText,
  type Shared,
  type SharedBlob,
  type SharedRow,
  type StoredBlob,
} from '../shared.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { RowWrites } from './row-writes.ts'
import {
  BLOB,
  CHUNK,
  DELETE,
  GET,
  LEASE,
  LIST,
  LIST_BLOBS,
  PUT_BLOB,
  PUT_CHUNK,
  RELEASE,
  REMOVE_BLOB,
  REMOVE_CUT_OFF,
  REMOVE_UPLOAD,
  SCHEMA,
} from './shared-statements.ts'

interface Row {
  readonly key: string
  readonly value: string
  readonly age: number
}

/** What the shared state of one log has in common with that of others in the same database. */
export interface SharedPlace {
  readonly connection: PostgresConnection
  readonly rows: RowWrites
}

/** What nodes share, in PostgreSQL 15 or later, in four tables that are created if they do not exist. */
export class PostgresShared implements Shared {
  readonly #name: string
  readonly #connection: PostgresConnection
  readonly #rows: RowWrites
  readonly #end = new AbortController()
  #closing: () => Promise<void> = async () => {}

  /** LOG_AWAY if the database does not answer in time, LOG_REFUSED at once if it refuses the user, password, database or permission. */
  static async open({ name = 'main', ...options }: PostgresOptions): Promise<PostgresShared> {
    const connection = new PostgresConnection(options)
    try {
      await PostgresShared.prepare(connection)
      const shared = await PostgresShared.in({ connection, rows: new RowWrites(connection) }, name)
      shared.#closing = () => connection.close()
      return shared
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /**
   * Creates the tables.
   * @internal
   */
  static async prepare(connection: PostgresConnection): Promise<void> {
    // If others create the tables at the same moment, this fails, and the retry finds them.
    await connection.begin(() => connection.query(SCHEMA))
  }

  /**
   * Opens the shared state of one of several logs that share their connections.
   * @internal
   */
  static async in(place: SharedPlace, name: string): Promise<PostgresShared> {
    await place.connection.ask(REMOVE_CUT_OFF, [name])
    return PostgresShared.at(place, name)
  }

  /**
   * The same for reading only: no leftovers are removed first.
   * @internal
   */
  static at(place: SharedPlace, name: string): PostgresShared {
    return new PostgresShared(name, place)
  }

  private constructor(name: string, { connection, rows }: SharedPlace) {
    this.#name = name
    this.#connection = connection
    this.#rows = rows
  }

  async lease(name: string, owner: string, ttl: number): Promise<number | undefined> {
    checkNames({ name, owner })
    checkTime(ttl)
    const [held] = await this.#ask<{ fence: string }>(LEASE, [name, owner, ttl])
    return held && Number(held.fence)
  }

  async release(name: string, owner: string): Promise<void> {
    checkNames({ name, owner })
    await this.#ask(RELEASE, [name, owner])
  }

  async put(kind: string, key: string, value: JsonValue): Promise<void> {
    checkNames({ kind, key })
    const text = rowText(value)
    if (this.#end.signal.aborted)
      throw new FindlingError('CLOSED', 'The shared storage of the nodes is closed.')
    await this.#rows.put(this.#name, kind, key, text)
  }

  async get(kind: string, key: string): Promise<SharedRow | undefined> {
    checkNames({ kind, key })
    const [row] = await this.#ask<Row>(GET, [kind, key])
    return row && { ...row, value: JSON.parse(row.value) }
  }

  async list(kind: string): Promise<SharedRow[]> {
    checkNames({ kind })
    const rows = await this.#ask<Row>(LIST, [kind])
    return rows.map(row => ({ ...row, value: JSON.parse(row.value) }))
  }

  async delete(kind: string, key: string): Promise<void> {
    checkNames({ kind, key })
    await this.#ask(DELETE, [kind, key])
  }

  async putBlob(source: AsyncIterable<Uint8Array>): Promise<SharedBlob> {
    const upload = randomUUID()
    const chunked = new ChunkedSource(source)
    let isKept = false
    try {
      let number = 0
      for await (const chunk of chunked.chunks()) await this.#ask(PUT_CHUNK, [upload, number++, chunk])
      const { sha256, bytes } = chunked.total()
      const values = [sha256, upload, bytes, number]
      const [blob] = await this.#ask<{ upload: string }>(PUT_BLOB, values)
      if (!blob) throw lost(upload)
      isKept = blob.upload === upload
      return { sha256, bytes }
    } catch (error) {
      // It may have been stored even though no answer came.
      isKept = isAway(error)
      throw error
    } finally {
      if (!isKept) await this.#ask(REMOVE_UPLOAD, [upload]).catch(() => {})
    }
  }

  async *readBlob(sha256: string): AsyncGenerator<Uint8Array, void> {
    checkHash(sha256)
    const [blob] = await this.#ask<{ upload: string; bytes: string }>(BLOB, [sha256])
    if (!blob) throw missing(sha256)
    const bytes = Number(blob.bytes)
    yield* checked({ sha256, bytes }, this.#chunks(sha256, blob.upload, Math.ceil(bytes / CHUNK_BYTES)))
  }

  async removeBlob(sha256: string): Promise<void> {
    checkHash(sha256)
    await this.#ask(REMOVE_BLOB, [sha256])
  }

  async listBlobs(): Promise<StoredBlob[]> {
    const rows = await this.#ask<{ sha256: string; bytes: string; age: number }>(LIST_BLOBS, [])
    return rows.map(row => ({ ...row, bytes: Number(row.bytes) }))
  }

  async close(): Promise<void> {
    this.#end.abort()
    await this.#closing()
  }

  async *#chunks(sha256: string, upload: string, count: number): AsyncGenerator<Uint8Array, void> {
    for (let number = 0; number < count; number++) {
      const [chunk] = await this.#ask<{ data: Buffer }>(CHUNK, [upload, number])
      if (chunk) yield chunk.data
      else if ((await this.#ask(BLOB, [sha256])).length === 0) throw missing(sha256)
    }
  }

  #ask<Row extends object>(statement: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#connection.ask<Row>(statement, [this.#name, ...values], { signal: this.#end.signal })
  }
}

const isAway = (error: unknown): boolean => error instanceof FindlingError && error.code === 'LOG_AWAY'

const lost = (upload: string): FindlingError =>
  new FindlingError('STORE_FAILED', `The uploaded data to be shared (${upload}) no longer exists.`)
