import { randomUUID } from 'node:crypto'
import { type Engine, FindlingError, type Logger } from 'findling'
import type { Shared } from './shared.ts'

const LEASE = 'ranking'
const LOOK_EVERY = 5000
const LEASE_LASTS = 60_000

/**
 * Learns ranking constants when they are due: one node at a time, under a lease, for all nodes, so that all rank alike.
 */
export class RankingMaker {
  readonly #engine: Engine
  readonly #shared: Shared
  readonly #isFollowing: () => boolean
  readonly #logger: Logger | undefined
  /** Identifies this run of the node. */
  readonly #owner = randomUUID()
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(engine: Engine, shared: Shared, isFollowing: () => boolean, logger: Logger | undefined) {
    this.#engine = engine
    this.#shared = shared
    this.#isFollowing = isFollowing
    this.#logger = logger
    this.#schedule()
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .catch(error => this.#warn(error))
        .finally(() => {
          if (!this.#end.signal.aborted) this.#schedule()
        })
    }, LOOK_EVERY).unref()
  }

  async #look(): Promise<void> {
    for (const { name } of this.#engine.datasets.list()) {
      if (this.#end.signal.aborted || !this.#isFollowing()) return
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
      await this.#engine.datasets.get(name).ranking.learn(undefined, { signal: this.#end.signal })
    } finally {
      clearInterval(renewing)
      await this.#shared.release(LEASE, this.#owner)
    }
  }

  async #isLeased(): Promise<boolean> {
    return (await this.#shared.lease(LEASE, this.#owner, LEASE_LASTS)) !== undefined
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#end.abort()
    await this.#looking
  }

  #warn(error: unknown): void {
    if (this.#end.signal.aborted) return
    // The dataset may have been removed meanwhile.
    if (error instanceof FindlingError && error.code === 'DATASET_NOT_FOUND') return
    const message = error instanceof Error ? error.message : String(error)
    this.#logger?.warn({ error }, `The ranking constants could not be learnt: ${message}`)
  }
}
