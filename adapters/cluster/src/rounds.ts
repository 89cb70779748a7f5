import { FindlingError, type Logger } from 'findling'

const EVERY = 5000

/** Work that a node repeats every few seconds until it is closed. A failure is logged, and the next round tries again. */
export class Rounds {
  readonly #work: () => Promise<void>
  readonly #failed: (error: unknown) => void
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()

  /** @param failure what has not succeeded when the work fails, for people */
  constructor(work: () => Promise<void>, failure: string, logger: Logger | undefined) {
    this.#work = work
    this.#failed = error => {
      if (this.isOver) return
      // The dataset may have been removed meanwhile.
      if (error instanceof FindlingError && error.code === 'DATASET_NOT_FOUND') return
      logger?.warn({ error }, `${failure}: ${error instanceof Error ? error.message : String(error)}`)
    }
    this.#schedule()
  }

  /** Aborted when the node is closed. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  get isOver(): boolean {
    return this.signal.aborted
  }

  /** Resolves when the work has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#end.abort()
    await this.#working
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#work()
        .catch(this.#failed)
        .finally(() => {
          if (!this.isOver) this.#schedule()
        })
    }, EVERY).unref()
  }
}
