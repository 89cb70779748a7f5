import { copyFile, link, mkdtemp, readdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OwnAnalyzers } from './datasets/analyzers.ts'
import type { DoctorReport } from './doctor.ts'
import { Engine } from './engine.ts'
import type { EngineOptions } from './engine-options.ts'
import { type ErrorCode, FindlingError } from './errors.ts'
import { inStretches } from './scheduling/stretch.ts'
import { isLocked } from './store/database.ts'
import { assertUnlocked } from './store/folder.ts'
import { damagedTables, survey } from './store/leveldb/files.ts'
import { claim } from './store/open-folders.ts'

/** The result of examining a folder. */
export interface FolderReport {
  /**
   * `whole`: nothing is wrong. `damaged`: something is. `foreign`: not a store of Findling, or one of another version.
   * `unexaminable`: it cannot be read, or is in use.
   */
  outcome: 'whole' | 'damaged' | 'foreign' | 'unexaminable'
  /** One sentence each, for people. */
  messages: string[]
  /** What the doctor found; undefined if the store did not open. */
  report?: DoctorReport
}

/** If an engine opens and closes the folder meanwhile, it changes and is copied again. */
const ATTEMPTS = 3

/**
 * Examines a store without changing a byte of it: first the files by their checksums, then everything stored, in a copy. Tables,
 * which LevelDB never writes to again, are linked into the copy if the file system supports it.
 * @param within a folder for the copy
 */
export async function examineFolder(folder: string, within: string = tmpdir()): Promise<FolderReport> {
  try {
    const path = await realpath(folder)
    const names = await readdir(path)
    const refusal = refusalOf(names)
    if (refusal) return { outcome: 'foreign', messages: [refusal] }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const report = (await isInUse(path, within)) ? undefined : await examineCopy(path, within)
      if (report) return report
    }
    return { outcome: 'unexaminable', messages: [IN_USE] }
  } catch (error) {
    return failed(error)
  }
}

export function refusalOf(names: readonly string[]): string | undefined {
  if (names.includes('findling.backup')) return 'This is a backup, not a store; verify it instead.'
  const isStore = names.some(
    name => name === 'CURRENT' || name === 'findling.seq' || /^\d{6,}\.(ldb|sst|log)$/.test(name),
  )
  if (isStore) return undefined
  return names.length === 0 ? 'The folder is empty.' : 'The folder holds no store of Findling.'
}

export const IN_USE =
  'The store is in use, so it was left alone. Stop the program that has it open; a program of your own can call engine.doctor() instead.'

/**
 * Tests by a link whether an engine in another process holds the lock, because LevelDB would start a new LOG in the folder
 * itself. False if the lock cannot be tested.
 */
export async function isInUse(path: string, within: string): Promise<boolean> {
  const besides = await mkdtemp(join(within, 'findling-doctor-'))
  try {
    // Within this process the lock protects nothing, and testing it would release it.
    claim(path, '', path).release()
    const [lock, linked] = [join(path, 'LOCK'), join(besides, 'LOCK')]
    await link(lock, linked).catch(() => symlink(lock, linked))
    await assertUnlocked(besides)
    return false
  } catch (error) {
    return (error instanceof FindlingError && error.code === 'STORE_LOCKED') || isLocked(error)
  } finally {
    await rm(besides, { recursive: true, force: true })
  }
}

/** Undefined when the folder changed meanwhile. */
async function examineCopy(path: string, within: string): Promise<FolderReport | undefined> {
  const before = await stampOf(path)
  const damage = await fileDamage(path)
  const copy = await mkdtemp(join(within, 'findling-doctor-'))
  try {
    if (damage.length === 0) await copyStore(path, copy)
    if ((await stampOf(path)) !== before) return undefined
    if (damage.length > 0) return { outcome: 'damaged', messages: damage }
    return await examineStore(copy, path)
  } catch (error) {
    if (isMissing(error) && (await stampOf(path)) !== before) return undefined
    throw error
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Names, sizes and times of the files. */
async function stampOf(path: string): Promise<string> {
  const stamps: string[] = []
  for (const name of (await readdir(path)).sort()) {
    const found = await stat(join(path, name)).catch(() => undefined)
    stamps.push(`${name} ${found?.size} ${found?.mtimeMs}`)
  }
  return stamps.join('\n')
}

/** Whether the store was closed properly does not matter: opening the copy recovers what a crash cut off. */
async function fileDamage(path: string): Promise<string[]> {
  const { tables, damage } = await survey(path, false)
  return [...damage, ...(await inStretches(damagedTables({ folder: path, tables, part: 'all' })))]
}

async function copyStore(path: string, copy: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'LOCK') continue
    const [from, to] = [join(path, entry.name), join(copy, entry.name)]
    if (!/\.(ldb|sst)$/.test(entry.name)) await copyFile(from, to)
    else await link(from, to).catch(() => copyFile(from, to))
  }
}

async function examineStore(copy: string, path: string): Promise<FolderReport> {
  const messages: string[] = []
  const hear = (_: object, message: string) => void messages.push(message)
  try {
    const options: EngineOptions = {
      store: copy,
      // All files have just been checked.
      verify: 'structure',
      accept: ['DATASETS_LOST'],
      durability: 'process',
      logger: { warn: () => {}, error: hear },
    }
    const engine = await Engine.openWith(options, { analyzers: OwnAnalyzers.standIns })
    try {
      const report = await engine.doctor()
      for (const { message } of report.faults) if (!messages.includes(message)) messages.push(message)
      return { outcome: messages.length === 0 ? 'whole' : 'damaged', messages, report }
    } finally {
      await engine.close()
    }
  } catch (error) {
    const { outcome, messages: why } = failed(error)
    return { outcome, messages: [...messages, ...why.map(message => message.replaceAll(copy, path))] }
  }
}

/** The report for a folder whose examination failed with this error. */
export function failed(error: unknown): FolderReport {
  return { outcome: outcomeOf(error), messages: [messageOf(error)] }
}

function messageOf(error: unknown): string {
  if (isMissing(error) && 'syscall' in error && error.syscall === 'realpath')
    return 'There is no such folder.'
  return error instanceof Error ? error.message : String(error)
}

function outcomeOf(error: unknown): FolderReport['outcome'] {
  if (!(error instanceof FindlingError)) return 'unexaminable'
  return outcomes[error.code] ?? 'unexaminable'
}

const outcomes: { [Code in ErrorCode]?: FolderReport['outcome'] } = {
  STORE_CORRUPT: 'damaged',
  DATASETS_LOST: 'damaged',
  STORE_UNSUPPORTED: 'foreign',
  FORMAT_UNSUPPORTED: 'foreign',
}

const isMissing = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
