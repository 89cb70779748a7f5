import type { Head, Log } from './log.ts'
import { type Peer, peersOf } from './presence.ts'
import type { Shared } from './shared.ts'
import { type ListedSnapshot, SnapshotList } from './snapshot-list.ts'

/** State of a log and its nodes, as far as these have reported it. */
export interface ClusterStatus {
  readonly log: Head
  /** Nodes that were heard of within half a minute. */
  readonly nodes: readonly Peer[]
  /** The newest first. */
  readonly snapshots: readonly ListedSnapshot[]
}

/** Reads the state of a cluster without joining it. LOG_AWAY. */
export async function clusterStatus(log: Log, shared: Shared): Promise<ClusterStatus> {
  const [head, nodes, snapshots] = await Promise.all([
    log.head(),
    peersOf(shared),
    new SnapshotList(shared, log).all(),
  ])
  return { log: head, nodes, snapshots }
}
