import { hostname } from 'node:os'
import type { ClusterNode, PostgresLog, PostgresShared } from '@findling/cluster'
import type { Engine, EngineOptions } from 'findling'
import type { Config } from '../config/config.ts'
import type { Logger } from '../request/log.ts'
import { caughtUp } from './catching-up.ts'
import type { Membership } from './membership.ts'

/** A server that cannot take part in its cluster; the message is for the operator. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}

export interface OpenedNode {
  /** What is written to it is written on all nodes. */
  readonly engine: Engine
  readonly membership: Membership
  /** Resolves when it has stopped following the log, and why. */
  readonly failed: Promise<Error>
  close(): Promise<void>
}

const LOOK_EVERY_MS = 100

/** Opens a node that has applied what the log had when it was opened. Rejects with nothing left open. */
export async function openNode(
  config: Config,
  options: EngineOptions,
  { logger, signal }: { logger: Logger; signal?: AbortSignal | undefined },
): Promise<OpenedNode> {
  const { ClusterNode, PostgresLog, PostgresShared } = await clusterPackage()
  const { cluster: url = '', node: name = hostname(), snapshots, clusterReadyLag: readyLag } = config
  const opened: (ClusterNode | PostgresLog | PostgresShared)[] = []
  const watching = new AbortController()
  const close = async () => {
    watching.abort()
    for (const one of opened.splice(0).reverse()) await one.close()
  }
  try {
    const log = await PostgresLog.open({ url })
    opened.push(log)
    const shared = await PostgresShared.open({ url })
    opened.push(shared)
    const node = await ClusterNode.open({
      ...options,
      log,
      shared,
      name,
      ...(snapshots !== undefined && { snapshots: { folder: snapshots } }),
    })
    opened.push(node)
    await caughtUp(node, (await log.head()).position, { logger, signal })
    const membership = membershipOf(node, { name, readyLag })
    return { engine: node.engine, membership, failed: failureOf(node, watching.signal), close }
  } catch (error) {
    await close()
    throw isOwnData(error) ? ownData(config.store) : error
  }
}

const isOwnData = (error: unknown): boolean =>
  error instanceof Error &&
  'details' in error &&
  (error.details as { field?: unknown }).field === 'store' &&
  'code' in error &&
  error.code === 'INVALID_ARGUMENT'

const ownData = (store: string): ClusterError =>
  new ClusterError(
    `The store ${store} has data that are not from the log of FINDLING_CLUSTER. Make it the beginning of that log with findling-http cluster recover, or choose a new folder with FINDLING_STORE.`,
  )

function failureOf(node: ClusterNode, signal: AbortSignal): Promise<Error> {
  return new Promise(resolve => {
    const timer = setInterval(() => {
      const { failure } = node.status
      if (failure || signal.aborted) clearInterval(timer)
      if (failure) resolve(failure)
    }, LOOK_EVERY_MS)
    timer.unref()
  })
}

/** What is written to a store alone is not in the log: from now on it is that of no node. */
export async function leaveCluster(engine: Engine): Promise<void> {
  const node = engine.namespace('findling-cluster', { local: true })
  if ((await node.get('position')) !== undefined || (await node.get('alone')) === undefined)
    await node.write([{ key: 'alone', value: true }, { key: 'position' }])
}

export const membershipOf = (
  node: ClusterNode,
  about: Pick<Membership, 'name' | 'readyLag'>,
): Membership => ({
  ...about,
  status: () => node.status,
  reach: (position, patience) => node.reach(position, { patience }),
  latest: () => node.latest(),
})

/** Loaded only where it is needed. ClusterError where it is not installed. */
export async function clusterPackage(): Promise<typeof import('@findling/cluster')> {
  try {
    return await import('@findling/cluster')
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ClusterError(
      'FINDLING_CLUSTER needs the package @findling/cluster: npm install @findling/cluster',
    )
  }
}
