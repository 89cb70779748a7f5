import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { FindlingError } from '../errors.ts'
import { inStretches } from '../scheduling/stretch.ts'
import { type CheckedTables, isChecked, readCheckedTables, writeCheckedTables } from './checked-tables.ts'
import { type Database, isLocked, type OpenedDatabase, openFailure, SALVAGE } from './database.ts'
import { assertApart } from './enclosing-folder.ts'
import { readHighWater, writeHighWater } from './high-water.ts'
import { damagedTables, survey, type TableCheck, type TableFile } from './leveldb/files.ts'
import { type Claim, claim } from './open-folders.ts'
import { RESTORE_MARK } from './restore-mark.ts'

export interface FolderOptions {
  readonly cacheBytes: number
  /**
   * What is checked in the tables before LevelDB gets them. `all`: everything. `changed`: everything in tables that may have
   * changed since they were checked or written, the structure of the others. `structure`: the structure of all. After an unclean
   * end it is everything.
   */
  readonly verify: 'all' | 'changed' | 'structure'
  /** Checks tables in another thread; without it, they are checked in this one. */
  readonly checkTables: ((check: TableCheck) => Promise<string[]>) | undefined
  /** Allows opening a folder that is being restored, which is STORE_CORRUPT otherwise. */
  readonly isRestoring?: boolean
}

/**
 * Exists while a folder is open, and is left behind by a crash. LevelDB does not verify what it reads and crashes the process
 * over some damage, so its files are checked before it gets them.
 */
const OPEN_MARK = 'findling.open'

/**
 * LevelDB guards a folder against other processes only. Opened with multithreading a second handle in this
 * process succeeds silently, so the registry of open folders is asked first, by the folder's real path.
 */
export async function openFolder(folder: string, options: FolderOptions): Promise<OpenedDatabase> {
  let held: Claim | undefined
  try {
    const found = await readdir(folder).catch((): string[] => [])
    if (!found.includes('CURRENT')) await assertApart(resolve(folder), folder, 'store')
    await makeFolder(resolve(folder), 'store')
    const path = await realpath(folder)
    held = claim(path, '', folder)
    return await openClaimed(folder, path, held, options)
  } catch (error) {
    held?.release()
    throw error instanceof FindlingError ? error : openFailure(folder, error)
  }
}

async function openClaimed(
  folder: string,
  path: string,
  held: Claim,
  options: FolderOptions,
): Promise<OpenedDatabase> {
  const { Level } = await import('level')
  const highWater = await readHighWater(path)
  const names = await readdir(path)
  if (names.includes(RESTORE_MARK) && !options.isRestoring) throw unfinished(folder)
  const isNew = highWater === undefined && !names.includes('CURRENT')
  if (isNew) assertUnused(folder, names)
  else if (names.includes('CURRENT')) await assertUnlocked(path)
  const wasClosed =
    typeof highWater === 'object' && highWater.datasets !== undefined && !names.includes(OPEN_MARK)
  const openedAt = Date.now()
  const verify = wasClosed ? options.verify : 'all'
  const { losses, tables } = isNew
    ? { losses: [], tables: none }
    : await checkFiles(folder, path, { wasClosed, verify, openedAt }, options)
  // A foreign LevelDB folder is left as it is.
  let isOurs = false
  const mark = async () => {
    await writeFile(join(path, OPEN_MARK), '')
    isOurs = true
  }
  if (isNew || highWater !== undefined) await mark()
  const level = new Level<string, Uint8Array>(path, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    // An open replays the log: 4 MB take tens of milliseconds, LevelDB's larger logs take seconds.
    writeBufferSize: 4 * 2 ** 20,
    cacheSize: options.cacheBytes,
    multithreading: true,
    createIfMissing: isNew,
  })
  const db: Database = level
  await db.open()
  return {
    db,
    beginBatch: () => level.batch(),
    isVolatile: false,
    lost: [...losses, ...(await droppedAtRecovery(path))],
    highWater,
    async raiseHighWater(next) {
      if (!isNew && highWater === undefined) await mark()
      await writeHighWater(path, next)
    },
    damagedFiles: () => damagedFiles(path, options),
    async close({ isClean }) {
      await shortenLog(db, path).catch(() => undefined)
      await db.close()
      // Without this file the next open checks more.
      if (isClean && isOurs && verify !== 'structure')
        await writeCheckedTables(path, tables, openedAt).catch(() => undefined)
      if (isClean) await rm(join(path, OPEN_MARK), { force: true })
      held.release()
    },
  }
}

