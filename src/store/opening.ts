import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { FindlingError } from '../errors.ts'
import { type Database, ENCODINGS, type OpenedDatabase, openFailure } from './database.ts'
import { type FolderOptions, openFolder } from './folder.ts'
import { claim } from './open-folders.ts'

/** Opens the store of an engine: a folder, a database that was handed in, or (undefined) memory. */
export async function openDatabase(
  store: string | Database | undefined,
  options: FolderOptions,
): Promise<OpenedDatabase> {
  if (store === undefined) return await openMemory()
  return typeof store === 'string' ? await openFolder(store, options) : await openGiven(store)
}

const withoutFiles = {
  lost: [],
  highWater: undefined,
  raiseHighWater: async () => {},
  damagedFiles: async () => [],
}

async function openMemory(): Promise<OpenedDatabase> {
  const { MemoryLevel } = await import('memory-level')
  const level = new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' })
  const db: Database = level
  await db.open()
  return {
    db,
    beginBatch: () => level.batch(),
    beginReading() {
      const snapshot = level.snapshot()
      return {
        getMany: keys => level.getMany(keys, { ...ENCODINGS, snapshot }),
        close: () => snapshot.close(),
      }
    },
    isVolatile: true,
    ...withoutFiles,
    close: () => db.close(),
  }
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
  // Its creator closes it: the engine only lets go of it.
  return { db, isVolatile: false, ...withoutFiles, close: async () => held.release() }
}

const HANDED_IN = 'the database handed in'

/** Members that some kinds of databases have: a sublevel its root and prefix, LevelDB its folder. */
interface Placed extends Database {
  readonly db?: Placed
  readonly prefix?: string
  readonly location?: string
}

/** The identity of a database: two objects may stand for one folder, or for one part of it. */
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
