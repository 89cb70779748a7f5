import type { Engine } from 'findling'
import type { SearchCounts } from '../analytics/search-counts.ts'
import type { Backed } from '../backups/backups.ts'
import { clusterMetrics } from '../cluster/cluster-metrics.ts'
import type { Membership } from '../cluster/membership.ts'
import { exposition, expositionType, labelled, type Metric, together } from '../metrics/exposition.ts'
import { backupMetrics, engineMetrics, processMetrics } from '../metrics/installation-metrics.ts'
import type { RequestMetrics } from '../metrics/request-metrics.ts'
import type { Route } from '../route.ts'
import type { StatusProbe } from '../status/status.ts'
import { defineRoute } from './define-route.ts'

/** An engine and the calls to it, with labels that distinguish its metrics from those of other engines. */
export interface Measured {
  readonly engine: Engine
  /** The folder of its store. */
  readonly store: string
  readonly requests: Pick<RequestMetrics, 'read'>
  /** Undefined if nothing is searched. */
  readonly searches?: Pick<SearchCounts, 'read'>
  /** Undefined without a folder for backups. */
  readonly backup?: Backed | undefined
  /** Undefined without a cluster. */
  readonly membership?: Membership | undefined
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * For Prometheus. It needs a key because it reveals the names of datasets and how busy they are. Calls from this machine
 * are not exempt, because all calls through a local proxy come from it.
 * @param more metrics of the whole server
 */
export function metricsRoute(
  status: Pick<StatusProbe, 'read'>,
  measured: () => readonly Measured[],
  more: () => readonly Metric[] = () => [],
): Route {
  return defineRoute({
    method: 'GET',
    path: '/metrics',
    action: '',
    summary: 'Metrics of calls, data, memory and disk, in the text format of Prometheus',
    extension: true,
    responses: { 200: { when: 'The metrics', types: ['text/plain'] } },
    handle: async () => {
      const all = await Promise.all([...measured().map(metricsOf), processMetrics(status)])
      const text = exposition(together([...all, more()]))
      return { status: 200, stream: new Blob([text]).stream(), headers: { 'Content-Type': expositionType } }
    },
  })
}

async function metricsOf({
  engine,
  store,
  requests,
  searches,
  backup,
  membership,
  labels = {},
}: Measured): Promise<Metric[]> {
  const held = await engineMetrics(engine, store)
  const searched = searches?.read() ?? []
  const backedUp = backup ? await backupMetrics(backup) : []
  const followed = membership ? clusterMetrics(membership) : []
  return labelled([...requests.read(), ...searched, ...held, ...backedUp, ...followed], labels)
}
