import { hostname } from 'node:os'
import type { ClusterNode, PostgresDatabase, SnapshotTurn } from '@findling/cluster'
import { Engine, type EngineOptions } from 'findling'
import type { Config } from '../config/config.ts'
import type { Logger } from '../request/log.ts'
import { caughtUp } from './catching-up.ts'
import type { ClusterStatus, Membership } from './membership.ts'

/** A server that cannot take part in its cluster; the message is for the operator. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}

/** An opened store, of a single engine or of a node. */
export interface OpenedStore {
  /** In a cluster, writes to it go to all nodes. */
  readonly engine: Engine
  /** Undefined without a cluster. */
  readonly membership?: Membership
  /** Resolves with the reason when it stops following the log. */
  readonly failed?: Promise<Error>
  close(): Promise<void>
}

export type OpenedNode = Required<OpenedStore>

/** The cluster, as one server sees it. */
export interface Cluster {
  readonly database: PostgresDatabase
  /** Of this server. */
  readonly name: string
  readonly readyLag: number
  /** Lets its nodes take snapshots one after the other. */
  readonly turn: SnapshotTurn
  /** Aborts a wait for the log, which then rejects with the reason. */
  readonly signal?: AbortSignal | undefined
}

/** The log that a node follows. */
export interface Followed {
  readonly cluster: Cluster
  /** The name of a log. */
  readonly log: string
  /** Whether to create the log if it does not exist. Default true. */
  readonly create?: boolean
  /** The folder of its snapshots. */
  readonly snapshots: string | undefined
}

/** The log of a single installation, or of the operator of clients. */
export const mainLog = 'main'

/** Undefined without a cluster. */
export async function openCluster(config: Config, signal?: AbortSignal): Promise<Cluster | undefined> {
  const { cluster: url, node: name = hostname(), clusterReadyLag: readyLag } = config
  if (url === undefined) return undefined
  const { PostgresDatabase, SnapshotTurn } = await clusterPackage()
  const database = await PostgresDatabase.open({ url })
  return { database, name, readyLag, turn: new SnapshotTurn(), signal }
}

/**
 * Opens a store and passes it on; if that fails, closes it again. In a cluster it is opened as a node that has applied everything
 * its log had when it was opened.
 */
export async function withStore<T>(
  options: EngineOptions,
  followed: Followed | undefined,
  logger: Logger,
  make: (store: OpenedStore) => Promise<T>,
): Promise<T> {
  const store = followed ? await openNode(followed, options, logger) : await openAlone(options)
  try {
    return await make(store)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openAlone(options: EngineOptions): Promise<OpenedStore> {
  const engine = await Engine.open(options)
  try {
    await leaveCluster(engine)
    return { engine, close: () => engine.close() }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Opens a node that has applied what the log had when it was opened. If it rejects, nothing is left open. */
async function openNode(
  { cluster, log: named, create = true, snapshots }: Followed,
  options: EngineOptions,
  logger: Logger,
): Promise<OpenedNode> {
  const { ClusterNode } = await clusterPackage()
  const { database, name, readyLag, turn, signal } = cluster
  const opened: { close(): Promise<void> }[] = []
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one.close()
  }
  try {
    const log = await database.log(named, { create })
    opened.push(log)
    const shared = await database.shared(named)
    opened.push(shared)
    const node = await ClusterNode.open({
      ...options,
      log,
      shared,
      name,
      ...(snapshots !== undefined && { snapshots: { folder: snapshots, turn } }),
    })
    opened.push(node)
    await caughtUp(node, (await log.head()).position, { logger, signal })
    return {
      engine: node.engine,
      membership: membershipOf(node, { name, readyLag }),
      failed: node.failed,
      close,
    }
  } catch (error) {
    await close()
    throw isOwnData(error) ? ownData(options.store) : error
  }
}

const isOwnData = (error: unknown): boolean =>
  error instanceof Error &&
  'details' in error &&
  (error.details as { field?: unknown }).field === 'store' &&
  'code' in error &&
  error.code === 'INVALID_ARGUMENT'

const ownData = (store: unknown): ClusterError =>
  new ClusterError(
    `The store ${String(store)} has data that do not come from the log of FINDLING_CLUSTER. Make it the beginning of that log with findling-http cluster recover, or choose a new folder with FINDLING_STORE.`,
  )

/** Creates a log that can be followed by all servers that follow the log of a node. */
export async function beginLog(
  { database }: Cluster,
  name: string,
  { commands }: Pick<ClusterStatus, 'commands'>,
): Promise<void> {
  const { beginCommands } = await clusterPackage()
  const log = await database.log(name)
  try {
    await beginCommands(log, commands)
  } finally {
    await log.close()
  }
}

/** Marks a store as belonging to no node, because writes outside of the cluster are not in the log. */
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

/** Loads the package only if it is needed. ClusterError if it is not installed. */
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
