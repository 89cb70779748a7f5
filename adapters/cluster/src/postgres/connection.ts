import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import pg from 'pg'
import { assertAddress, refusalOf } from './refusals.ts'
import { REPLICATED } from './statements.ts'

/** How a database is reached. */
export interface PostgresOptions {
  /** Such as `postgres://user:password@host/database`. */
  url: string
  /** Several logs may be in one database, each with what its nodes share. Default `main`. */
  name?: string
  /** Milliseconds after which what the database does not answer is LOG_AWAY. Default 10,000. */
  timeout?: number
}

/** Between two attempts, in milliseconds: the first pause, and the longest. */
const PAUSES = { first: 10, longest: 500 }

/** Some connections to a database. What they are asked is asked again until the time is over: it may be done twice. */
export class PostgresConnection {
  readonly url: string
  readonly name: string
  readonly timeout: number
  readonly #what: string
  readonly #pool: pg.Pool
  readonly #end = new AbortController()
  readonly #asked = new Set<Promise<unknown>>()
  #connections = 0

  /** @param what they are for, as errors tell it */
  constructor({ url, name = 'main', timeout = 10_000 }: PostgresOptions, what: string) {
    this.url = url
    this.name = name
    this.timeout = timeout
    this.#what = what
    assertAddress(url)
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 3,
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
    name?: string,
  ): Promise<Row[]> {
    return this.run(() => this.query<Row>(text, values, name))
  }

  /** As `run`, for what is asked first. LOG_REFUSED at once for what asking again does not put right. */
  begin<T>(work: () => Promise<T>): Promise<T> {
    return this.run(() =>
      work().catch(error => {
        throw refusalOf(error, this.#what) ?? error
      }),
    )
  }

  /** LOG_AWAY when it fails for longer than the timeout, CLOSED. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.timeout
    for (let wait = PAUSES.first; ; wait = Math.min(2 * wait, PAUSES.longest)) {
      if (this.signal.aborted) throw new FindlingError('CLOSED', `${this.#what} is closed.`)
      try {
        return await work()
      } catch (error) {
        if (error instanceof FindlingError) throw error
        this.#connections++
        if (performance.now() + wait > until) throw this.#away(error)
      }
      await pause(wait)
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    // A pool that ends while it connects keeps who waits for the connection until the timeout.
    await Promise.allSettled(this.#asked)
    await this.#pool.end().catch(() => {})
  }

  #away(cause: unknown): FindlingError {
    // Why is for the log alone: it names hosts and users.
    const message = `${this.#what} does not answer. What was to be written may have been or not.`
    return new FindlingError('LOG_AWAY', message, {}, cause)
  }
}
