import { join } from 'node:path'
import * as z from 'zod'
import { readChecked, writeChecked } from './checked-file.ts'
import { type DatasetNumber, datasetNumberSchema } from './dataset-number.ts'

/**
 * What must be in the store, kept in a file beside LevelDB's own. LevelDB takes a damaged length for the end of a log, and a
 * lost CURRENT for a new store: it then silently opens an older state, or an empty one.
 */
export interface HighWater {
  /** Number of a change. */
  readonly seq: number
  /** Number and name of the datasets; undefined if an earlier version did not write them. */
  readonly datasets?: readonly (readonly [DatasetNumber, string])[] | undefined
}

const FILE = 'findling.seq'

const schema = z.object({
  seq: z.int().nonnegative(),
  datasets: z.array(z.tuple([datasetNumberSchema, z.string()])),
})

/** Undefined if there never was one. */
export async function readHighWater(folder: string): Promise<HighWater | 'damaged' | undefined> {
  const file = await readChecked(join(folder, FILE))
  if (file === undefined || file === 'damaged') return file
  const { content } = file
  // Earlier versions wrote only the number.
  if (/^\d+$/.test(content)) return { seq: Number(content) }
  return schema.safeParse(JSON.parse(content)).data ?? 'damaged'
}

export async function writeHighWater(folder: string, { seq, datasets }: HighWater): Promise<void> {
  await writeChecked(join(folder, FILE), JSON.stringify({ seq, datasets }))
}
