import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, parseInput } from '../input.ts'
import { mergeDeep, toJsonObject } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'
import { type DatasetNumber, datasetAfter } from '../store/dataset-number.ts'
import { datasetPrefixes } from '../store/keyspace.ts'
import { type DatasetEntry, datasetEntry, type Manifest, withEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { OwnAnalyzers } from './analyzers.ts'
import { type DatasetDefinition, defineDataset } from './dataset-definition.ts'
import {
  type DatasetSettings,
  type DatasetSettingsInput,
  datasetNameSchema,
  parseSettings,
  refuseUseless,
} from './schema/dataset-settings.ts'
import { type DatasetSchema, openSchema } from './schema/schema.ts'
import { settleSchema } from './schema/schema-json.ts'
import { settleSample } from './schema/schema-sample.ts'
import { DatasetState, type Definition } from './state.ts'

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

/** Which datasets there are. Knows names and settings; what happens inside a dataset is its facade's. */
export class DatasetRegistry {
  readonly #store: Store
  readonly #clock: () => number
  readonly #analyzers: OwnAnalyzers
  readonly #states = new Map<DatasetNumber, DatasetState>()
  readonly #byName = new Map<string, DatasetState>()

  constructor(store: Store, clock: () => number, analyzers = OwnAnalyzers.none) {
    this.#store = store
    this.#clock = clock
    this.#analyzers = analyzers
    for (const entry of store.manifest.datasets) this.#add(new DatasetState(entry, analyzers))
  }

  /** Has the store know the analyzers that its datasets have now. */
  async storeAnalyzers(): Promise<void> {
    await this.#change(manifest => {
      const datasets = manifest.datasets.map(entry => {
        return { ...entry, settings: this.#analyzers.located(entry.settings) }
      })
      return [{ ...manifest, datasets }, undefined]
    })
  }

  async create(name: unknown, definition: DatasetDefinition): Promise<DatasetState> {
    const checked = checkName(name)
    const { settings, schema, findsFields } = defineDataset(definition, this.#analyzers)
    const dataset = await this.#change(manifest => {
      refuseTaken(manifest, checked)
      const { nextDataset } = manifest
      const entry = {
        dataset: nextDataset,
        name: checked,
        createdAt: this.#clock(),
        settings,
        schema,
        findsFields,
        index: 1,
        tagsToClean: [],
      }
      return [
        { ...manifest, nextDataset: datasetAfter(nextDataset), datasets: [...manifest.datasets, entry] },
        nextDataset,
      ]
    })
    const state = new DatasetState(datasetEntry(this.#store.manifest, dataset)!, this.#analyzers)
    if (isZod(definition.schema)) state.bind(definition.schema)
    this.#add(state)
    return state
  }

  #add(state: DatasetState): void {
    this.#states.set(state.dataset, state)
    this.#byName.set(state.name, state)
  }

  /** False for text that can be no name, too. */
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

  /** Which of the datasets has this name now, which must be one that can be. DATASET_NOT_FOUND. */
  named(name: string): DatasetState {
    const state = this.#byName.get(name)
    if (!state) throw missing(name, [...this.#byName.keys()])
    return state
  }

  /** By name. */
  list(): DatasetInfo[] {
    const infos = [...this.#states.values()].map(state => infoOf(state, this.#store))
    return infos.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async rename(from: unknown, to: unknown): Promise<void> {
    const before = this.get(from).name
    const { to: name } = parseInput(targetSchema, { to }, 'dataset')
    await this.#change(manifest => {
      const { dataset } = entryNamed(manifest, before)
      if (name !== before) refuseTaken(manifest, name)
      const services = manifest.services.map(service =>
        service.dataset === before ? { ...service, dataset: name } : service,
      )
      return [{ ...withEntry(manifest, dataset, { name }), services }, undefined]
    })
    this.#refreshNames()
  }

  /** Exchanges two names at once: build a catalogue under another name, then put it in the place of the live one. */
  async swap(one: unknown, other: unknown): Promise<void> {
    const names = [this.get(one).name, this.get(other).name] as const
    await this.#change(manifest => {
      const [a, b] = [entryNamed(manifest, names[0]), entryNamed(manifest, names[1])]
      const renamed = withEntry(manifest, a.dataset, { name: b.name })
      return [withEntry(renamed, b.dataset, { name: a.name }), undefined]
    })
    this.#refreshNames()
  }

  /** DATASET_IN_USE by services. Gone at once; the space is given back when the returned prefixes have been swept. */
  async remove(name: unknown): Promise<{ state: DatasetState; trash: string[] }> {
    const removed = this.get(name).name
    const { dataset, trash } = await this.#change(manifest => {
      const { dataset } = entryNamed(manifest, removed)
      refuseUsed(manifest, removed)
      const trash = datasetPrefixes(dataset)
      const datasets = manifest.datasets.filter(entry => entry.dataset !== dataset)
      return [
        { ...manifest, datasets, trash: [...manifest.trash, ...trash] },
        { dataset, trash },
      ]
    })
    const state = this.#states.get(dataset)!
    state.removed = true
    this.#states.delete(state.dataset)
    if (this.#byName.get(state.name) === state) this.#byName.delete(state.name)
    return { state, trash }
  }

  [Symbol.iterator](): IterableIterator<DatasetState> {
    return this.#states.values()
  }

  #change<T>(decide: (manifest: Manifest) => [Manifest, T]): Promise<T> {
    return this.#store.write({
      reads: [],
      bytes: 0,
      apply(transaction) {
        const [manifest, result] = decide(transaction.manifest)
        transaction.manifest = manifest
        return result
      },
    })
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
const nameSchema = z.object({ name: datasetNameSchema })
const targetSchema = z.object({ to: datasetNameSchema })

