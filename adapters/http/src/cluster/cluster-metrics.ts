import type { Metric } from '../metrics/exposition.ts'
import type { Membership } from './membership.ts'

export function clusterMetrics({ name, status }: Membership): Metric[] {
  const { position, head, lag, isReady, loading, commands, failure } = status()
  const gauge = (metric: string, help: string, value: number): Metric => ({
    name: `findling_cluster_${metric}`,
    help,
    type: 'gauge',
    samples: [{ labels: { node: name }, value }],
  })
  return [
    gauge('position', 'Newest entry of the log that is applied here.', position),
    gauge('head', 'Newest entry of the log, as far as it is known here.', head),
    gauge('lag_seconds', 'Time since everything was applied that the log has.', lag / 1000),
    gauge('following', '1 while the server follows the log.', isReady || loading > 0 ? 1 : 0),
    gauge('commands_version', 'Version of the commands that the server writes.', commands),
    gauge('stopped', '1 when the server has stopped following the log.', failure ? 1 : 0),
  ]
}
