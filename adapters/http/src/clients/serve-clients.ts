import type { Engine } from 'findling'
import { Extractor } from 'findling/extract'
import { SecretChecks } from '../access/secret-checks.ts'
import type { HashCost } from '../access/secret-hash.ts'
import type { App } from '../app.ts'
import { type BackupSchedule, scheduleOf } from '../backups/schedule.ts'
import type { Membership } from '../cluster/membership.ts'
import { type Cluster, mainLog, type OpenedStore, openCluster, withStore } from '../cluster/open-node.ts'
import { type Readiness, worstOf } from '../cluster/readiness.ts'
import type { Config } from '../config/config.ts'
import { fileLimits } from '../config/file-limits.ts'
import { LEAST, MemoryShares } from '../config/memory-shares.ts'
import { openOwner } from '../licence/owner.ts'
import type { Logger } from '../request/log.ts'
import { createSetup, type OwnSetup } from '../setup/setup.ts'
import { SetupDesk } from '../setup/setup-desk.ts'
import type { Updater } from '../update/update.ts'
import type { Client } from './client.ts'
import { ClientList } from './client-list.ts'
import { Clients } from './clients.ts'
import { ClientsError } from './clients-error.ts'
import { type ClientsPlace, FoldersPlace, ListedPlace } from './clients-place.ts'
import { Elsewhere } from './elsewhere.ts'
import { ClientFolders, hasData, operatorsConfig } from './folders.ts'
import { frontOf } from './front.ts'
import { openHost } from './host.ts'
import { openNobody } from './nobody.ts'

export interface ServeClientsOptions {
  readonly config: Config
  /** Of the clients. */
  readonly folder: string
  readonly logger: Logger
  readonly updater?: Updater | undefined
  /** Cost of checking a secret that has not been seen since the start. Default: about a quarter of a second. */
  readonly hashCost?: HashCost | undefined
  readonly licenceEmail?: string | undefined
  readonly acceptLoss?: boolean | undefined
  /** Called as soon as the operator's secret has been made. */
  readonly onSecret?: ((secret: string) => void) | undefined
  /** Called for each client that is opened; `onFailed` for those that could not be. */
  readonly onOpened?: ((client: OpenedClient) => void) | undefined
  readonly onFailed?: ((id: string, error: unknown) => void) | undefined
  /** Aborts a start that waits for its cluster, which then rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

export interface OpenedClient extends Client {
  /** Opens the client's setup page until the setup is completed. */
  readonly setupToken: string | undefined
}

/** A server of several clients: everything but the socket. */
export interface ServedClients extends App {
  /** The operator's engine; it has no data. */
  readonly engine: Engine
  /** The operator's secret, if it was made at this start; it cannot be shown later. */
  readonly newSecret: string | undefined
  /** Of the operator. */
  readonly setupToken: string | undefined
  readonly clients: Clients
  /** Resolves with the reason when the operator's store stops following its log. */
  readonly failed?: Promise<Error>
}

/** Opens the operator's store and those of all clients. If it rejects, nothing is left open. */
export async function serveClients(options: ServeClientsOptions): Promise<ServedClients> {
  const { config, logger, acceptLoss } = options
  const accepted = acceptLoss && ({ accept: ['DATASETS_LOST'] } as const)
  const cluster = await openCluster(config, options.signal)
  const { snapshots } = operatorsConfig(config)
  const followed = cluster && { cluster, log: mainLog, snapshots }
  const stored = { store: config.store, logger, memoryBudget: LEAST, ...accepted }
  try {
    return await withStore(stored, followed, logger, async store => {
      if (store.engine.datasets.list().length > 0) throw new ClientsError(hasData(config))
      return await serve(store, cluster, options)
    })
  } catch (error) {
    await cluster?.database.close()
    throw error
  }
}

async function serve(
  store: OpenedStore,
  cluster: Cluster | undefined,
  options: ServeClientsOptions,
): Promise<ServedClients> {
  const { engine, membership } = store
  const { config, logger, updater, hashCost, licenceEmail, folder } = options
  const checks = new SecretChecks()
  const { authSchemes: schemes, secret: seed } = config
  const secrets = { schemes, checks, hashCost, seed }
  const { access, licence, newSecret } = await openOwner(engine, secrets, licenceEmail)
  if (newSecret !== undefined) options.onSecret?.(newSecret)
  const desk = new SetupDesk()
  const own = createSetup({ access, licence, owner: 'operator' })
  desk.add(own)
  const exampleLicence = (email: string) => licence.issueOpenSource(email)
  const limits = fileLimits(config)
  const memory = new MemoryShares(config.memoryMb, limits.memoryLimit)
  const extractor = new Extractor({ ...limits, ...memory.reading })
  // A client that has stopped is about to be reopened.
  const memberships = (): Membership[] =>
    clients.list().flatMap(({ measured: { membership: one } }) => (one && !one.status().failure ? [one] : []))
  const readiness: Readiness | undefined = membership && {
    ...worstOf(membership, memberships),
    isBetterElsewhere: () => elsewhere.isThere(),
  }
  const shared = { checks, logger, hashCost, exampleLicence, extractor, readiness }
  const following = followingDesk(desk, options)
  const folders = new ClientFolders(folder)
  const place: ClientsPlace = cluster
    ? new ListedPlace({
        ...{
          cluster,
          membership: membership!,
          list: new ClientList(engine),
          folders,
          folder,
          config,
          logger,
        },
        own: engine.namespace('http-clients-here', { local: true }),
      })
    : new FoldersPlace(folders)
  const elsewhere = new Elsewhere(() => clients, place)
  const clients: Clients = new Clients({ ...options, ...shared, folders, place, memory, ...following })
  const namespace = engine.namespace('http-nobody')
  const nobody = await openNobody({ ...shared, config, namespace })
  const others = () => [...clients.list().map(({ measured }) => measured), nobody.measured]
  const host = openHost({
    ...{ engine, config, access, licence, setup: desk, updater, logger, clients, others },
    ...{ membership, readiness },
  })
  let schedule: BackupSchedule | undefined
  const close = async () => {
    await schedule?.close()
    await clients.close()
    await Promise.all([host.close(), nobody.close()])
    await extractor.close()
    await store.close()
    await cluster?.database.close()
  }
  try {
    await clients.look()
    clients.follow()
    schedule = scheduleOf(host.backups, config, logger)
  } catch (error) {
    await close()
    throw error
  }
  const fetch = frontOf({ clients, nobody, host })
  const { failed } = store
  return { fetch, close, engine, newSecret, setupToken: own.token(), clients, ...(failed && { failed }) }
}

/** Keeps the setup pages of each client at the desk while the client is open. */
function followingDesk(desk: SetupDesk, options: ServeClientsOptions) {
  const { logger, onOpened, onFailed } = options
  const setups = new Map<string, OwnSetup>()
  return {
    onOpened(client: Client) {
      const { id, access, licence } = client
      const setup = createSetup({ access, licence, owner: { client: id } })
      setups.set(id, setup)
      desk.add(setup)
      logger.info({ client: id }, 'the client is now served')
      onOpened?.({ ...client, setupToken: setup.token() })
    },
    onClosed({ id }: Client) {
      desk.remove(setups.get(id)!)
      setups.delete(id)
      logger.info({ client: id }, 'the client is no longer served')
    },
    onFailed(id: string, error: unknown) {
      logger.error({ client: id, err: error }, 'the client cannot be served')
      onFailed?.(id, error)
    },
  }
}
