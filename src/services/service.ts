import type { ArtifactSource } from '../artifacts/artifact.ts'
import { type Steps, writeOne } from '../datasets/job-steps.ts'
import type { Job, JobOptions } from '../jobs/job.ts'
import type { Observing } from '../observing/observing.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { ServiceRegistry } from './registry.ts'
import type { ServiceStatus } from './service-status.ts'

/** What is known of a service. */
export interface ServiceInfo {
  /** Assigned by the store, unique. */
  id: string
  type: string
  name: string
  /** Another unique name by which to get it. */
  alias: string | null
  description: string | null
  status: ServiceStatus
  /** Milliseconds since 1970. */
  createdAt: number
  /** Name of the dataset that it was last prepared, or asked to be prepared, from. */
  dataset: string | null
  /** The settings with which it was prepared, including defaults; null before. */
  prepareSettings: object | null
  /** The settings with which it answers or, if `activate` is given no others, would answer; null before it is prepared. */
  activateSettings: object | null
  /** Ids of its jobs, oldest first. */
  jobs: string[]
  /** Id of its running job. */
  runningJob: string | null
}

/** What can be changed about a service at any time; null removes an alias or a description. */
export interface ServiceChanges {
  name?: string
  /** Up to 200 characters. A service that already has this alias loses it. */
  alias?: string | null
  description?: string | null
}

/** What `prepare` takes for every type of service. */
export interface PrepareSettings extends JobOptions {
  /** Name of the dataset. */
  dataset: string
  /** Prepares it again: the old model answers until the new one replaces it. Default false. */
  again?: boolean
}

/** The parts of a service object. */
export interface ServiceParts {
  readonly lifecycle: Lifecycle
  readonly registry: ServiceRegistry
  /** Undefined if nobody observes. */
  readonly observing: Observing | undefined
  readonly steps: Steps<ServiceStep>
}

/** A write to an existing service. */
type ServiceStep =
  | { type: 'updateService'; id: string; changes: ServiceChanges }
  | { type: 'removeService'; id: string }

/**
 * A service is created, prepared from a dataset, activated, and then asked. It keeps its state and settings when the store is
 * reopened. If the process ended during preparation, it is as if that had not begun; if it ended during activation, the service
 * is activated when the store is reopened. It follows when its dataset is renamed; after a swap it works with the data that
 * have the name now. Calling a removed service: SERVICE_NOT_FOUND.
 */
export class Service<
  Prepare extends PrepareSettings = PrepareSettings,
  Activate extends JobOptions = JobOptions,
> {
  /** Assigned by the store, unique. */
  readonly id: string
  readonly #lifecycle: Lifecycle
  readonly #registry: ServiceRegistry
  readonly #steps: Steps<ServiceStep>

  /** @internal */
  constructor({ lifecycle, registry, steps }: ServiceParts) {
    this.id = lifecycle.id
    this.#steps = steps
    this.#lifecycle = lifecycle
    this.#registry = registry
  }

  /**
   * `new`, `busy` while it is being prepared or activated, `prepared` or `active`. An active service stays active while it is
   * being prepared again.
   */
  get status(): ServiceStatus {
    return this.#lifecycle.status
  }

  /**
   * Its current state and settings.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * console.log(service.info().status, service.info().dataset) // new null
   */
  info(): ServiceInfo {
    const { entry, status, activation, jobs } = this.#lifecycle
    const { id, type, name, alias, description, createdAt, dataset, prepared, model } = entry
    const prepareSettings = model > 0 ? { dataset, ...(prepared as object) } : null
    return {
      ...{ id, type, name, alias, description, status, createdAt, dataset, prepareSettings },
      activateSettings: activation,
      jobs: jobs.all,
      runningJob: jobs.running,
    }
  }

  /**
   * Builds the model from a dataset, as a job. From then on the dataset cannot be removed while the service exists. If the job
   * fails or is cancelled, the service is as before. SERVICE_STATE unless the service is new or `again` is set, which requires
   * the same dataset; DATASET_NOT_FOUND, INVALID_ARGUMENT.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * await service.prepare({ dataset: 'products' })
   * console.log(service.status) // prepared
   */
  prepare(settings: Prepare): Job<void> {
    return this.#lifecycle.prepare(settings)
  }

  /**
   * The model of a prepared service, in pieces of up to 64 KB, with a checksum: for a file, or another engine. SERVICE_STATE if
   * it has no model, or is prepared again meanwhile; STORE_CORRUPT.
   * @example
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * const pieces = []
   * for await (const piece of service.exportModel()) pieces.push(piece)
   * console.log(Buffer.concat(pieces).toString('latin1', 0, 8)) // FINDLING
   */
  exportModel(): AsyncGenerator<Uint8Array, void> {
    return this.#lifecycle.exportModel()
  }

  /**
   * Adopts a model that `exportModel()` of a service of the same type returned, as a job, instead of preparing one: completely or
   * not at all. The service is then prepared, with the same settings; an active one answers by the new model. A service for
   * similar documents answers exactly like the other one if the documents have the same change numbers; otherwise it reads them
   * again, and a few scores may differ. The dataset must have the same analyzer, searched fields, tag field and `markup` as that
   * of the other service. SERVICE_STATE, DATASET_NOT_FOUND, INVALID_ARGUMENT; the job: ARTIFACT_DAMAGED, ARTIFACT_MISMATCH,
   * FORMAT_UNSUPPORTED.
   * @example
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * const other = await engine.services.create({ type: 'similar', name: 'The same' })
   * await other.adoptModel(service.exportModel(), { dataset: 'products' })
   * console.log(other.status) // prepared
   */
  adoptModel(source: ArtifactSource, settings: { dataset: string } & JobOptions): Job<void> {
    return this.#lifecycle.adoptModel(source, settings)
  }

  /**
   * Loads the model, as a job, so that the service can be asked. Settings that are not given stay as they were given before, or
   * else as preparation recommended them. SERVICE_STATE unless it is prepared; INVALID_ARGUMENT.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * console.log(service.status) // active
   */
  activate(settings?: Activate): Job<void> {
    return this.#lifecycle.activate(settings ?? {})
  }

  /**
   * Unloads the model; the service is `prepared` again, and its settings stay. SERVICE_STATE unless it is active.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * await service.deactivate()
   * console.log(service.status) // prepared
   */
  deactivate(): Promise<void> {
    return this.#lifecycle.deactivate()
  }

  /**
   * Changes name, alias or description.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * await service.update({ alias: 'shop' })
   * console.log(engine.services.get('shop').id === service.id) // true
   */
  async update(changes: ServiceChanges): Promise<void> {
    if (this.#steps.areHandedOver)
      await writeOne(this.#steps, { type: 'updateService', id: this.id, changes })
    else await this.#registry.update(this.id, changes)
  }

  /**
   * Removes the service with its model and its jobs; running jobs are cancelled first.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search', alias: 'shop' })
   * await service.remove()
   * console.log(engine.services.has('shop')) // false
   */
  async remove(): Promise<void> {
    if (this.#steps.areHandedOver) await writeOne(this.#steps, { type: 'removeService', id: this.id })
    else await this.#registry.remove(this.id)
  }
}
