import * as z from 'zod'
import type { MaybePromise } from '../datasets/writes.ts'
import { parseInput } from '../input.ts'
import { servicePrefix } from '../store/keyspace.ts'
import { type Manifest, type ServiceEntry, serviceEntry, withService } from '../store/manifest.ts'
import { changing, type Mutation } from '../store/transaction.ts'
import { Lifecycle } from './lifecycle.ts'
import type { LifecycleContext } from './lifecycle-context.ts'
import { overlay } from './overlay.ts'
import { noService, taken, wrongState } from './refusals.ts'
import type { AnyDefinition, Recommend } from './service-definition.ts'

const name = z
  .string()
  .max(200)
  .regex(/\S/, 'text that is not blank')
  // In UTF-8 all lone surrogates are the same, so different aliases would collide.
  .refine(value => !/\p{Surrogate}/u.test(value), 'text without lone surrogates')
const alias = name.nullable()
const description = z.string().max(10_000).nullable()

const serviceId = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,50}$/, 'text of 1 to 50 letters (a to z, A to Z), digits, hyphens and underscores')

const changesSchema = z.strictObject({
  name: name.optional(),
  alias: alias.optional(),
  description: description.optional(),
})

/** What a service of any type is created from. */
export interface NewService<Type extends string = string> {
  /** Unique, of 1 to 50 letters, digits, hyphens and underscores. Default: a random UUID. */
  id?: string | undefined
  type: Type
  /** For people: up to 200 characters. */
  name: string
  /** Another name by which to get it, up to 200 characters; a service that already has this alias loses it. */
  alias?: string | null
  description?: string | null
}

interface RegistryContext extends Omit<LifecycleContext, 'definition' | 'recommender'> {
  readonly definitions: readonly AnyDefinition[]
  clock(): number
  newId(): string
}

