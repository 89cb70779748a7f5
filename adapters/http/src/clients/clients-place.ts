import type { Namespace } from 'findling'
import type { Membership } from '../cluster/membership.ts'
import { beginLog, type Cluster, type Followed } from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../request/log.ts'
import { type ClientList, newLogOf } from './client-list.ts'
import { ClientsError } from './clients-error.ts'
import { type ClientFolders, configOf } from './folders.ts'

/** By id, what tells a client from an earlier one with the same id. */
export type Wanted = ReadonlyMap<string, string>

/** Which clients a server has. */
export interface ClientsPlace {
  /** Whether a new folder may still be in the middle of being copied. */
  readonly isCopied: boolean
  /** Milliseconds after which a client that could not be opened is tried again; undefined: when its files change. */
  readonly retryAfter: number | undefined
  /** The clients that should be served; undefined if that is not known at the moment. */
  wanted(): Promise<Wanted | undefined>
  /** Adds an empty client; false if there is one, or a folder with this name. */
  add(id: string): Promise<boolean>
  /** Whether another server answers for the client. */
  isElsewhere(mark: string): Promise<boolean>
  /** The log that its store follows; undefined without a cluster. */
  followed(id: string, mark: string): Followed | undefined
  /**
   * Brings the folders in line with the wanted clients, except those of open clients.
   * @returns by the names of folders that belong to no client, why they are not served
   */
  settle(wanted: Wanted, open: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, string>>
  /** Calls a function when the wanted clients may have changed. */
  watch(listener: () => void): () => void
}

/** Without a cluster: each finished store in the folder is a client. */
export class FoldersPlace implements ClientsPlace {
  readonly isCopied = true
  readonly retryAfter = undefined
  readonly #folders: ClientFolders
  #isSettled = false

  constructor(folders: ClientFolders) {
    this.#folders = folders
  }

  async wanted(): Promise<Wanted | undefined> {
    const ids = await this.#folders.list()
    return ids && new Map(ids.map(id => [id, '']))
  }

  add(id: string): Promise<boolean> {
    return this.#folders.add(id)
  }

  async isElsewhere(): Promise<boolean> {
    return false
  }

  followed(): undefined {
    return undefined
  }

  /** Reports only at the start: later, a folder may be in the middle of being copied. */
  async settle(): Promise<ReadonlyMap<string, string>> {
    if (this.#isSettled) return new Map()
    this.#isSettled = true
    return new Map((await this.#folders.strays()).map(({ id, lacks }) => [id, lacks]))
  }

  watch(): () => void {
    return () => {}
  }
}

export interface ListedPlaceOptions {
  readonly cluster: Cluster
  /** Of the operator's store. */
  readonly membership: Pick<Membership, 'status'>
  readonly list: ClientList
  /** In the operator's store, local to this server. */
  readonly own: Namespace
  readonly folders: ClientFolders
  /** Of all clients. */
  readonly folder: string
  readonly config: Config
  readonly logger: Logger
}

const RETRY_AFTER_MS = 60_000

/** In a cluster: all servers have the clients of one list, each with a log; a folder that follows none of these logs is not served. */
export class ListedPlace implements ClientsPlace {
  readonly isCopied = false
  readonly retryAfter = RETRY_AFTER_MS
  readonly #options: ListedPlaceOptions

  constructor(options: ListedPlaceOptions) {
    this.#options = options
  }

  async wanted(): Promise<Wanted> {
    return (await this.#options.list.read()).clients
  }

  /** Creates the log before the client is listed, because other servers open listed clients. */
  async add(id: string): Promise<boolean> {
    const { list, cluster, membership, folders } = this.#options
    if ((await list.read()).clients.has(id) || (await folders.ids())?.includes(id)) return false
    const name = newLogOf(id)
    await beginLog(cluster, name, membership.status()).catch(async error => {
      await cluster.database.remove(name).catch(() => {})
      throw error
    })
    if (await list.add(id, name)) return true
    await cluster.database.remove(name)
    return false
  }

  async isElsewhere(log: string): Promise<boolean> {
    const { database, name } = this.#options.cluster
    return (await database.peers(log)).some(peer => peer.name !== name && peer.isReady)
  }

  followed(id: string, log: string): Followed {
    const { cluster, config, folder } = this.#options
    return { cluster, log, create: false, snapshots: configOf(id, folder, config).snapshots }
  }

  async settle(wanted: Wanted, open: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, string>> {
    const { list, folders, folder } = this.#options
    const { former } = await list.read()
    const refused = new Map<string, string>()
    const there = new Set(await this.#there(wanted))
    // A failure with one folder does not keep others from being served.
    for (const id of [...there].filter(id => !open.has(id))) {
      try {
        const log = await folders.logOf(id)
        if (log !== undefined && former.has(log)) {
          await this.#setAside(id)
          there.delete(id)
        } else if (log === undefined || log !== wanted.get(id)) refused.set(id, notOfCluster(id, folder))
      } catch (error) {
        refused.set(id, notSettled(id, folder, error))
      }
    }
    for (const [id, log] of wanted) {
      if (there.has(id)) continue
      try {
        await folders.follow(id, log)
      } catch (error) {
        refused.set(id, notSettled(id, folder, error))
      }
    }
    return refused
  }

  /** Folders that exist; refuses to go on if a known folder of clients is missing, as when its disk is not mounted. */
  async #there(wanted: Wanted): Promise<readonly string[]> {
    const { folders, folder, own } = this.#options
    const ids = await folders.ids()
    const known = await own.get(knownFolder)
    if (!ids && wanted.size > 0 && known === folder) throw new ClientsError(folderAway(folder))
    if (ids && wanted.size > 0 && known !== folder) await own.put(knownFolder, folder)
    return ids ?? []
  }

  async #setAside(id: string): Promise<void> {
    const { folders, folder, config, logger } = this.#options
    const aside = await folders.setAside(id, [config.filesFolder, config.backupFolder ?? folder])
    logger.info({ client: id, folder: aside }, 'the client was removed; its data have been set aside')
  }

  watch(listener: () => void): () => void {
    return this.#options.list.watch(listener)
  }
}

/** The folder in which this server has had clients. */
const knownFolder = 'folder'

const folderAway = (folder: string): string =>
  `The folder ${folder} of the clients has disappeared: is its disk mounted? To let this server fetch all ` +
  'clients from the other servers again, create an empty folder there.'

/** Leaves out the file names in the error's message, since some are new each time. */
const notSettled = (id: string, folder: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  return `The folder ${folder}/${id} cannot be created, read or set aside: ${code}. The server will try again.`
}

/** Such a folder has data that other servers would not have. */
export const notOfCluster = (id: string, folder: string): string =>
  `The folder ${folder}/${id} was not created by this cluster, so it is not served: move it away. To bring its data into the ` +
  `cluster, add a client with findling-http clients add and import them into it.`
