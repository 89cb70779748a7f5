import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresConnection } from './connection.ts'
import { MOVED } from './statements.ts'

export interface WatchOptions {
  /** Milliseconds between two looks for entries when nothing is heard. Default 250. */
  poll?: number
  /** Whether to listen for entries, for which a connection is kept. Default true; false for a pooler that has no sessions. */
  listen?: boolean
}

/** Up to where somebody knows a log. */
export interface Known {
  readonly name: string
  readonly id: string
  readonly position: number
  /** Of the connection, when that was read. */
  readonly connections: number
}

export interface Waiting {
  /** Resolves when the log may be another than it was known to be. */
  readonly over: Promise<void>
  end(): void
}

const RELISTEN_AFTER = 500

/** Notices entries of all logs that somebody waits for: with one listener, and one look at all of them from time to time. */
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

  /** There may be entries of this log, or of any. */
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

  /** Whoever waits is woken also where the log cannot be asked, or may be that of another server: they find out. */
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

  /** A hint only: without it entries are found when they are looked for. */
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
