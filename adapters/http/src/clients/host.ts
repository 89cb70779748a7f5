import type { Engine } from 'findling'
import type { Access } from '../access/access.ts'
import type { Config } from '../config/config.ts'
import type { Licence } from '../licence/licence.ts'
import { createRouter, type Fetch, ServingParts } from '../router.ts'
import { keyRoutes } from '../routes/keys.ts'
import { licenceRoutes } from '../routes/licence.ts'
import { maintenanceRoute } from '../routes/maintenance.ts'
import { type Measured, metricsRoute } from '../routes/metrics.ts'
import { rootRoutes } from '../routes/root.ts'
import { statisticsRoutes } from '../routes/statistics.ts'
import { statusRoute } from '../routes/status.ts'
import { setupRoutes } from '../setup/routes.ts'
import type { Setup } from '../setup/setup.ts'
import type { Logger } from '../transport/log.ts'
import { updateRoutes } from '../update/routes.ts'
import type { Updater } from '../update/update.ts'

export interface HostOptions {
  /** Holds no data, only what is of the operator; stays yours to close. */
  readonly engine: Engine
  readonly config: Config
  readonly access: Access
  readonly licence: Licence
  /** Of the operator and of all clients. */
  readonly setup: Setup
  readonly updater?: Updater | undefined
  readonly logger: Logger
  /** Those whose metrics are shown beside those of the host. */
  readonly others: () => readonly Measured[]
}

export interface Host {
  readonly fetch: Fetch
  close(): Promise<void>
}

/** What a server with clients answers at the root of its host: setup for all, and the rest for its operator alone. */
export function openHost(options: HostOptions): Host {
  const { engine, config, access, licence, setup, updater, others } = options
  const parts = new ServingParts(options)
  const { keys, statistics, status, requests } = parts
  const table = [
    ...keyRoutes(keys),
    ...licenceRoutes(licence),
    ...statisticsRoutes(statistics),
    statusRoute(status),
    maintenanceRoute(access),
    ...rootRoutes(access, () => licence.instanceId),
    ...setupRoutes(setup),
    metricsRoute(status, () => [{ engine, store: config.store, requests }, ...others()]),
    ...(updater ? updateRoutes(updater) : []),
  ]
  return { fetch: createRouter(table, options, parts), close: () => parts.close() }
}
