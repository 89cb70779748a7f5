import { writeOne } from '../datasets/job-steps.ts'
import type { Progress } from '../jobs/job.ts'
import type { ServiceEntry } from '../store/manifest.ts'
import type { LifecycleParts, Settings } from './lifecycle-context.ts'
import { LoadedModel } from './loaded-model.ts'
import { overlay } from './overlay.ts'
import type { StoredParts } from './service-definition.ts'

/** The loaded model of a service whose activation has been handed over. */
interface Ready {
  readonly active: unknown
  readonly model: number
  readonly given: Settings
}

/** The model with which a service answers: how it is activated, loaded, replaced and unloaded. */
export class ModelInUse {
  readonly #parts: LifecycleParts
  readonly #used: () => Promise<void>
  readonly loaded: LoadedModel
  #ready: Ready | undefined

  /** @param used counts the loaded model in the memory budget; resolves when there is room for it */
  constructor(parts: LifecycleParts, used: () => Promise<void>) {
    this.#parts = parts
    this.#used = used
    this.loaded = new LoadedModel({
      load: signal => this.#reload(signal),
      forget: active => parts.context.definition.forget?.(active),
    })
  }

  get isActive(): boolean {
    const { isActive, model } = this.#parts.stored.entry
    // A replayed activation may come before the model.
    return isActive && model > 0
  }

  /** The settings with which it answers or, if no others are given, would. Null before there is a model. */
  get settings(): Settings | null {
    const { recommended, given } = this.#parts.stored.entry
    return recommended === null ? null : overlay(recommended as Settings, given as Settings)
  }

  /** Memory that it takes; 0 while it is not loaded. */
  get bytes(): number {
    const { inMemory } = this.loaded
    return inMemory === undefined ? 0 : (this.#parts.context.definition.bytes?.(inMemory) ?? 0)
  }

  /** The loaded model; undefined if the service is not active, or was deactivated while its model was being loaded. */
  async get(): Promise<{ readonly active: unknown } | undefined> {
    if (!this.isActive) return undefined
    // Replayed writes may remove a dataset that services use; then a loaded model fails just as one that is not loaded.
    this.#parts.surroundings.dataset()
    const active = await this.#active()
    return this.isActive ? { active } : undefined
  }

  /** Loads the model of an active service, while the store is already in use. */
  open(): void {
    const { id, context, stored } = this.#parts
    const { name } = stored.entry
    if (!this.isActive) return
    this.#active().catch(error => {
      // The service may have been removed meanwhile, or the engine closed.
      if (this.loaded.isClosed || !stored.isThere || context.store.isClosing) return
      const message = `The service ${name} could not be loaded; this is retried on its next request.`
      context.warn(message, { service: id, error })
    })
  }

  async #active(): Promise<unknown> {
    const active = await this.loaded.get()
    await this.counted()
    return active
  }

  async counted(): Promise<void> {
    if (this.bytes > 0) await this.#used()
  }

  /** The given settings, checked, and the complete ones that result. INVALID_ARGUMENT */
  checked(
    { recommended, given: before, prepared }: ServiceEntry,
    given: object,
  ): { all: Settings; settings: Settings } {
    const { context, surroundings } = this.#parts
    const all = overlay(before as Settings, given)
    const settings = overlay(recommended as Settings, all)
    context.definition.check({ ...surroundings, prepared, settings, given })
    return { all, settings }
  }

  async *activating(given: Settings, settings: object, signal: AbortSignal): AsyncGenerator<Progress, void> {
    const { stored, model } = this.#parts
    await stored.change({ activating: given })
    let isDone = false
    try {
      this.loaded.hold(yield* this.load(await model.read(), settings, signal))
      await stored.change({ isActive: true, given, activating: undefined })
      isDone = true
    } finally {
      if (!isDone) await this.#notActivated()
    }
    await this.counted()
  }

  async #notActivated(): Promise<void> {
    const { context, stored } = this.#parts
    this.loaded.letGo()
    if (context.store.isClosing) return
    // The reason for the failed activation is more useful than the failure to store this.
    await stored.change({ activating: undefined }).catch(() => undefined)
  }

  /** Loads the model, so that a failure is reported here; then the activation is handed over, for this engine and the replicas. */
  async *activatingElsewhere(
    given: object,
    all: Settings,
    settings: object,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { id, context, stored } = this.#parts
    const { model } = stored.entry
    const active = yield* this.load(await this.#parts.model.read(), settings, signal)
    const ready = { active, model, given: all }
    this.#ready = ready
    try {
      signal.throwIfAborted()
      await writeOne(context.steps, { type: 'activateService', id, settings: given })
    } finally {
      // Another activation may have come first, with other settings or another model.
      if (this.#ready === ready) {
        this.#ready = undefined
        context.definition.forget?.(active)
      }
    }
    await this.counted()
  }

  /** Called when a write that activates the service is durable. */
  activated(): void {
    const { stored } = this.#parts
    // The same write may also have removed it.
    if (!stored.isThere) return
    const { model, given } = stored.entry
    const ready = this.#ready
    this.loaded.letGo()
    if (ready?.model === model && JSON.stringify(ready.given) === JSON.stringify(given)) {
      this.#ready = undefined
      this.loaded.hold(ready.active)
    }
    this.open()
  }

  load(stored: StoredParts, settings: object, signal: AbortSignal): AsyncGenerator<Progress, unknown> {
    const { context, surroundings } = this.#parts
    return context.definition.load({ ...surroundings, ...stored, settings, signal })
  }

  async *#reload(signal: AbortSignal): AsyncGenerator<Progress, unknown> {
    return yield* this.load(await this.#parts.model.read(), this.settings!, signal)
  }

  /**
   * Called when another model has replaced the stored one.
   * @param next the new model as loaded, if the service was active then
   */
  replaced(next: { active: unknown } | undefined): void {
    const { context, stored } = this.#parts
    if (!next) {
      // It may have been activated meanwhile, with the old model.
      this.loaded.letGo()
      this.open()
    } else if (stored.entry.isActive) this.loaded.hold(next.active)
    else context.definition.forget?.(next.active)
  }
}
