import type { Engine } from 'findling'
import { Hono } from 'hono'
import type { Access } from './access/access.ts'
import { Keys } from './access/keys.ts'
import { RateLimit } from './access/rate-limit.ts'
import { QueryIds } from './analytics/query-ids.ts'
import { SearchCounts } from './analytics/search-counts.ts'
import { toErrorResponse } from './answer/answers.ts'
import { cors } from './answer/cors.ts'
import { elapsedTime } from './answer/elapsed.ts'
import { everyAnswerStage } from './answer/every-answer.ts'
import { gzip } from './answer/gzip.ts'
import { StoreBackup } from './backups/backups.ts'
import type { Membership } from './cluster/membership.ts'
import { readingStage } from './cluster/reading.ts'
import type { Config } from './config/config.ts'
import { Files } from './files/files.ts'
import { HttpError, toHttpError } from './http/errors.ts'
import { parsePath, pathPattern } from './http/path.ts'
import { requestIdHeader, requestIdOf } from './http/request-id.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import { docsRoutes } from './openapi/docs.ts'
import { ProcessFiles } from './processes/process-files.ts'
import { clientAddress } from './request/client-address.ts'
import { checkClientVersion } from './request/client-version.ts'
import { limitConcurrency } from './request/concurrency.ts'
import { authenticate, needingKey, requireSecret } from './request/credentials.ts'
import { head } from './request/head.ts'
import { type Logger, loggedPath, requestLog } from './request/log.ts'
import { measure } from './request/measure.ts'
import { routeHandler } from './request/route-handler.ts'
import { SizeLimit } from './request/size.ts'
import type { Route } from './route.ts'
import type { Arrival } from './stage.ts'
import { Statistics } from './statistics/statistics.ts'
import { StatusProbe } from './status/status.ts'

/** Everything that is needed to serve a table of routes. */
export interface Serving {
  readonly engine: Engine
  readonly config: Config
  readonly access: Access
  /** Undefined without a cluster. */
  readonly membership?: Membership | undefined
  /** What readers of the documentation have to know first. */
  readonly about?: string | undefined
  /** Logs every request and every failure. Silent by default. */
  readonly logger?: Logger | undefined
}

/** State that is kept for one engine while its routes are served. */
export class ServingParts {
  readonly keys: Keys
  readonly statistics: Statistics
  readonly status: StatusProbe
  readonly requests = new RequestMetrics()
  readonly searches = new SearchCounts()
  /** Of the analytics. */
  readonly timeZone: string
  readonly queryIds: QueryIds
  readonly files: Files
  readonly processFiles: ProcessFiles
  /** Undefined without a folder for it. */
  readonly backup: StoreBackup | undefined

  constructor({ engine, config, logger }: Omit<Serving, 'access'>) {
    this.keys = new Keys(engine.namespace('http-keys'))
    this.queryIds = new QueryIds(engine.namespace('http-analytics'))
    this.statistics = new Statistics(engine.namespace('http-statistics', { local: true }), {
      onFailure: error => logger?.error({ err: error }, 'requests could not be counted'),
    })
    this.status = new StatusProbe({ folder: config.store, refreshMs: config.refreshMs })
    this.files = new Files(config.filesFolder)
    this.processFiles = new ProcessFiles(this.files, engine.namespace('http-files', { local: true }))
    this.timeZone = config.analyticsTimeZone
    const { backupFolder } = config
    this.backup = backupFolder === undefined ? undefined : new StoreBackup(engine, backupFolder)
  }

  /** Writes the statistics. */
  async close(): Promise<void> {
    this.status.close()
    this.keys.close()
    await this.statistics.close()
  }
}

/** What is known of a request besides the request itself. */
export interface Arriving {
  /** The address of the client is what failed keys are counted by. */
  readonly remoteAddress?: string
  /** Default: that of its header, else a new one. */
  readonly requestId?: string
  /** Path of the request below the address of the client. Default: all of it. */
  readonly pathname?: string
  /** The client that the path named. Default: none. */
  readonly client?: string
}

/** A WHATWG fetch handler. */
export type Fetch = (request: Request, arriving?: Arriving) => Promise<Response>

type Router = Hono<{ Bindings: Arrival }>

/** Serves a table of routes, and its documentation. */
export function createRouter(table: readonly Route[], serving: Serving, parts: ServingParts): Fetch {
  const { config, logger } = serving
  const { status, statistics } = parts
  const routes = [...table, ...docsRoutes(table, serving.about)]
  const size = new SizeLimit(config)
  const hono: Router = new Hono<{ Bindings: Arrival }>({ getPath: (_, given) => given!.env!.path.route })
  addStages(hono, { ...serving, size, ...parts, paths: new Set(routes.map(({ path }) => path)) })
  for (const route of generalLast(routes)) {
    const pattern = pathPattern(route.path)
    const handler = routeHandler(route, pattern, { engine: serving.engine, config, size, statistics, status })
    hono.on(route.method, pattern.route, handler)
  }
  hono.notFound(() => toErrorResponse(new HttpError(404, 'Endpoint not found')))
  hono.onError((error, { req, env }) => failure(error, req.raw, env, logger))
  return async (request, { remoteAddress = '', client = '', ...arriving } = {}) => {
    const {
      pathname = new URL(request.url).pathname,
      requestId = requestIdOf(request.headers.get(requestIdHeader)),
    } = arriving
    const address = clientAddress(request.headers, remoteAddress, config.trustProxy)
    return await hono.fetch(request, { path: parsePath(pathname), pathname, client, requestId, address })
  }
}

interface StageParts extends Serving, Pick<ServingParts, 'keys' | 'requests'> {
  readonly size: SizeLimit
  /** Of all routes. */
  readonly paths: ReadonlySet<string>
}

/** In the order of the contract (1.2), except that every answer says its version. */
function addStages(hono: Router, parts: StageParts): void {
  const { access, config, logger, size, keys, requests, paths, membership } = parts
  const rate = new RateLimit(config.requestsPerMinute)
  const key = authenticate({ access, keys, rate, visitors: new RateLimit(0) })
  hono.use(measure(requests), everyAnswerStage)
  if (logger) hono.use(requestLog(logger))
  hono.use(requireSecret(access), size.check, cors, head, gzip)
  hono.use('/api/*', key, limitConcurrency(config.maxConcurrent))
  for (const path of needingKey) if (paths.has(path)) hono.use(path, key)
  if (membership) hono.use('/api/*', readingStage(membership))
  hono.use(elapsedTime)
  if (config.versionCheck) hono.use('/api/*', checkClientVersion)
}

/** The router takes the first route that matches: `/api/Documents/Export` before `/api/Documents/{id}`. */
function generalLast(routes: readonly Route[]): Route[] {
  const members = ({ path }: Route) => path.split('{').length
  return [...routes].sort((one, other) => members(one) - members(other))
}

/** Expected refusals become answers; details of other errors go to the log only. */
function failure(
  error: unknown,
  { method, signal }: Request,
  { path, client, requestId }: Arrival,
  logger: Logger | undefined,
): Response {
  const refusal = toHttpError(error)
  if (refusal.status >= 500 && refusal !== error && !signal.aborted) {
    const named = client !== '' && { client }
    logger?.error({ err: error, requestId, method, path: loggedPath(path), ...named }, 'request failed')
  }
  return toErrorResponse(refusal)
}
