import { readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FindlingError } from '../../errors.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import { syncFolderOf } from '../checked-file.ts'
import { unseal } from '../checksum.ts'
import { answered, ENCODINGS, type Operation } from '../database.ts'
import { assertNothingForeign, assertUnlocked, makeFolder, RESTORE_MARK } from '../folder.ts'
import { FORMAT_KEY } from '../keyspace.ts'
import { claim } from '../open-folders.ts'
import { openDatabase } from '../opening.ts'
import { Store } from '../store.ts'
import { type BackupWatching, backupFailure } from './backup.ts'
import { type Catalogue, existingCatalogue, usableCatalogue } from './backup-folder.ts'
import { Layers } from './layers.ts'

/** Facts about a backup. */
export interface BackupFacts {
  /** When it was finished, in milliseconds since 1970. */
  madeAt: number
  /** Number of the newest change in it. */
  seq: number
  /** Entries of the store: documents, changes, tags, parts of indexes and everything else. */
  entries: number
  /** The size of all keys and values, uncompressed. */
  bytes: number
  /** The text that was given when it was made. */
  note?: string
}

/** More at once would block the event loop. */
const WRITTEN_AT_ONCE = 500
const WRITTEN_BYTES = 2 ** 18

/** What a backup says about itself, unverified; undefined if there is none. STORE_CORRUPT, FORMAT_UNSUPPORTED. */
export async function describeBackup(folder: string): Promise<BackupFacts | undefined> {
  try {
    const catalogue = await usableCatalogue(folder)
    return catalogue && factsOf(catalogue)
  } catch (error) {
    throw backupFailure(folder, error)
  }
}

const factsOf = ({ madeAt, seq, entries, bytes, note }: Catalogue): BackupFacts => ({
  ...{ madeAt, seq, entries, bytes },
  ...(note !== undefined && { note }),
})

/** Reads all of a backup and compares every checksum. STORE_CORRUPT, STORE_UNSUPPORTED, FORMAT_UNSUPPORTED. */
export async function verifyBackup(folder: string, watching: BackupWatching): Promise<BackupFacts> {
  try {
    return await readBackup(folder, watching, () => undefined)
  } catch (error) {
    throw backupFailure(folder, error)
  }
}

/** Restores a backup as a store in an empty folder; until it is complete, the folder does not open. */
export async function restoreBackup(
  backup: string,
  folder: string,
  watching: BackupWatching,
): Promise<BackupFacts> {
  try {
    await existingCatalogue(backup)
    await makeFolder(resolve(folder), 'store')
    const path = await realpath(folder)
    // Separate from the claim on the folder itself, which each opening takes again.
    const held = claim(join(path, RESTORE_MARK), '', folder)
    try {
      return await restoreInto(path, folder, backup, watching)
    } finally {
      held.release()
    }
  } catch (error) {
    throw backupFailure(backup, error)
  }
}

async function restoreInto(path: string, folder: string, backup: string, watching: BackupWatching) {
  await takeOver(path, folder)
  try {
    const facts = await write(path, backup, watching)
    // One opening, with all its checks, also writes what belongs to a properly closed store.
    const damage: string[] = []
    const store = await Store.open({
      store: path,
      durability: 'disk',
      verify: 'all',
      isRestoring: true,
      onDamage: message => damage.push(message),
    })
    await store.close()
    if (damage.length > 0) throw disagreeing(backup, `its contents contradict each other. ${damage[0]}`)
    await rm(join(path, RESTORE_MARK))
    await syncFolderOf(join(path, RESTORE_MARK))
    return facts
  } catch (error) {
    await empty(path)
    throw error
  }
}

