import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/**
 * The number of a change that is surely in the store, kept in a file beside LevelDB's own. LevelDB takes a damaged
 * length for the end of a log and a lost CURRENT for a new store: it then opens an older state, or an empty one,
 * without a word.
 */
const FILE = 'findling.seq'

/** Undefined where there never was one, NaN when it is damaged. */
export async function readHighWater(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, FILE), 'latin1').catch(absent)
  if (text === undefined) return undefined
  const seq = Number.parseInt(text, 10)
  return text === line(seq) ? seq : Number.NaN
}

/** Replaced as a whole, and on the disk before it takes its place: a crash leaves the number before or this one. */
export async function writeHighWater(folder: string, seq: number): Promise<void> {
  const file = join(folder, FILE)
  const next = await open(`${file}.new`, 'w')
  try {
    await next.writeFile(line(seq))
    await next.sync()
  } finally {
    await next.close()
  }
  await rename(`${file}.new`, file)
}

const line = (seq: number): string => `${seq} ${crc32(String(seq)).toString(16)}\n`

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
