import { randomUUID } from 'node:crypto'
import type { Engine, Logger } from 'findling'
import { Rounds } from './rounds.ts'
import type { Shared } from './shared.ts'

/** A lease outlasts several checks of its holder, each of which renews it. */
const LEASE_LASTS = 20_000

/**
 * Continues removing deleted tags from documents if the node that was doing so has died. A node holds a lease for a dataset while it
 * cleans that; should two nodes clean it at the same time, the second just finds less to do.
 */
export class TagCleaner {
  readonly #engine: Engine
  readonly #shared: Shared
  readonly #isFollowing: () => boolean
  /** Identifies this run of the node. */
  readonly #owner = randomUUID()
  /** By dataset, the tags that were to be cleaned at the last check. */
  #seen = new Map<string, string>()
  readonly #leased = new Set<string>()
  readonly #rounds: Rounds

  constructor(engine: Engine, shared: Shared, isFollowing: () => boolean, logger: Logger | undefined) {
    this.#engine = engine
    this.#shared = shared
    this.#isFollowing = isFollowing
    const failure = 'Could not determine which node removes deleted tags from documents'
    this.#rounds = new Rounds(() => this.#look(), failure, logger)
  }

  async close(): Promise<void> {
    await this.#rounds.close()
    for (const name of this.#leased) await this.#release(name)
  }

  async #look(): Promise<void> {
    if (!this.#isFollowing()) return
    const before = this.#seen
    const pending = this.#pending()
    this.#seen = pending
    for (const name of this.#leased) if (!pending.has(name)) await this.#release(name)
    for (const [name, ids] of pending) {
      const isHere = this.#cleansHere(name)
      // A node that has just begun cleaning takes the lease at its own next check.
      if (!isHere && before.get(name) !== ids) continue
      if (!(await this.#lease(name)) || isHere || this.#rounds.isOver) continue
      const { datasets } = this.#engine
      // If it cannot be done now, it is done after a later check.
      if (datasets.has(name) && datasets.get(name).tags.toClean().length > 0)
        datasets.get(name).tags.resumeCleaning()
    }
  }

  #pending(): Map<string, string> {
    const { datasets } = this.#engine
    const pending = new Map<string, string>()
    for (const { name } of datasets.list()) {
      const ids = datasets.get(name).tags.toClean()
      if (ids.length > 0) pending.set(name, JSON.stringify(ids))
    }
    return pending
  }

  #cleansHere(name: string): boolean {
    const running = this.#engine.jobs({ status: ['running', 'cancelling'] })
    return running.some(({ kind, datasets }) => kind === 'clean-tags' && datasets?.includes(name))
  }

  async #lease(name: string): Promise<boolean> {
    const fence = await this.#shared.lease(leaseOf(name), this.#owner, LEASE_LASTS)
    if (fence !== undefined) this.#leased.add(name)
    return fence !== undefined
  }

  async #release(name: string): Promise<void> {
    this.#leased.delete(name)
    // If this fails, the lease expires by itself.
    await this.#shared.release(leaseOf(name), this.#owner).catch(() => {})
  }
}

const leaseOf = (dataset: string): string => `cleaning ${dataset}`
