import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { Engine, type EngineOptions, FindlingError } from 'findling'
import { type Applied, beginWith, hasData, holdBack, recordIn, releaseHeldBack } from './applied.ts'
import { versions } from './commands.ts'
import type { Head, Log } from './log.ts'
import { APART } from './node.ts'
import { peersOf } from './presence.ts'
import { checkNames, type Shared } from './shared.ts'
import { type Snapshot, SnapshotList } from './snapshot-list.ts'
import { type SnapshotOptions, Snapshots } from './snapshots.ts'

/** A store that no node has open, and its log with the shared state, as for `ClusterNode.open`. */
export interface RecoverOptions extends Omit<EngineOptions, 'store' | 'writeThrough'> {
  store: string
  log: Log
  shared: Shared
  snapshots: Pick<SnapshotOptions, 'folder'>
  /** Namespaces that programs open as `local`: other nodes have their own. */
  own?: readonly string[]
  /** Name of the node that makes the snapshot. Default: the host name. */
  name?: string
}

/** What is there before a store becomes the beginning of its log. */
export interface RecoveryOutlook {
  readonly log: Head
  readonly store: {
    /** Position of the newest entry that it has applied, of this log or another; undefined for a store outside of clusters. */
    readonly position: number | undefined
    readonly datasets: number
    readonly documents: number
  }
  /** Whether the store has the same entries as this log, up to its position. */
  readonly isOfLog: boolean
  /** Positions of the first and the last entry that would be lost; undefined if the store has them all. */
  readonly lost: { readonly first: number; readonly last: number } | undefined
  /** Whether there is nothing to recover: the store follows the log, and has all of it. */
  readonly isWhole: boolean
  /** Names of nodes that follow the log, or may do so again once they reach it: close them first. */
  readonly followedBy: readonly string[]
}

export interface Recovered {
  /** The next entries of the log come after this position. */
  readonly position: number
  /** The snapshot from which other nodes join. */
  readonly snapshot: Snapshot
  /** Folders of snapshots of the previous log, of no use to nodes any more. */
  readonly left: readonly string[]
}

/**
 * Every history begins at the next multiple of this number, beyond every position that any node or client may have seen in the
 * previous history.
 */
const HISTORIES_APART = 1_000_000

/**
 * Makes a store the beginning of its log: after the log was lost, or for a store that was outside of any cluster until then. The
 * log gets a new id and has no entries; other nodes set their stores aside and join again. If it is interrupted, call it again.
 * If the store already has all of the log, it only takes a snapshot, unless there is one. STORE_LOCKED while the store is open,
 * LOG_IN_USE while nodes follow the log or it gets entries, LOG_DIVERGED if somebody else does the same with another store,
 * INVALID_ARGUMENT, LOG_AWAY, and the errors of `Engine.open` and `engine.backup`.
 * @param isWanted decides whether to go on, given the outlook
 * @returns undefined if it was not wanted; nothing was changed then
 */
export async function recover(
  { log, shared, snapshots, own = [], name = hostname(), ...options }: RecoverOptions,
  isWanted: (outlook: RecoveryOutlook) => boolean | Promise<boolean>,
): Promise<Recovered | undefined> {
  checkNames({ name })
  await assertStore(options.store)
  const settings = { durability: 'disk', rankingConstants: 'adopted', ...options } as const
  const taking = { log, shared, snapshots, name, logger: options.logger }
  let applied: Applied
  {
    // The store may still follow the log: nothing is written to it, and no cleaning is resumed.
    await using engine = await Engine.open({ ...settings, writeThrough: { write: refused } })
    const outlook = await outlookOf(engine, log, shared)
    if (!(await isWanted(outlook))) return undefined
    const { applied: whole } = outlook.isWhole ? await recordIn(engine) : {}
    if (whole) return await recoveredAt(whole, engine, { ...taking, own })
    if (outlook.followedBy.length > 0) throw inUse(outlook.followedBy)
    applied = await beginHistory(engine, log, outlook.log.position)
  }
  await using engine = await Engine.open(settings)
  // No node would finish cleaning tags that were removed before.
  for (const { name: dataset } of engine.datasets.list())
    await engine.datasets.get(dataset).tags.resumeCleaning()
  await beginWith(engine, applied)
  return await recoveredAt(applied, engine, { ...taking, own })
}

