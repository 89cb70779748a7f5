import type { Stage } from '../stage.ts'

/** The router answers HEAD like GET, without the body. Nobody reads the body, so its source must be cancelled. */
export const head: Stage = async (context, next) => {
  await next()
  if (context.req.raw.method === 'HEAD') await context.res.body?.cancel()
}
