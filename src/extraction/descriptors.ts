import { closeSync, existsSync, fstatSync, readdirSync } from 'node:fs'

const folder = '/dev/fd'

/**
 * Closes the files that this process has inherited from its parent: LevelDB, like other native code, opens the files of a
 * store such that child processes inherit them. Node itself has no files open.
 * @param above the last descriptor that is meant to be inherited
 */
export function closeInheritedFiles(above: number): void {
  if (!existsSync(folder)) return
  for (const descriptor of readdirSync(folder).map(Number))
    if (descriptor > above && isFile(descriptor)) closeSync(descriptor)
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false // the descriptor by which the folder was read
  }
}
