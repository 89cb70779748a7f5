import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresDatabase } from '@findling/cluster'
import type { EngineOptions } from 'findling'
import { ClientList, newLogOf } from '../clients/client-list.ts'
import { ClientFolders, configOf, operatorsConfig } from '../clients/folders.ts'
import type { Membership } from '../cluster/membership.ts'
import {
  beginLog,
  type Cluster,
  clusterPackage,
  mainLog,
  openCluster,
  withStore,
} from '../cluster/open-node.ts'
import type { Config } from '../config/config.ts'
import { documentLimits } from '../config/document-limits.ts'
import type { Logger } from '../request/log.ts'
import { assertNew, begin, CommandError, MissingSetting, type NewClient } from './clients.ts'

/** The settings of a server of a cluster with clients. */
export type ClusterClientsConfig = Config & { readonly clientsFolder: string }

/** State of a running command, which is a separate node, because a server may have the stores of this machine open. */
interface Working {
  readonly cluster: Cluster
  /** Of the operator's store. */
  readonly membership: Membership
  readonly list: ClientList
  /** A temporary folder for stores, removed when the command ends. */
  readonly folder: string
}

/** Ids of all clients of a cluster. */
export async function listClusterClients(config: ClusterClientsConfig): Promise<string[]> {
  return await working(config, async ({ list }) => [...(await list.read()).clients.keys()])
}

/** Names of the logs of all clients of a cluster, sorted. */
export async function logsOfClients(config: ClusterClientsConfig): Promise<string[]> {
  return await working(config, async ({ list }) => [...(await list.read()).clients.values()].sort())
}

/**
 * Adds a client to a cluster, completely or not at all; all servers serve it soon.
 * @returns its provisional secret; undefined if a secret was given
 */
export async function addClusterClient(
  id: string,
  config: ClusterClientsConfig,
  given: NewClient,
): Promise<string | undefined> {
  assertNew(id, given)
  return await working(config, async ({ cluster, membership, list, folder }) => {
    const isThere = (await list.read()).clients.has(id)
    if (isThere) throw new CommandError(`There is already a client ${id} in the cluster.`)
    if ((await new ClientFolders(config.clientsFolder).ids())?.includes(id))
      throw new CommandError(
        `There is already a folder ${id} in ${config.clientsFolder}, which belongs to no client of the cluster; move it away.`,
      )
    const log = newLogOf(id)
    try {
      await beginLog(cluster, log, membership.status())
      const followed = { cluster, log, snapshots: undefined }
      const stored: EngineOptions = { store: join(folder, id), documentLimits: documentLimits(config) }
      const made = await withStore(stored, followed, silent, async ({ engine, close }) => {
        const secret = await begin(engine, config.authSchemes, given)
        await close()
        return secret
      })
      if (!(await list.add(id, log)))
        throw new CommandError(`There is already a client ${id} in the cluster.`)
      return made
    } catch (error) {
      await cluster.database.remove(log).catch(() => {})
      throw error
    }
  })
}

/** A server that has ended disappears from the peers within half a minute. */
const PATIENCE_MS = 40_000
const LOOK_EVERY_MS = 200

export interface RemoveClusterClientOptions {
  /** Milliseconds that servers may take to close the client. Default 40,000. */
  readonly patienceMs?: number
}

/**
 * Removes a client from a cluster: all servers close it and set its data aside; then its snapshots and its log are removed.
 * If it is interrupted, repeating it continues from there.
 */
export async function removeClusterClient(
  id: string,
  config: ClusterClientsConfig,
  { patienceMs = PATIENCE_MS }: RemoveClusterClientOptions = {},
): Promise<void> {
  await working(config, async ({ cluster: { database }, list }) => {
    const listed = await list.remove(id)
    const there = new Set(await database.names())
    const former = [...(await list.read()).former].flatMap(([log, of]) => (of === id ? log : []))
    const logs = [...new Set([...former, ...(listed === undefined ? [] : [listed])])].filter(log =>
      there.has(log),
    )
    if (listed === undefined && logs.length === 0)
      throw new CommandError(`There is no client ${id} in the cluster.`)
    const until = Date.now() + patienceMs
    for (const log of logs) await unfollowed(database, log, until)
    const { snapshots } = configOf(id, config.clientsFolder, config)
    if (snapshots !== undefined) await rm(snapshots, { recursive: true, force: true, maxRetries: 5 })
    // The logs come last: while they exist, this can be repeated.
    for (const log of logs) await database.remove(log)
  })
}

async function unfollowed(database: PostgresDatabase, name: string, until: number): Promise<void> {
  const { clusterStatus } = await clusterPackage()
  const [log, shared] = [await database.log(name, { create: false }), await database.shared(name)]
  try {
    while ((await clusterStatus(log, shared)).nodes.length > 0 && Date.now() < until)
      await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
  } finally {
    await Promise.all([log.close(), shared.close()])
  }
}

async function working<T>(config: ClusterClientsConfig, work: (working: Working) => Promise<T>): Promise<T> {
  const opened = await openCluster(config)
  if (!opened) throw new MissingSetting('FINDLING_CLUSTER', 'the address of the database')
  const cluster = { ...opened, name: `${opened.name} (command ${process.pid})` }
  const folder = await mkdtemp(join(tmpdir(), 'findling-command-'))
  try {
    const { snapshots } = operatorsConfig(config)
    const followed = { cluster, log: mainLog, snapshots }
    return await withStore({ store: join(folder, 'operator') }, followed, silent, async store => {
      try {
        const { engine, membership } = store
        return await work({ cluster, membership: membership!, list: new ClientList(engine), folder })
      } finally {
        await store.close()
      }
    })
  } finally {
    await cluster.database.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const silent: Logger = { info() {}, warn() {}, error() {} }
