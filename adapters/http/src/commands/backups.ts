import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { clientIdProblem } from '../clients/client-id.ts'
import { ClientFolders, operatorsBackup, restoring } from '../clients/folders.ts'
import type { Config } from '../config/config.ts'
import { absent } from '../files/absent.ts'
import { CommandError } from './clients.ts'

/** The settings of a command, with a folder of backups. */
export type BackupConfig = Config & { readonly backupFolder: string }

/** How a command reports its progress, and how it is aborted. */
export interface Telling {
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly signal: AbortSignal
}

/** A store, and the folder of its backups. */
interface Place {
  /** Of a client, or of the operator; undefined of the only installation. */
  readonly id?: string
  readonly store: string
  readonly backup: string
}

/**
 * Backs up the store, or those of the operator and all clients, while no server has them open.
 * @returns whether all were backed up
 */
export async function backUpStores(config: BackupConfig, telling: Telling): Promise<boolean> {
  const { clientsFolder: folder } = config
  const own = ownPlace(config)
  const isThere = (await namesIn(own.store)).includes('CURRENT')
  // The operator's store stays open, so that no server starts meanwhile.
  await using engine = isThere ? await openStore(config) : undefined
  const folders = folder === undefined ? undefined : new ClientFolders(folder)
  const ids = (await folders?.list()) ?? []
  if (!engine && ids.length === 0)
    throw new CommandError(`There is no store in ${[own.store, folder ?? []].flat().join(' or ')}.`)
  const outcomes = engine ? [await told(own, telling, () => backUp(engine, own, telling))] : []
  for (const id of ids) {
    // A client that is removed meanwhile must not come back as an empty store.
    if (!(await folders!.has(id))) continue
    const place = placeOf(id, folder!, config) // without one there are no ids
    const work = async () => {
      await using engine = await Engine.open({ store: place.store })
      return await backUp(engine, place, telling)
    }
    outcomes.push(await told(place, telling, work))
  }
  return !outcomes.includes(false)
}

export interface Restoring {
  /** Empty: all that have a backup. */
  readonly ids: readonly string[]
  /** The id of the new client, with a single id above. */
  readonly as?: string | undefined
}

/**
 * Restores the store, or those of the operator and of clients, each completely or not at all. Nothing is done if a store
 * would have to be overwritten.
 * @returns whether all were restored
 */
export async function restoreStores(
  config: BackupConfig,
  what: Restoring,
  telling: Telling,
): Promise<boolean> {
  const { clientsFolder: folder } = config
  const { signal } = telling
  const places = folder === undefined ? [ownPlace(config)] : await placesIn(folder, config, what)
  const free: Place[] = []
  for (const place of places) if (await isFree(place.store)) free.push(place)
  if (free.length < places.length) throw taken(places, free)
  const outcomes: boolean[] = []
  for (const place of places) {
    const work = async () => {
      const { madeAt } = await Engine.verifyBackup(place.backup, { signal })
      await Engine.restore(place.backup, place.store, { signal })
      return `restored into ${place.store}, as of ${new Date(madeAt).toISOString()}.`
    }
    outcomes.push(await told(place, telling, work))
  }
  if (config.cluster !== undefined && outcomes.includes(true)) telling.print(notOfCluster)
  return !outcomes.includes(false)
}

const notOfCluster =
  'FINDLING_CLUSTER is set, but other servers do not have what was restored. findling-http cluster recover shows what would ' +
  'happen to the logs; with --yes, the restored stores become their beginning.'

/** @param work returns what was done */
async function told({ id }: Place, telling: Telling, work: () => Promise<string>): Promise<boolean> {
  const { signal, print, complain } = telling
  const named = id === undefined ? '' : `${id}: `
  if (signal.aborted) return false
  try {
    print(`${named}${await work()}`)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    complain(`${named}${error.message}`)
    return false
  }
}

async function backUp(engine: Engine, { backup }: Place, { signal }: Telling): Promise<string> {
  const { entries, written, full } = await engine.backup(backup, { signal })
  return `${entries} entries, ${full ? 'all of them' : 'what has changed'} written to ${backup} in ${written} bytes.`
}

/** That of the operator, or the only one. */
async function openStore(config: Config): Promise<Engine> {
  try {
    return await Engine.open({ store: config.store })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'STORE_LOCKED')) throw error
    throw new CommandError(
      `The store ${config.store} is in use. If a server is using it, let the server make the backup: ` +
        `curl -X POST -H 'Authorization: Findling <secret>' ${addressOf(config)}/api/Maintenance/Backup`,
    )
  }
}

function addressOf({ host, port, tlsCert }: Config): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`
}

/** That of the operator, or the only one. */
function ownPlace({ clientsFolder, store, backupFolder: backup }: BackupConfig): Place {
  if (clientsFolder === undefined) return { store, backup }
  return { id: operatorsBackup, store, backup: join(backup, operatorsBackup) }
}

function placeOf(id: string, folder: string, { backupFolder }: BackupConfig): Place {
  return { id, store: new ClientFolders(folder).storeOf(id), backup: join(backupFolder, id) }
}

/** Source and destination of everything that is to be restored. */
async function placesIn(folder: string, config: BackupConfig, { ids, as }: Restoring): Promise<Place[]> {
  const { backupFolder } = config
  const there = (await namesIn(backupFolder)).filter(isOfStore).sort()
  if (there.length === 0) throw new CommandError(`There is no backup in ${backupFolder}.`)
  const missing = ids.filter(id => !there.includes(id))
  if (missing.length > 0) {
    throw new CommandError(
      `There is no backup of ${missing.join(', ')} in ${backupFolder}, which has backups of ${there.join(', ')}.`,
    )
  }
  const [first = ''] = ids
  if (as !== undefined) {
    const problem = first === operatorsBackup ? 'The operator cannot become a client.' : clientIdProblem(as)
    if (problem !== undefined) throw new CommandError(problem)
    return [{ ...placeOf(as, folder, config), backup: join(backupFolder, first) }]
  }
  const wanted = [...new Set(ids.length === 0 ? there : ids)]
  return wanted.map(id => (id === operatorsBackup ? ownPlace(config) : placeOf(id, folder, config)))
}

const isOfStore = (name: string): boolean => name === operatorsBackup || clientIdProblem(name) === undefined

function taken(places: readonly Place[], free: readonly Place[]): CommandError {
  const stores = places.filter(place => !free.includes(place)).map(({ store }) => store)
  const others = free.map(({ id }) => id).join(' ')
  const orElse = free.length === 0 ? '' : ` Or restore only the others: findling-http restore ${others}`
  return new CommandError(
    `Nothing was restored, as existing stores are never overwritten. Move away first: ${stores.join(', ')}.${orElse}`,
  )
}

/** Whether a store can be restored there; also true for leftovers of an interrupted restore, which the next one continues. */
async function isFree(folder: string): Promise<boolean> {
  const names = await namesIn(folder)
  return names.includes(restoring) || names.every(name => /^(\..*|lost\+found)$/.test(name))
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}
