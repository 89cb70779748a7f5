import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { readChecked, writeChecked } from './checked-file.ts'
import { stateOf, type TableFile } from './leveldb/files.ts'

const FILE = 'findling.checked'

/** Milliseconds after which a check expires, since the disk may have degraded. */
const DAY = 24 * 60 * 60 * 1000

/** By name: the state of the file, and when it was checked, or written by a process that closed it properly. */
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

/** Whether a table need not be checked. */
export const isChecked = (checked: CheckedTables, { name, state }: TableFile): boolean =>
  checked.get(name)?.state === state

/**
 * Records the tables of a folder that has been closed properly; of those that were there when it was opened, the ones that
 * nobody has changed since.
 * @param there when it was opened, with the times of their checks
 * @param opened when that was, for the tables that were written since
 */
export async function writeCheckedTables(
  folder: string,
  there: CheckedTables,
  opened: number,
): Promise<void> {
  const rows: [name: string, state: string, at: number][] = []
  for (const name of (await readdir(folder)).filter(name => /\.(ldb|sst)$/.test(name))) {
    // LevelDB removes some in the background.
    const state = await stateOf(join(folder, name)).catch(() => undefined)
    const before = there.get(name)
    if (state && (!before || before.state === state.text)) rows.push([name, state.text, before?.at ?? opened])
  }
  await writeChecked(join(folder, FILE), JSON.stringify(rows))
}
