import type { Progress } from '../jobs/job.ts'
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
  #model: Promise<unknown> | undefined
  #loaded: unknown

  constructor(parts: LoadedModelParts) {
    this.#parts = parts
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** As it is in memory now, if it is. */
  get loaded(): unknown {
    return this.#loaded
  }

  /** Whoever asks after a failure has it tried again. */
  get(): Promise<unknown> {
    if (this.#model) return this.#model
    const model = this.#load()
    this.#model = model
    model.then(
      loaded => {
        if (this.#model === model) this.#loaded = loaded
      },
      () => {
        if (this.#model === model) this.#model = undefined
      },
    )
    return model
  }

  /** In the place of the one before. */
  hold(model: unknown): void {
    this.letGo()
    this.#model = Promise.resolve(model)
    this.#loaded = model
  }

  /** Lets its memory go until somebody asks again; false while it is being loaded. */
  release(): boolean {
    if (this.#loaded === undefined) return this.#model === undefined
    this.letGo()
    return true
  }

  letGo(): void {
    const model = this.#model
    this.#model = undefined
    this.#loaded = undefined
    model?.then(
      loaded => this.#parts.forget(loaded),
      () => undefined,
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const model = this.#model
    this.letGo()
    await model?.catch(() => undefined)
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
