import * as z from 'zod'
import { invalid, problem } from '../input.ts'
import type { QueryFields } from '../query/fields.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'

/** Restricts which fields of the documents a caller can see. */
export interface FieldVisibilityOptions {
  /**
   * The fields that the caller may see, as dotted paths; they must include all searched fields, and the id is always visible.
   * Documents are returned with only these fields, and filters, sorting, facets and groups by other fields are refused as if the
   * fields did not exist. Not together with `explain`. The order of hits may depend on hidden fields: on signals, and on the
   * dataset's `groupBy`, whose values are not returned.
   */
  visibleFields?: readonly string[]
}

/** Where fields are picked, a leading hyphen or a star has another meaning. */
const path = z
  .string()
  .max(1000)
  .regex(/^(?!-)(?!\*$)./s, 'the path of a field')

export const fieldVisibilityMembers = { visibleFields: z.array(path).min(1).max(1000).optional() }

type Named = Pick<DatasetSettings, 'idField' | 'tagField' | 'interpretedFields'>

/** The fields that a caller may see. */
export class VisibleFields {
  /** Equal for equal fields. */
  readonly name: string
  readonly #paths: readonly string[]

  /** @throws FindlingError INVALID_ARGUMENT if a searched field is missing: any search reveals its words */
  constructor(paths: readonly string[], { idField, interpretedFields }: Named) {
    this.#paths = [...new Set([...paths, idField])].sort()
    this.name = JSON.stringify(this.#paths)
    const missing = interpretedFields.find(field => !this.has(field))
    if (missing === undefined) return
    const expected = `a list that includes the searched field ${JSON.stringify(missing)}`
    throw invalid('INVALID_ARGUMENT', 'options', [problem('visibleFields', paths, expected)])
  }

  /** Whether the whole field is visible. */
  has(field: string): boolean {
    return this.#paths.some(path => field === path || field.startsWith(`${path}.`))
  }

  /** The visible ones of the fields that documents are to be returned with; undefined if one of them is not visible. */
  shown(asked: readonly string[] | undefined): readonly string[] | undefined {
    const named = (asked ?? []).filter(field => !field.startsWith('-'))
    const left = (asked ?? []).filter(field => field.startsWith('-'))
    if (left.some(field => this.#within(field.slice(1)).length === 0)) return undefined
    const all = named.length === 0 || named.includes('*')
    const shown = all ? [this.#paths] : named.map(field => this.#within(field))
    return shown.some(fields => fields.length === 0) ? undefined : [...shown.flat(), ...left]
  }

  /** The visible part of a field: all of it, or some of its members. */
  #within(field: string): readonly string[] {
    return this.has(field) ? [field] : this.#paths.filter(path => path.startsWith(`${field}.`))
  }

  /** The fields that queries may use, without the hidden ones. */
  ofQuery({ names, find, ...fields }: QueryFields): QueryFields {
    const there = (field: string) => this.has(field)
    return { ...fields, names: names.filter(there), find: field => (there(field) ? find(field) : undefined) }
  }
}

export const visibleFieldsOf = (given: readonly string[] | undefined, settings: Named) =>
  given && new VisibleFields(given, settings)
