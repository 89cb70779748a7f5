import type { Engine } from 'findling'
import type { Access } from './access/access.ts'
import { scheduleOf } from './backups/schedule.ts'
import type { Membership } from './cluster/membership.ts'
import type { Config } from './config/config.ts'
import type { Licence } from './licence/licence.ts'
import type { Logger } from './request/log.ts'
import type { Route } from './route.ts'
import { createRouter, type Fetch, ServingParts } from './router.ts'
import { pagesOf, routesOf } from './routes/index.ts'
import { metricsRoute } from './routes/metrics.ts'
import { setupRoutes } from './setup/routes.ts'
import type { Setup } from './setup/setup.ts'
import { updateRoutes } from './update/routes.ts'
import type { Updater } from './update/update.ts'

export interface AppOptions {
  /** You close it yourself, after the app. */
  engine: Engine
  config: Config
  access: Access
  setup: Setup
  licence: Licence
  /** Without it, this server is not part of a cluster. */
  membership?: Membership
  /** Without it, there is no /update. */
  updater?: Updater
  /** Logs every request and every failure. Silent by default. */
  logger?: Logger
  /** The routes below /api; pages, updates and the OpenAPI document are added to them. Default: all routes. */
  routes?: readonly Route[]
}

export interface App {
  fetch: Fetch
  /** Ends a scheduled backup, and writes the statistics. */
  close(): Promise<void>
}

/** The REST API over one engine, at the root of its host. */
export function createApp(options: AppOptions): App {
  const { engine, config, access, setup, licence, updater, membership } = options
  const parts = new ServingParts(options)
  const { status, requests, searches, files, backup } = parts
  const table = [
    ...(options.routes ?? routesOf({ ...parts, access, licence })),
    ...pagesOf({ access, licence, files, readiness: membership }),
    ...setupRoutes(setup),
    metricsRoute(status, () => [{ engine, store: config.store, requests, searches, backup, membership }]),
    ...(updater ? updateRoutes(updater) : []),
  ]
  const schedule = scheduleOf(backup, config, options.logger)
  return {
    fetch: createRouter(table, options, parts),
    async close() {
      await schedule?.close()
      await parts.close()
    },
  }
}
