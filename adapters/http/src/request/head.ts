import type { Stage } from '../stage.ts'

/** The router answers HEAD as GET without the body: nobody will read it, so what feeds it must stop. */
export const head: Stage = async (context, next) => {
  await next()
  if (context.req.raw.method === 'HEAD') await context.res.body?.cancel()
}
