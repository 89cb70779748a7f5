import type { Stage } from '../stage.ts'

/** Files are sent before the stage that measures the time (contract, 1.2). The path is in lower case. */
export const isTimed = (path: string): boolean => !path.startsWith('/files/')

export const elapsedTime: Stage = async (context, next) => {
  const started = performance.now()
  await next()
  if (!isTimed(context.env.path.route)) return
  context.res.headers.set('X-ElapsedTime', String(Math.round(performance.now() - started)))
}
