import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { FindlingError } from '../errors.ts'
import { RESTORE_MARK } from './restore-mark.ts'

/** Whether a folder, which may not exist yet, is another one or lies in it, also through links. */
export async function liesWithin(path: string, folder: string): Promise<boolean> {
  const [inner, outer] = [await realPlace(path), await realPlace(folder)]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`)
}

/**
 * STORE_UNSUPPORTED if a folder, which may not exist yet, lies in that of a store or backup: what is done to one would then be
 * done to the other, and both are refused as folders with other files.
 * @param field what errors call the folder
 */
export async function assertApart(path: string, folder: string, field = 'folder'): Promise<void> {
  const real = await realPlace(path)
  for (let at = dirname(real), below = real; at !== below; below = at, at = dirname(at)) {
    const what = await contentsOf(at)
    if (!what) continue
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      `The folder ${folder} lies in the folder of ${what} (${at}). Nothing was changed. Accepted: a folder elsewhere.`,
      { field, received: folder, expected: 'a folder that is in no store or backup' },
    )
  }
}

async function contentsOf(path: string): Promise<string | undefined> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      found => found.isFile(),
      () => false,
    )
  if (await has('findling.backup')) return 'a backup'
  if ((await has('findling.seq')) || (await has(RESTORE_MARK))) return 'a store'
  return (await has('CURRENT')) && (await has('LOCK')) ? 'a store or another database' : undefined
}

/** The path without links, as far as it exists. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || dirname(path) === path) return real ?? path
  return join(await realPlace(dirname(path)), basename(path))
}