const none: CheckedTables = new Map()

/**
 * Creates a folder for its owner alone, and missing parents. It does not use the recursive option of mkdir, which never ends
 * if a file system accepts no folders.
 */
export async function makeFolder(path: string, what: 'store' | 'backup', mode = 0o700): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return
  if (!found && dirname(path) !== path) await makeFolder(dirname(path), what, 0o777)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return
    const why = found ? 'it is not a folder' : 'it is not a folder, and none can be created there'
    throw new FindlingError(
      'STORE_FAILED',
      `The ${what} (${path}) could not be opened: ${why} (${error instanceof Error ? error.message : error}).`,
      {
        field: what === 'store' ? what : 'folder',
        received: path,
        expected: 'a folder that can be read and written',
      },
      error,
    )
  }
}

/** Files that a mount, a file manager, version control or an interrupted first open leaves in an empty folder. */
const UNIMPORTANT = /^(\..*|lost\+found|LOCK|LOG|LOG\.old|MANIFEST-000001|000001\.dbtmp|findling\..*)$/
const REMAINS = /^\d{6,}\.(ldb|sst|log)$/

function assertUnused(folder: string, names: readonly string[]): void {
  const foreign = names.filter(name => !UNIMPORTANT.test(name))
  if (foreign.some(name => REMAINS.test(name))) throw corrupt(folder, ['CURRENT is missing.'])
  const expected = 'a store of Findling, an empty folder or a new one'
  if (names.includes('findling.backup'))
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      `The folder ${folder} is a backup, not a store. Nothing in it was changed. Engine.restore() or \`npx findling restore <backup> <folder>\` makes a store of it in a new folder. Accepted: ${expected}.`,
      { field: 'store', received: folder, expected },
    )
  assertNothingForeign(folder, foreign, { field: 'store', expected })
}

/** STORE_UNSUPPORTED when a folder contains something that must not be touched. */
export function assertNothingForeign(
  folder: string,
  foreign: readonly string[],
  { field, expected }: { field: string; expected: string },
): void {
  if (foreign.length === 0) return
  const some = foreign.slice(0, 3).map(name => JSON.stringify(name.slice(0, 60)))
  const more = foreign.length > some.length ? ` and ${foreign.length - some.length} more` : ''
  throw new FindlingError(
    'STORE_UNSUPPORTED',
    `The folder ${folder} holds files that do not belong there: ${some.join(', ')}${more}. Nothing in it was changed. Accepted: ${expected}.`,
    { field, received: folder, expected },
  )
}

const unfinished = (folder: string): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    `The store (${folder}) could not be opened: a restore or salvage into it was not finished. Run it again into the same folder.`,
    { field: 'store', received: folder },
  )

/** Tests the lock without opening anything: files that another process writes to must not be judged. */
export async function assertUnlocked(path: string): Promise<void> {
  const { Level } = await import('level')
  const db = new Level(path, { createIfMissing: false, errorIfExists: true, multithreading: true })
  await db.open().catch(error => {
    if (isLocked(error)) throw error
  })
}

