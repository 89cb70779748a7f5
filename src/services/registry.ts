import * as z from 'zod'
import type { DerivedMemory } from '../derived/memory.ts'
import { parseInput } from '../input.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { type Manifest, type ServiceEntry, serviceEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { Lifecycle } from './lifecycle.ts'
import { noService } from './refusals.ts'
import type { AnyDefinition, Recommend, ServiceDataset } from './service-definition.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/\S/, 'text that is not blank')
    // In UTF-8 lone surrogates are all the same: aliases would meet.
    .refine(value => !/\p{Surrogate}/u.test(value), 'text without lone surrogates')
const name = text(200)
const alias = text(200).nullable()
const description = z.string().max(10_000).nullable()

const changesSchema = z.strictObject({
  name: name.optional(),
  alias: alias.optional(),
  description: description.optional(),
})

interface RegistryContext {
  readonly store: Store
  readonly jobs: JobRunner
  readonly definitions: readonly AnyDefinition[]
  clock(): number
  newId(): string
  dataset(name: string): ServiceDataset
  /** Where models count among what is loaded. */
  readonly memory: DerivedMemory
  warn(message: string, details: Record<string, unknown>): void
}

/** Which services there are. Knows names and aliases; what a service does is its lifecycle's. */
export class ServiceRegistry {
  readonly #context: RegistryContext
  readonly #lives = new Map<string, Lifecycle>()
  readonly #creating: z.ZodType<{
    type: string
    name: string
    alias?: string | null | undefined
    description?: string | null | undefined
  }>

  constructor(context: RegistryContext) {
    this.#context = context
    const types = context.definitions.map(({ type }) => type)
    this.#creating = z.strictObject({
      type: z.enum(types),
      name,
      alias: alias.optional(),
      description: description.optional(),
    })
    // One of a type that this version does not have stays as it is stored.
    for (const { id, type } of context.store.manifest.services) if (types.includes(type)) this.#add(id, type)
  }

  async create(input: unknown): Promise<Lifecycle> {
    const { alias = null, description = null, ...given } = parseInput(this.#creating, input, 'service')
    const { clock, newId } = this.#context
    const entry: ServiceEntry = {
      ...given,
      id: newId(),
      alias,
      description,
      createdAt: clock(),
      dataset: null,
      model: 0,
      prepared: null,
      recommended: null,
      given: {},
      isActive: false,
    }
    await this.#change(manifest => {
      const others = withoutAlias(manifest, alias, entry.id)
      return { ...others, services: [...others.services, entry] }
    })
    return this.#add(entry.id, entry.type)
  }

  async update(id: string, changes: unknown): Promise<void> {
    const given = parseInput(changesSchema, changes, 'service')
    const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    await this.#change(manifest => {
      if (!serviceEntry(manifest, id)) noService(id)
      const others = withoutAlias(manifest, given.alias ?? null, id)
      const services = others.services.map(entry => (entry.id === id ? { ...entry, ...change } : entry))
      return { ...others, services }
    })
  }

  async remove(id: string): Promise<void> {
    await this.get(id).remove()
    this.#lives.delete(id)
  }

  /** An id wins over the alias of another service. */
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

  /** Has those loaded that were active or being activated, each while others are already asked. */
  async open(): Promise<void> {
    const isBegun = ({ id, activating }: ServiceEntry) => activating !== undefined && this.#lives.has(id)
    if (this.#context.store.manifest.services.some(isBegun))
      await this.#change(manifest => {
        const services = manifest.services.map(entry => (isBegun(entry) ? activated(entry) : entry))
        return { ...manifest, services }
      })
    for (const life of this.#lives.values()) life.open()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lives.values()].map(life => life.close()))
  }

  #add(id: string, type: string): Lifecycle {
    const { store, jobs, dataset, memory, warn } = this.#context
    const recommender = (idOrAlias: string) => this.recommender(idOrAlias)
    const context = { store, jobs, dataset, memory, warn, recommender, definition: this.#definition(type) }
    const life = new Lifecycle(id, context)
    this.#lives.set(id, life)
    return life
  }

  #definition(type: string): AnyDefinition {
    return this.#context.definitions.find(definition => definition.type === type)!
  }

  #change(decide: (manifest: Manifest) => Manifest): Promise<void> {
    return this.#context.store.write({
      reads: [],
      bytes: 0,
      apply(transaction) {
        transaction.manifest = decide(transaction.manifest)
      },
    })
  }
}

const activated = ({ activating, ...entry }: ServiceEntry): ServiceEntry => ({
  ...entry,
  isActive: true,
  given: activating,
})

/** An alias that is given to a service is taken away from the one that had it. */
function withoutAlias(manifest: Manifest, alias: string | null, id: string): Manifest {
  if (alias === null) return manifest
  const services = manifest.services.map(entry =>
    entry.alias === alias && entry.id !== id ? { ...entry, alias: null } : entry,
  )
  return { ...manifest, services }
}
