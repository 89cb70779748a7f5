import type { Engine } from 'findling'
import { Hono } from 'hono'
import type { Access } from './access/access.ts'
import { Keys } from './access/keys.ts'
import { RateLimit } from './access/rate-limit.ts'
import type { Config } from './config/config.ts'
import { Files } from './files/files.ts'
import type { Licence } from './licence/licence.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import { docsRoutes } from './openapi/docs.ts'
import type { Route } from './route.ts'
import { pagesOf, routesOf } from './routes/index.ts'
import { metricsRoute } from './routes/metrics.ts'
import type { Setup } from './setup/setup.ts'
import { Statistics } from './statistics/statistics.ts'
import { StatusProbe } from './status/status.ts'
import { toErrorResponse } from './transport/answers.ts'
import { clientAddress } from './transport/client-address.ts'
import { limitConcurrency } from './transport/concurrency.ts'
import { cors } from './transport/cors.ts'
import { authenticate, needingKey, requireSecret } from './transport/credentials.ts'
import { elapsedTime } from './transport/elapsed.ts'
import { HttpError, toHttpError } from './transport/errors.ts'
import { gzip } from './transport/gzip.ts'
import { head } from './transport/head.ts'
import { type Logger, loggedPath, requestLog } from './transport/log.ts'
import { measure } from './transport/measure.ts'
import { parsePath, pathPattern } from './transport/path.ts'
import { routeHandler } from './transport/route-handler.ts'
import { SizeLimit } from './transport/size.ts'
import type { Arrival } from './transport/stage.ts'
import { checkClientVersion, versionHeader } from './transport/version.ts'
import { updateRoutes } from './update/routes.ts'
import type { Updater } from './update/update.ts'

export interface AppOptions {
  /** Stays yours to close, after the app. */
  engine: Engine
  config: Config
  access: Access
  setup: Setup
  licence: Licence
  /** Without one there is no /update. */
  updater?: Updater
  /** Hears of every request and of every failure. Silent by default. */
  logger?: Logger
  /** The table of routes below /api; pages, updates and the OpenAPI document are added to it. Default: all there are. */
  routes?: readonly Route[]
}

export interface App {
  /** A WHATWG fetch handler. The address of the client is what failed keys are counted by. */
  fetch(request: Request, info?: { remoteAddress?: string }): Promise<Response>
  /** Writes what was counted. */
  close(): Promise<void>
}

/** The REST API over an engine. */
export function createApp(options: AppOptions): App {
  const { engine, config, access, setup, licence, updater, logger } = options
  const statistics = new Statistics(engine.namespace('http-statistics'), {
    onFailure: error => logger?.error({ err: error }, 'requests could not be counted'),
  })
  const keys = new Keys(engine.namespace('http-keys'))
  const status = new StatusProbe({ folder: config.store, refreshMs: config.refreshMs })
  const requests = new RequestMetrics()
  const files = new Files(config.filesFolder)
  const table = [
    ...(options.routes ??
      routesOf({ access, keys, licence, statistics, status, files, backupFolder: config.backupFolder })),
    ...pagesOf({ access, licence, setup, files }),
    metricsRoute(requests, status, config.store),
    ...(updater ? updateRoutes(updater) : []),
  ]
  const routes = [...table, ...docsRoutes(table)]
  const size = new SizeLimit(config)
  const hono = new Hono<{ Bindings: Arrival }>({ getPath: (_, given) => given!.env!.path.route })

  addStages(hono, options, { size, keys, requests, paths: new Set(routes.map(({ path }) => path)) })
  for (const route of generalLast(routes)) {
    const pattern = pathPattern(route.path)
    hono.on(
      route.method,
      pattern.route,
      routeHandler(route, pattern, { engine, config, size, statistics, status }),
    )
  }
  hono.notFound(() => toErrorResponse(new HttpError(404, 'Endpoint not found')))
  hono.onError((error, { req, env }) => failure(error, req.raw, loggedPath(env.path), logger))

  return {
    async fetch(request, { remoteAddress = '' } = {}) {
      const path = parsePath(new URL(request.url).pathname)
      const address = clientAddress(request.headers, remoteAddress, config.trustProxy)
      return await hono.fetch(request, { path, address })
    },
    async close() {
      status.close()
      await statistics.close()
    },
  }
}

interface StageParts {
  readonly size: SizeLimit
  readonly keys: Keys
  readonly requests: RequestMetrics
  /** Of all routes. */
  readonly paths: ReadonlySet<string>
}

type Router = Hono<{ Bindings: Arrival }>

/** In the order of the contract (1.2), except that every answer says its version. */
function addStages(hono: Router, options: AppOptions, { size, keys, requests, paths }: StageParts): void {
  const { access, config, logger } = options
  const key = authenticate({ access, keys, rate: new RateLimit(config.requestsPerMinute) })
  hono.use(measure(requests), versionHeader)
  if (logger) hono.use(requestLog(logger))
  hono.use(requireSecret(access), size.check, cors, head, gzip)
  hono.use('/api/*', key, limitConcurrency(config.maxConcurrent))
  for (const path of needingKey) if (paths.has(path)) hono.use(path, key)
  hono.use(elapsedTime)
  if (config.versionCheck) hono.use('/api/*', checkClientVersion)
}

/** The router takes the first route that matches: `/api/Documents/Export` before `/api/Documents/{id}`. */
function generalLast(routes: readonly Route[]): Route[] {
  const members = ({ path }: Route) => path.split('{').length
  return [...routes].sort((one, other) => members(one) - members(other))
}

/** Foreseen refusals are answers; of anything else the log hears what the client must not. */
function failure(error: unknown, request: Request, path: string, logger: Logger | undefined): Response {
  const refusal = toHttpError(error)
  if (refusal.status >= 500 && refusal !== error && !request.signal.aborted) {
    logger?.error({ err: error, method: request.method, path }, 'request failed')
  }
  return toErrorResponse(refusal)
}
