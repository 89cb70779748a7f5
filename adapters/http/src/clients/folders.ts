import { constants } from 'node:fs'
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Engine } from 'findling'
import type { Config } from '../config/config.ts'
import { absent } from '../files/absent.ts'
import { clientIdProblem } from './client-id.ts'

/**
 * The folders of the clients: a finished store in `<id>/store` makes a client, `<id>/files` is beside it. Folders whose names are
 * not ids are ignored, such as those of clients that are being created or were removed.
 */
export class ClientFolders {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  storeOf(id: string): string {
    return join(this.#folder, id, 'store')
  }

  /** Ids of all clients, sorted; undefined if the folder of all clients is missing. */
  async list(): Promise<string[] | undefined> {
    const found = await this.#look()
    return found?.flatMap(({ id, lacks }) => (lacks === undefined ? [id] : []))
  }

  /** Folders that are named like a client but are not one, perhaps because its store was lost. */
  async strays(): Promise<{ id: string; lacks: string }[]> {
    return (
      (await this.#look())?.flatMap(({ id, lacks }) => (lacks === undefined ? [] : [{ id, lacks }])) ?? []
    )
  }

  /** Whether the client exists; also true if its folder cannot be read at the moment. */
  async has(id: string): Promise<boolean> {
    return (await this.#lacks(id)) === undefined
  }

  /** A text that changes with the files of the store, for example while they are being copied. */
  async stateOf(id: string): Promise<string> {
    const store = this.storeOf(id)
    const about = async (name: string) => {
      const { size, ctimeMs } = await stat(join(store, name))
      return `${name} ${size} ${ctimeMs}`
    }
    const states = readdir(store).then(names => Promise.all(names.sort().map(about)))
    return await states.then(
      all => all.join('\n'),
      error => String(error),
    )
  }

  /** Names of all folders that are named like a client, sorted; undefined if the folder of all clients is missing. */
  async ids(): Promise<string[] | undefined> {
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch(absent)
    return entries
      ?.flatMap(entry =>
        entry.isDirectory() && clientIdProblem(entry.name) === undefined ? [entry.name] : [],
      )
      .sort()
  }

  /** The name of the log that the store of a client follows; undefined if it has never followed one. */
  async logOf(id: string): Promise<string | undefined> {
    return await readFile(join(this.#folder, id, logName), 'utf8').catch(absent)
  }

  /** Makes a folder whose store will follow a log; false if the folder exists already. */
  async follow(id: string, log: string): Promise<boolean> {
    return await this.#make(id, made => writeFile(join(made, logName), log))
  }

  /** Notes that the store of a client follows a log. */
  async note(id: string, log: string): Promise<void> {
    const name = join(this.#folder, id, logName)
    await writeFile(`${name}.new`, log)
    await rename(`${name}.new`, name)
  }

  async #look(): Promise<{ id: string; lacks: string | undefined }[] | undefined> {
    const ids = await this.ids()
    return ids && (await Promise.all(ids.map(async id => ({ id, lacks: await this.#lacks(id) }))))
  }

  /** Why a folder is not a client; undefined if it is one. */
  async #lacks(id: string): Promise<string | undefined> {
    if (await this.isLeaving(id))
      return `It is being removed; if the removal was interrupted, repeat clients remove ${id}.`
    const store = this.storeOf(id)
    // If opened now, these would become an empty or a broken store.
    if (await exists(join(store, restoring)))
      return `${store} is being restored; if the restore was interrupted, restore the backup again.`
    if (await isMissing(join(store, 'CURRENT')))
      return `${store} has no file CURRENT, so it is not a complete store: restore a backup or a copy of it, or move the folder away.`
    return undefined
  }

  /**
   * Adds a client, completely or not at all: its store is filled before it becomes visible.
   * @returns false if there is already a folder with this name
   */
  async add(id: string, fill: (store: string) => Promise<void> = makeStore): Promise<boolean> {
    return await this.#make(id, made => fill(join(made, 'store')))
  }

  async #make(id: string, fill: (made: string) => Promise<void>): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true })
    if (!(await isMissing(join(this.#folder, id)))) return false
    const made = await mkdtemp(join(this.#folder, '.adding-'))
    try {
      await fill(made)
      await rename(made, join(this.#folder, id))
      return true
    } catch (error) {
      await rm(made, { recursive: true, force: true })
      if (isTaken(error)) return false
      throw error
    }
  }

  /** Marks a client as removed; a server that has it open closes it. */
  async leave(id: string): Promise<void> {
    await writeFile(join(this.#folder, id, leaving), '')
  }

  isLeaving(id: string): Promise<boolean> {
    return exists(join(this.#folder, id, leaving))
  }

  /**
   * Sets the folder of a removed client aside, under a name that is not an id.
   * @param others further folders that contain folders of clients
   */
  async setAside(id: string, others: readonly string[] = []): Promise<string> {
    const name = `${id}.removed-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    const besides = others.filter(folder => resolve(folder) !== resolve(this.#folder))
    // Its own folder comes last, so that an interrupted removal can be repeated.
    for (const folder of [...besides, this.#folder])
      await rename(join(folder, id), join(folder, name)).catch(folder === this.#folder ? undefined : absent)
    const aside = join(this.#folder, name)
    await rm(join(aside, leaving), { force: true })
    return aside
  }
}

const leaving = 'leaving'
/** In the folder of a client that several servers share: the name of its log. */
const logName = 'log'
/** In a store while a backup is being restored into it. */
export const restoring = 'findling.restore'

/** The folder of the operator's backup and snapshots, beside those of clients: no client id begins with an underscore. */
export const operatorsBackup = '_operator'

/** The settings of the operator: those of the server, with folders of their own for backup and snapshots. */
export function operatorsConfig(config: Config): Config {
  const { backupFolder, snapshots } = config
  return {
    ...config,
    ...(backupFolder !== undefined && { backupFolder: join(backupFolder, operatorsBackup) }),
    ...(snapshots !== undefined && { snapshots: join(snapshots, operatorsBackup) }),
  }
}

/** The settings of a client: those of the server, with folders of its own. */
export function configOf(id: string, folder: string, config: Config): Config {
  const { filesFolder, backupFolder, snapshots } = config
  return {
    ...config,
    store: join(folder, id, 'store'),
    filesFolder: join(filesFolder, id, 'files'),
    ...(backupFolder !== undefined && { backupFolder: join(backupFolder, id) }),
    ...(snapshots !== undefined && { snapshots: join(snapshots, id) }),
  }
}

/** Error message for a store with data, which cannot become the operator's store. */
export function hasData({ store, clientsFolder: folder }: Config): string {
  return (
    `The store ${store} has datasets, which would be unreachable beside the clients in ${folder}. To make it a client, ` +
    `move it to ${folder}/<id>/store; or set FINDLING_STORE to another folder, for the operator.`
  )
}

async function makeStore(store: string): Promise<void> {
  await (await Engine.open({ store })).close()
}

async function exists(path: string): Promise<boolean> {
  return await access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}

/** False if that cannot be determined: a failing disk or missing permissions must not remove a client. */
async function isMissing(path: string): Promise<boolean> {
  return await access(path, constants.F_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || error.code === 'ENOTDIR',
  )
}

/** Whether the name was taken meanwhile by another folder. */
function isTaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOTEMPTY' || code === 'EEXIST'
}
