import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError } from 'findling'
import { encodeVersion, versions } from './commands.ts'
import type { Log } from './log.ts'
import { type Peer, peersOf } from './presence.ts'
import type { Shared } from './shared.ts'

export interface Upgrade {
  /** Version of commands that nodes wrote before; `to` is the one that they write now. */
  readonly from: number
  readonly to: number
}

const LOOK_EVERY = 100

/**
 * Lets nodes write the newest version of commands that this package knows, if all running nodes know it; older nodes cannot
 * follow from then on. It is no error if they write it already. LOG_AWAY; FORMAT_UNSUPPORTED while an older node runs; BEHIND if
 * not all nodes have switched in time.
 * @param patience milliseconds that nodes may take to switch; 30,000 by default
 */
export async function upgradeCluster(log: Log, shared: Shared, { patience = 30_000 } = {}): Promise<Upgrade> {
  const to = versions.newest
  const peers = await peersOf(shared)
  const from = writtenBy(peers)
  const older = peers.filter(({ knows }) => knows < to)
  if (older.length > 0) throw tooOld(older, to)
  if (from >= to) return { from, to: from }
  const position = await log.append(randomUUID(), encodeVersion(to))
  const until = performance.now() + patience
  for (;;) {
    const late = (await peersOf(shared)).filter(({ writes }) => writes < to)
    if (late.length === 0) return { from, to }
    if (performance.now() > until) throw unheard(late, position)
    await pause(LOOK_EVERY)
  }
}

/**
 * Begins an empty log with a version of commands, such as that of another log whose nodes will also follow this one. Otherwise the
 * first writer of a log chooses the newest version that it knows. LOG_AWAY.
 */
export async function beginCommands(log: Log, version: number): Promise<void> {
  await log.append(randomUUID(), encodeVersion(version))
}

/** The version that nodes write. FORMAT_UNSUPPORTED if that is older than the given one, INVALID_ARGUMENT if no node runs. */
export function assertWritten(peers: readonly Peer[], version: number): number {
  const written = writtenBy(peers)
  if (written >= version) return written
  throw new FindlingError(
    'FORMAT_UNSUPPORTED',
    `The log has commands of version ${written}, but this needs ${version}. Upgrade the cluster once all nodes run this version.`,
    { field: 'v', received: String(written), expected: `at least ${version}` },
  )
}

function writtenBy(peers: readonly Peer[]): number {
  if (peers.length > 0) return Math.max(...peers.map(({ writes }) => writes))
  throw new FindlingError('INVALID_ARGUMENT', 'No node has reported within half a minute. Start one.', {
    ...{ field: 'nodes', received: 'none', expected: 'at least one that follows the log' },
  })
}

const tooOld = (older: readonly Peer[], version: number): FindlingError =>
  new FindlingError(
    'FORMAT_UNSUPPORTED',
    `These nodes do not know commands of version ${version}: ${older.map(({ name, version: of }) => `${name} (${of})`).join(', ')}. Upgrade them first.`,
    { field: 'nodes', received: older.map(({ knows }) => knows).join(', '), expected: `at least ${version}` },
  )

const unheard = (late: readonly Peer[], position: number): FindlingError =>
  new FindlingError(
    'BEHIND',
    `Still behind: ${late.map(({ name }) => name).join(', ')}. They continue once they have applied entry ${position}.`,
    {
      field: 'position',
      received: String(Math.min(...late.map(one => one.position))),
      expected: `${position}`,
    },
  )
