import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Engine, FindlingError, type Logger } from 'findling'
import type { Log } from './log.ts'
import { forgetHanded } from './models.ts'
import type { Shared } from './shared.ts'
import { folderOf, type ListedSnapshot, type Snapshot, SnapshotList } from './snapshot-list.ts'

/** How a node takes snapshots. */
export interface SnapshotOptions {
  /** A folder that all nodes see, such as a network share, for snapshots only. */
  folder: string
  /** Milliseconds between two snapshots, if there are new entries. Default: an hour. */
  every?: number
  /** How many snapshots are kept, at least 2; the log is cut behind the oldest of them. Default 2. */
  keep?: number
  /** Nodes of one process that have the same turn take their snapshots one after the other. */
  turn?: SnapshotTurn
}

/** Serializes the snapshots of several nodes in one process, since each reads the whole store twice. */
export class SnapshotTurn {
  #last: Promise<unknown> = Promise.resolve()

  /** CLOSED if it is aborted while it waits. */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last
    const working = (async () => {
      const over = new AbortController()
      const aborted = once(signal, 'abort', { signal: over.signal }).catch(() => {})
      if (!signal.aborted) await Promise.race([before, aborted])
      over.abort()
      if (signal.aborted) throw closed()
      return await work()
    })()
    this.#last = Promise.allSettled([before, working])
    return working
  }
}

/** The node that snapshots are taken of. */
export interface SnapshotSource {
  readonly engine: Engine
  readonly isFollowing: boolean
  applied(): { readonly position: number; readonly batch: string }
}

const LEASE = 'snapshots'
const LEASE_LASTS = 30_000
const LOOKS_AGAIN = 200
const HOUR = 60 * 60 * 1000

/**
 * Takes snapshots of a node: one node at a time, under a lease, each into a folder of its own, so that an interrupted one leaves
 * the earlier ones intact. Then it removes the oldest, and cuts the log behind those that stay.
 */
export class Snapshots {
  readonly #log: Log
  readonly #shared: Shared
  readonly #list: SnapshotList
  readonly #options: Required<SnapshotOptions>
  readonly #name: string
  readonly #logger: Logger | undefined
  /** Identifies this run of the node. */
  readonly #owner = randomUUID()
  readonly #end = new AbortController()
  #source: SnapshotSource | undefined
  #timer: NodeJS.Timeout | undefined
  #taking: Promise<unknown> = Promise.resolve()

  constructor({
    log,
    shared,
    snapshots: { folder, every = HOUR, keep = 2, turn = new SnapshotTurn() },
    name,
    logger,
  }: {
    log: Log
    shared: Shared
    snapshots: SnapshotOptions
    name: string
    logger: Logger | undefined
  }) {
    this.#log = log
    this.#shared = shared
    this.#list = new SnapshotList(shared, log)
    this.#options = { folder, every, keep, turn }
    this.#name = name
    this.#logger = logger
  }

  /** From now on, snapshots of this node are taken when they are due. */
  begin(source: SnapshotSource): void {
    this.#source = source
    this.#schedule()
  }

  /** All that are registered, the newest first. */
  list(): Promise<ListedSnapshot[]> {
    return this.#list.all()
  }

  /** Takes a snapshot now, or waits for one of another node that includes everything this node has applied by now. */
  take(): Promise<Snapshot> {
    return this.#alone(async () => {
      const wanted = this.#source!.applied().position
      for (;;) {
        const taken = await this.#underLease(() => this.#takeOne())
        if (taken) return taken
        const [newest] = await this.#list.all()
        if (newest && newest.position >= wanted) return newest
        await this.#paused(LOOKS_AGAIN)
      }
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#end.abort()
    await this.#taking.catch(() => {})
  }

