import { type Peer, peersOf } from '../presence.ts'
import { checkNames } from '../shared.ts'
import { type DatabaseOptions, PostgresConnection } from './connection.ts'
import { HeadWatch, type WatchOptions } from './head-watch.ts'
import { PostgresLog } from './postgres-log.ts'
import { PostgresShared } from './postgres-shared.ts'
import { RowWrites } from './row-writes.ts'
import { REMOVE_CHUNKS, REMOVE_REST } from './shared-statements.ts'
import { LEAVE, NAMES, REMOVE, REMOVE_ENTRIES } from './statements.ts'

export interface PostgresDatabaseOptions extends DatabaseOptions, WatchOptions {}

/** Entries or chunks, of up to a megabyte each, that one statement removes, so that it is answered in time. */
const REMOVED_AT_ONCE = 200

/** Any number of logs in one database, with what their nodes share, over a few connections. */
export class PostgresDatabase {
  readonly #connection: PostgresConnection
  readonly #heads: HeadWatch
  readonly #rows: RowWrites

  /** LOG_AWAY if the database does not answer in time. */
  static async open(options: PostgresDatabaseOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(options)
    try {
      await PostgresLog.prepare(database.#connection)
      await PostgresShared.prepare(database.#connection)
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  }

  private constructor(options: PostgresDatabaseOptions) {
    this.#connection = new PostgresConnection(options)
    this.#heads = new HeadWatch(this.#connection, options)
    this.#rows = new RowWrites(this.#connection)
  }

  /**
   * Opens a log.
   * @param options a log that does not exist is created, or with `create: false` refused with LOG_DIVERGED
   */
  async log(name = 'main', options: { create?: boolean } = {}): Promise<PostgresLog> {
    checkNames({ name })
    return await PostgresLog.in({ connection: this.#connection, heads: this.#heads }, name, options)
  }

  /** What the nodes of a log share. */
  async shared(name = 'main'): Promise<PostgresShared> {
    checkNames({ name })
    return await PostgresShared.in({ connection: this.#connection, rows: this.#rows }, name)
  }

  /** The names of all logs. */
  async names(): Promise<string[]> {
    const rows = await this.#connection.ask<{ log: string }>(NAMES)
    return rows.map(({ log }) => log)
  }

  /** The nodes of a log that were heard of within half a minute. */
  async peers(name = 'main'): Promise<Peer[]> {
    checkNames({ name })
    return await peersOf(PostgresShared.at({ connection: this.#connection, rows: this.#rows }, name))
  }

  /**
   * Removes a log, and what its nodes share. Nodes that still follow it stop with LOG_DIVERGED. If removing is interrupted, the log
   * is still among the names: remove it again.
   */
  async remove(name: string): Promise<void> {
    checkNames({ name })
    const connection = this.#connection
    await connection.ask(LEAVE, [name])
    for (const batch of [REMOVE_ENTRIES, REMOVE_CHUNKS]) {
      let removed = 1
      while (removed > 0) removed = (await connection.ask(batch, [name, REMOVED_AT_ONCE])).length
    }
    for (const statement of [...REMOVE_REST, REMOVE]) await connection.ask(statement, [name])
  }

  /** Closes all logs. */
  async close(): Promise<void> {
    const closing = this.#connection.close()
    await this.#heads.close()
    await closing
  }
}
