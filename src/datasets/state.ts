import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { invalid, parseInput } from '../input.ts'
import { type JsonObject, toJsonObject } from '../json.ts'
import type { QueryFields } from '../query/fields.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import type { DatasetEntry } from '../store/manifest.ts'
import { OwnAnalyzers } from './analyzers.ts'
import { queryFields } from './query-fields.ts'
import { type DatasetSettings, parseSettings } from './schema/dataset-settings.ts'
import { type DatasetSchema, readSchema } from './schema/schema.ts'
import { SearchRules } from './search-rules.ts'
import { compileRules, type DatasetRules, type TextForm } from './validation.ts'

export interface Definition {
  settings: DatasetSettings
  schema: DatasetSchema
  /** Whether the first documents determine which fields are searched. */
  findsFields: boolean
}

/** The current state of a dataset. One object per dataset and engine: renaming and reconfiguring change it in place. */
export class DatasetState {
  readonly dataset: DatasetNumber
  readonly createdAt: number
  name: string
  removed = false
  /** How often a write has changed the definition: work begun under an earlier one must not replace the current one. */
  redefinitions = 0
  /** Grows with every visible change of documents, settings and schema. */
  revision = 0
  /** The zod object that checks documents; known only while the program that passed it runs. */
  #type: z.ZodObject | undefined
  /** Settings and schema are handed out, and therefore frozen. */
  #settings: DatasetSettings
  #schema: DatasetSchema
  #findsFields: boolean
  #rules: DatasetRules
  #searchRules: SearchRules | undefined
  #queryFields: QueryFields | undefined

  constructor(
    entry: DatasetEntry,
    /** The analyzers that its settings may name. */
    readonly analyzers = OwnAnalyzers.none,
  ) {
    this.dataset = entry.dataset
    this.createdAt = entry.createdAt
    this.name = entry.name
    const { settings, schema, findsFields } = definitionOf(entry, analyzers)
    this.#schema = deepFreeze(schema)
    this.#settings = deepFreeze(settings)
    this.#findsFields = findsFields
    this.#rules = compileRules(this.#settings, this.#schema, this.#findsFields)
  }

  get settings(): DatasetSettings {
    return this.#settings
  }

  get schema(): DatasetSchema {
    return this.#schema
  }

  get findsFields(): boolean {
    return this.#findsFields
  }

  get rules(): DatasetRules {
    return this.#rules
  }

  /** The compiled search settings. */
  get searchRules(): SearchRules {
    this.#searchRules ??= new SearchRules(this.#settings)
    return this.#searchRules
  }

  /** How the fields of its documents are read as text. */
  get textForm(): TextForm {
    return { root: this.#schema.root, markup: this.#settings.markup }
  }

  /** The fields as queries see them. */
  get queryFields(): QueryFields {
    const { analyzer } = this.#settings
    this.#queryFields ??= queryFields(this.#settings, this.#schema, this.analyzers.wordsFor(analyzer))
    return this.#queryFields
  }

  apply({ settings, schema, findsFields }: Definition): void {
    this.#settings = deepFreeze(settings)
    this.#schema = deepFreeze(schema)
    this.#findsFields = findsFields
    this.#rules = compileRules(this.#settings, this.#schema, this.#findsFields)
    this.#searchRules = undefined
    this.#queryFields = undefined
    this.revision++
  }

  /** Takes over searched fields that documents have added; false if there are none. */
  takeFields({ settings, findsFields }: DatasetEntry): boolean {
    if (!findsFields || !this.#findsFields) return false
    // Made and checked by first-fields.ts.
    const found = this.analyzers.located(settings) as DatasetSettings
    const before = this.#settings
    const isSame =
      found.interpretedFields.length === before.interpretedFields.length &&
      found.typoTolerance.disableOnFields.length === before.typoTolerance.disableOnFields.length
    if (isSame) return false
    this.apply({ settings: found, schema: this.#schema, findsFields })
    return true
  }

  /** Whether the stored document may differ from the given one. */
  get isTyped(): boolean {
    return this.#type !== undefined
  }

  /** INVALID_ARGUMENT when another zod object already checks the documents: there is only one for all callers. */
  bind(type: z.ZodObject): void {
    if (this.#type && this.#type !== type) {
      const received = 'a different zod object'
      const expected = 'the one that the dataset already has'
      throw invalid('INVALID_ARGUMENT', 'dataset', [{ field: 'schema', received, expected }])
    }
    this.#type = type
  }

  /** DATASET_NOT_FOUND when it has been removed; writes are refused by the store itself. */
  assertThere(): void {
    if (!this.removed) return
    const message = `The dataset ${this.name} has been removed.`
    throw new FindlingError('DATASET_NOT_FOUND', message, { field: 'dataset', received: this.name })
  }

  /** The document to be stored, which a zod object may have changed. INVALID_DOCUMENT when it breaks a rule. */
  admit(document: JsonObject): JsonObject {
    const admitted = this.#parsed(document)
    this.#rules.checkDocument(admitted)
    return admitted
  }

  /** The same for a document that a checked patch has changed. */
  admitMerged(document: JsonObject): JsonObject {
    const admitted = this.#parsed(document)
    if (admitted === document) this.#rules.checkMerged(document)
    else this.#rules.checkDocument(admitted)
    return admitted
  }

  #parsed(document: JsonObject): JsonObject {
    if (!this.#type) return document
    try {
      return toJsonObject(parseInput(this.#type, document, 'document', 'INVALID_DOCUMENT'))
    } catch (error) {
      if (!(error instanceof z.core.$ZodAsyncError)) throw error
      const issue = { field: 'schema', received: 'a zod object with asynchronous checks' }
      throw invalid('INVALID_ARGUMENT', '', [{ ...issue, expected: 'synchronous checks only' }], error)
    }
  }
}

/** The definition as it is stored with a dataset. */
export const definitionOf = (
  { settings, schema, findsFields }: DatasetEntry,
  analyzers: OwnAnalyzers,
): Definition => ({
  settings: parseSettings(analyzers.located(settings)),
  schema: readSchema(schema),
  findsFields: findsFields ?? false,
})

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member)
  }
  return Object.freeze(value)
}
