import { mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FindlingError } from '../errors.ts'
import { readHighWater, writeHighWater } from './high-water.ts'
import { type Claim, claim } from './open-folders.ts'

/** What the engine needs of an abstract-level 3 database, and all it calls: Level, MemoryLevel and sublevels fit. */
export interface Database {
  readonly status: string
  readonly supports: {
    readonly implicitSnapshots: boolean
    readonly encodings: Readonly<Record<string, boolean>>
  }
  open(): Promise<void>
  close(): Promise<void>
  get(key: string, options: Encodings): Promise<Uint8Array | undefined>
  getMany(keys: string[], options: Encodings): Promise<(Uint8Array | undefined)[]>
  batch(operations: Operation[], options: Encodings & { sync?: boolean }): Promise<void>
  clear(options: Range & { keyEncoding: 'utf8' }): Promise<void>
  iterator(options: IteratorOptions): DatabaseIterator
  /** LevelDB's own: gives the space of deleted entries back. */
  compactRange?(start: string, end: string, options: { keyEncoding: 'utf8' }): Promise<void>
}

export interface DatabaseIterator {
  nextv(size: number): Promise<[string, Uint8Array][]>
  close(): Promise<void>
}

export type Operation = { type: 'put'; key: string; value: Uint8Array } | { type: 'del'; key: string }
export interface Range {
  gt?: string
  gte?: string
  lt?: string
  reverse?: boolean
  limit?: number
}
interface Encodings {
  keyEncoding: 'utf8'
  valueEncoding: 'view'
}
interface IteratorOptions extends Range, Encodings {
  values?: boolean
  /** LevelDB's own: a batch ends once it is larger. */
  highWaterMarkBytes?: number
}
export const ENCODINGS: Encodings = { keyEncoding: 'utf8', valueEncoding: 'view' }

export interface OpenedDatabase {
  readonly db: Database
  /** Whether all of it is gone when it is closed. */
  readonly isVolatile: boolean
  /** What the database's own recovery had to drop, in its words; empty when nothing was. */
  readonly dropped: readonly string[]
  /** Number of a change that must be there; undefined for a new store and where a database keeps none, NaN when damaged. */
  readonly highWater: number | undefined
  /** Tells the next open that the changes up to this one must be there. */
  raiseHighWater(seq: number): Promise<void>
  close(): Promise<void>
}

/** Opens the store of an engine: a folder, a database that was handed in, or (undefined) memory. */
export async function openDatabase(
  store: string | Database | undefined,
  cacheBytes: number,
): Promise<OpenedDatabase> {
  if (store === undefined) return await openMemory()
  return typeof store === 'string' ? await openFolder(store, cacheBytes) : await openGiven(store)
}

const noHighWater = { dropped: [], highWater: undefined, raiseHighWater: async () => {} }

async function openMemory(): Promise<OpenedDatabase> {
  const { MemoryLevel } = await import('memory-level')
  const db: Database = new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' })
  await db.open()
  return { db, isVolatile: true, ...noHighWater, close: () => db.close() }
}

/**
 * LevelDB guards a folder against other processes only. Opened with multithreading a second handle in this
 * process succeeds silently, so the registry of open folders is asked first, by the folder's real path.
 */
async function openFolder(folder: string, cacheBytes: number): Promise<OpenedDatabase> {
  const { Level } = await import('level')
  let held: Claim | undefined
  try {
    await mkdir(folder, { recursive: true })
    const path = await realpath(folder)
    held = claim(path, '', folder)
    const highWater = await readHighWater(path)
    const db: Database = new Level<string, Uint8Array>(path, {
      keyEncoding: 'utf8',
      valueEncoding: 'view',
      // An open replays the log: 4 MB take tens of milliseconds, LevelDB's larger logs take seconds.
      writeBufferSize: 4 * 2 ** 20,
      cacheSize: cacheBytes,
      multithreading: true,
      // Where a store has been, LevelDB must not take what is left of it for nothing and make a new one.
      createIfMissing: highWater === undefined,
    })
    await db.open()
    const release = held.release
    return {
      db,
      isVolatile: false,
      dropped: await droppedAtRecovery(path),
      highWater,
      raiseHighWater: seq => writeHighWater(path, seq),
      close: async () => {
        await shortenLog(db, path).catch(() => undefined)
        await db.close()
        release()
      },
    }
  } catch (error) {
    held?.release()
    throw error instanceof FindlingError ? error : openFailure(folder, error)
  }
}

/** Bytes of a log that an open takes in within a millisecond or two. */
const SHORT_LOG = 2 ** 16

/** LevelDB removes logs behind its answers. */
const noSize = () => 0