/** Begins the log anew, beyond every position of the store and beyond the head of the log that the caller was shown. */
async function beginHistory(engine: Engine, log: Log, head: number): Promise<Applied> {
  const { applied, isAlone } = await recordIn(engine)
  // From now on the store belongs to no node, and a node that is opened too early does not set it aside.
  await holdBack(engine)
  try {
    const { seq, datasets } = await engine.digest()
    // Cleaning tags takes at most one more number per document.
    const numbers = datasets.reduce((sum, { documents }) => sum + documents, seq)
    const position = beginningAfter(head, applied?.position ?? 0, Math.ceil(numbers / APART))
    const id = randomUUID()
    await log.begin(id, position, head)
    // Other nodes may know no newer commands than the store has seen.
    const commands = applied ? applied.commands : versions.newest
    return { log: id, position, batch: randomUUID(), ...(commands !== undefined && { commands }) }
  } catch (error) {
    // Another store was made the beginning meanwhile, or somebody writes: this store is released again.
    if (isRefused(error) && !isAlone) await releaseHeldBack(engine)
    throw error
  }
}

async function outlookOf(engine: Engine, log: Log, shared: Shared): Promise<RecoveryOutlook> {
  const { applied, isAlone } = await recordIn(engine)
  const { datasets } = await engine.digest()
  if (!(await hasData(engine))) throw nothingIn()
  const head = await log.head()
  const isOfLog =
    !isAlone &&
    applied?.log === log.id &&
    applied.position <= head.position &&
    (await log.holds(applied.position, applied.batch))
  const first = isOfLog ? Math.max(applied.position + 1, head.first) : head.first
  const lost = first <= head.position ? { first, last: head.position } : undefined
  return {
    log: head,
    store: {
      position: isAlone ? undefined : applied?.position,
      datasets: datasets.length,
      documents: datasets.reduce((sum, { documents }) => sum + documents, 0),
    },
    isOfLog,
    lost,
    isWhole: isOfLog && applied.position === head.position,
    followedBy: (await peersOf(shared))
      .filter(({ failure }) => failure === undefined)
      .map(({ name }) => name),
  }
}

const beginningAfter = (...positions: number[]): number =>
  HISTORIES_APART * (Math.floor(Math.max(...positions) / HISTORIES_APART) + 1)

type Taking = ConstructorParameters<typeof Snapshots>[0] & { readonly own: readonly string[] }

async function recoveredAt(applied: Applied, engine: Engine, taking: Taking): Promise<Recovered> {
  const list = new SnapshotList(taking.shared, taking.log)
  const [newest] = await list.all()
  const snapshot = newest ?? (await snapshotOf(engine, applied, taking))
  return { position: applied.position, snapshot, left: await list.forgetOthers() }
}

async function snapshotOf(engine: Engine, applied: Applied, taking: Taking): Promise<Snapshot> {
  for (const name of taking.own) engine.namespace(name, { local: true })
  const snapshots = new Snapshots(taking)
  snapshots.begin({ engine, isFollowing: true, applied: () => applied })
  try {
    return await snapshots.take()
  } finally {
    await snapshots.close()
  }
}

/** An engine would create a missing store. */
async function assertStore(store: string): Promise<void> {
  const names: string[] = await readdir(store).catch(() => [])
  if (names.includes('CURRENT')) return
  throw invalid(`There is no store in ${store}.`, store, 'the folder of a store')
}

const refused = async (): Promise<never> => {
  throw new FindlingError('CLOSED', 'Nothing can be written until it is decided what happens to the store.')
}

const isRefused = (error: unknown): boolean =>
  error instanceof FindlingError && (error.code === 'LOG_DIVERGED' || error.code === 'LOG_IN_USE')

const inUse = (names: readonly string[]): FindlingError =>
  new FindlingError(
    'LOG_IN_USE',
    `The log is followed by ${names.join(', ')}. Close all nodes; if one was killed, wait for half a minute.`,
    { field: 'log', received: names.join(', '), expected: 'no nodes that follow it' },
  )

const nothingIn = (): FindlingError =>
  invalid('The store is empty: it can join as it is.', 'an empty store', 'a store with data')

const invalid = (message: string, received: string, expected: string): FindlingError =>
  new FindlingError('INVALID_ARGUMENT', message, { field: 'store', received, expected })
