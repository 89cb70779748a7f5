import * as z from 'zod'
import { passedOn } from '../artifacts/artifact.ts'
import { writeOne } from '../datasets/job-steps.ts'
import { FindlingError } from '../errors.ts'
import { invalid, parseInput, problem } from '../input.ts'
import type { Job, JobOptions, Progress } from '../jobs/job.ts'
import type { Finish } from '../jobs/stored-jobs.ts'
import { watching } from '../jobs/watching.ts'
import { withCurrent } from '../scheduling/once.ts'
import { modelPrefix } from '../store/keyspace.ts'
import type { ServiceEntry } from '../store/manifest.ts'
import type { Mutation } from '../store/transaction.ts'
import type { LifecycleContext, LifecycleParts, Settings } from './lifecycle-context.ts'
import { ModelInUse } from './model-in-use.ts'
import { ModelMaking } from './model-making.ts'
import { StoredModel } from './model-store.ts'
import { noService, wrongState } from './refusals.ts'
import { adoptionSchema } from './service-artifact.ts'
import type { Recommend, ServiceDataset, StoredParts, Surroundings } from './service-definition.ts'
import { ServiceJobs } from './service-jobs.ts'
import type { ServiceStatus } from './service-status.ts'
import { StoredService } from './stored-service.ts'

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
  readonly #parts: LifecycleParts
  readonly #model: ModelInUse
  readonly #making: ModelMaking
  #removal: Promise<void> | undefined

  constructor(id: string, context: LifecycleContext) {
    this.id = id
    this.#context = context
    this.#stored = new StoredService(id, context.store)
    this.#jobs = new ServiceJobs(id, context.jobs)
    const model = new StoredModel(context.store, id, error =>
      context.warn(
        'The space of an earlier model of a service could not be freed; this is retried when the store is next opened.',
        { service: id, error },
      ),
    )
    const surroundings: Surroundings = {
      dataset: () => context.dataset(this.entry.dataset!), // there is one since it was prepared
      recommender: idOrAlias => context.recommender(idOrAlias),
    }
    this.#parts = { id, context, stored: this.#stored, model, surroundings }
    this.#model = new ModelInUse(this.#parts, () => context.memory.used(this))
    this.#making = new ModelMaking(this.#parts, this.#model)
  }

  get type(): string {
    return this.#context.definition.type
  }

  /** What is stored of it. SERVICE_NOT_FOUND when it has been removed. */
  get entry(): ServiceEntry {
    return this.#stored.entry
  }

  get status(): ServiceStatus {
    if (this.#model.isActive) return 'active'
    if (this.#jobs.areOccupying) return 'busy'
    return this.entry.model > 0 ? 'prepared' : 'new'
  }

  /** The settings with which it answers or, if no others are given, would. Null before it is prepared. */
  get activation(): object | null {
    const { settings } = this.#model
    if (settings === null) return null
    return this.#context.definition.shown?.({ ...this.#parts.surroundings, settings }) ?? settings
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
        this.#making.preparingFor(adoptThrough, dataset, settings, signal),
      )
    const job = this.#start('prepare', { signal, onProgress }, (signal, finish) =>
      this.#making.preparing(dataset, claimed, settings, { signal, finish }),
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
    const model = await this.#parts.model.outgoing()
    yield* this.#making.exporting(model, state, { prepared, recommended })
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
      ? () => adoptThrough(this.#making.adoptionOf(dataset), passedOn(source))
      : (signal: AbortSignal, finish: Finish) => this.#making.adopt(source, dataset, signal, finish)
    async function* body(signal: AbortSignal, finish: Finish): AsyncGenerator<Progress, void> {
      await adopt(signal, finish)
      yield { done: 1, total: 1, phase: 'adopting' }
    }
    return this.#jobs.occupy({ kind: `${this.type}-adopt`, description, watch, body })
  }

  /** The same for a model that was handed over: whatever this engine is doing with the service. */
  adopt(source: unknown, dataset: string, signal: AbortSignal): Promise<void> {
    return this.#making.adopt(source, this.#ownDataset(dataset), signal)
  }

  activate(input: unknown): Job<void> {
    const { definition } = this.#context
    this.#assert('activate', ['prepared'])
    const schema = z.strictObject({ ...definition.activateSettings, ...watching })
    const { signal, onProgress, ...given } = parseInput(schema, input, 'settings')
    const { all, settings } = this.#model.checked(this.entry, given)
    const asGiven = Object.fromEntries(Object.keys(given).map(name => [name, (input as Settings)[name]]))
    return this.#start('activate', { signal, onProgress }, signal =>
      this.#context.steps.areHandedOver
        ? this.#model.activatingElsewhere(asGiven, all, settings, signal)
        : this.#model.activating(all, settings, signal),
    )
  }

  async deactivate(): Promise<void> {
    this.#assert('deactivate', this.entry.isActive ? [this.status] : ['active'])
    const { steps } = this.#context
    if (steps.areHandedOver) return void (await writeOne(steps, { type: 'deactivateService', id: this.id }))
    await this.#stored.deactivate()
    this.#model.loaded.letGo()
  }

  /**
   * Refuses an activation that is decided with other writes, if it is invalid. SERVICE_STATE, INVALID_ARGUMENT
   * @param entry the service as left by the preceding writes
   */
  assertActivatable(entry: ServiceEntry, given: object): void {
    if (this.#removal) noService(this.id)
    if (this.#jobs.areOccupying) wrongState(entry.name, 'busy', 'activate', 'prepared')
    this.#model.checked(entry, given)
  }

  /** Called when a write that activates it is durable. */
  activated(): void {
    this.#model.activated()
  }

  /** Called when a write that deactivates it is durable. */
  deactivated(): void {
    this.#model.loaded.letGo()
  }

  /**
   * Runs a job that leaves the status of the service as it is. SERVICE_STATE unless that is one of the accepted ones.
   */
  work<T>(
    { what, description, accepted, check, isAlone = false }: Work,
    watch: JobOptions,
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
    return await withCurrent(current, async () => await use(await this.#parts.model.read()))
  }

  /** The dataset that it was prepared from, as it is now. DATASET_NOT_FOUND */
  dataset(): ServiceDataset {
    return this.#parts.surroundings.dataset()
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
    const answering = await this.#model.get()
    return answering
      ? answering.active
      : wrongState(this.entry.name, this.status, 'answer requests', 'active')
  }

  /** Prefix of what is stored with the model that answers, loaded or not. SERVICE_STATE unless it is active. */
  get answeringPrefix(): string {
    if (this.status !== 'active') wrongState(this.entry.name, this.status, 'answer requests', 'active')
    return modelPrefix(this.id, this.entry.model)
  }

  /** For people, even if it has just been removed. */
  get name(): string {
    return this.#stored.name
  }

  /** Unloads its model until it is asked again; false while it is at work. */
  async release(): Promise<boolean> {
    return this.#jobs.areIdle && this.#model.loaded.release()
  }

  /** Whether its model is being loaded; callers wait until it is. */
  get isLoading(): boolean {
    return this.#model.isActive && this.#model.loaded.isLoading
  }

  /** Memory that its model takes; 0 while it is not loaded. */
  get bytes(): number {
    return this.#model.bytes
  }

  /** How it recommends tags, if it is active and can; undefined tags where its model has to be prepared again. */
  get recommend(): Recommend | undefined {
    const { definition } = this.#context
    if (!definition.recommend || this.status !== 'active') return undefined
    return async (text, count, deadline) => {
      const answering = await this.#model.get().catch(elseNothing)
      return answering && (await definition.recommend!(answering.active, text, count, deadline))
    }
  }

  /** Cancels running jobs, waits until they have ended, then removes the service with its model and its jobs. */
  async remove(): Promise<void> {
    if (this.#removal) {
      await this.#removal
      // Of several calls at once, one has removed it.
      noService(this.id)
    }
    this.#removal = this.#remove().catch(error => {
      this.#removal = undefined
      throw error
    })
    await this.#removal
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
    this.#model.open()
  }

  /** After the jobs have ended. */
  close(): Promise<void> {
    this.#context.memory.forget(this)
    return this.#model.loaded.close()
  }

  /** Until a new model replaces it, the old one answers from the dataset that it was made from. */
  #ownDataset(name: string): ServiceDataset {
    const dataset = this.#context.dataset(name)
    const { dataset: own, model } = this.entry
    if (model === 0 || name === own) return dataset
    const expected = `${own}, from which the service was prepared; for another dataset, create another service`
    throw invalid('INVALID_ARGUMENT', 'settings', [problem('dataset', name, expected)])
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
    this.#model.loaded.letGo()
    await this.#stored.sweep()
  }

  #start(
    kind: 'prepare' | 'activate',
    watch: JobOptions,
    work: (signal: AbortSignal, finish: Finish) => AsyncGenerator<Progress, void>,
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

/** Services that ask for tags go on without them while a model of another version has not been replaced. */
function elseNothing(error: unknown): undefined {
  if (!(error instanceof FindlingError && error.code === 'FORMAT_UNSUPPORTED')) throw error
}