/** Makes a long log a table, which spares the next open to replay it: LevelDB does so before it compacts any range. */
async function shortenLog(db: Database, path: string): Promise<void> {
  const logs = (await readdir(path)).filter(name => name.endsWith('.log'))
  const sizes = await Promise.all(logs.map(name => stat(join(path, name)).then(({ size }) => size, noSize)))
  if (Math.max(...sizes) > SHORT_LOG) await db.compactRange?.('~', '~', { keyEncoding: 'utf8' })
}

async function openGiven(db: Database): Promise<OpenedDatabase> {
  const lacking = missingCapabilities(db)
  if (lacking.length > 0) {
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      `The database handed in as store lacks ${lacking.join(', ')}. Accepted: any abstract-level 3 database, such as level, memory-level or a sublevel.`,
      { field: 'store', expected: 'an abstract-level 3 database', missing: lacking },
    )
  }
  const { place, prefix } = await whereabouts(db)
  const held = claim(place, prefix, HANDED_IN)
  try {
    await db.open()
  } catch (error) {
    held.release()
    throw openFailure(HANDED_IN, error)
  }
  // Who made it closes it: the engine only lets go.
  return { db, isVolatile: false, ...noHighWater, close: async () => held.release() }
}

const HANDED_IN = 'the database handed in'

/** What a database has where its kind has one: a sublevel its root and its prefix, LevelDB its folder. */
interface Placed extends Database {
  readonly db?: Placed
  readonly prefix?: string
  readonly location?: string
}

/** Two objects may stand for one folder, or for one part of it. */
async function whereabouts(db: Placed): Promise<{ place: string | object; prefix: string }> {
  const root = db.db ?? db
  const { location } = root
  if (typeof location !== 'string') return { place: root, prefix: db.prefix ?? '' }
  const place = await realpath(location).catch(() => resolve(location))
  return { place, prefix: db.prefix ?? '' }
}

function missingCapabilities(db: Database): string[] {
  const methods = ['open', 'get', 'getMany', 'batch', 'clear', 'iterator'] as const
  const missing = methods.filter(name => typeof db[name] !== 'function').map(name => `${name}()`)
  const encodings = db.supports?.encodings ?? {}
  if (!encodings.utf8 && !encodings.buffer && !encodings.view) missing.push('utf8 keys')
  if (!encodings.view && !encodings.buffer && !encodings.utf8) missing.push('binary values')
  return missing
}

function openFailure(store: string, error: unknown): FindlingError {
  const reasons = causes(error)
  const message = reasons.map(reason => reason.message).join(': ')
  if (reasons.some(reason => reason.code === 'LEVEL_LOCKED')) {
    return new FindlingError(
      'STORE_LOCKED',
      `The store (${store}) could not be opened: another process has it open. Close the engine there, or open another store.`,
      { field: 'store', received: store, expected: 'a store that no other engine has open' },
      error,
    )
  }
  if (isCorruption(reasons)) {
    return new FindlingError(
      'STORE_CORRUPT',
      `The store (${store}) could not be opened: it is damaged (${message}). Restore a copy of it; the documents of a store that does not open cannot be read.`,
      { field: 'store', received: store },
      error,
    )
  }
  return new FindlingError(
    'STORE_FAILED',
    `The store (${store}) could not be opened: ${message}`,
    { field: 'store', received: store, expected: 'a folder or database that can be read and written' },
    error,
  )
}

/** What a database that is open answered with, as an error of the engine. */
export function databaseError(error: unknown): FindlingError {
  if (error instanceof FindlingError) return error
  const reasons = causes(error)
  const message = reasons.map(reason => reason.message).join(': ')
  return isCorruption(reasons)
    ? new FindlingError('STORE_CORRUPT', `A part of the store cannot be read: ${message}`, {}, error)
    : new FindlingError('STORE_FAILED', `The database failed: ${message}`, {}, error)
}

export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw databaseError(error)
  }
}

const isCorruption = (reasons: readonly { code: string; message: string }[]): boolean =>
  reasons.some(({ code, message }) => code === 'LEVEL_CORRUPTION' || /corrupt|does not exist/i.test(message))

function causes(error: unknown): { code: string; message: string }[] {
  const found: { code: string; message: string }[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    found.push({ code: 'code' in at ? String(at.code) : '', message: at.message })
  }
  return found
}

/** LevelDB reads past damage in its log and says so only in its own LOG file, which it starts anew at every open. */
async function droppedAtRecovery(path: string): Promise<string[]> {
  const log = await readFile(join(path, 'LOG'), 'utf8').catch(() => '')
  return log.split('\n').filter(line => line.includes(': dropping '))
}
