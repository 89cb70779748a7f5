import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, fieldPath, invalid, parseInput, problem } from '../input.ts'
import { mergeDeep, toJsonObject } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'
import { type DatasetNumber, datasetAfter } from '../store/dataset-number.ts'
import { datasetPrefixes } from '../store/keyspace.ts'
import { type DatasetEntry, type Manifest, withEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { changing, type Mutation, type Transaction } from '../store/transaction.ts'
import { OwnAnalyzers } from './analyzers.ts'
import { type DatasetDefinition, defineDataset, refuseUnknownFields } from './dataset-definition.ts'
import {
  type DatasetSettings,
  type DatasetSettingsInput,
  parseSettings,
  refuseUseless,
} from './schema/dataset-settings.ts'
import { datasetNameSchema } from './schema/names.ts'
import { type DatasetSchema, openSchema } from './schema/schema.ts'
import { settleSchema } from './schema/schema-json.ts'
import { settleSample } from './schema/schema-sample.ts'
import { DatasetState, type Definition, definitionOf } from './state.ts'

/** A dataset as `datasets.list()` shows it; `createdAt` is in milliseconds since 1970. */
export interface DatasetInfo {
  name: string
  createdAt: number
  settings: DatasetSettings
  schema: DatasetSchema
  documents: number
}

export function infoOf(
  { dataset, name, createdAt, settings, schema }: DatasetState,
  store: Store,
): DatasetInfo {
  return { name, createdAt, settings, schema, documents: store.counts(dataset).documents }
}

/** Is notified of changes to datasets as soon as they are stored. */
interface DatasetFollower {
  /** Resolves when its space has been freed. */
  removed(state: DatasetState, trash: readonly string[]): Promise<void>
  /** A write has changed the settings. */
  redefined(state: DatasetState): void
  /** Settings were announced. */
  announced(state: DatasetState, definition: Definition): void
}

interface RegistryOptions extends Partial<DatasetFollower> {
  readonly analyzers?: OwnAnalyzers
}

/** The existing datasets, with their names and settings; what happens inside a dataset is up to its facade. */
export class DatasetRegistry {
  readonly #store: Store
  readonly #clock: () => number
  readonly #analyzers: OwnAnalyzers
  readonly #states = new Map<DatasetNumber, DatasetState>()
  readonly #byName = new Map<string, DatasetState>()

  readonly #follower: DatasetFollower
  readonly #removals = new Set<Promise<void>>()

  constructor(
    store: Store,
    clock: () => number,
    {
      analyzers = OwnAnalyzers.none,
      removed = () => Promise.resolve(),
      redefined = () => {},
      announced = () => {},
    }: RegistryOptions = {},
  ) {
    this.#store = store
    this.#follower = { removed, redefined, announced }
    this.#clock = clock
    this.#analyzers = analyzers
    for (const entry of store.manifest.datasets) this.#add(new DatasetState(entry, analyzers))
  }

  /** Stores the names and versions of the analyzers that its datasets now have. */
  async storeAnalyzers(): Promise<void> {
    const storing = changing(manifest => {
      const datasets = manifest.datasets.map(entry => {
        return { ...entry, settings: this.#analyzers.located(entry.settings) }
      })
      return [{ ...manifest, datasets }, undefined]
    })
    await this.#store.write(storing)
  }

  async create(name: unknown, definition: DatasetDefinition): Promise<DatasetState> {
    const dataset = await this.#store.write(this.creating(name, definition))
    const state = this.#states.get(dataset)
    // A removal that was called meanwhile may have come right behind.
    return state ?? this.named(checkName(name))
  }

  /**
   * @param at milliseconds since 1970; by default the time of the call
   * @param field what errors call the name
   */
  creating(
    name: unknown,
    definition: DatasetDefinition,
    at = this.#clock(),
    field = 'name',
  ): Mutation<DatasetNumber> {
    const checked = checkName(name, field)
    const { settings, schema, findsFields } = defineDataset(definition, this.#analyzers)
    return changing((manifest, transaction) => {
      refuseTaken(manifest, checked, field)
      const { nextDataset: dataset } = manifest
      const fixed = { dataset, name: checked, createdAt: at }
      const entry = { ...fixed, settings, schema, findsFields, index: 1, tagsToClean: [] }
      transaction.whenDurable(() => {
        const state = new DatasetState(entry, this.#analyzers)
        if (isZod(definition.schema)) state.bind(definition.schema)
        this.#add(state)
      })
      const datasets = [...manifest.datasets, entry]
      return [{ ...manifest, nextDataset: datasetAfter(dataset), datasets }, dataset]
    })
  }

  #add(state: DatasetState): void {
    this.#states.set(state.dataset, state)
    this.#byName.set(state.name, state)
  }

  /** False also for text that is not a valid name. */
  has(name: unknown): boolean {
    const { name: checked } = parseInput(textSchema, { name }, 'dataset')
    return this.#byName.has(checked)
  }

  /** DATASET_NOT_FOUND unless there is one of that name. */
  get(name: unknown, type?: unknown): DatasetState {
    const checked = checkName(name)
    const known = parseInput(typeSchema, type, 'schema')
    const state = this.named(checked)
    if (known) state.bind(known)
    return state
  }

  /** DATASET_NOT_FOUND unless there is one of the name that a member of this name has. */
  given(name: unknown, field: string): DatasetState {
    return this.named(checkName(name, field), field)
  }

  /** The dataset that currently has this name, which must be a valid one. DATASET_NOT_FOUND. */
  named(name: string, field = 'name'): DatasetState {
    const state = this.#byName.get(name)
    if (!state) throw missing(name, [...this.#byName.keys()], field)
    return state
  }

  /** By name. */
  list(): DatasetInfo[] {
    const infos = [...this.#states.values()].map(state => infoOf(state, this.#store))
    return infos.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async rename(from: unknown, to: unknown): Promise<void> {
    await this.#store.write(this.renaming(from, to))
  }

  renaming(from: unknown, to: unknown, fields = { from: 'name', to: 'name' }): Mutation<void> {
    const before = this.given(from, fields.from).name
    const { to: name } = parseInput(targetSchema, { to }, 'dataset')
    return changing((manifest, transaction) => {
      const { dataset } = entryNamed(manifest, before, fields.from)
      if (name !== before) refuseTaken(manifest, name, fields.to)
      const services = manifest.services.map(service =>
        service.dataset === before ? { ...service, dataset: name } : service,
      )
      transaction.whenDurable(() => this.#refreshNames())
      return [{ ...withEntry(manifest, dataset, { name }), services }, undefined]
    })
  }

  /** Exchanges two names atomically: build a catalogue under another name, then replace the live one by it. */
  async swap(one: unknown, other: unknown): Promise<void> {
    await this.#store.write(this.swapping(one, other))
  }

  swapping(one: unknown, other: unknown, fields = { one: 'name', other: 'name' }): Mutation<void> {
    const names = [this.given(one, fields.one).name, this.given(other, fields.other).name] as const
    return changing((manifest, transaction) => {
      const a = entryNamed(manifest, names[0], fields.one)
      const b = entryNamed(manifest, names[1], fields.other)
      const renamed = withEntry(manifest, a.dataset, { name: b.name })
      transaction.whenDurable(() => this.#refreshNames())
      return [withEntry(renamed, b.dataset, { name: a.name }), undefined]
    })
  }

  /** DATASET_IN_USE by services. The dataset is gone at once; resolves when its space is freed. */
  async remove(name: unknown): Promise<void> {
    await this.#store.write(this.removing(name))
    await this.settled()
  }

  /** @param despiteServices whether to remove it even if services were prepared from it, which then have no documents */
  removing(name: unknown, despiteServices = false, field = 'name'): Mutation<void> {
    const removed = this.given(name, field).name
    return changing((manifest, transaction) => {
      const { dataset } = entryNamed(manifest, removed, field)
      if (!despiteServices) refuseUsed(manifest, removed, field)
      const trash = datasetPrefixes(dataset)
      transaction.whenDurable(() => this.#forget(this.#states.get(dataset)!, trash))
      const datasets = manifest.datasets.filter(entry => entry.dataset !== dataset)
      return [{ ...manifest, datasets, trash: [...manifest.trash, ...trash] }, undefined]
    })
  }

  /** Changes settings at once: if they affect what is indexed, the documents are read again before the next answer. */
  configuring(name: unknown, changes: DatasetSettingsInput, field = 'name'): Mutation<void> {
    const state = this.given(name, field)
    // Errors that do not depend on the settings at that time are thrown early.
    redefine(state, changes)
    return changing((manifest, transaction) => {
      const definition = this.#redefinition(transaction, state, changes)
      state.redefinitions++
      transaction.whenUndone(() => {
        state.redefinitions--
      })
      transaction.whenDurable(() => {
        state.apply(definition)
        this.#follower.redefined(state)
      })
      return [withEntry(manifest, state.dataset, definition), undefined]
    })
  }

  /** Announces settings. */
  announcing(name: unknown, changes: DatasetSettingsInput, field = 'name'): Mutation<void> {
    const state = this.given(name, field)
    redefine(state, changes)
    return changing((manifest, transaction) => {
      const definition = this.#redefinition(transaction, state, changes)
      transaction.whenDurable(() => this.#follower.announced(state, definition))
      // An empty change of the manifest, so that there is a commit even if nothing else is written.
      return [{ ...manifest }, undefined]
    })
  }

  #redefinition(transaction: Transaction, state: DatasetState, changes: DatasetSettingsInput): Definition {
    const entry = transaction.dataset(state.dataset, state.name)
    return redefine({ ...definitionOf(entry, this.#analyzers), analyzers: this.#analyzers }, changes)
  }

  /** Resolves when the space of all removed datasets is freed. */
  async settled(): Promise<void> {
    await Promise.all(this.#removals)
  }

  #forget(state: DatasetState, trash: readonly string[]): void {
    state.removed = true
    this.#states.delete(state.dataset)
    if (this.#byName.get(state.name) === state) this.#byName.delete(state.name)
    const removal = this.#follower.removed(state, trash).finally(() => this.#removals.delete(removal))
    // Callers that wait get the error; otherwise the next open frees the space.
    removal.catch(() => undefined)
    this.#removals.add(removal)
  }

  [Symbol.iterator](): IterableIterator<DatasetState> {
    return this.#states.values()
  }

  #refreshNames(): void {
    this.#byName.clear()
    for (const { dataset, name } of this.#store.manifest.datasets) {
      const state = this.#states.get(dataset)
      if (!state) continue
      state.name = name
      this.#byName.set(name, state)
    }
  }
}

const isZod = (schema: unknown): schema is z.ZodObject => schema instanceof z.ZodObject
const typeSchema = z.custom<z.ZodObject>(isZod, 'a zod object').optional()
const anyObject = z.looseObject({})
const textSchema = z.object({ name: z.string() })
const targetSchema = z.object({ to: datasetNameSchema })

/**
 * The definition with changed settings; weights that are not given stay, every other setting is replaced as a whole. The fields
 * for id and tags cannot change. Once fields or weights are given, documents add no more fields to them.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function redefine(
  { settings, schema, findsFields, analyzers }: Definition & { readonly analyzers: OwnAnalyzers },
  changes: DatasetSettingsInput,
): Definition {
  const given = analyzers.chosen(parseInput(anyObject, changes, 'settings'))
  for (const field of ['idField', 'tagField'] as const) {
    if (given[field] !== undefined && given[field] !== settings[field])
      throw fixed(field, given[field], settings[field])
  }
  const named = new Set(
    Array.isArray(given.interpretedFields) ? given.interpretedFields : settings.interpretedFields,
  )
  const kept = Object.entries(settings.weights).filter(([field]) => named.has(field))
  const weights = mergeDeep(
    toJsonObject(Object.fromEntries(kept)),
    toJsonObject(given.weights ?? {}, 'weights', 'INVALID_ARGUMENT'),
  )
  const typoTolerance = {
    ...settings.typoTolerance,
    disableOnFields: settings.typoTolerance.disableOnFields.filter(field => named.has(field)),
  }
  const changed = parseSettings({ ...settings, typoTolerance, ...given, weights }, schema.root)
  refuseUseless(changed, given.interpretedFields, schema.root)
  refuseOtherDimensions(settings, changed)
  const saysFields = given.interpretedFields !== undefined || given.weights !== undefined
  const settled = settle(schema, changed)
  refuseUnknownFields(given, changed, settled)
  return { settings: changed, schema: settled, findsFields: findsFields && !saysFields }
}

/** Vectors of another model cannot be compared with those that documents have. */
function refuseOtherDimensions(
  { vectors: before = {} }: DatasetSettings,
  { vectors = {} }: DatasetSettings,
): void {
  for (const [field, { dimensions }] of Object.entries(vectors)) {
    const own = Object.hasOwn(before, field) ? before[field]!.dimensions : dimensions
    if (dimensions === own) continue
    const expected = `${own}; vectors of another model need a field of their own`
    throw invalid('INVALID_ARGUMENT', 'settings', [
      problem(fieldPath([field, 'dimensions'], 'vectors'), dimensions, expected),
    ])
  }
}

function settle(schema: DatasetSchema, settings: DatasetSettings): DatasetSchema {
  if (schema.source === 'none') return openSchema(settings)
  const { tag: _, ...source } = schema
  return schema.source === 'sample' ? settleSample(source, settings) : settleSchema(source, settings)
}

function fixed(field: string, received: unknown, expected: string): FindlingError {
  return new FindlingError(
    'INVALID_ARGUMENT',
    `${field} cannot be changed after the dataset is created; it is ${expected}. Import the documents into a new dataset and swap the two.`,
    { field, received: describeValue(received), expected },
  )
}

const checkName = (name: unknown, field = 'name'): string =>
  parseInput(z.object({ [field]: datasetNameSchema }), { [field]: name }, field === 'name' ? 'dataset' : '')[
    field
  ]!

function refuseTaken(manifest: Manifest, name: string, field: string): void {
  if (manifest.datasets.every(entry => entry.name !== name)) return
  throw new FindlingError('DATASET_EXISTS', `There is already a dataset ${name}.`, {
    field,
    received: describeValue(name),
    expected: 'a name that is not taken',
  })
}

/**
 * The dataset that has the name at this write's turn: earlier writes may have renamed or removed the one that had it when the
 * write was requested. DATASET_NOT_FOUND
 */
function entryNamed({ datasets }: Manifest, name: string, field: string): DatasetEntry {
  const entry = datasets.find(one => one.name === name)
  if (entry) return entry
  throw missing(
    name,
    datasets.map(one => one.name),
    field,
  )
}

function refuseUsed({ services }: Manifest, name: string, field: string): void {
  const users = services.filter(service => service.dataset === name)
  if (users.length === 0) return
  const received = users.map(({ name, id }) => `${name.slice(0, 60)} (${id})`).join(', ')
  throw new FindlingError('DATASET_IN_USE', `The dataset ${name} is in use by services: ${received}.`, {
    field,
    received: describeValue(name),
    expected: 'a dataset that no service was prepared from',
    services: users.map(({ id }) => id),
  })
}

function missing(name: string, known: readonly string[], field = 'name'): FindlingError {
  const message = `There is no dataset ${name}${didYouMean(name, known)}.`
  return new FindlingError('DATASET_NOT_FOUND', message, {
    field,
    received: describeValue(name),
    expected: 'the name of a dataset that exists',
  })
}
