import type { Head, Log } from './log.ts'
import { type Peer, peersOf } from './presence.ts'
import type { Shared } from './shared.ts'
import { type ListedSnapshot, SnapshotList } from './snapshot-list.ts'

/** What a log and its nodes are at, as far as they have told. */
export interface ClusterStatus {
  readonly log: Head
  /** Those that were heard of within half a minute. */
  readonly nodes: readonly Peer[]
  /** The newest first. */
  readonly snapshots: readonly ListedSnapshot[]
}

/** Without being a node. LOG_AWAY. */
export async function clusterStatus(log: Log, shared: Shared): Promise<ClusterStatus> {
  const [head, nodes, snapshots] = await Promise.all([
    log.head(),
    peersOf(shared),
    new SnapshotList(shared, log).all(),
  ])
  return { log: head, nodes, snapshots }
}
