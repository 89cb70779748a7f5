import { randomUUID } from 'node:crypto'
import { type Steps, writeOne } from './datasets/job-steps.ts'
import type { Observing } from './observing/observing.ts'
import type { ServiceOperation } from './operations/operation.ts'
import type { ServiceType, ServiceTypeName, ServiceTypes } from './service-types.ts'
import type { Lifecycle } from './services/lifecycle.ts'
import { wrongType } from './services/refusals.ts'
import type { NewService, ServiceRegistry } from './services/registry.ts'
import type { Service, ServiceInfo } from './services/service.ts'

/** What a service is created from. */
export interface ServiceInput<Type extends ServiceTypeName = ServiceTypeName> extends NewService<Type> {}

/** The services of an engine. Wherever a service is named, you may give its id or its alias. */
export class Services {
  readonly #registry: ServiceRegistry
  readonly #types: Readonly<Record<string, ServiceType>>
  readonly #observing: Observing | undefined
  readonly #steps: Steps<ServiceOperation>

  /** @internal */
  constructor(
    registry: ServiceRegistry,
    types: Readonly<Record<string, ServiceType>>,
    observing: Observing | undefined,
    steps: Steps<ServiceOperation>,
  ) {
    this.#registry = registry
    this.#types = types
    this.#observing = observing
    this.#steps = steps
  }

  /**
   * Creates a service with the status `new`: prepare it from a dataset, then activate it. INVALID_ARGUMENT.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search', alias: 'shop' })
   * console.log(service.status) // new
   */
  async create<Type extends ServiceTypeName>(service: ServiceInput<Type>): Promise<ServiceTypes[Type]> {
    return this.#face(await this.#created(service)) as ServiceTypes[Type] // as its type says
  }

  /**
   * The service with that id or alias; ids take precedence. If a type is given, the result has that type. SERVICE_NOT_FOUND;
   * SERVICE_TYPE if the service has another type.
   * @example
   * await engine.services.create({ type: 'search', name: 'Shop search', alias: 'shop' })
   * const service = engine.services.get('shop', 'search')
   * console.log(service.info().name) // Shop search
   */
  get<Type extends ServiceTypeName>(idOrAlias: string, type: Type): ServiceTypes[Type]
  get(idOrAlias: string): Service
  get(idOrAlias: string, type?: string): Service {
    const lifecycle = this.#registry.get(idOrAlias)
    if (type !== undefined && type !== lifecycle.type) wrongType(lifecycle.entry.name, lifecycle.type, type)
    return this.#face(lifecycle)
  }

  /**
   * Whether there is a service with that id or alias.
   * @example
   * console.log(engine.services.has('shop')) // false
   */
  has(idOrAlias: string): boolean {
    return this.#registry.find(idOrAlias) !== undefined
  }

  /**
   * Lists all services, oldest first.
   * @example
   * await engine.services.create({ type: 'search', name: 'Shop search' })
   * console.log(engine.services.list().map(({ name, status }) => `${name}: ${status}`)) // [ 'Shop search: new' ]
   */
  list(): ServiceInfo[] {
    return this.#registry.list().map(lifecycle => this.#face(lifecycle).info())
  }

  /**
   * Lists the active services whose models are being loaded, for example after a start; their calls wait until then.
   * @example
   * console.log(engine.services.loading()) // []
   */
  loading(): ServiceInfo[] {
    return this.#registry
      .list()
      .flatMap(lifecycle => (lifecycle.isLoading ? this.#face(lifecycle).info() : []))
  }

  async #created(service: NewService): Promise<Lifecycle> {
    if (!this.#steps.areHandedOver) return await this.#registry.create(service)
    // Chosen before the operation is handed over: otherwise each engine would choose a random id of its own.
    const named = { ...service, id: service.id ?? randomUUID() }
    return this.#registry.get((await writeOne(this.#steps, { type: 'createService', service: named })).id)
  }

  #face(lifecycle: Lifecycle): Service {
    const { face } = Object.values(this.#types).find(({ definition }) => definition.type === lifecycle.type)!
    const [registry, observing, steps] = [this.#registry, this.#observing, this.#steps]
    return face({ lifecycle, registry, observing, steps })
  }
}
