import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { FindlingError, type Logger } from 'findling'
import { type ToldState, tellState } from './comparing.ts'
import { join } from './joining.ts'
import type { Log } from './log.ts'
import { type Peer, Presence, peersOf } from './presence.ts'
import { RankingMaker } from './ranking-maker.ts'
import { checkNames, type Shared } from './shared.ts'
import type { Claim, ListedSnapshot, Snapshot } from './snapshot-list.ts'
import { type SnapshotOptions, type SnapshotSource, Snapshots, SnapshotTurn } from './snapshots.ts'
import { TagCleaner } from './tag-cleaner.ts'

export interface BesideOptions {
  shared?: Shared | undefined
  snapshots?: SnapshotOptions | undefined
  name?: string | undefined
}

interface Settings {
  readonly log: Log
  readonly shared: Shared
  readonly name: string
  readonly logger: Logger | undefined
  /** With the folder of the node's own store. */
  readonly snapshots: (SnapshotOptions & { readonly store: string }) | undefined
}

/** A node, as background work sees it. */
interface Beheld extends SnapshotSource {
  /** Newest version of commands. */
  readonly knows: number
  /** Whether it has still to count its contents. */
  readonly isCounting: boolean
  /** Makes it stop following the log. */
  stop(error: FindlingError): void
  readonly status: {
    readonly position: number
    readonly head: number
    readonly isReady: boolean
    readonly isAway: boolean
    readonly commands: number
    readonly failure: FindlingError | null
  }
}

const LEAST_EVERY = 100
const MOST_EVERY = 7 * 24 * 60 * 60 * 1000
const LOOKS_AGAIN = 250
/** Milliseconds to release rows, leases and claims on closing; after that they are left to expire. */
const GOODBYE_WITHIN = 2000

/** Undefined where nothing is shared. INVALID_ARGUMENT. */
export function besideSettings({
  log,
  store,
  logger,
  shared,
  snapshots,
  name,
}: BesideOptions & { log: Log; store?: unknown; logger?: Logger | undefined }): Settings | undefined {
  if (!shared) {
    const [given] = Object.entries({ snapshots, name }).find(([, value]) => value !== undefined) ?? []
    if (given) throw invalid('shared', shared, `the shared storage of the nodes, which ${given} requires`)
    return undefined
  }
  const own = { log, shared, logger, name: name ?? hostname() }
  checkNames({ name: own.name })
  return { ...own, snapshots: snapshots && checkedSnapshots(snapshots, store) }
}

function checkedSnapshots(snapshots: SnapshotOptions, store: unknown): SnapshotOptions & { store: string } {
  const { folder, every, keep, turn, ...others } = snapshots
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`snapshots.${unknown}`, 'given', 'folder, every, keep and turn')
  if (typeof folder !== 'string' || folder === '')
    throw invalid('snapshots.folder', folder, 'the path of a folder')
  if (every !== undefined && !isBetween(every, LEAST_EVERY, MOST_EVERY))
    throw invalid('snapshots.every', every, `milliseconds from ${LEAST_EVERY} to ${MOST_EVERY}`)
  if (keep !== undefined && !isBetween(keep, 2, 1000))
    throw invalid('snapshots.keep', keep, 'a whole number from 2 to 1000')
  if (turn !== undefined && !(turn instanceof SnapshotTurn))
    throw invalid('snapshots.turn', typeof turn, 'a SnapshotTurn')
  if (typeof store !== 'string' || store === '')
    throw invalid('store', typeof store, 'the path of a folder, as there are snapshots')
  return { ...snapshots, store }
}

const isBetween = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most

const invalid = (field: string, received: unknown, expected: string): FindlingError =>
  new FindlingError('INVALID_ARGUMENT', `${field} is ${String(received)}; expected ${expected}.`, {
    ...{ field, received: String(received), expected },
  })

/** Background work of a node besides following the log: it reports its presence and takes snapshots. */
export class Beside {
  readonly #shared: Shared
  readonly #name: string
  readonly #logger: Logger | undefined
  readonly #isAway: () => boolean
  readonly #presence: Presence
  readonly #snapshots: Snapshots | undefined
  readonly #maker: RankingMaker
  readonly #cleaner: TagCleaner
  #claim: Claim | undefined
  #joining: NodeJS.Timeout | undefined

  static async open<Node extends Beheld>(
    settings: Settings,
    open: () => Promise<Node>,
  ): Promise<{ node: Node; beside: Beside }> {
    const { log, shared, logger, snapshots } = settings
    const { node, claim } = snapshots
      ? await join({ log, shared, logger, store: snapshots.store, folder: snapshots.folder }, open)
      : { node: await open(), claim: undefined }
    const beside = new Beside(settings, node)
    if (claim) beside.#keep(claim, node, node.status.head)
    return { node, beside }
  }

  private constructor(settings: Settings, node: Beheld) {
    const { shared, name, snapshots } = settings
    this.#shared = shared
    this.#name = name
    this.#logger = settings.logger
    this.#isAway = () => node.status.isAway
    this.#presence = new Presence(shared, name, {
      told: () => ({ ...node.status, knows: node.knows, isCounting: node.isCounting }),
      onTaken: error => node.stop(error),
    })
    this.#snapshots = snapshots && new Snapshots({ ...settings, snapshots })
    this.#snapshots?.begin(node)
    const isFollowing = () => node.isFollowing && node.status.isReady
    this.#maker = new RankingMaker(node.engine, shared, isFollowing, settings.logger)
    this.#cleaner = new TagCleaner(node.engine, shared, isFollowing, settings.logger)
  }

  /** Holds the claim until the node has caught up, so that the log is not cut before the entries it still needs. */
  #keep(claim: Claim, node: Beheld, head: number): void {
    this.#claim = claim
    this.#joining = setInterval(() => {
      const { position, failure } = node.status
      if (position < head && !failure) return
      clearInterval(this.#joining)
      void claim.release()
    }, LOOKS_AGAIN).unref()
  }

  has(option: 'shared' | 'snapshots'): boolean {
    return option === 'shared' || this.#snapshots !== undefined
  }

  async peers(): Promise<Peer[]> {
    await this.#presence.renew()
    return await peersOf(this.#shared)
  }

  /** Reports to other nodes at once; if that fails, the next regular report does it. */
  async renew(): Promise<void> {
    await this.#presence.renew().catch(() => {})
  }

  /** Reports the contents of the node to whoever compares. */
  async tell(comparison: string, told: ToldState): Promise<void> {
    await tellState(this.#shared, comparison, this.#name, told).catch(error =>
      this.#logger?.warn({ error }, 'The contents of the node could not be reported for the comparison.'),
    )
  }

  snapshot(): Promise<Snapshot> {
    return this.#snapshots!.take()
  }

  listed(): Promise<ListedSnapshot[]> {
    return this.#snapshots!.list()
  }

  async close(): Promise<void> {
    clearInterval(this.#joining)
    const all = [this.#maker, this.#cleaner, this.#snapshots, this.#presence]
    const goodbyes = Promise.all([...all.map(one => one?.close()), this.#claim?.release()])
    await within(this.#isAway() ? 0 : GOODBYE_WITHIN, goodbyes)
  }
}

/** Resolves with the promise, or after so many milliseconds. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = pause(milliseconds, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([promise, late]).finally(() => over.abort())
}
