import type { Logger as EngineLogger } from 'findling'
import type { RequestPath } from '../http/path.ts'
import type { Stage } from '../stage.ts'
import { toldStatus } from './told-status.ts'

/** What the adapter needs of a logger; pino's is one. */
export interface Logger extends EngineLogger {
  info(details: object, message: string): void
}

/** Who knows the name of a result may read it, and the id of its process is that name. */
const names = /^(\/files\/|\/api\/processes\/)[^/]+/

/** A path as the log may tell it: without what opens a door. */
export function loggedPath({ route }: RequestPath): string {
  return route.replace(names, '$1*')
}

/** One line for each request, with the name of the key, if it is a named one. Neither query, headers nor body: there lie tokens, keys and people's data. */
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
