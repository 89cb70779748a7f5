import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresConnection } from './connection.ts'
import { MOVED } from './statements.ts'

export interface WatchOptions {
  /** Milliseconds between two polls for new entries, in addition to listening. Default 250. */
  poll?: number
  /** Whether to listen for new entries, which keeps one connection open. Default true; false for a pooler without sessions. */
  listen?: boolean
}

/** The state of a log that a waiting caller knows. */
export interface Known {
  readonly name: string
  readonly id: string
  readonly position: number
  /** `connections` of the connection when that state was read. */
  readonly connections: number
}

export interface Waiting {
  /** Resolves when the log may have changed from the known state. */
  readonly over: Promise<void>
  end(): void
}

const RELISTEN_AFTER = 500

/** Notices new entries in all logs that somebody waits for, with one listener, and one regular query for all of them. */
export class HeadWatch {
  readonly #connection: PostgresConnection
  readonly #poll: number
  readonly #waiting = new Map<Known, () => void>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #listener: pg.Client | undefined

  constructor(connection: PostgresConnection, { poll = 250, listen = true }: WatchOptions) {
    this.#connection = connection
    this.#poll = poll
    if (listen) void this.#listen()
  }

  wait(known: Known): Waiting {
    let end = () => {}
    const over = new Promise<void>(resolve => {
      end = () => {
        this.#waiting.delete(known)
        resolve()
      }
    })
    this.#waiting.set(known, end)
    this.#schedule()
    return { over, end }
  }

  /** Wakes waiting callers: there may be new entries in this log, or in any. */
  hear(name?: string): void {
    for (const [known, end] of [...this.#waiting]) if (name === undefined || known.name === name) end()
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.hear()
    await this.#listener?.end().catch(() => {})
  }

  #schedule(): void {
    if (this.#timer || this.#isLooking || this.#connection.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#isLooking = true
      void this.#look().finally(() => {
        this.#isLooking = false
        if (this.#waiting.size > 0) this.#schedule()
      })
    }, this.#poll)
  }

  /** Also wakes callers if the query fails or another server may have answered: reading tells them what has happened. */
  async #look(): Promise<void> {
    const all = [...this.#waiting]
    if (all.length === 0) return
    try {
      const values = [
        all.map(([{ name }]) => name),
        all.map(([{ id }]) => id),
        all.map(([{ position }]) => position),
      ]
      const connection = this.#connection
      const moved = await connection.run(() => connection.query<{ number: string }>(MOVED, values, 'moved'), {
        timeout: 0,
      })
      for (const { number } of moved) all[Number(number) - 1]![1]()
      for (const [{ connections }, end] of all) if (connections !== connection.connections) end()
    } catch {
      for (const [, end] of all) end()
    }
  }

  /** Only a shortcut: without it, polling finds the entries. */
  async #listen(): Promise<void> {
    const { signal, url, timeout, stream } = this.#connection
    while (!signal.aborted) {
      const client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: timeout,
        keepAlive: true,
        stream,
      })
      const ended = new Promise(resolve => client.once('end', resolve))
      client.on('error', () => {})
      client.on('notification', ({ payload }) => this.hear(payload))
      try {
        await client.connect()
        this.#listener = client
        await client.query('listen findling_log')
        this.hear()
        if (signal.aborted) await client.end()
        await ended
      } catch {
        await client.end().catch(() => {})
      }
      await pause(RELISTEN_AFTER, undefined, { signal }).catch(() => {})
    }
  }
}