  #schedule(): void {
    if (this.#end.signal.aborted) return
    this.#timer = setTimeout(
      () => {
        void this.#alone(() => this.#takeInTime())
          .catch(error => {
            if (!this.#end.signal.aborted) this.#warn('A snapshot could not be taken.', error)
          })
          .finally(() => this.#schedule())
      },
      Math.min(this.#options.every / 4, 60_000),
    ).unref()
  }

  /** Runs one task at a time. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const working = this.#taking.catch(() => {}).then(work)
    this.#taking = working.catch(() => {})
    return working
  }

  async #takeInTime(): Promise<void> {
    if (!(await this.#isTime())) return
    // Another node may have taken one while this one waited for the lease.
    await this.#underLease(async () => ((await this.#isTime()) ? await this.#takeOne() : undefined))
  }

  async #isTime(): Promise<boolean> {
    if (!this.#source?.isFollowing) return false
    const [newest] = await this.#list.all()
    const { position } = this.#source.applied()
    return position > (newest?.position ?? 0) && (newest?.age ?? Infinity) >= this.#options.every
  }

  /** Undefined when another node has the lease. */
  async #underLease<T>(work: () => Promise<T>): Promise<T | undefined> {
    this.#assertOpen()
    return await this.#options.turn.take(() => this.#leased(work), this.#end.signal)
  }

  async #leased<T>(work: () => Promise<T>): Promise<T | undefined> {
    if ((await this.#renewed()) === undefined) return undefined
    try {
      return await work()
    } finally {
      await this.#shared.release(LEASE, this.#owner).catch(() => {})
    }
  }

  #renewed(): Promise<number | undefined> {
    return this.#shared.lease(LEASE, this.#owner, LEASE_LASTS)
  }

  async #takeOne(): Promise<Snapshot> {
    const source = this.#source!
    if (!source.isFollowing) throw notFollowing()
    const fence = await this.#renewed()
    const lost = new AbortController()
    const renewing = setInterval(() => {
      this.#renewed().then(
        now => {
          if (now !== fence) lost.abort()
        },
        // Renewing is tried again, and the lease is checked before the snapshot is registered.
        () => {},
      )
    }, LEASE_LASTS / 3).unref()
    try {
      await this.#removeLeftOver()
      // The backup may include later entries, and never less than this.
      const { position, batch } = source.applied()
      const name = this.#list.nameAt(position)
      const path = join(this.#options.folder, name)
      const signal = AbortSignal.any([lost.signal, this.#end.signal])
      await source.engine.backup(path, { note: String(position), own: false, signal }).finished
      // A network share may acknowledge what it has not stored.
      const { bytes } = await Engine.verifyBackup(path, { signal })
      // If the node has stopped meanwhile, nobody knows which history it has.
      if (!source.isFollowing || !(await this.#log.holds(position, batch))) throw notFollowing()
      if ((await this.#renewed()) !== fence) throw leaseLost()
      const snapshot = { name, position, batch, bytes, node: this.#name }
      await this.#list.register(snapshot)
      // The snapshot counts even if old ones cannot be removed, which is tried again after the next.
      await this.#retain().catch(error => this.#warn('Old snapshots could not be removed.', error))
      return snapshot
    } finally {
      clearInterval(renewing)
    }
  }

  /** Removes folders of snapshots that were interrupted before they were registered, or while they were removed. */
  async #removeLeftOver(): Promise<void> {
    const { folder } = this.#options
    const found = (await readdir(folder).catch(() => [])).filter(name => this.#list.isOwn(name))
    const registered = new Set((await this.#list.all()).map(({ name }) => name))
    for (const name of found) if (!registered.has(name)) await remove(join(folder, name))
  }

  async #retain(): Promise<void> {
    const { keep, folder } = this.#options
    const usable: ListedSnapshot[] = []
    for (const snapshot of await this.#list.all()) {
      if (!(await this.#log.holds(snapshot.position, snapshot.batch))) {
        // It was taken of entries that the log has lost.
        if (await this.#list.remove(snapshot)) await remove(folderOf(folder, snapshot))
      } else if (await this.#isThere(snapshot)) usable.push(snapshot)
    }
    const oldest = usable[keep - 1]
    if (oldest) {
      const kept = new Set(usable.slice(0, keep).map(({ name }) => name))
      for (const snapshot of await this.#list.all()) {
        // Other nodes may be able to read one that this node cannot, so it stays until it is older than these.
        if (kept.has(snapshot.name) || snapshot.position > oldest.position) continue
        if (await this.#list.remove(snapshot)) await remove(folderOf(folder, snapshot))
      }
    }
    if (usable.length < 2) return
    // If one snapshot is lost, another remains, with the entries behind it. The entry itself stays, to tell histories apart.
    const positions = (await this.#list.all()).map(({ position }) => position)
    const before = Math.min(...positions)
    await this.#log.cut(before)
    await forgetHanded(this.#shared, before, (await this.#log.head()).position)
  }

  async #isThere(snapshot: Snapshot): Promise<boolean> {
    const path = folderOf(this.#options.folder, snapshot)
    const facts = await Engine.describeBackup(path).catch(() => undefined)
    if (!facts) this.#warn(`The snapshot ${path} cannot be read by this node.`)
    return facts !== undefined
  }

  async #paused(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#end.signal }).catch(() => {})
    this.#assertOpen()
  }

  #assertOpen(): void {
    if (this.#end.signal.aborted) throw closed()
  }

  #warn(message: string, error?: unknown): void {
    const failed = error instanceof FindlingError ? { code: error.code } : {}
    const why = error === undefined ? '' : ` ${error instanceof Error ? error.message : String(error)}`
    this.#logger?.warn({ folder: this.#options.folder, ...failed }, message + why)
  }
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })

const closed = (): FindlingError => new FindlingError('CLOSED', 'The node is closed.')

const notFollowing = (): FindlingError =>
  new FindlingError('BEHIND', 'The node does not follow its log, so it cannot take a snapshot.')

const leaseLost = (): FindlingError =>
  new FindlingError('CANCELLED', 'This node took too long; another one has begun to take snapshots.')
