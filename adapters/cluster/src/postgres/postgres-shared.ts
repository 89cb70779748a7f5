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
import {
  BLOB,
  CHUNK,
  DELETE,
  GET,
  LEASE,
  LIST,
  LIST_BLOBS,
  PUT,
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

/** What nodes share, in PostgreSQL 15 or later, in four tables of its own that are created when they are not there. */
export class PostgresShared implements Shared {
  readonly #connection: PostgresConnection

  /** LOG_AWAY when the database does not answer in time, LOG_REFUSED at once when it refuses who asks. */
  static async open(options: PostgresOptions): Promise<PostgresShared> {
    const connection = new PostgresConnection(options, 'What nodes share')
    try {
      // Where others create the tables at the same moment it fails, and finds them when it is done again.
      await connection.begin(() => connection.query(SCHEMA))
      await connection.ask(REMOVE_CUT_OFF, [connection.name])
      return new PostgresShared(connection)
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  private constructor(connection: PostgresConnection) {
    this.#connection = connection
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
    await this.#ask(PUT, [kind, key, rowText(value)])
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
      // It may have been stored although no answer came.
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
    await this.#connection.close()
  }

  async *#chunks(sha256: string, upload: string, count: number): AsyncGenerator<Uint8Array, void> {
    for (let number = 0; number < count; number++) {
      const [chunk] = await this.#ask<{ data: Buffer }>(CHUNK, [upload, number])
      if (chunk) yield chunk.data
      else if ((await this.#ask(BLOB, [sha256])).length === 0) throw missing(sha256)
    }
  }

  #ask<Row extends object>(statement: string, values: readonly unknown[]): Promise<Row[]> {
    const connection = this.#connection
    return connection.ask<Row>(statement, [connection.name, ...values])
  }
}

const isAway = (error: unknown): boolean => error instanceof FindlingError && error.code === 'LOG_AWAY'

const lost = (upload: string): FindlingError =>
  new FindlingError('STORE_FAILED', `What was uploaded to be shared (${upload}) is not there any more.`)
