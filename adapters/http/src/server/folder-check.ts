import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { absent } from '../files/absent.ts'

/** A folder that is set, and cannot be used. */
export class FolderError extends Error {
  override readonly name = 'FolderError'
}

/**
 * Whether files can be written to a folder; one that is not there yet is made later, in the nearest one above that is.
 * @returns what it can, in words
 * @throws FolderError
 */
export async function checkFolder(path: string): Promise<string> {
  const folder = resolve(path)
  try {
    const there = await nearest(folder)
    if (!(await stat(there)).isDirectory()) throw new FolderError(`${there} is not a folder`)
    await access(there, constants.W_OK | constants.X_OK)
    return there === folder ? `${folder} is writable` : `${folder} can be created`
  } catch (error) {
    if (error instanceof FolderError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new FolderError(`${folder} is not writable: ${why}`, { cause: error })
  }
}

async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).catch(absent)
  return isThere || dirname(folder) === folder ? folder : await nearest(dirname(folder))
}
