import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import pg from 'pg'
import { defaultLimit, type Entry, type Head, type Log } from '../log.ts'
import { anotherHistory, cut, endLost, notPassed } from '../memory-log.ts'
import { PostgresConnection, type PostgresOptions } from './connection.ts'
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
  SCHEMA,
  UNIQUE_VIOLATION,
} from './statements.ts'

export interface PostgresLogOptions extends PostgresOptions {
  /** Milliseconds between two looks for entries when nothing is heard. Default 250. */
  poll?: number
  /** Whether to listen for entries, for which a connection is kept. Default true; false for a pooler that has no sessions. */
  listen?: boolean
}

interface Row {
  readonly position: string
  readonly batch: string
  readonly at: string
  readonly data: Buffer
}

const RELISTEN_AFTER = 500

/** A log in PostgreSQL 15 or later, in two tables of its own that are created when they are not there. */
export class PostgresLog implements Log {
  #id: string
  readonly #connection: PostgresConnection
  readonly #poll: number
  readonly #waiting = new Set<() => void>()
  #listener: pg.Client | undefined
  /** Grows with every hint that there are entries. */
  #hints = 0

  /** LOG_AWAY when the database does not answer in time, LOG_REFUSED at once when it refuses who asks. */
  static async open(options: PostgresLogOptions): Promise<PostgresLog> {
    const { poll = 250, listen = true } = options
    const connection = new PostgresConnection(options, 'The log')
    const { name } = connection
    try {
      const id = await connection.begin(async () => {
        await connection.query(SCHEMA).catch(error => {
          if (!createdMeanwhile.has(error.code)) throw error
        })
        await connection.query(BEGIN, [name])
        return (await connection.query<{ id: string }>(IDENTITY, [name]))[0]!.id
      })
      const log = new PostgresLog(id, connection, poll)
      if (listen) void log.#listen()
      return log
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  private constructor(id: string, connection: PostgresConnection, poll: number) {
    this.#id = id
    this.#connection = connection
    this.#poll = poll
  }

  get id(): string {
    return this.#id
  }

  get connections(): number {
    return this.#connection.connections
  }

  async append(batch: string, data: Uint8Array): Promise<number> {
    const connection = this.#connection
    const { name } = connection
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    const [position] = await connection.run(async () => {
      try {
        return await connection.query<Row>(APPEND, [name, batch, bytes, this.#id], 'append')
      } catch (error) {
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
        return await connection.query<Row>(POSITION_OF, [name, batch])
      }
    })
    if (!position) throw anotherHistory()
    this.#hear()
    return Number(position.position)
  }

  async read(after: number, { entries, bytes } = defaultLimit): Promise<Entry[]> {
    const connection = this.#connection
    const rows = await connection.ask<Row>(READ, [connection.name, after, entries, bytes, this.#id], 'read')
    const read = rows.map(({ position, batch, at, data }) => ({
      ...{ position: Number(position), batch, at: Number(at), data },
    }))
    if (read.length === 0 || read[0]!.position !== after + 1) {
      const { position, first } = await this.head()
      if (after + 1 < first) throw cut(after + 1, first)
      if (position < after) throw endLost(after, position)
      if (read.length > 0) throw entryLost(after + 1)
    }
    return read
  }

  async wait(after: number, signal?: AbortSignal): Promise<void> {
    const hints = this.#hints
    const { position } = await this.head().catch(() => ({ position: 0 }))
    const isOver = () => signal?.aborted || this.#connection.signal.aborted
    if (position > after || this.#hints !== hints || isOver()) return
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, this.#poll)
      this.#waiting.add(done)
      signal?.addEventListener('abort', done)
    })
  }

  async holds(position: number, batch: string): Promise<boolean> {
    if (position === 0) return true
    const connection = this.#connection
    const [row] = await connection.ask<{ batch: string }>(BATCH_AT, [connection.name, position, this.#id])
    if (row) return row.batch === batch
    // One that was cut off behind a snapshot cannot be told, but was of this log.
    return position < (await this.head()).first
  }

  async head(): Promise<Head> {
    const connection = this.#connection
    const values = [connection.name, this.#id]
    const [head] = await connection.ask<{ position: string; first: string }>(HEAD, values)
    if (!head) throw anotherHistory()
    return { position: Number(head.position), first: Number(head.first) }
  }

  async cut(before: number): Promise<void> {
    await this.#connection.ask(CUT, [this.#connection.name, before, this.#id])
  }

  async begin(id: string, position: number): Promise<void> {
    const connection = this.#connection
    const { name } = connection
    await connection.run(async () => {
      await connection.query(BEGIN_ANEW, [name, this.#id, id, position])
      // Also where an answer was lost, and it is asked again.
      const [row] = await connection.query<{ id: string }>(IDENTITY, [name])
      if (row?.id === id) this.#id = id
    })
    if (this.#id !== id) throw notPassed(position, (await this.head()).position)
    // What is not removed now is with the next cut.
    await this.cut(position + 1).catch(() => {})
  }

  async close(): Promise<void> {
    const closing = this.#connection.close()
    this.#hear()
    await this.#listener?.end().catch(() => {})
    await closing
  }

  #hear(): void {
    this.#hints++
    for (const done of [...this.#waiting]) done()
  }

  /** A hint only: without it entries are found when they are looked for. */
  async #listen(): Promise<void> {
    const { signal, url, name, timeout } = this.#connection
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout })
      const ended = new Promise(resolve => client.once('end', resolve))
      client.on('error', () => {})
      client.on('notification', ({ payload }) => {
        if (payload === name) this.#hear()
      })
      try {
        await client.connect()
        this.#listener = client
        await client.query('listen findling_log')
        this.#hear()
        if (signal.aborted) await client.end()
        await ended
      } catch {
        await client.end().catch(() => {})
      }
      await pause(RELISTEN_AFTER, undefined, { signal }).catch(() => {})
    }
  }
}

const entryLost = (position: number): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The log has lost entry ${position}, which others follow.`, {
    field: 'position',
    received: String(position),
  })