/** The existing services. It knows their names and aliases; what a service does is up to its lifecycle. */
export class ServiceRegistry {
  readonly #context: RegistryContext
  readonly #lives = new Map<string, Lifecycle>()
  /** By id, the removals of services of which something is still stored. */
  readonly #removals = new Map<string, Promise<void>>()
  readonly #input: z.ZodType<{
    id?: string | undefined
    type: string
    name: string
    alias?: string | null | undefined
    description?: string | null | undefined
  }>

  constructor(context: RegistryContext) {
    this.#context = context
    const types = context.definitions.map(({ type }) => type)
    this.#input = z.strictObject({
      id: serviceId.optional(),
      type: z.enum(types),
      name,
      alias: alias.optional(),
      description: description.optional(),
    })
    // A service of a type unknown to this version stays stored as it is.
    for (const { id, type } of context.store.manifest.services) if (types.includes(type)) this.#add(id, type)
  }

  async create(input: unknown): Promise<Lifecycle> {
    const { store } = this.#context
    return this.get(await store.write(await this.creating(input)))
  }

  /**
   * A creation to be decided with other writes: available at once, or once the remains of an earlier service of this id are gone.
   * @param at milliseconds since 1970; by default the time of the call
   */
  creating(input: unknown, at = this.#context.clock()): MaybePromise<Mutation<string>> {
    const { id } = parseInput(this.#input, input, 'service')
    const before = id === undefined ? undefined : this.#removals.get(id)
    return before ? before.then(() => this.#creating(input, at)) : this.#creating(input, at)
  }

  #creating(input: unknown, at: number): Mutation<string> {
    const { id, alias = null, description = null, ...given } = parseInput(this.#input, input, 'service')
    const entry: ServiceEntry = {
      ...given,
      id: id ?? this.#context.newId(),
      alias,
      description,
      createdAt: at,
      dataset: null,
      model: 0,
      prepared: null,
      recommended: null,
      given: {},
      isActive: false,
    }
    return changing((manifest, transaction) => {
      if (serviceEntry(manifest, entry.id) || manifest.trash.includes(servicePrefix(entry.id)))
        throw taken(entry.id)
      const others = withoutAlias(manifest, alias, entry.id)
      transaction.whenDurable(() => void this.#add(entry.id, entry.type))
      return [{ ...others, services: [...others.services, entry] }, entry.id]
    })
  }

  async update(id: string, changes: unknown): Promise<void> {
    await this.#context.store.write(this.updating(id, changes))
  }

  updating(id: string, changes: unknown): Mutation<void> {
    const given = parseInput(changesSchema, changes, 'service')
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    return changing(manifest => {
      if (!serviceEntry(manifest, id)) noService(id)
      const others = withoutAlias(manifest, given.alias ?? null, id)
      const services = others.services.map(entry => (entry.id === id ? { ...entry, ...change } : entry))
      return [{ ...others, services }, undefined]
    })
  }

  async remove(id: string): Promise<void> {
    await this.get(id).remove()
    this.#lives.delete(id)
  }

  /** A removal that does not wait for what the service is doing; that is cancelled once the service is removed. */
  removing(id: string): Mutation<void> {
    const life = this.get(id)
    return life.removing(ended => {
      this.#lives.delete(life.id)
      const message =
        'The space of a removed service could not be freed; this is retried when the store is next opened.'
      const removal = ended
        .catch(error => this.#context.warn(message, { service: life.id, error }))
        .finally(() => this.#removals.delete(life.id))
      this.#removals.set(life.id, removal)
    })
  }

  /**
   * An activation to be decided with other writes; the model is loaded afterwards.
   * @param isReplayed whether it is decided only by what replicas store as well, not by what this engine is doing with the
   * service, nor by whether its model is already stored here
   */
  activating(id: string, settings: unknown, isReplayed: boolean): Mutation<void> {
    return changing((manifest, transaction) => {
      const { entry, definition } = this.#stored(manifest, id)
      if (entry.isActive) wrongState(entry.name, 'active', 'activate', 'prepared')
      const given = parseInput(z.strictObject(definition.activateSettings), settings, 'settings')
      if (!isReplayed) {
        if (entry.model === 0) wrongState(entry.name, 'new', 'activate', 'prepared')
        this.get(id).assertActivatable(entry, given)
      }
      const all = overlay(entry.given as object, given)
      transaction.whenDurable(() => this.#lives.get(id)?.activated())
      return [withService(manifest, id, { isActive: true, given: all }), undefined]
    })
  }

  deactivating(id: string): Mutation<void> {
    return changing((manifest, transaction) => {
      const { entry } = this.#stored(manifest, id)
      const received = entry.model > 0 ? 'prepared' : 'new'
      if (!entry.isActive) wrongState(entry.name, received, 'deactivate', 'active')
      transaction.whenDurable(() => this.#lives.get(id)?.deactivated())
      return [withService(manifest, id, { isActive: false }), undefined]
    })
  }

  /** Adopts a model that was handed over. SERVICE_NOT_FOUND and as `adoptModel()`, apart from SERVICE_STATE */
  async adopt(id: string, source: unknown, dataset: string, signal: AbortSignal): Promise<void> {
    await (this.#lives.get(id) ?? noService(id)).adopt(source, dataset, signal)
  }

  /** An id takes precedence over the alias of another service. */
  find(idOrAlias: unknown): Lifecycle | undefined {
    const { services } = this.#context.store.manifest
    const { id } =
      services.find(entry => entry.id === idOrAlias) ??
      services.find(entry => entry.alias !== null && entry.alias === idOrAlias) ??
      {}
    return id === undefined ? undefined : this.#lives.get(id)
  }

  /** SERVICE_NOT_FOUND */
  get(idOrAlias: unknown): Lifecycle {
    return this.find(idOrAlias) ?? noService(idOrAlias)
  }

  /** Oldest first. */
  list(): Lifecycle[] {
    const { services } = this.#context.store.manifest
    return services.flatMap(({ id }) => this.#lives.get(id) ?? [])
  }

  recommender(idOrAlias: string): Recommend | undefined {
    return this.find(idOrAlias)?.recommend
  }

  /** Loads the services that were active or being activated; those already loaded can be asked meanwhile. */
  async open(): Promise<void> {
    const isBegun = ({ id, activating }: ServiceEntry) => activating !== undefined && this.#lives.has(id)
    if (this.#context.store.manifest.services.some(isBegun))
      await this.#context.store.write(
        changing(manifest => {
          const services = manifest.services.map(entry => (isBegun(entry) ? activated(entry) : entry))
          return [{ ...manifest, services }, undefined]
        }),
      )
    for (const life of this.#lives.values()) life.open()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#removals.values()])
    await Promise.all([...this.#lives.values()].map(life => life.close()))
  }

  #add(id: string, type: string): Lifecycle {
    const recommender = (idOrAlias: string) => this.recommender(idOrAlias)
    const life = new Lifecycle(id, { ...this.#context, recommender, definition: this.#definition(type)! })
    this.#lives.set(id, life)
    return life
  }

  #definition(type: string): AnyDefinition | undefined {
    return this.#context.definitions.find(definition => definition.type === type)
  }

  /** A service of a type unknown to this version counts as missing. SERVICE_NOT_FOUND */
  #stored(manifest: Manifest, id: string): { entry: ServiceEntry; definition: AnyDefinition } {
    const entry = serviceEntry(manifest, id)
    const definition = entry && this.#definition(entry.type)
    return definition ? { entry, definition } : noService(id)
  }
}

const activated = ({ activating, ...entry }: ServiceEntry): ServiceEntry => ({
  ...entry,
  isActive: true,
  given: activating,
})

/** Takes an alias away from the service that had it, because another service gets it. */
function withoutAlias(manifest: Manifest, alias: string | null, id: string): Manifest {
  if (alias === null) return manifest
  const services = manifest.services.map(entry =>
    entry.alias === alias && entry.id !== id ? { ...entry, alias: null } : entry,
  )
  return { ...manifest, services }
}
