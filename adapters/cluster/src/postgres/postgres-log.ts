import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import pg from 'pg'
import { defaultLimit, type Entry, type Head, type Log } from '../log.ts'
import { cut, endLost } from '../memory-log.ts'
import {
  APPEND,
  BATCH_AT,
  BEGIN,
  CUT,
  createdMeanwhile,
  HEAD,
  IDENTITY,
  POSITION_OF,
  READ,
  REPLICATED,
  SCHEMA,
  UNIQUE_VIOLATION,
} from './statements.ts'

export interface PostgresLogOptions {
  /** Such as `postgres://user:password@host/database`. */
  url: string
  /** Several logs may be in one database. Default `main`. */
  name?: string
  /** Milliseconds after which what the database does not answer is LOG_AWAY. Default 10,000. */
  timeout?: number
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

/** Between two attempts, in milliseconds: the first pause, and the longest. */
const PAUSES = { first: 10, longest: 500 }
const RELISTEN_AFTER = 500

/** A log in PostgreSQL 15 or later, in two tables of its own that are created when they are not there. */
export class PostgresLog implements Log {
  readonly id: string
  readonly #name: string
  readonly #timeout: number
  readonly #poll: number
  readonly #pool: pg.Pool
  readonly #url: string
  readonly #waiting = new Set<() => void>()
  readonly #end = new AbortController()
  #listener: pg.Client | undefined
  #connections = 0
  /** Grows with every hint that there are entries. */
  #hints = 0

  /** LOG_AWAY when the database does not answer in time. */
  static async open(options: PostgresLogOptions): Promise<PostgresLog> {
    const { url, name = 'main', timeout = 10_000, listen = true } = options
    const pool = new pg.Pool({
      connectionString: url,
      max: 3,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      onConnect: async client => {
        await client.query(REPLICATED)
      },
    })
    // What is on its way is told by its own promise; what lay idle, by the connection that comes in its place.
    pool.on('error', () => {})
    try {
      const id = await new Retrying(timeout).run(async () => {
        await pool.query(SCHEMA).catch(error => {
          if (!createdMeanwhile.has(error.code)) throw error
        })
        await pool.query(BEGIN, [name])
        return (await pool.query<{ id: string }>(IDENTITY, [name])).rows[0]!.id
      })
      const log = new PostgresLog(id, pool, options)
      if (listen) void log.#listen()
      return log
    } catch (error) {
      await pool.end().catch(() => {})
      throw error
    }
  }

  private constructor(
    id: string,
    pool: pg.Pool,
    { url, name = 'main', timeout = 10_000, poll = 250 }: PostgresLogOptions,
  ) {
    this.id = id
    this.#pool = pool
    this.#url = url
    this.#name = name
    this.#timeout = timeout
    this.#poll = poll
    pool.on('connect', () => {
      this.#connections++
    })
  }

  get connections(): number {
    return this.#connections
  }

  async append(batch: string, data: Uint8Array): Promise<number> {
    const [position] = await this.#try(async () => {
      try {
        const text = APPEND
        const values = [
          this.#name,
          batch,
          Buffer.from(data.buffer, data.byteOffset, data.byteLength),
          this.id,
        ]
        return (await this.#pool.query<Row>({ name: 'append', text, values })).rows
      } catch (error) {
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error
        return (await this.#pool.query<Row>(POSITION_OF, [this.#name, batch])).rows
      }
    })
    if (!position) throw anotherHistory()
    this.#hear()
    return Number(position.position)
  }

  async read(after: number, { entries, bytes } = defaultLimit): Promise<Entry[]> {
    const values = [this.#name, after, entries, bytes]
    const { rows } = await this.#try(() => this.#pool.query<Row>({ name: 'read', text: READ, values }))
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
    if (position > after || this.#hints !== hints || signal?.aborted || this.#end.signal.aborted) return
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
    const values = [this.#name, position]
    const { rows } = await this.#try(() => this.#pool.query<{ batch: string }>(BATCH_AT, values))
    if (rows[0]) return rows[0].batch === batch
    // One that was cut off behind a snapshot cannot be told, but was of this log.
    return position < (await this.head()).first
  }

  async head(): Promise<Head> {
    const values = [this.#name, this.id]
    const { rows } = await this.#try(() =>
      this.#pool.query<{ position: string; first: string }>(HEAD, values),
    )
    const [head] = rows
    if (!head) throw anotherHistory()
    return { position: Number(head.position), first: Number(head.first) }
  }

  async cut(before: number): Promise<void> {
    await this.#try(() => this.#pool.query(CUT, [this.#name, before]))
  }

  async close(): Promise<void> {
    this.#end.abort()
    this.#hear()
    await this.#listener?.end().catch(() => {})
    await this.#pool.end().catch(() => {})
  }

  #try<T>(work: () => Promise<T>): Promise<T> {
    return new Retrying(this.#timeout, {
      signal: this.#end.signal,
      failed: () => {
        this.#connections++
      },
    }).run(work)
  }

  #hear(): void {
    this.#hints++
    for (const done of [...this.#waiting]) done()
  }

  /** A hint only: without it entries are found when they are looked for. */
  async #listen(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: this.#timeout })
      const ended = new Promise(resolve => client.once('end', resolve))
      client.on('error', () => {})
      client.on('notification', ({ payload }) => {
        if (payload === this.#name) this.#hear()
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

/** Does something again that a lost connection has interrupted; everything asked of a log may be done twice. */
class Retrying {
  readonly #timeout: number
  readonly #signal: AbortSignal | undefined
  readonly #failed: () => void

  constructor(
    timeout: number,
    { signal, failed = () => {} }: { signal?: AbortSignal; failed?: () => void } = {},
  ) {
    this.#timeout = timeout
    this.#signal = signal
    this.#failed = failed
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#timeout
    for (let wait = PAUSES.first; ; wait = Math.min(2 * wait, PAUSES.longest)) {
      if (this.#signal?.aborted) throw new FindlingError('CLOSED', 'The log is closed.')
      try {
        return await work()
      } catch (error) {
        this.#failed()
        if (performance.now() + wait > until) throw away(error)
      }
      await pause(wait)
    }
  }
}

const away = (cause: unknown): FindlingError =>
  new FindlingError(
    'LOG_AWAY',
    `The log does not answer: ${cause instanceof Error ? cause.message || cause.name : String(cause)}. What was to be appended may have been or not.`,
    {},
    cause,
  )

const entryLost = (position: number): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The log has lost entry ${position}, which others follow.`, {
    field: 'position',
    received: String(position),
  })

const anotherHistory = (): FindlingError =>
  new FindlingError(
    'LOG_DIVERGED',
    'The log is another one than the one that was opened: its id has changed.',
  )
