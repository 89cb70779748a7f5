import { exposition, expositionType } from '../metrics/exposition.ts'
import { installationMetrics } from '../metrics/installation-metrics.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Route } from '../route.ts'
import type { StatusProbe } from '../status/status.ts'
import { defineRoute } from './define-route.ts'

/**
 * For Prometheus. It needs a key, as it tells names of datasets and how busy they are; that a call comes from this
 * machine says nothing, as all calls through a proxy on it do.
 */
export function metricsRoute(
  requests: Pick<RequestMetrics, 'read'>,
  status: Pick<StatusProbe, 'read'>,
  store: string,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/metrics',
    action: '',
    summary: 'Counts and measures of calls, data, memory and disk, in the text format of Prometheus',
    extension: true,
    responses: { 200: { when: 'The metrics', types: ['text/plain'] } },
    handle: async ({ engine }) => {
      const text = exposition([...requests.read(), ...(await installationMetrics(engine, status, store))])
      return { status: 200, stream: new Blob([text]).stream(), headers: { 'Content-Type': expositionType } }
    },
  })
}
