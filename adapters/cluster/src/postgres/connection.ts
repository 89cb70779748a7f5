import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import pg from 'pg'
import { assertAddress, refusalOf } from './refusals.ts'
import { REPLICATED } from './statements.ts'

/** How a database is reached. */
export interface DatabaseOptions {
  /** For example `postgres://user:password@host/database`. */
  url: string
  /** Milliseconds after which an unanswered call fails with LOG_AWAY. Default 10,000. */
  timeout?: number
  /** Maximum number of connections, besides the one that listens. Default 6. */
  connections?: number
}

/** How one log, or what its nodes share, is reached. */
export interface PostgresOptions extends DatabaseOptions {
  /** Name of the log: one database may have several, each with what its nodes share. Default `main`. */
  name?: string
}

/** How long a statement is retried. */
interface Asking {
  /** Ends it with CLOSED. */
  readonly signal?: AbortSignal
  /** Milliseconds. Default: that of the connection. */
  readonly timeout?: number
}

/** Milliseconds between two attempts: the first pause, and the longest. */
const PAUSES = { first: 10, longest: 500 }
/** Milliseconds that the database has to end connections before they are cut. */
const ENDS_WITHIN = 2000
const CUT_EVERY = 100
/** Milliseconds after which idle connections are closed, so that lost ones do not linger. */
const IDLE_FOR = 60_000

/**
 * A pool of connections to a database. Statements are retried until they time out, so one may be executed twice. While the
 * database is unreachable, one statement probes for its return and all others wait for that.
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
    // A running statement rejects by itself; a lost idle connection is noticed by the one that replaces it.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', () => {
      this.#connections++
    })
  }

  /** Grows with every new connection and every failure, after which another server may answer. */
  get connections(): number {
    return this.#connections
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Makes the socket of a connection, in the pool or not; it is cut on closing if the database does not end it. */
  readonly stream = (): Socket => {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  /** Executes one statement once; to be called within `run`. */
  query<Row extends object>(text: string, values: readonly unknown[] = [], name?: string): Promise<Row[]> {
    const asked = this.#pool
      .query({ text, values: [...values], ...(name && { name }) })
      .then(({ rows }) => rows)
      .finally(() => this.#asked.delete(asked))
    this.#asked.add(asked)
    return asked
  }

  /** Executes one statement, and retries until it is answered. */
  ask<Row extends object>(
    text: string,
    values: readonly unknown[] = [],
    { name, ...asking }: Asking & { readonly name?: string } = {},
  ): Promise<Row[]> {
    return this.run(() => this.query<Row>(text, values, name), asking)
  }

  /** Like `run`, for the first call. LOG_REFUSED at once for errors that retrying cannot fix. */
  begin<T>(work: () => Promise<T>): Promise<T> {
    return this.run(() =>
      work().catch(error => {
        throw refusalOf(error) ?? error
      }),
    )
  }

  /** Retries the work. LOG_AWAY if it fails for longer than the timeout, CLOSED. */
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
    // Repeatedly: callers that wait in the pool get new connections.
    const cutting = setInterval(() => {
      if (performance.now() > until) for (const socket of this.#sockets) socket.destroy()
    }, CUT_EVERY)
    // If the pool ends while it connects, a caller that waits for the connection hangs until the timeout.
    await Promise.allSettled(this.#asked)
    await this.#pool.end().catch(() => {})
    // A remaining socket would keep the process alive.
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
  // The reason is only in the cause, for logs: it names hosts and users.
  const message = 'The log does not answer. Pending writes may or may not have been stored.'
  return new FindlingError('LOG_AWAY', message, {}, cause)
}
