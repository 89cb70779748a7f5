import * as z from 'zod'
import { invalid, problem } from '../input.ts'
import type { QueryFields } from '../query/fields.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'

/** To whom only some fields of documents are there. */
export interface FieldVisibilityOptions {
  /**
   * The fields that are there for whoever asks, as dotted paths, all searched ones among them; the id always is. Documents are
   * shown with these alone, and filters, orders, facets and groups by others are refused as those by fields that there are not.
   * Not with `explain`. The order may depend on others: on signals, and on a `groupBy` of the dataset, whose values are not told.
   */
  visibleFields?: readonly string[]
}

/** A path behind a hyphen, and a star, would mean something else where fields are picked. */
const path = z
  .string()
  .max(1000)
  .regex(/^(?!-)(?!\*$)./s, 'the path of a field')

export const fieldVisibilityMembers = { visibleFields: z.array(path).min(1).max(1000).optional() }

type Named = Pick<DatasetSettings, 'idField' | 'tagField' | 'interpretedFields'>

/** Fields that are there for whoever asks. */
export class VisibleFields {
  /** The same for the same fields. */
  readonly name: string
  readonly #paths: readonly string[]

  /** @throws FindlingError INVALID_ARGUMENT where a searched field is missing, the words of which any search tells */
  constructor(paths: readonly string[], { idField, interpretedFields }: Named) {
    this.#paths = [...new Set([...paths, idField])].sort()
    this.name = JSON.stringify(this.#paths)
    const missing = interpretedFields.find(field => !this.has(field))
    if (missing === undefined) return
    const expected = `${JSON.stringify(missing)} among them, which is searched`
    throw invalid('INVALID_ARGUMENT', 'options', [problem('visibleFields', paths, expected)])
  }

  /** Whether all of the field is there. */
  has(field: string): boolean {
    return this.#paths.some(path => field === path || field.startsWith(`${path}.`))
  }

  /** Of the fields that documents shall be shown with those that are there; undefined where one is not. */
  shown(asked: readonly string[] | undefined): readonly string[] | undefined {
    const named = (asked ?? []).filter(field => !field.startsWith('-'))
    const left = (asked ?? []).filter(field => field.startsWith('-'))
    if (left.some(field => this.#within(field.slice(1)).length === 0)) return undefined
    const all = named.length === 0 || named.includes('*')
    const shown = all ? [this.#paths] : named.map(field => this.#within(field))
    return shown.some(fields => fields.length === 0) ? undefined : [...shown.flat(), ...left]
  }

  /** What there is of a field: all of it, or some of its members. */
  #within(field: string): readonly string[] {
    return this.has(field) ? [field] : this.#paths.filter(path => path.startsWith(`${field}.`))
  }

  /** The fields as queries see them, without the others. */
  ofQuery({ names, find, ...fields }: QueryFields): QueryFields {
    const there = (field: string) => this.has(field)
    return { ...fields, names: names.filter(there), find: field => (there(field) ? find(field) : undefined) }
  }
}

export const visibleFieldsOf = (given: readonly string[] | undefined, settings: Named) =>
  given && new VisibleFields(given, settings)
