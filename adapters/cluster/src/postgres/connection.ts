import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import pg from 'pg'
import { assertAddress, refusalOf } from './refusals.ts'
import { REPLICATED } from './statements.ts'

/** How a database is reached. */
export interface DatabaseOptions {
  /** Such as `postgres://user:password@host/database`. */
  url: string
  /** Milliseconds after which what the database does not answer is LOG_AWAY. Default 10,000. */
  timeout?: number
  /** Connections that are opened at most, beside the one that listens. Default 6. */
  connections?: number
}

/** How one log is reached, and what its nodes share. */
export interface PostgresOptions extends DatabaseOptions {
  /** Several logs may be in one database, each with what its nodes share. Default `main`. */
  name?: string
}

/** How long a question is asked again. */
interface Asking {
  /** Ends it with CLOSED. */
  readonly signal?: AbortSignal
  /** Milliseconds. Default: that of the connection. */
  readonly timeout?: number
}

/** Between two attempts, in milliseconds: the first pause, and the longest. */
const PAUSES = { first: 10, longest: 500 }
/** Milliseconds that a database has to end connections, before they are cut. */
const ENDS_WITHIN = 2000
const CUT_EVERY = 100
/** One that is lost on the way is noticed. */
const IDLE_FOR = 60_000

/**
 * Some connections to a database. What they are asked is asked again until the time is over: it may be done twice. While the
 * database is away one question finds out when it is back, and all others wait for that.
 */
export class PostgresConnection {
  readonly url: string
  readonly timeout: number
  readonly #pool: pg.Pool
  readonly #end = new AbortController()
  readonly #sockets = new Set<Socket>()
  readonly #asked = new Set<Promise<unknown>>()
  #connections = 0
  #recovery: Promise<void> | undefined
  #lastError: unknown

  constructor({ url, timeout = 10_000, connections = 6 }: DatabaseOptions) {
    this.url = url
    this.timeout = timeout
    assertAddress(url)
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      idleTimeoutMillis: IDLE_FOR,
      keepAlive: true,
      stream: this.stream,
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      onConnect: async client => {
        await client.query(REPLICATED)
      },
    })
    // What is on its way is told by its own promise; what lay idle, by the connection that comes in its place.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', () => {
      this.#connections++
    })
  }

  /** Grows with every new connection and every failure: another server may have answered since. */
  get connections(): number {
    return this.#connections
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Of a connection, also of one that is not of the pool: it is cut when a database that is closed does not end it. */
  readonly stream = (): Socket => {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  /** One statement, once; within `run`. */
  query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row[]> {
    const asked = this.#pool
      .query<Row>({ text, values: [...values], ...(name && { name }) })
      .then(({ rows }) => rows)
      .finally(() => this.#asked.delete(asked))
    this.#asked.add(asked)
    return asked
  }

  /** One statement, again until it is answered. */
  ask<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    { name, ...asking }: Asking & { readonly name?: string } = {},
  ): Promise<Row[]> {
    return this.run(() => this.query<Row>(text, values, name), asking)
  }

  /** As `run`, for what is asked first. LOG_REFUSED at once for what asking again does not put right. */
  begin<T>(work: () => Promise<T>): Promise<T> {
    return this.run(() =>
      work().catch(error => {
        throw refusalOf(error) ?? error
      }),
    )
  }

  /** LOG_AWAY when it fails for longer than the timeout, CLOSED. */
  async run<T>(
    work: () => Promise<T>,
    { signal = this.signal, timeout = this.timeout }: Asking = {},
  ): Promise<T> {
    const until = performance.now() + timeout
    for (let wait = PAUSES.first; ; wait = Math.min(2 * wait, PAUSES.longest)) {
      if (this.#recovery) await soonest(this.#recovery, until - performance.now())
      if (signal.aborted || this.signal.aborted) throw new FindlingError('CLOSED', 'The log is closed.')
      if (this.#recovery) throw away(this.#lastError)
      try {
        return await work()
      } catch (error) {
        if (error instanceof FindlingError) throw error
        this.#connections++
        this.#lastError = error
        this.#recovery ??= this.#recovered()
        if (performance.now() + wait > until) throw away(error)
      }
      await pause(wait)
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    const until = performance.now() + ENDS_WITHIN
    // Again and again: whoever waits in the pool gets another one.
    const cutting = setInterval(() => {
      if (performance.now() > until) for (const socket of this.#sockets) socket.destroy()
    }, CUT_EVERY)
    // A pool that ends while it connects keeps who waits for the connection until the timeout.
    await Promise.allSettled(this.#asked)
    await this.#pool.end().catch(() => {})
    // One that is left would keep the process alive.
    while (this.#sockets.size > 0) await pause(10)
    clearInterval(cutting)
  }

  /** Resolves when the database answers again, or is closed. */
  async #recovered(): Promise<void> {
    for (let wait = PAUSES.first; !this.signal.aborted; wait = Math.min(2 * wait, PAUSES.longest)) {
      await pause(wait, undefined, { signal: this.signal }).catch(() => {})
      try {
        if (!this.signal.aborted) await this.query('select 1')
        break
      } catch (error) {
        this.#connections++
        this.#lastError = error
      }
    }
    this.#recovery = undefined
  }
}

/** Resolves with the promise, or after so many milliseconds. */
async function soonest(promise: Promise<void>, milliseconds: number): Promise<void> {
  const over = new AbortController()
  const time = pause(Math.max(0, milliseconds), undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([promise, time])
  over.abort()
}

function away(cause: unknown): FindlingError {
  // Why is for the log alone: it names hosts and users.
  const message = 'The log does not answer. What was to be written may have been or not.'
  return new FindlingError('LOG_AWAY', message, {}, cause)
}
