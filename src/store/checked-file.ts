import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** Reads a small file of one line of text and its checksum. Undefined if there is none. */
export async function readChecked(path: string): Promise<{ content: string } | 'damaged' | undefined> {
  const text = await readFile(path, 'utf8').catch(absent)
  if (text === undefined) return undefined
  const content = text.slice(0, text.lastIndexOf(' '))
  return text === line(content) ? { content } : 'damaged'
}

/** Replaces the file atomically, and syncs it first: a crash leaves either the old or the new one. */
export async function writeChecked(path: string, content: string): Promise<void> {
  const next = await open(`${path}.new`, 'w')
  try {
    await next.writeFile(line(content))
    await next.sync()
  } finally {
    await next.close()
  }
  await rename(`${path}.new`, path)
}

/** Syncs the folder, so that created, changed or removed names are on the disk, if folders can be opened for that. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

const line = (content: string): string => `${content} ${crc32(content).toString(16)}\n`

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