/** Marks a folder that is empty or holds the remains of an earlier restore that nobody has open. */
async function takeOver(path: string, folder: string): Promise<void> {
  const names = await readdir(path)
  const isLeft = names.includes(RESTORE_MARK)
  const foreign = names.filter(name => !UNIMPORTANT.test(name) && !(isLeft && OF_STORE.test(name)))
  assertNothingForeign(folder, foreign, { field: 'folder', expected: 'an empty folder or a new one' })
  if (isLeft && names.includes('CURRENT')) await assertUnlocked(path)
  const mark = join(path, RESTORE_MARK)
  await writeFile(mark, '', { flush: true })
  await syncFolderOf(mark)
  await empty(path, { mark: true })
}

const UNIMPORTANT = /^(\..*|lost\+found)$/
const OF_STORE =
  /^(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d{6,}\.(ldb|sst|log|dbtmp)|findling\.(seq|seq\.new|checked|checked\.new|open|restore))$/

/** Removes the mark last: without it, the remains of a store might open. */
async function empty(path: string, keep: { mark: boolean } = { mark: false }): Promise<void> {
  for (const name of await readdir(path)) {
    if (OF_STORE.test(name) && name !== RESTORE_MARK) await rm(join(path, name))
  }
  if (!keep.mark) await rm(join(path, RESTORE_MARK), { force: true })
}

async function write(path: string, backup: string, watching: BackupWatching): Promise<BackupFacts> {
  const { db, close } = await openDatabase(path, {
    cacheBytes: 2 ** 23,
    verify: 'structure',
    checkTables: undefined,
    isRestoring: true,
  })
  try {
    let batch: Operation[] = []
    let bytes = 0
    let format: Operation | undefined
    const flush = async () => {
      const full = batch
      batch = []
      bytes = 0
      await answered(db.batch(full, ENCODINGS))
    }
    const facts = await readBackup(backup, watching, (key, value) => {
      const operation: Operation = { type: 'put', key, value }
      if (key === FORMAT_KEY) {
        format = operation
        return undefined
      }
      batch.push(operation)
      bytes += value.byteLength
      return batch.length >= WRITTEN_AT_ONCE || bytes >= WRITTEN_BYTES ? flush() : undefined
    })
    await flush()
    // Last, so that nothing takes the folder for a store before it is complete.
    if (format) await answered(db.batch([format], { ...ENCODINGS, sync: true }))
    return facts
  } finally {
    await close({ isClean: true })
  }
}

/** All entries, verified, at the pace of the consumer. */
async function readBackup(
  folder: string,
  { signal, onProgress }: BackupWatching,
  take: (key: string, value: Uint8Array) => Promise<void> | undefined,
): Promise<BackupFacts> {
  const catalogue = await existingCatalogue(folder)
  const { entries, bytes, layers } = catalogue
  const opened = await Layers.open(folder, layers)
  const stretch = new Stretch()
  const seen = { entries: 0, bytes: 0 }
  const told = (done: number) =>
    onProgress?.({
      done,
      total: bytes,
      phase: 'reading',
      percent: Math.round((Math.min(done, bytes) / bytes) * 10_000) / 100,
    })
  try {
    while (opened.head) {
      if (signal?.aborted)
        throw new FindlingError('CANCELLED', 'Reading the backup was cancelled.', {}, signal.reason)
      const { key, value } = opened.head
      if (!unseal(key, value)) throw disagreeing(folder, `the value of ${JSON.stringify(key)} is damaged.`)
      seen.entries++
      seen.bytes += Buffer.byteLength(key) + value.byteLength
      const taken = take(key, value)
      if (taken) await taken
      const wait = opened.next()
      if (wait) await wait
      if (!stretch.isOver) continue
      told(seen.bytes)
      await stretch.pause()
    }
  } finally {
    await opened.close()
  }
  if (seen.entries !== entries || seen.bytes !== bytes) {
    throw disagreeing(
      folder,
      `it has ${seen.entries} entries of ${seen.bytes} bytes, not ${entries} of ${bytes}.`,
    )
  }
  told(bytes)
  return factsOf(catalogue)
}

const disagreeing = (folder: string, why: string): FindlingError =>
  new FindlingError('STORE_CORRUPT', `The backup in ${folder} is damaged: ${why}`, { backup: folder })
