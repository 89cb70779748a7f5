import type { Engine } from 'findling'
import type { Handler } from 'hono'
import { Caller } from '../access/caller.ts'
import { toResponse } from '../answer/answers.ts'
import { baseAddress, relativeRoot } from '../answer/base.ts'
import type { Config } from '../config/config.ts'
import { HttpError, isEngineError, toHttpError } from '../http/errors.ts'
import type { PathPattern } from '../http/path.ts'
import type { Answer, Call, Route } from '../route.ts'
import type { Arrival } from '../stage.ts'
import type { Statistics } from '../statistics/statistics.ts'
import type { StatusProbe } from '../status/status.ts'
import { bodyBytes, bodyJson } from './body.ts'
import { datasetOf } from './dataset-header.ts'
import { requireDiskSpace } from './disk-space.ts'
import { readBody, readLargeBody } from './lenient.ts'
import { parallelLimit } from './parallel.ts'
import { asSent } from './refused-fields.ts'
import { refuseMoreRows } from './rows.ts'
import { requireDatasets, requireScope, ruleOf } from './rules.ts'
import type { SizeLimit } from './size.ts'

/** What handlers need in addition to their route. */
export interface HandlerParts {
  readonly engine: Engine
  readonly config: Pick<
    Config,
    | 'baseUrlPrefix'
    | 'clientsFolder'
    | 'parallelLimit'
    | 'diskMinimumMb'
    | 'searchTimeoutMs'
    | 'stats'
    | 'maxRows'
    | 'maxDocumentValues'
  >
  readonly size: SizeLimit
  readonly statistics: Pick<Statistics, 'count'>
  readonly status: Pick<StatusProbe, 'freeMegabytes'>
}

/**
 * Everything once a route has been found (contract, 1.2, stages 11 to 13): permission, request models, the count of calls,
 * the dataset, free disk space, and then the route itself.
 */
export function routeHandler(
  route: Route,
  pattern: PathPattern,
  parts: HandlerParts,
): Handler<{ Bindings: Arrival }> {
  const rule = ruleOf(route)
  return async context => {
    const request = context.req.raw
    const { path, pathname, client, address, caller = Caller.stranger } = context.env
    context.env.route = route.path
    requireScope(rule, caller)
    if (path.malformed)
      throw new HttpError(400, 'The path has a percent sign that does not encode UTF-8 text.')
    const url = new URL(request.url)
    const members = pattern.members(path)
    if (route.members) readBody(route.members, members)
    const model = await readModel(route, request, url, parts)
    if (parts.config.stats && route.action !== '') parts.statistics.count(route.action, Date.now())
    const { headers } = request
    requireDatasets(rule, caller, { ...model, engine: parts.engine, path: members, headers, caller })
    const dataset = route.dataset ? datasetOf(parts.engine, request.headers, caller) : ''
    const { baseUrlPrefix, clientsFolder, parallelLimit: configured, diskMinimumMb } = parts.config
    const { searchTimeoutMs: timeout } = parts.config
    const { signal } = request
    if (route.writes) await requireDiskSpace(parts.status, diskMinimumMb)
    const answer = await handled(route, {
      ...model,
      engine: parts.engine,
      path: members,
      dataset,
      headers: request.headers,
      request,
      address,
      caller,
      client,
      base: baseAddress(request, baseUrlPrefix, clientsFolder === undefined ? undefined : client),
      root: relativeRoot(pathname),
      parallel: parallelLimit(request.headers.get('X-Api-Parallel-Limit'), configured),
      signal,
      deadline: timeout === 0 ? { signal } : { timeout, signal },
    })
    return await toResponse(answer)
  }
}

async function handled(route: Route, call: Call): Promise<Answer> {
  try {
    return await route.handle(call)
  } catch (error) {
    const told = withoutOthers(error, call.caller)
    if (route.body) throw asSent(told, route.origins ?? {}, call.body)
    throw route.origins ? asSent(told, route.origins, call.query) : told
  }
}

/** Removes the engine's suggestions of similar dataset names, if the key is not for all datasets. */
function withoutOthers(error: unknown, { key }: Caller): unknown {
  if (!key?.datasets || !isEngineError(error) || error.code !== 'DATASET_NOT_FOUND') return error
  if (error.details.search !== undefined) return error
  return new HttpError(toHttpError(error).status, `There is no dataset ${error.details.received}.`)
}

async function readModel(
  route: Route,
  request: Request,
  url: URL,
  parts: HandlerParts,
): Promise<Pick<Call, 'query' | 'body' | 'stream'>> {
  return {
    query: route.query ? readQuery(route.query, url) : {},
    body: route.body ? await readJson(route.body, route, request, parts) : undefined,
    stream: route.stream ? readStream(route.stream, request, parts.size) : undefined,
  }
}

function readQuery(schema: NonNullable<Route['query']>, { searchParams }: URL): Call['query'] {
  // A query schema describes an object whose members are the parameters.
  return readBody(schema, Object.fromEntries(searchParams)) as Call['query']
}

/** An overlong list is refused with its limit; one of more than this many times the limit is not even read to its end. */
const LISTS_READ = 10

async function readJson(
  schema: NonNullable<Route['body']>,
  { bodyOptional, bodySize = 'query', rows, beacon }: Route,
  request: Request,
  { size, config }: HandlerParts,
): Promise<unknown> {
  const entries = LISTS_READ * Math.max(config.maxRows, config.maxDocumentValues)
  const within = { values: size.values(bodySize), entries }
  const json = await bodyJson(request, size.of(bodySize), { within, plainText: beacon === true })
  if (rows !== undefined) refuseMoreRows(rows, json, config.maxRows)
  if (json !== undefined) return await readLargeBody(schema, json)
  if (bodyOptional) return undefined
  throw new HttpError(400, 'The body is missing; expected JSON that is not null.')
}

function readStream(types: readonly string[], request: Request, size: SizeLimit): ReadableStream<Uint8Array> {
  const type = (request.headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (!types.includes(type)) {
    const came = type === '' ? 'missing' : JSON.stringify(type.slice(0, 60))
    throw new HttpError(415, `Content-Type is ${came}; expected ${types.join(' or ')}.`)
  }
  return ReadableStream.from(bodyBytes(request, size))
}