/**
 * The definition under changed settings; weights that are not given stay, every other setting is replaced as a whole. Which fields
 * hold id and tags is decided once. Where fields or weights are given, documents add no more fields to them.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function redefine(
  { settings, schema, findsFields, analyzers }: DatasetState,
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
  const saysFields = given.interpretedFields !== undefined || given.weights !== undefined
  return { settings: changed, schema: settle(schema, changed), findsFields: findsFields && !saysFields }
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

const checkName = (name: unknown): string => parseInput(nameSchema, { name }, 'dataset').name

function refuseTaken(manifest: Manifest, name: string): void {
  if (manifest.datasets.every(entry => entry.name !== name)) return
  throw new FindlingError('DATASET_EXISTS', `There is already a dataset ${name}.`, {
    field: 'name',
    received: describeValue(name),
    expected: 'a name that is not taken',
  })
}

/**
 * What has the name when it is this write's turn: those before it may have renamed or removed what had it when the
 * write was asked for. DATASET_NOT_FOUND
 */
function entryNamed({ datasets }: Manifest, name: string): DatasetEntry {
  const entry = datasets.find(one => one.name === name)
  if (entry) return entry
  throw missing(
    name,
    datasets.map(one => one.name),
  )
}

function refuseUsed({ services }: Manifest, name: string): void {
  const users = services.filter(service => service.dataset === name)
  if (users.length === 0) return
  const received = users.map(({ name, id }) => `${name.slice(0, 60)} (${id})`).join(', ')
  throw new FindlingError('DATASET_IN_USE', `The dataset ${name} is in use by services: ${received}.`, {
    field: 'name',
    received: describeValue(name),
    expected: 'a dataset that no service was prepared from',
    services: users.map(({ id }) => id),
  })
}

function missing(name: string, known: readonly string[]): FindlingError {
  const message = `There is no dataset ${name}${didYouMean(name, known)}.`
  return new FindlingError('DATASET_NOT_FOUND', message, {
    field: 'name',
    received: describeValue(name),
    expected: 'the name of a dataset that exists',
  })
}
