import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { readChecked, writeChecked } from './checked-file.ts'
import type { TableFile } from './leveldb/files.ts'

const FILE = 'findling.checked'

/** Milliseconds after which a check expires, since the disk may have degraded. */
const DAY = 24 * 60 * 60 * 1000

/** By name: its `stateOf`, and when it was checked, or written by a process that closed it properly. */
export type CheckedTables = ReadonlyMap<string, { readonly state: string; readonly at: number }>

const schema = z.array(z.tuple([z.string(), z.string(), z.number()]))

/**
 * The tables of a folder that need not be checked again: LevelDB never changes a table, and anybody else who writes to one or
 * copies it changes its state. Empty if that is not known.
 */
export async function readCheckedTables(folder: string, now = Date.now()): Promise<CheckedTables> {
  const file = await readChecked(join(folder, FILE)).catch(() => undefined)
  if (file === undefined || file === 'damaged') return new Map()
  const { data = [] } = schema.safeParse(JSON.parse(file.content))
  const recent = data.filter(([, , at]) => at <= now && now - at < DAY)
  return new Map(recent.map(([name, state, at]) => [name, { state, at }]))
}

/** The tables that have to be checked. */
export async function uncheckedTables(
  folder: string,
  tables: readonly TableFile[],
  checked: CheckedTables,
): Promise<TableFile[]> {
  const isDue = async ({ name }: TableFile) =>
    checked.get(name)?.state !== (await stateOf(join(folder, name)))
  const due = await Promise.all(tables.map(isDue))
  return tables.filter((_, i) => due[i])
}

/**
 * Records the tables of a folder that has been closed properly.
 * @param opened the time of the check for all tables that `checked` does not list in their present state
 */
export async function writeCheckedTables(
  folder: string,
  checked: CheckedTables,
  opened: number,
): Promise<void> {
  const names = (await readdir(folder)).filter(name => /\.(ldb|sst)$/.test(name))
  const states = await Promise.all(names.map(name => stateOf(join(folder, name))))
  const now = names.flatMap((name, i) => {
    const state = states[i]
    if (state === undefined) return []
    const before = checked.get(name)
    return [[name, state, before?.state === state ? before.at : opened]]
  })
  await writeChecked(join(folder, FILE), JSON.stringify(now))
}

/** A text that differs after any change of the file; undefined if there is no file. */
async function stateOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && [found.size, found.ino, found.mtimeNs, found.ctimeNs].join(' ')
}
