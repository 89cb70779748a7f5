import type * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { JsonObject } from '../json.ts'
import type { DatasetEntry } from '../store/manifest.ts'
import { type DatasetSchema, readSchema } from './schema/schema.ts'
import { type DatasetSettings, parseSettings } from './settings.ts'
import { compileRules, type DatasetRules } from './validation.ts'

export interface Definition {
  settings: DatasetSettings
  schema: DatasetSchema
}

/** What is true of a dataset now. One object per dataset and engine: renaming and reconfiguring change it in place. */
export class DatasetState {
  /** Hidden number: stays when the name changes, never comes back after a removal. */
  readonly dataset: number
  readonly createdAt: number
  name: string
  /** The zod object that documents must also satisfy, while the program that knows it runs. */
  type: z.ZodObject | undefined
  removed = false
  #settings: DatasetSettings
  #schema: DatasetSchema
  #rules: DatasetRules

  constructor(entry: DatasetEntry) {
    this.dataset = entry.dataset
    this.createdAt = entry.createdAt
    this.name = entry.name
    this.#schema = readSchema(entry.schema)
    this.#settings = parseSettings(entry.settings)
    this.#rules = compileRules(this.#settings, this.#schema)
  }

  get settings(): DatasetSettings {
    return this.#settings
  }

  get schema(): DatasetSchema {
    return this.#schema
  }

  get rules(): DatasetRules {
    return this.#rules
  }

  apply({ settings, schema }: Definition): void {
    this.#settings = settings
    this.#schema = schema
    this.#rules = compileRules(settings, schema)
  }

  /** DATASET_NOT_FOUND when it has been removed; writes are refused by the store itself. */
  assertThere(): void {
    if (!this.removed) return
    const message = `The dataset ${this.name} has been removed.`
    throw new FindlingError('DATASET_NOT_FOUND', message, { field: 'dataset', received: this.name })
  }

  /** INVALID_DOCUMENT unless a whole document may be stored. */
  checkDocument(document: JsonObject): void {
    this.#rules.checkDocument(document)
    this.#checkType(document)
  }

  /** The same for a document that a checked patch has changed. */
  checkMerged(document: JsonObject): void {
    this.#rules.checkMerged(document)
    this.#checkType(document)
  }

  #checkType(document: JsonObject): void {
    if (this.type) parseInput(this.type, document, 'document', 'INVALID_DOCUMENT')
  }
}
