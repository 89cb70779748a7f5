import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

interface Folders {
  readonly store: string
  readonly clientsFolder?: string | undefined
  readonly backupFolder?: string | undefined
  readonly filesFolder?: string | undefined
  readonly snapshots?: string | undefined
}

/**
 * One mistake for each pair of folders of which one is inside the other: a store, clients, backups and files for download
 * would take each other's files for their own. Only clients may have their files beside their stores.
 */
export function folderMistakes({
  store,
  clientsFolder,
  backupFolder,
  filesFolder,
  snapshots,
}: Folders): string[] {
  const set = [
    { variable: 'FINDLING_STORE', path: store },
    { variable: CLIENTS, path: clientsFolder },
    { variable: 'FINDLING_BACKUP_FOLDER', path: backupFolder },
    { variable: 'FINDLING_SNAPSHOTS', path: snapshots },
    { variable: FILES, path: filesFolder ?? (clientsFolder === undefined ? filesBeside(store) : undefined) },
  ].flatMap(({ variable, path }) =>
    path === undefined ? [] : [{ variable, path, real: real(resolve(path)) }],
  )
  return set.flatMap((one, at) =>
    set.slice(0, at).flatMap(other => {
      const how = together(one.real, other.real)
      if (how === undefined) return []
      if (one.variable === FILES && other.variable === CLIENTS && one.real === other.real) return []
      // Then the store is inside as well, which is reported already.
      if (one.variable === FILES && filesFolder === undefined && how === 'inside of') return []
      const [given, beside] = [JSON.stringify(one.path), JSON.stringify(other.path)]
      return [
        `${one.variable} is ${given}, which is ${how} ${other.variable}, ${beside}; expected two folders, ` +
          'neither of which is in the other',
      ]
    }),
  )
}

/** Default folder of files for download. */
export const filesBeside = (store: string): string => `${resolve(store)}-files`

const CLIENTS = 'FINDLING_CLIENTS'
const FILES = 'FINDLING_FILES_FOLDER'

function together(one: string, other: string): string | undefined {
  if (one === other) return 'the same folder as'
  if (isInside(one, other)) return 'inside of'
  return isInside(other, one) ? 'around' : undefined
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way.split(sep)[0] !== '..' && !isAbsolute(way) // absolute if on another drive
}

/** Resolves symbolic links, as far as the path exists. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}
