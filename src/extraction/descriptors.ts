import { closeSync, existsSync, fstatSync, readdirSync } from 'node:fs'

const folder = '/dev/fd'

/**
 * Closes the files that this process has from the one that started it: LevelDB, like other native code, opens the files of
 * a store so that whatever is begun has them, too. Node has none open itself.
 * @param above the last one that was meant to be handed on
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
    return false // that of the folder, which was read
  }
}
