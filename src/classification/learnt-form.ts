import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts, tagIds } from '../datasets/validation.ts'
import type { JsonObject } from '../json.ts'
import type { Compression } from './model/compression.ts'

/** What tells how documents are learnt from. */
export interface LearntForm {
  readonly settings: DatasetSettings
  readonly root: FieldSchema
  readonly nGrams: readonly number[]
  readonly characters: boolean
  readonly compression: Compression
  /** Those that are learnt from, as dotted paths. */
  readonly fields: readonly string[]
  /** Ids of the tags to learn; null for all that documents name. */
  readonly tags: readonly string[] | null
  /** Ids of those to leave out. */
  readonly without: readonly string[]
  /** How much of each text is read, in UTF-16 units. Default all. */
  readonly longest?: number
}

type ReadForm = Pick<LearntForm, 'settings' | 'root' | 'fields' | 'longest'>

/** What the fields hold, by field. */
export const fieldsToLearn = (
  document: JsonObject,
  { settings, root, fields, longest }: ReadForm,
): (string | string[] | undefined)[] => {
  const texts = fieldTexts(document, fields, { root, markup: settings.markup })
  return longest === undefined ? texts : texts.map(text => shortened(text, longest))
}

const shortened = (text: string | string[] | undefined, longest: number) =>
  Array.isArray(text) ? text.map(one => one.slice(0, longest)) : text?.slice(0, longest)

/** The texts of the fields, one after the other. */
export const textsToLearn = (document: JsonObject, form: ReadForm): string[] =>
  fieldsToLearn(document, form).flatMap(texts => texts ?? [])

/** Gives tags numbers as they come. */
export class TagNumbers {
  /** By number. */
  readonly ids: string[]
  readonly #numbers: Map<string, number>
  readonly #without: ReadonlySet<string>
  readonly #areGiven: boolean

  constructor({ tags, without }: Pick<LearntForm, 'tags' | 'without'>) {
    this.ids = [...(tags ?? [])]
    this.#numbers = new Map(this.ids.map((id, number) => [id, number]))
    this.#without = new Set(without)
    this.#areGiven = tags !== null
  }

  of(document: JsonObject, settings: DatasetSettings): number[] {
    return tagIds(document, settings).flatMap(id => this.#number(id) ?? [])
  }

  #number(id: string): number | undefined {
    const known = this.#numbers.get(id)
    if (known !== undefined || this.#areGiven || this.#without.has(id)) return known
    this.#numbers.set(id, this.ids.length)
    return this.ids.push(id) - 1
  }
}
