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
    gauge('position', 'Newest log entry applied by this server.', position),
    gauge('head', 'Newest log entry known to this server.', head),
    gauge('lag_seconds', 'Time since the whole log was last applied.', lag / 1000),
    gauge('following', '1 while the server follows the log.', isReady || (loading > 0 && lag === 0) ? 1 : 0),
    gauge('commands_version', 'Version of the commands that the server writes.', commands),
    gauge('stopped', '1 if the server has stopped following the log.', failure ? 1 : 0),
  ]
}
