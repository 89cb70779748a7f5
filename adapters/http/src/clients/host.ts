import type { Engine } from 'findling'
import type { Access } from '../access/access.ts'
import type { Backups } from '../backups/backups.ts'
import type { Membership } from '../cluster/membership.ts'
import type { Readiness } from '../cluster/readiness.ts'
import type { Config } from '../config/config.ts'
import type { Licence } from '../licence/licence.ts'
import type { Metric } from '../metrics/exposition.ts'
import { Processes } from '../processes/processes.ts'
import type { Logger } from '../request/log.ts'
import { createRouter, type Fetch, ServingParts } from '../router.ts'
import { backupRoute } from '../routes/backup.ts'
import { keyRoutes } from '../routes/keys.ts'
import { licenceRoutes } from '../routes/licence.ts'
import { maintenanceRoute } from '../routes/maintenance.ts'
import { type Measured, metricsRoute } from '../routes/metrics.ts'
import { processRoutes } from '../routes/processes.ts'
import { rootRoutes } from '../routes/root.ts'
import { statisticsRoutes } from '../routes/statistics.ts'
import { statusRoute } from '../routes/status.ts'
import { setupRoutes } from '../setup/routes.ts'
import type { Setup } from '../setup/setup.ts'
import { updateRoutes } from '../update/routes.ts'
import type { Updater } from '../update/update.ts'
import { AllBackups } from './all-backups.ts'
import type { Clients } from './clients.ts'
import { operatorsConfig } from './folders.ts'

export interface HostOptions {
  /** Holds no data, only what belongs to the operator; you close it yourself. */
  readonly engine: Engine
  readonly config: Config
  readonly access: Access
  readonly licence: Licence
  /** Of the operator and of all clients. */
  readonly setup: Setup
  /** Of the operator's store; undefined without a cluster. */
  readonly membership?: Membership | undefined
  /** Of the whole server. */
  readonly readiness?: Readiness | undefined
  readonly updater?: Updater | undefined
  readonly logger: Logger
  /** The clients that are backed up together with the operator's store. */
  readonly clients: Pick<Clients, 'list' | 'get' | 'broken'>
  /** Those whose metrics are shown beside those of the host. */
  readonly others: () => readonly Measured[]
}

const about =
  '**These are the calls for the operator. The calls for a client are shown at `/<client_id>/docs`, and as a document at ' +
  '`/<client_id>/openapi.json`, below the address of this server.**'

export interface Host {
  readonly fetch: Fetch
  /** Undefined without a folder for them. */
  readonly backups: Backups | undefined
  close(): Promise<void>
}

/** The root of the host of a server with clients: the setup is for all, everything else only for the operator. */
export function openHost(options: HostOptions): Host {
  const { engine, config, access, licence, setup, updater, others, clients, logger, membership, readiness } =
    options
  const parts = new ServingParts({ ...options, config: operatorsConfig(config) })
  const { keys, statistics, status, requests, processFiles, backup: own } = parts
  const backups = own && new AllBackups({ engine, own, clients, logger })
  const processes = new Processes(processFiles)
  const table = [
    ...keyRoutes(keys),
    ...licenceRoutes(licence),
    ...statisticsRoutes(statistics),
    statusRoute(status),
    ...processRoutes(processes),
    backupRoute(processes, backups),
    maintenanceRoute(access),
    ...rootRoutes(access, () => licence.instanceId, readiness),
    ...setupRoutes(setup),
    metricsRoute(
      status,
      () => [{ engine, store: config.store, requests, backup: backups, membership }, ...others()],
      () => [brokenClients(clients)],
    ),
    ...(updater ? updateRoutes(updater) : []),
  ]
  const fetch = createRouter(table, { ...options, about }, parts)
  return { fetch, backups, close: () => parts.close() }
}

function brokenClients(clients: Pick<Clients, 'list' | 'broken'>): Metric {
  const open = clients.list().map(({ id }) => ({ labels: { client: id }, value: 0 }))
  const broken = clients.broken().map(id => ({ labels: { client: id }, value: 1 }))
  return {
    name: 'findling_client_broken',
    help: '1 for a client that answers 503 because it could not be opened or is being reopened.',
    type: 'gauge',
    samples: [...open, ...broken],
  }
}
