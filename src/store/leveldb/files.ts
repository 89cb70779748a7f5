import { closeSync, openSync, readSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { atOnce } from '../../scheduling/at-once.ts'
import { readLog } from './log.ts'
import { tableDamage } from './table.ts'
import { type Version, versionOf } from './version.ts'

export interface TableFile {
  readonly name: string
  readonly size: number
  /** A text that differs after any change of the file, and for a copy. */
  readonly state: string
}

/** The size and state of a file. */
export async function stateOf(path: string): Promise<{ size: number; text: string }> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
  return { size: Number(size), text: [dev, ino, size, mtimeNs, ctimeNs].join(' ') }
}

/** What is known about a database's files before its tables are read. */
export interface Survey {
  readonly tables: readonly TableFile[]
  /** Damage with which LevelDB would open an older state or none, or crash the process. */
  readonly damage: readonly string[]
  /** Changes that LevelDB will silently drop. */
  readonly losses: readonly string[]
}

/**
 * Reads the small files of a LevelDB folder as LevelDB would, but trusts nothing that a checksum does not confirm.
 * `wasClosed`: whether the store was closed properly, so that no file may be truncated.
 */
export async function survey(folder: string, wasClosed: boolean): Promise<Survey> {
  const names = await readdir(folder)
  const version = await currentVersion(folder, names, wasClosed)
  if (typeof version === 'string') return { tables: [], damage: [version], losses: [] }
  const { tables, missing } = await tablesOf(folder, version, names)
  return { tables, damage: missing, losses: await logLosses(folder, version, names, wasClosed) }
}

/** What CURRENT and the manifest say, or what is wrong with them. */
export async function currentVersion(
  folder: string,
  names: readonly string[],
  wasClosed: boolean,
): Promise<Version | string> {
  if (!names.includes('CURRENT')) return 'CURRENT is missing.'
  const current = await readFile(join(folder, 'CURRENT'), 'latin1')
  const manifest = current.slice(0, -1)
  if (!/^MANIFEST-\d{6,}\n$/.test(current) || !names.includes(manifest)) return 'CURRENT names no manifest.'
  const later = names.filter(name => /^MANIFEST-\d+$/.test(name) && numberIn(name) > numberIn(manifest))
  if (wasClosed && later.length > 0) return `CURRENT names ${manifest}, although ${later[0]} is there.`
  const { records, damage, isTorn } = readLog(await readFile(join(folder, manifest)))
  if (damage !== undefined) return `${manifest} holds ${damage}.`
  if (records.length === 0 || (isTorn && wasClosed)) return `${manifest} is cut off.`
  try {
    return versionOf(records)
  } catch (error) {
    if (error instanceof RangeError) return `${manifest} cannot be read: ${error.message}.`
    throw error
  }
}

export async function tablesOf(folder: string, version: Version, names: readonly string[]) {
  const tables: TableFile[] = []
  const missing: string[] = []
  for (const [number, size] of version.tables) {
    const name = tableName(number, names)
    const found = name && (await stateOf(join(folder, name)))
    if (found && found.size === size) tables.push({ name, size, state: found.text })
    else if (found) missing.push(`${name} has ${found.size} bytes instead of ${size}.`)
    else missing.push(`${digits(number)}.ldb is missing.`)
  }
  return { tables, missing }
}

async function logLosses(
  folder: string,
  { log, previousLog }: Version,
  names: readonly string[],
  wasClosed: boolean,
): Promise<string[]> {
  const losses: string[] = []
  if (log > 0 && !names.includes(`${digits(log)}.log`)) losses.push(`${digits(log)}.log is missing.`)
  for (const name of names) {
    if (!/^\d+\.log$/.test(name) || (numberIn(name) < log && numberIn(name) !== previousLog)) continue
    const { damage, isTorn } = readLog(await readFile(join(folder, name)))
    if (damage !== undefined) losses.push(`${name} holds ${damage}: changes in it are lost.`)
    else if (isTorn && wasClosed) losses.push(`${name} is cut off: changes in it are lost.`)
  }
  return losses
}

export const tableName = (number: number, names: readonly string[]): string | undefined =>
  [`${digits(number)}.ldb`, `${digits(number)}.sst`].find(name => names.includes(name))

const digits = (number: number): string => String(number).padStart(6, '0')
const numberIn = (name: string): number => Number(/\d+/.exec(name)![0])

export interface TableCheck {
  readonly folder: string
  readonly tables: readonly TableFile[]
  /** `structure`: without the data blocks. */
  readonly part: 'all' | 'structure'
}

/** Checks tables one after the other, and returns the damage. */
export function* damagedTables({ folder, tables, part }: TableCheck): Generator<void, string[]> {
  const damage: string[] = []
  const memory = new Memory()
  for (const table of tables) {
    const found = damageOf(join(folder, table.name), table.size, part, memory)
    if (found !== undefined) damage.push(`${table.name} is damaged: ${found}.`)
    yield
  }
  return damage
}

/** The same without pauses, for a thread of its own. */
export const checkTables = (check: TableCheck): string[] => atOnce(damagedTables(check))

/** One buffer, reused for one file after the other. */
class Memory {
  #bytes = Buffer.allocUnsafeSlow(0)

  ofSize(size: number): Buffer {
    if (size > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(size)
    return this.#bytes.subarray(0, size)
  }
}

function damageOf(path: string, size: number, part: TableCheck['part'], memory: Memory): string | undefined {
  let file: number | undefined
  try {
    const opened = openSync(path, 'r')
    file = opened
    const readTail = (bytes: number) => {
      const tail = memory.ofSize(Math.min(bytes, size))
      if (readSync(opened, tail, 0, tail.length, size - tail.length) < tail.length)
        throw new RangeError('it ends too early')
      return tail
    }
    return tableDamage(size, readTail, part)
  } catch (error) {
    if (isUnreadable(error)) return error.message
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The disk's error for damage, and a missing file. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && (error.code === 'EIO' || error.code === 'ENOENT')
