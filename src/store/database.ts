import { FindlingError } from '../errors.ts'
import type { HighWater } from './high-water.ts'

/** The part of an abstract-level 3 database that the engine uses: Level, MemoryLevel and sublevels fit. */
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
  clear(options: KeyRange & { keyEncoding: 'utf8' }): Promise<void>
  iterator(options: IteratorOptions): DatabaseIterator
  /** LevelDB only: frees the space of deleted entries. */
  compactRange?(start: string, end: string, options: { keyEncoding: 'utf8' }): Promise<void>
}

export interface DatabaseIterator {
  nextv(size: number): Promise<[string, Uint8Array][]>
  close(): Promise<void>
}

export type Operation = { type: 'put'; key: string; value: Uint8Array } | { type: 'del'; key: string }
export interface KeyRange {
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
interface IteratorOptions extends KeyRange, Encodings {
  values?: boolean
  /** LevelDB only: the size at which a batch of entries ends. */
  highWaterMarkBytes?: number
}
export const ENCODINGS: Encodings = { keyEncoding: 'utf8', valueEncoding: 'view' }

/** A batch that is assembled incrementally. */
export interface GrowingBatch {
  put(key: string, value: Uint8Array, options: Encodings): unknown
  del(key: string, options: { keyEncoding: 'utf8' }): unknown
  write(options: { sync: boolean }): Promise<void>
}

/** The values of one moment. */
export interface SnapshotReader {
  getMany(keys: string[]): Promise<(Uint8Array | undefined)[]>
  close(): Promise<void>
}

export interface OpenedDatabase {
  readonly db: Database
  /** Present if reading many values in one call would hold up everything else. */
  readonly beginReading?: () => SnapshotReader
  /** Present if large batches would otherwise hold up everything else. */
  readonly beginBatch?: () => GrowingBatch
  /** Whether its data is gone when it is closed. */
  readonly isVolatile: boolean
  /** What its logs had lost before it was opened; empty if nothing was lost. */
  readonly lost: readonly string[]
  /** What must be in it; undefined for a new store, and for databases that do not record this. */
  readonly highWater: HighWater | 'damaged' | undefined
  /** Records for the next open what must be in it. */
  raiseHighWater(highWater: HighWater): Promise<void>
  /** What is wrong with its files now. */
  damagedFiles(): Promise<string[]>
  /** After an unclean end the next open checks more. */
  close(end: { isClean: boolean }): Promise<void>
}

/** What to do about damage without a backup. */
export const SALVAGE =
  '`npx findling salvage <folder> <new folder>` writes what can still be read into a new store'

/** The error of a database that does not open, as an error of the engine. */
export function openFailure(store: string, error: unknown): FindlingError {
  const reasons = causes(error)
  const message = reasons.map(reason => reason.message).join(': ')
  if (isLocked(error)) {
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
      `The store (${store}) could not be opened: it is damaged (${message}). Restore a backup or a copy of it. If there is none, ${SALVAGE}.`,
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

/** The error of an open database, as an error of the engine. */
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

export const isLocked = (error: unknown): boolean => causes(error).some(({ code }) => code === 'LEVEL_LOCKED')

function causes(error: unknown): { code: string; message: string }[] {
  const found: { code: string; message: string }[] = []
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    found.push({ code: 'code' in at ? String(at.code) : '', message: at.message })
  }
  return found
}
