import type { Progress } from '../jobs/job.ts'
import { Once } from '../scheduling/once.ts'
import { Stretch } from '../scheduling/stretch.ts'

interface LoadedModelParts {
  load(signal: AbortSignal): AsyncGenerator<Progress, unknown>
  /** Called once for every loaded model, when nobody will ask it any more. */
  forget(model: unknown): void
}

/** The model that answers, in memory: either handed over or loaded on demand. */
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

  /** The model in memory; undefined if it is not loaded. */
  get inMemory(): unknown {
    return this.#model.loaded
  }

  get isLoading(): boolean {
    return this.#model.isBegun && this.inMemory === undefined
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

  /** Releases its memory until the next use; false while it is being loaded. */
  release(): boolean {
    if (this.inMemory === undefined) return !this.#model.isBegun
    this.letGo()
    return true
  }

  /** Unloads the model; resolves when one that was being loaded is gone, too. */
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
