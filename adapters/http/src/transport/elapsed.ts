import type { Stage } from './stage.ts'

export const elapsedTime: Stage = async (context, next) => {
  const started = performance.now()
  await next()
  context.res.headers.set('X-ElapsedTime', String(Math.round(performance.now() - started)))
}
