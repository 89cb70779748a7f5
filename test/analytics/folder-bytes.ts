import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether any file of a folder has a text in it, in UTF-8. */
export async function hasBytes(folder: string, text: string): Promise<boolean> {
  for (const name of await readdir(folder, { recursive: true })) {
    const bytes = await readFile(join(folder, name)).catch(() => undefined)
    if (bytes?.includes(text)) return true
  }
  return false
}
