import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as z from 'zod'
import { type DatasetNumber, datasetNumberSchema } from './dataset-number.ts'

/**
 * What is surely in the store, kept in a file beside LevelDB's own. LevelDB takes a damaged length for the end of a
 * log and a lost CURRENT for a new store: it then opens an older state, or an empty one, without a word.
 */
export interface HighWater {
  /** Number of a change. */
  readonly seq: number
  /** Number and name of the datasets; undefined where an earlier version did not write them. */
  readonly datasets?: readonly (readonly [DatasetNumber, string])[] | undefined
}

const FILE = 'findling.seq'

const schema = z.object({
  seq: z.int().nonnegative(),
  datasets: z.array(z.tuple([datasetNumberSchema, z.string()])),
})

/** Undefined where there never was one. */
export async function readHighWater(folder: string): Promise<HighWater | 'damaged' | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(absent)
  if (text === undefined) return undefined
  const content = text.slice(0, text.lastIndexOf(' '))
  if (text !== line(content)) return 'damaged'
  // Earlier versions wrote the number alone.
  if (/^\d+$/.test(content)) return { seq: Number(content) }
  return schema.safeParse(JSON.parse(content)).data ?? 'damaged'
}

/** Replaced as a whole, and on the disk before it takes its place: a crash leaves what was there before or this. */
export async function writeHighWater(folder: string, { seq, datasets }: HighWater): Promise<void> {
  const file = join(folder, FILE)
  const next = await open(`${file}.new`, 'w')
  try {
    await next.writeFile(line(JSON.stringify({ seq, datasets })))
    await next.sync()
  } finally {
    await next.close()
  }
  await rename(`${file}.new`, file)
}

const line = (content: string): string => `${content} ${crc32(content).toString(16)}\n`

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
