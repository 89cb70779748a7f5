import type { Logger as EngineLogger } from 'findling'
import type { RequestPath } from '../http/path.ts'
import type { Stage } from '../stage.ts'
import { toldStatus } from './told-status.ts'

/** What the adapter needs of a logger; pino's is one. */
export interface Logger extends EngineLogger {
  info(details: object, message: string): void
}

/** Anyone who knows the name of a result may read it, so file names and process ids are not logged. */
const names = /^(\/files\/|\/api\/processes\/)[^/]+/

/** A path for the log, without names that would give access. */
export function loggedPath({ route }: RequestPath): string {
  return route.replace(names, '$1*')
}

/**
 * Logs one line per request, with the name of a named key, but without query, headers and body, which contain tokens, keys
 * and personal data.
 */
export function requestLog(logger: Logger): Stage {
  return async (context, next) => {
    const started = performance.now()
    await next()
    const { method } = context.req.raw
    const { path, client, address, caller, requestId } = context.env
    const named = client !== '' && { client }
    const key = caller?.key && { key: caller.key.name }
    const ms = Math.round(performance.now() - started)
    const about = { requestId, method, path: loggedPath(path), status: toldStatus(context), ms, address }
    logger.info({ ...about, ...named, ...key }, 'request')
  }
}
