import { FindlingError } from 'findling'
import { defaultLimit, type Entry, type Head, type Log, type ReadLimit } from '../log.ts'
import { anotherHistory, assertPassed, cut, endLost, movedOn } from '../memory-log.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
import { HeadWatch, type WatchOptions } from './head-watch.ts'
import {
  APPEND,
  BATCH_AT,
  BEGIN,
  BEGIN_ANEW,
  CUT,
  createdMeanwhile,
  HEAD,
  IDENTITY,
  POSITION_OF,
  READ,
  REMOVE_CUT,
  SCHEMA,
  UNIQUE_VIOLATION,
} from './statements.ts'

export interface PostgresLogOptions extends PostgresOptions, WatchOptions {}

interface Row {
  readonly position: string
  readonly batch: string
  readonly at: string
  readonly data: Buffer
}

/** Entries, of up to some megabytes each, that one statement removes, in a fraction of a second. */
const REMOVED_AT_ONCE = 256

/** What a log shares with others in the same database. */
export interface PostgresPlace {
  readonly connection: PostgresConnection
  readonly heads: HeadWatch
}

/** A log in PostgreSQL 15 or later, in two tables that are created if they do not exist. */
export class PostgresLog implements Log {
  readonly name: string
  #id: string
  readonly #connection: PostgresConnection
  readonly #heads: HeadWatch
  readonly #end = new AbortController()
  /** `connections` of the connection when the log was last read. */
  #readAt: number
  #closing: () => Promise<void> = async () => {}

  /** LOG_AWAY if the database does not answer in time, LOG_REFUSED at once if it refuses the user, password, database or permission. */
  static async open({ name = 'main', ...options }: PostgresLogOptions): Promise<PostgresLog> {
    const connection = new PostgresConnection(options)
    const heads = new HeadWatch(connection, options)
    const close = async () => {
      const closing = connection.close()
      await heads.close()
      await closing
    }
    try {
      await PostgresLog.prepare(connection)
      const log = await PostgresLog.in({ connection, heads }, name)
      log.#closing = close
      return log
    } catch (error) {
      await close()
      throw error
    }
  }

  /**
   * Creates the tables.
   * @internal
   */
  static async prepare(connection: PostgresConnection): Promise<void> {
    await connection.begin(async () => {
      await connection.query(SCHEMA).catch(error => {
        if (!createdMeanwhile.has(error.code)) throw error
      })
    })
  }

  /**
   * Opens one of several logs that share their connections.
   * @internal
   */
  static async in(place: PostgresPlace, name: string, { create = true } = {}): Promise<PostgresLog> {
    const { connection } = place
    if (create) await connection.ask(BEGIN, [name])
    const [row] = await connection.ask<{ id: string }>(IDENTITY, [name])
    if (!row) throw noLog(name)
    return new PostgresLog(row.id, name, place)
  }

  private constructor(id: string, name: string, { connection, heads }: PostgresPlace) {
    this.#id = id
    this.name = name
    this.#connection = connection
    this.#heads = heads
    this.#readAt = connection.connections
  }

  get id(): string {
    return this.#id
  }

  get connections(): number {
    return this.#connection.connections
  }

  async append(batch: string, data: Uint8Array): Promise<number> {
    const connection = this.#connection
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const append = async () => {
      try {
        return await connection.query<Row>(APPEND, [this.name, batch, bytes, this.#id], 'append')
      } catch (error) {
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
        return await connection.query<Row>(POSITION_OF, [this.name, batch])
      }
    }
    const [position] = await connection.run(append, { signal: this.#end.signal })
    if (!position) throw anotherHistory()
    this.#heads.hear(this.name)
    return Number(position.position)
  }

  async read(after: number, limit = defaultLimit): Promise<Entry[]> {
    // Entries may come, and be cut off, between the two questions.
    for (let isSure = false; ; isSure = true) {
      const read = await this.#entries(after, limit)
      if (read[0]?.position !== after + 1) {
        const { position, first } = await this.head()
        if (after + 1 < first) throw cut(after + 1, first)
        if (position < after) throw endLost(after, position)
        if (read.length > 0 || (position > after && isSure)) throw entryLost(after + 1)
        if (position > after) continue
      }
      this.#readAt = this.connections
      return read
    }
  }

  async #entries(after: number, { entries, bytes }: ReadLimit): Promise<Entry[]> {
    const rows = await this.#ask<Row>(READ, [this.name, after, entries, bytes, this.#id], 'read')
    return rows.map(({ position, batch, at, data }) => ({
      ...{ position: Number(position), batch, at: Number(at), data },
    }))
  }

  async wait(after: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || this.#end.signal.aborted) return
    const { name, id } = this
    const { over, end } = this.#heads.wait({ name, id, position: after, connections: this.#readAt })
    const signals = [this.#end.signal, ...(signal ? [signal] : [])]
    for (const one of signals) one.addEventListener('abort', end)
    // An entry may have come before this waited; if this fails, the caller finds out by reading.
    this.head().then(({ position }) => {
      if (position !== after) end()
    }, end)
    await over
    for (const one of signals) one.removeEventListener('abort', end)
  }

  async holds(position: number, batch: string): Promise<boolean> {
    if (position === 0) return true
    const [row] = await this.#ask<{ batch: string }>(BATCH_AT, [this.name, position, this.#id])
    if (row) return row.batch === batch
    // An entry that was cut off behind a snapshot cannot be checked, but belonged to this log.
    return position < (await this.head()).first
  }

  async head(): Promise<Head> {
    const [head] = await this.#ask<{ position: string; first: string }>(HEAD, [this.name, this.#id])
    if (!head) throw anotherHistory()
    return { position: Number(head.position), first: Number(head.first) }
  }

  async cut(before: number): Promise<void> {
    const id = this.#id
    const [head] = await this.#ask(CUT, [this.name, before, id])
    // The log has a new history by now, which is cut separately.
    if (!head) return
    for (let removed = 0; ; ) {
      const [last] = await this.#ask<{ position: string | null }>(REMOVE_CUT, [
        ...[this.name, removed, id, REMOVED_AT_ONCE],
      ])
      if (!last?.position) return
      removed = Number(last.position)
    }
  }

  async begin(id: string, position: number, head: number): Promise<void> {
    assertPassed(position, head)
    const begin = async () => {
      await this.#connection.query(BEGIN_ANEW, [this.name, this.#id, id, position, head])
      // Also if an answer was lost and this is a retry.
      const [row] = await this.#connection.query<{ id: string }>(IDENTITY, [this.name])
      if (row?.id === id) this.#id = id
    }
    await this.#connection.run(begin, { signal: this.#end.signal })
    if (this.#id !== id) throw movedOn(head, (await this.head()).position)
    // What is not removed now is removed by the next cut.
    await this.cut(position + 1).catch(() => {})
  }

  async close(): Promise<void> {
    this.#end.abort()
    await this.#closing()
  }

  #ask<Row extends object>(text: string, values: readonly unknown[], name?: string): Promise<Row[]> {
    return this.#connection.ask<Row>(text, values, { signal: this.#end.signal, ...(name && { name }) })
  }
}

const noLog = (name: string): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    `The database has no log ${JSON.stringify(name)}: it was removed or lost.`,
    {
      ...{ field: 'name', received: name },
    },
  )

const entryLost = (position: number): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The log has lost entry ${position}, which it has counted.`, {
    field: 'position',
    received: String(position),
  })