/** What the logs have lost; STORE_CORRUPT if LevelDB must not get the files. */
async function checkFiles(
  folder: string,
  path: string,
  { wasClosed, verify, openedAt }: { wasClosed: boolean; verify: FolderOptions['verify']; openedAt: number },
  options: FolderOptions,
): Promise<{ losses: readonly string[]; tables: CheckedTables }> {
  const { tables, damage, losses } = await survey(path, wasClosed)
  if (damage.length > 0) throw corrupt(folder, damage)
  const checked: CheckedTables = verify === 'changed' ? await readCheckedTables(path, openedAt) : none
  const isSkipped = (table: TableFile) => verify === 'structure' || isChecked(checked, table)
  const [skipped, whole] = [tables.filter(isSkipped), tables.filter(table => !isSkipped(table))]
  const damaged = [
    ...(await tableDamage({ folder: path, tables: whole, part: 'all' }, options)),
    ...(await tableDamage({ folder: path, tables: skipped, part: 'structure' }, options)),
  ]
  if (damaged.length > 0) throw corrupt(folder, damaged)
  const rows = tables.map(table => {
    const at = isChecked(checked, table) ? checked.get(table.name)!.at : openedAt
    return [table.name, { state: table.state, at }] as const
  })
  return { losses, tables: new Map(rows) }
}

/** Below this size threads take longer to start (half a second) than they save: one checks about 1 GB a second. */
const SMALL = 512 * 2 ** 20

async function tableDamage(check: TableCheck, { checkTables }: FolderOptions): Promise<string[]> {
  const { tables, part } = check
  const bytes = tables.reduce((sum, { size }) => sum + size, 0)
  if (!checkTables || part === 'structure' || bytes <= SMALL) return await inStretches(damagedTables(check))
  const shares = Array.from({ length: availableParallelism() }, (): TableFile[] => [])
  for (const [n, table] of tables.entries()) shares[n % shares.length]!.push(table)
  const found = await Promise.all(shares.map(share => checkTables({ ...check, tables: share })))
  return found.flat()
}

/** Damage to files in use: only what is wrong twice counts; anything else was being written or removed. */
async function damagedFiles(path: string, options: FolderOptions): Promise<string[]> {
  const first = await damageOf(path, options)
  if (first.length === 0) return []
  const second = await damageOf(path, options)
  return second.filter(message => first.includes(message))
}

/** If a compaction removes a file during the check, the check is repeated. */
async function damageOf(path: string, options: FolderOptions, tries = 20): Promise<string[]> {
  try {
    const { tables, damage, losses } = await survey(path, false)
    return [...damage, ...losses, ...(await tableDamage({ folder: path, tables, part: 'all' }, options))]
  } catch (error) {
    if (tries > 1 && error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return await damageOf(path, options, tries - 1)
    throw error
  }
}

function corrupt(folder: string, damage: readonly string[]): FindlingError {
  const [first] = damage
  const more = damage.length > 1 ? ` (and ${damage.length - 1} more like it)` : ''
  return new FindlingError(
    'STORE_CORRUPT',
    `The store (${folder}) cannot be used: ${first}${more} Nothing was opened or changed. Restore a backup or a copy of the folder. If there is none, ${SALVAGE}.`,
    { field: 'store', received: folder, damage },
  )
}

/** Size of a log that an open replays within a millisecond or two. */
const SHORT_LOG = 2 ** 16

/** LevelDB removes logs in the background. */
const noSize = () => 0

/** Makes a long log a table, which spares the next open to replay it: LevelDB does so before it compacts any range. */
async function shortenLog(db: Database, path: string): Promise<void> {
  const logs = (await readdir(path)).filter(name => name.endsWith('.log'))
  const sizes = await Promise.all(logs.map(name => stat(join(path, name)).then(({ size }) => size, noSize)))
  if (Math.max(...sizes) > SHORT_LOG) await db.compactRange?.('~', '~', { keyEncoding: 'utf8' })
}

/** LevelDB reads past damage in its log and says so only in its own LOG file, which it starts again at every open. */
async function droppedAtRecovery(path: string): Promise<string[]> {
  const log = await readFile(join(path, 'LOG'), 'utf8').catch(() => '')
  return log.split('\n').filter(line => line.includes(': dropping '))
}
