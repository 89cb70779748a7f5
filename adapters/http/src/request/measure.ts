import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Stage } from '../stage.ts'
import { toldStatus } from './told-status.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])

/** Counts and times every request, including refused ones. */
export function measure(metrics: RequestMetrics): Stage {
  return async (context, next) => {
    const started = performance.now()
    metrics.begin()
    try {
      await next()
    } finally {
      const { method } = context.req.raw
      const seconds = (performance.now() - started) / 1000
      const known = methods.has(method) ? method : 'other'
      metrics.end(known, context.env.route ?? 'none', toldStatus(context), seconds)
    }
  }
}
