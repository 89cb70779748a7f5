import { readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { syncFolderOf } from './checked-file.ts'
import { answered, ENCODINGS, type Operation } from './database.ts'
import { assertApart } from './enclosing-folder.ts'
import { assertNothingForeign, assertUnlocked, makeFolder } from './folder.ts'
import { type HighWater, writeHighWater } from './high-water.ts'
import { FORMAT_KEY } from './keyspace.ts'
import { claim } from './open-folders.ts'
import { openDatabase } from './opening.ts'
import { RESTORE_MARK } from './restore-mark.ts'
import { Store } from './store.ts'

/** Takes a sealed entry; a promise if the next one has to wait. */
export type Put = (key: string, value: Uint8Array) => Promise<void> | undefined

/** How a new store gets its contents. */
export interface Filling<T, R> {
  /** Hands over all entries. */
  write(put: Put): Promise<T>
  /** What the entries should amount to; by default they are not compared with anything. */
  readonly highWater?: HighWater | undefined
  /**
   * Does what is left to do in the closed store before others may open it, and throws if it is not to be used.
   * @param damage what the first opening has found wrong
   */
  finish(written: T, damage: readonly string[]): Promise<R>
}

/** More at once would block the event loop. */
const WRITTEN_AT_ONCE = 500
const WRITTEN_BYTES = 2 ** 18

/** Makes a store of entries in an empty folder; until it is complete, the folder does not open. */
export async function fillFolder<T, R>(folder: string, filling: Filling<T, R>): Promise<R> {
  await assertApart(resolve(folder), folder)
  await makeFolder(resolve(folder), 'store')
  const path = await realpath(folder)
  // Separate from the claim on the folder itself, which each opening takes again.
  const held = claim(join(path, RESTORE_MARK), '', folder)
  try {
    await takeOver(path, folder)
    return await fill(path, filling)
  } finally {
    held.release()
  }
}

async function fill<T, R>(path: string, { write, highWater, finish }: Filling<T, R>): Promise<R> {
  try {
    const written = await writeInto(path, write)
    if (highWater) await writeHighWater(path, highWater)
    // One opening, with all its checks, also writes what belongs to a properly closed store.
    const damage: string[] = []
    const store = await Store.open({
      store: path,
      durability: 'disk',
      verify: 'all',
      isRestoring: true,
      accept: ['DATASETS_LOST'],
      onDamage: message => damage.push(message),
    })
    await store.close()
    const result = await finish(written, damage)
    await rm(join(path, RESTORE_MARK))
    await syncFolderOf(join(path, RESTORE_MARK))
    return result
  } catch (error) {
    await empty(path)
    throw error
  }
}

/** Marks a folder that is empty or holds the remains of an earlier attempt that nobody has open. */
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

async function writeInto<T>(path: string, write: Filling<T, unknown>['write']): Promise<T> {
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
    const result = await write((key, value) => {
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
    return result
  } finally {
    await close({ isClean: true })
  }
}
