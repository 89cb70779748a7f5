import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

interface Folders {
  readonly store: string
  readonly clientsFolder?: string | undefined
  readonly backupFolder?: string | undefined
}

/** What of the folders must not be together: a store, clients and backups would take the files of another for their own. */
export function folderMistakes({ store, clientsFolder, backupFolder }: Folders): string[] {
  const set = [
    { variable: 'FINDLING_STORE', path: store },
    { variable: 'FINDLING_CLIENTS', path: clientsFolder },
    { variable: 'FINDLING_BACKUP_FOLDER', path: backupFolder },
  ].flatMap(({ variable, path }) =>
    path === undefined ? [] : [{ variable, path, real: real(resolve(path)) }],
  )
  return set.flatMap((one, at) =>
    set.slice(0, at).flatMap(other => {
      const how = together(one.real, other.real)
      if (how === undefined) return []
      const [given, beside] = [JSON.stringify(one.path), JSON.stringify(other.path)]
      return [
        `${one.variable} is ${given}, which is ${how} ${other.variable}, ${beside}; expected two folders of which ` +
          'neither is in the other',
      ]
    }),
  )
}

function together(one: string, other: string): string | undefined {
  if (one === other) return 'the same folder as'
  if (isInside(one, other)) return 'inside of'
  return isInside(other, one) ? 'around' : undefined
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way) // absolute on another drive
}

/** Without symbolic links, as far as the path is there. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}
