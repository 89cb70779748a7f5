import * as z from 'zod'
import {
  type Adoption,
  type AdoptThrough,
  ArtifactReader,
  artifactPieces,
  mismatch,
  passedOn,
  undamaged,
} from '../artifacts/artifact.ts'
import { type Steps, writeOne } from '../datasets/job-steps.ts'
import type { DatasetState } from '../datasets/state.ts'
import { documentForm, refuseOtherForm } from '../derived/constants/document-form.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { invalid, parseInput, problem } from '../input.ts'
import type { Job, Progress } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { watching } from '../jobs/watching.ts'
import { withCurrent } from '../scheduling/once.ts'
import { textOfContent } from '../store/content-sum.ts'
import type { ServiceEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import type { Mutation } from '../store/transaction.ts'
import { LoadedModel } from './loaded-model.ts'
import { type OutgoingModel, StoredModel } from './model-store.ts'
import { overlay } from './overlay.ts'
import { noService, wrongState } from './refusals.ts'
import { ARTIFACT, adoptionSchema, readServiceArtifact, type ServiceArtifact } from './service-artifact.ts'
import type {
  AnyDefinition,
  Made,
  Recommend,
  ServiceDataset,
  StoredParts,
  Surroundings,
} from './service-definition.ts'
import { type JobWatch, ServiceJobs } from './service-jobs.ts'
import type { ServiceStatus } from './service-status.ts'
import { StoredService } from './stored-service.ts'

export interface LifecycleContext {
  readonly store: Store
  readonly jobs: JobRunner
  readonly definition: AnyDefinition
  /** DATASET_NOT_FOUND */
  dataset(name: string): ServiceDataset
  recommender(idOrAlias: string): Recommend | undefined
  readonly memory: DerivedMemory
  readonly steps: Steps<ServiceUse>
  /** Where models are handed over, this puts them in place, here and in the replicas. */
  readonly adoptThrough: AdoptThrough | undefined
  warn(message: string, details: Record<string, unknown>): void
}

/** Changes whether a service answers, for `activate()` and `deactivate()`. */
export type ServiceUse =
  | { type: 'activateService'; id: string; settings?: object }
  | { type: 'deactivateService'; id: string }

/** The loaded model of a service whose activation has been handed over. */
interface Ready {
  readonly active: unknown
  readonly model: number
  readonly given: Settings
}

/** Work of a service other than preparing and activating it. */
interface Work {
  /** In one word. */
  readonly what: string
  readonly description: string
  readonly accepted: readonly ServiceStatus[]
  /** Throws if it cannot be done, before anything has begun. */
  check(): void
  /** Whether it excludes preparation and other exclusive work. */
  readonly isAlone?: boolean
}

type Settings = Record<string, unknown>

const wantsAgain = z.looseObject({ again: z.literal(true) })

/**
 * The life of one service. Its stored state is the one that it has when nothing is running, so that until its very last write a
 * job leaves no trace, even if the process ends. The one exception is that an activation is recorded before it begins; if it is
 * interrupted, the next open completes it.
 */
export class Lifecycle {
  readonly id: string
  readonly kind = 'service'
  readonly #context: LifecycleContext
  readonly #stored: StoredService
  readonly #jobs: ServiceJobs
  readonly #model: StoredModel
  readonly #surroundings: Surroundings
  readonly #loaded: LoadedModel
  #ready: Ready | undefined
  #removal: Promise<void> | undefined

  constructor(id: string, context: LifecycleContext) {
    this.id = id
    this.#context = context
    this.#stored = new StoredService(id, context.store)
    this.#jobs = new ServiceJobs(id, context.jobs)
    this.#model = new StoredModel(context.store, id, error =>
      context.warn(
        'The space of an earlier model of a service could not be freed; this is retried when the store is next opened.',
        {
          service: id,
          error,
        },
      ),
    )
    this.#surroundings = {
      dataset: () => context.dataset(this.entry.dataset!), // there is one since it was prepared
      recommender: idOrAlias => context.recommender(idOrAlias),
    }
    this.#loaded = new LoadedModel({
      load: signal => this.#reload(signal),
      forget: active => context.definition.forget?.(active),
    })
  }

  get type(): string {
    return this.#context.definition.type
  }

  /** What is stored of it. SERVICE_NOT_FOUND when it has been removed. */
  get entry(): ServiceEntry {
    return this.#stored.entry
  }

  get status(): ServiceStatus {
    const { isActive, model } = this.entry
    // A replayed activation may come before the model.
    if (isActive && model > 0) return 'active'
    if (this.#jobs.areOccupying) return 'busy'
    return model > 0 ? 'prepared' : 'new'
  }

  /** The settings with which it answers or, if no others are given, would. Null before it is prepared. */
  get activation(): object | null {
    const settings = this.#settings
    if (settings === null) return null
    return this.#context.definition.shown?.({ ...this.#surroundings, settings }) ?? settings
  }

  get #settings(): object | null {
    const { recommended, given } = this.entry
    return recommended === null ? null : overlay(recommended as Settings, given as Settings)
  }

  /** The ids of its jobs, oldest first, and of the running one. */
  get jobs(): { all: string[]; running: string | null } {
    return this.#jobs.listed
  }

  prepare(input: unknown): Job<void> {
    const { definition } = this.#context
    const again = wantsAgain.safeParse(input).success
    this.#assert('prepare', again ? ['new', 'prepared', 'active'] : ['new'])
    if (this.#jobs.hasLoner) wrongState(this.entry.name, 'busy', 'prepare', 'idle')
    const schema = z.strictObject({
      ...definition.prepareSettings,
      dataset: z.string(),
      again: z.boolean().default(false),
      ...watching,
    })
    const { dataset: name, again: _, signal, onProgress, ...settings } = parseInput(schema, input, 'settings')
    const dataset = this.#ownDataset(name)
    definition.checkPreparation?.({ dataset, settings })
    const { adoptThrough } = this.#context
    if (adoptThrough)
      return this.#start('prepare', { signal, onProgress }, signal =>
        this.#preparingFor(adoptThrough, dataset, settings, signal),
      )
    const job = this.#start('prepare', { signal, onProgress }, signal =>
      this.#preparing(dataset, claimed, settings, signal),
    )
    // In the same turn: from now on the dataset cannot be removed.
    const claimed = this.#stored.claim(dataset)
    claimed.catch(() => undefined)
    return job
  }

  /** Its model as an artifact. SERVICE_STATE unless it has one. */
  async *exportModel(): AsyncGenerator<Uint8Array, void> {
    const { model: generation, prepared, recommended } = this.entry
    if (generation === 0) wrongState(this.entry.name, this.status, 'export its model', 'prepared or active')
    const { state } = this.dataset()
    yield* this.#piecesOf(await this.#model.outgoing(), state, { prepared, recommended })
  }

  /** Adopts an exported model instead of preparing one. SERVICE_STATE, DATASET_NOT_FOUND, INVALID_ARGUMENT */
  adoptModel(source: unknown, input: unknown): Job<void> {
    this.#assert('adopt a model', ['new', 'prepared', 'active'])
    if (this.#jobs.hasLoner || this.#jobs.areOccupying)
      wrongState(this.entry.name, 'busy', 'adopt a model', 'idle')
    const { dataset: name, ...watch } = parseInput(adoptionSchema, input, 'settings')
    const dataset = this.#ownDataset(name)
    const description = `Adopting a model for ${this.type} service ${this.entry.name}`
    const { adoptThrough } = this.#context
    const adopt = adoptThrough
      ? () => adoptThrough(this.#adoptionOf(dataset), passedOn(source))
      : (signal: AbortSignal) => this.#adopt(source, dataset, signal)
    async function* body(signal: AbortSignal): AsyncGenerator<Progress, void> {
      await adopt(signal)
      yield { done: 1, total: 1, phase: 'adopting' }
    }
    return this.#jobs.occupy({ kind: `${this.type}-adopt`, description, watch, body })
  }

  /** The same for a model that was handed over: whatever this engine is doing with the service. */
  adopt(source: unknown, dataset: string, signal: AbortSignal): Promise<void> {
    return this.#adopt(source, this.#ownDataset(dataset), signal)
  }

  activate(input: unknown): Job<void> {
    const { definition } = this.#context
    this.#assert('activate', ['prepared'])
    const schema = z.strictObject({ ...definition.activateSettings, ...watching })
    const { signal, onProgress, ...given } = parseInput(schema, input, 'settings')
    const { all, settings } = this.#checked(this.entry, given)
    const asGiven = Object.fromEntries(Object.keys(given).map(name => [name, (input as Settings)[name]]))
    return this.#start('activate', { signal, onProgress }, signal =>
      this.#context.steps.areHandedOver
        ? this.#activatingElsewhere(asGiven, all, settings, signal)
        : this.#activating(all, settings, signal),
    )
  }

  async deactivate(): Promise<void> {
    this.#assert('deactivate', this.entry.isActive ? [this.status] : ['active'])
    const { steps } = this.#context
    if (steps.areHandedOver) return void (await writeOne(steps, { type: 'deactivateService', id: this.id }))
    await this.#stored.change({ isActive: false })
    this.#loaded.letGo()
  }

  /**
   * Refuses an activation that is decided with other writes, if it is invalid. SERVICE_STATE, INVALID_ARGUMENT
   * @param entry the service as left by the preceding writes
   */
  assertActivatable(entry: ServiceEntry, given: object): void {
    if (this.#removal) noService(this.id)
    if (this.#jobs.areOccupying) wrongState(entry.name, 'busy', 'activate', 'prepared')
    this.#checked(entry, given)
  }

  /** Called when a write that activates it is durable. */
  activated(): void {
    // The same write may also have removed it.
    if (!this.#stored.isThere) return
    const { model, given } = this.entry
    const ready = this.#ready
    this.#loaded.letGo()
    if (ready?.model === model && JSON.stringify(ready.given) === JSON.stringify(given)) {
      this.#ready = undefined
      this.#loaded.hold(ready.active)
    }
    this.open()
  }

  /** Called when a write that deactivates it is durable. */
  deactivated(): void {
    this.#loaded.letGo()
  }

  /**
   * Runs a job that leaves the status of the service as it is. SERVICE_STATE unless that is one of the accepted ones.
   */
  work<T>(
    { what, description, accepted, check, isAlone = false }: Work,
    watch: JobWatch,
    body: (signal: AbortSignal) => AsyncGenerator<Progress, T>,
  ): Job<T> {
    this.#assert(what, accepted)
    if (isAlone && (this.#jobs.hasLoner || this.#jobs.areOccupying))
      wrongState(this.entry.name, 'busy', what, `${accepted.join(' or ')} and idle`)
    check()
    return this.#jobs.runBeside({ kind: `${this.type}-${what}`, description, watch, body }, isAlone)
  }

  /** Uses the stored model. */
  async stored<T>(use: (model: StoredParts) => Promise<T>): Promise<T> {
    const current = () => this.entry.model
    return await withCurrent(current, async () => await use(await this.#model.read()))
  }

  /** The dataset that it was prepared from, as it is now. DATASET_NOT_FOUND */
  dataset(): ServiceDataset {
    return this.#surroundings.dataset()
  }

  /** For the observer: the current names of dataset and service. */
  get observed(): {
    readonly dataset: string
    readonly service: { readonly id: string; readonly name: string }
  } {
    const { dataset, name } = this.entry
    return { dataset: dataset!, service: { id: this.id, name } } // there is one since it was prepared
  }

  /** The loaded model. SERVICE_STATE unless the service is active. */
  async answering(): Promise<unknown> {
    const answering = await this.#whileActive()
    return answering
      ? answering.active
      : wrongState(this.entry.name, this.status, 'answer requests', 'active')
  }

  /** The loaded model; undefined if the service is not active, or was deactivated while its model was being loaded. */
  async #whileActive(): Promise<{ readonly active: unknown } | undefined> {
    if (this.status !== 'active') return undefined
    // Replayed writes may remove a dataset that services use; then a loaded model fails just as one that is not loaded.
    this.dataset()
    const active = await this.#active()
    return this.status === 'active' ? { active } : undefined
  }

  /** For people, even if it has just been removed. */
  get name(): string {
    return this.#stored.name
  }

  /** Unloads its model until it is asked again; false while it is at work. */
  async release(): Promise<boolean> {
    return this.#jobs.areIdle && this.#loaded.release()
  }

  /** Whether its model is being loaded; callers wait until it is. */
  get isLoading(): boolean {
    return this.status === 'active' && this.#loaded.isLoading
  }

  /** Memory that its model takes; 0 while it is not loaded. */
  get bytes(): number {
    const { loaded } = this.#loaded
    return loaded === undefined ? 0 : (this.#context.definition.bytes?.(loaded) ?? 0)
  }

  /** How it recommends tags, if it is active and can. */
  get recommend(): Recommend | undefined {
    const { definition } = this.#context
    if (!definition.recommend || this.status !== 'active') return undefined
    return async (text, count, deadline) => {
      const answering = await this.#whileActive()
      return answering && (await definition.recommend!(answering.active, text, count, deadline))
    }
  }

  /** Cancels running jobs, waits until they have ended, then removes the service with its model and its jobs. */
  remove(): Promise<void> {
    this.#removal ??= this.#remove().catch(error => {
      this.#removal = undefined
      throw error
    })
    return this.#removal
  }

  /**
   * Removes it first, to be decided with other writes, and cancels its jobs afterwards.
   * @param after called once the removal is stored, with a promise for the end of everything it was doing
   */
  removing(after: (ended: Promise<void>) => void): Mutation<void> {
    const { all: jobs } = this.jobs
    return this.#stored.removing(jobs, () => after(this.#removed(jobs)))
  }

  /** Loads the model of an active service, while the store is already in use. */
  open(): void {
    const { name } = this.entry
    if (this.status !== 'active') return
    this.#active().catch(error => {
      // The service may have been removed meanwhile, or the engine closed.
      if (this.#loaded.isClosed || !this.#stored.isThere || this.#context.store.isClosing) return
      const message = `The service ${name} could not be loaded; this is retried on its next request.`
      this.#context.warn(message, { service: this.id, error })
    })
  }

  /** After the jobs have ended. */
  close(): Promise<void> {
    this.#context.memory.forget(this)
    return this.#loaded.close()
  }

  async #active(): Promise<unknown> {
    const active = await this.#loaded.get()
    await this.#counted()
    return active
  }

  /** Counts its model in the memory budget; resolves when there is room for it. */
  async #counted(): Promise<void> {
    if (this.bytes > 0) await this.#context.memory.used(this)
  }

  async *#preparing(
    dataset: ServiceDataset,
    claimed: Promise<void>,
    settings: Settings,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { definition } = this.#context
    await claimed
    const self = this
    yield* this.#model.replace(async function* (beside) {
      const { keep } = beside
      const made = yield* definition.prepare({ dataset, settings, signal, keep })
      const { given: before, isActive } = self.entry
      const activation = overlay(made.recommended, before as Settings)
      definition.check({ ...self.#surroundings, prepared: made.settings, settings: activation, given: {} })
      const next = isActive
        ? { active: yield* self.#load(beside.reading(made.contents), activation, signal) }
        : undefined
      return {
        contents: made.contents,
        change: { prepared: made.settings, recommended: made.recommended },
        inPlace: () => self.#replaced(next),
      }
    })
    await this.#counted()
  }

  /** The same beside the model in use: the new one is handed over, and adopting it puts it in place. */
  async *#preparingFor(
    adoptThrough: AdoptThrough,
    dataset: ServiceDataset,
    settings: Settings,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { definition } = this.#context
    const self = this
    let made: Made<unknown, object> | undefined
    yield* this.#model.handOn(
      async function* ({ keep }) {
        made = yield* definition.prepare({ dataset, settings, signal, keep })
        const activation = overlay(made.recommended, self.entry.given as Settings)
        definition.check({
          ...self.#surroundings,
          dataset: () => dataset,
          prepared: made.settings,
          settings: activation,
          given: {},
        })
        return made.contents
      },
      async model => {
        signal.throwIfAborted()
        const { settings: prepared, recommended } = made!
        const artifact = self.#piecesOf(model, dataset.state, { prepared, recommended })
        await adoptThrough(self.#adoptionOf(dataset), artifact)
      },
    )
  }

  #adoptionOf({ state }: ServiceDataset): Adoption {
    return { kind: 'service', id: this.id, dataset: state.name }
  }

  #piecesOf(
    { model, blobs, read }: OutgoingModel,
    state: DatasetState,
    { prepared, recommended }: Pick<ServiceArtifact, 'prepared' | 'recommended'>,
  ): AsyncGenerator<Uint8Array, void> {
    const contents: ServiceArtifact = {
      type: this.type,
      form: documentForm(state.settings),
      prepared,
      recommended,
      documents: this.#documentsOf(state),
      model,
    }
    return artifactPieces({ ...ARTIFACT, contents, blobs }, read)
  }

  /** Until a new model replaces it, the old one answers from the dataset that it was made from. */
  #ownDataset(name: string): ServiceDataset {
    const dataset = this.#context.dataset(name)
    const { dataset: own, model } = this.entry
    if (model === 0 || name === own) return dataset
    const expected = `${own}, from which the service was prepared; for another dataset, create another service`
    throw invalid('INVALID_ARGUMENT', 'settings', [problem('dataset', name, expected)])
  }

  async #adopt(source: unknown, dataset: ServiceDataset, signal: AbortSignal): Promise<void> {
    await ArtifactReader.reading(source, ARTIFACT, async reader => {
      const { type, form, documents, prepared, recommended, model } = readServiceArtifact(
        reader.head.contents,
      )
      if (type !== this.type) throw mismatch('type', type, this.type)
      refuseOtherForm(form, documentForm(dataset.state.settings))
      const { definition } = this.#context
      const { state } = dataset
      const isSame = documents !== null && documents === this.#documentsOf(state)
      const contents = undamaged(
        () => definition.adopted?.(model.contents, isSame ? state.dataset : undefined) ?? model.contents,
      )
      await this.#stored.claim(dataset)
      const self = this
      await this.#model.adopt(reader, { ...model, contents }, async function* (incoming) {
        const { given: before, isActive } = self.entry
        const activation = overlay(recommended, before as Settings)
        definition.check({ ...self.#surroundings, prepared, settings: activation, given: {} })
        const next = isActive ? { active: yield* self.#load(incoming, activation, signal) } : undefined
        signal.throwIfAborted()
        return { change: { prepared, recommended }, inPlace: () => self.#replaced(next) }
      })
    })
    await this.#counted()
  }

  #documentsOf({ dataset }: DatasetState): string | null {
    const { content } = this.#context.store.counts(dataset)
    return content ? textOfContent(content) : null
  }

  /** The given settings, checked, and the complete ones that result. INVALID_ARGUMENT */
  #checked(
    { recommended, given: before, prepared }: ServiceEntry,
    given: object,
  ): { all: Settings; settings: Settings } {
    const all = overlay(before as Settings, given)
    const settings = overlay(recommended as Settings, all)
    this.#context.definition.check({ ...this.#surroundings, prepared, settings, given })
    return { all, settings }
  }

  /** Loads the model, so that a failure is reported here; then the activation is handed over, for this engine and the replicas. */
  async *#activatingElsewhere(
    given: object,
    all: Settings,
    settings: object,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { steps } = this.#context
    const { model } = this.entry
    const ready = { active: yield* this.#load(await this.#model.read(), settings, signal), model, given: all }
    this.#ready = ready
    try {
      signal.throwIfAborted()
      await writeOne(steps, { type: 'activateService', id: this.id, settings: given })
    } finally {
      // Another activation may have come first, with other settings or another model.
      if (this.#ready === ready) {
        this.#ready = undefined
        this.#context.definition.forget?.(ready.active)
      }
    }
    await this.#counted()
  }

  async *#activating(given: Settings, settings: object, signal: AbortSignal): AsyncGenerator<Progress, void> {
    await this.#stored.change({ activating: given })
    let isDone = false
    try {
      const stored = await this.#model.read()
      this.#loaded.hold(yield* this.#load(stored, settings, signal))
      await this.#stored.change({ isActive: true, given, activating: undefined })
      isDone = true
    } finally {
      if (!isDone) await this.#notActivated()
    }
    await this.#counted()
  }

  async #notActivated(): Promise<void> {
    this.#loaded.letGo()
    if (this.#context.store.isClosing) return
    // The reason for the failed activation is more useful than the failure to store this.
    await this.#stored.change({ activating: undefined }).catch(() => undefined)
  }

  #load(stored: StoredParts, settings: object, signal: AbortSignal): AsyncGenerator<Progress, unknown> {
    return this.#context.definition.load({ ...this.#surroundings, ...stored, settings, signal })
  }

  async *#reload(signal: AbortSignal): AsyncGenerator<Progress, unknown> {
    return yield* this.#load(await this.#model.read(), this.#settings!, signal)
  }

  /** @param next the new model as loaded, if the service was active then */
  #replaced(next: { active: unknown } | undefined): void {
    if (!next) {
      // It may have been activated meanwhile, with the old model.
      this.#loaded.letGo()
      this.open()
    } else if (this.entry.isActive) this.#loaded.hold(next.active)
    else this.#context.definition.forget?.(next.active)
  }

  async #remove(): Promise<void> {
    await this.#jobs.stop()
    const { all: ended } = this.jobs
    await this.#stored.remove(ended)
    await this.#removed(ended)
  }

  async #removed(jobs: readonly string[]): Promise<void> {
    await this.#jobs.stop()
    this.#jobs.forget(jobs)
    this.#context.memory.forget(this)
    this.#loaded.letGo()
    await this.#stored.sweep()
  }

  #start(
    kind: 'prepare' | 'activate',
    watch: JobWatch,
    work: (signal: AbortSignal) => AsyncGenerator<Progress, void>,
  ): Job<void> {
    const description = `${kind === 'prepare' ? 'Preparing' : 'Activating'} ${this.type} service ${this.entry.name}`
    return this.#jobs.occupy({ kind: `${this.type}-${kind}`, description, watch, body: work })
  }

  #assert(what: string, accepted: readonly ServiceStatus[]): void {
    const { status } = this
    if (this.#removal) noService(this.id)
    const received =
      status === 'active' && this.#jobs.areOccupying && what === 'prepare' ? 'preparing again' : status
    if (received === 'preparing again' || !accepted.includes(received))
      wrongState(this.entry.name, received, what, accepted.join(' or '))
  }
}
