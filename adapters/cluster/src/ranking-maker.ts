import { randomUUID } from 'node:crypto'
import type { Engine, Logger } from 'findling'
import { Rounds } from './rounds.ts'
import type { Shared } from './shared.ts'

const LEASE = 'ranking'
const LEASE_LASTS = 60_000

/**
 * Learns ranking constants when they are due: one node at a time, under a lease, for all nodes, so that all rank alike.
 */
export class RankingMaker {
  readonly #engine: Engine
  readonly #shared: Shared
  readonly #isFollowing: () => boolean
  /** Identifies this run of the node. */
  readonly #owner = randomUUID()
  readonly #rounds: Rounds

  constructor(engine: Engine, shared: Shared, isFollowing: () => boolean, logger: Logger | undefined) {
    this.#engine = engine
    this.#shared = shared
    this.#isFollowing = isFollowing
    this.#rounds = new Rounds(() => this.#look(), 'The ranking constants could not be learnt', logger)
  }

  close(): Promise<void> {
    return this.#rounds.close()
  }

  async #look(): Promise<void> {
    for (const { name } of this.#engine.datasets.list()) {
      if (this.#rounds.isOver || !this.#isFollowing()) return
      if (await this.#isDue(name)) await this.#learn(name)
    }
  }

  async #isDue(name: string): Promise<boolean> {
    const { datasets } = this.#engine
    return datasets.has(name) && (await datasets.get(name).ranking.isDue())
  }

  async #learn(name: string): Promise<void> {
    if (!(await this.#isLeased())) return
    // The previous holder of the lease may have just learnt them.
    if (!(await this.#isDue(name))) return
    const renewing = setInterval(() => void this.#isLeased().catch(() => {}), LEASE_LASTS / 3)
    try {
      await this.#engine.datasets.get(name).ranking.learn(undefined, { signal: this.#rounds.signal })
    } finally {
      clearInterval(renewing)
      await this.#shared.release(LEASE, this.#owner)
    }
  }

  async #isLeased(): Promise<boolean> {
    return (await this.#shared.lease(LEASE, this.#owner, LEASE_LASTS)) !== undefined
  }
}
