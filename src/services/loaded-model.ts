import type { Progress } from '../jobs/job.ts'
import { Once } from '../scheduling/once.ts'
import { Stretch } from '../scheduling/stretch.ts'

interface LoadedModelParts {
  load(signal: AbortSignal): AsyncGenerator<Progress, unknown>
  /** Hears of every model that was loaded, once, when nobody will ask it any more. */
  forget(model: unknown): void
}

/** The model that answers, in memory: as it was handed over, else loaded when somebody asks. */
export class LoadedModel {
  readonly #parts: LoadedModelParts
  readonly #closing = new AbortController()
  readonly #model = new Once<unknown>(() => this.#load())

  constructor(parts: LoadedModelParts) {
    this.#parts = parts
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** As it is in memory now, if it is. */
  get loaded(): unknown {
    return this.#model.loaded
  }

  get isLoading(): boolean {
    return this.#model.isBegun && this.loaded === undefined
  }

  /** After a failure, the next call tries again. */
  get(): Promise<unknown> {
    return this.#model.get()
  }

  /** Replaces the previous one. */
  hold(model: unknown): void {
    this.letGo()
    this.#model.put(model)
  }

  /** Lets its memory go until somebody asks again; false while it is being loaded. */
  release(): boolean {
    if (this.loaded === undefined) return !this.#model.isBegun
    this.letGo()
    return true
  }

  /** Resolves when what was being loaded is gone, too. */
  async letGo(): Promise<void> {
    const loading = this.#model.letGo()
    if (loading)
      await loading.then(
        loaded => this.#parts.forget(loaded),
        () => undefined,
      )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.letGo()
  }

  async #load(): Promise<unknown> {
    const steps = this.#parts.load(this.#closing.signal)
    const stretch = new Stretch()
    for (;;) {
      const { done, value } = await steps.next()
      if (done) return value
      if (stretch.isOver) await stretch.pause()
    }
  }
}
