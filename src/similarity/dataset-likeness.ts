import type { DatasetState } from '../datasets/state.ts'
import { fieldTexts, type TextForm } from '../datasets/validation.ts'
import type { Gathering } from '../derived/gathered/gathered-documents.ts'
import type { JsonObject } from '../json.ts'
import type { SimilarDocument } from './model/aspects.ts'
import { comparedTexts } from './model/compared-texts.ts'
import { SimilarityIndex } from './model/similarity-index.ts'

/** The documents of a dataset in the form in which they are compared. */
export class DatasetLikeness implements Gathering {
  /** The fields that are compared; the first is the title. */
  readonly fields: readonly string[]
  /** Whether markup is read as the text that it shows. */
  readonly markup: boolean
  readonly index = new SimilarityIndex()
  readonly #state: DatasetState

  constructor(state: DatasetState) {
    this.fields = state.settings.interpretedFields
    this.markup = state.settings.markup
    this.#state = state
  }

  get bytes(): number {
    return this.index.bytes
  }

  get isStale(): boolean {
    return this.index.isStale
  }

  add(id: string, document: JsonObject): void {
    this.index.add(id, this.comparable(document))
  }

  remove(id: string): void {
    this.index.remove(id)
  }

  refresh(): Iterable<void> {
    return this.index.refresh()
  }

  /** The parts of a document that are compared. */
  readonly comparable = (document: JsonObject): SimilarDocument =>
    comparableOf(document, this.fields, this.#state.textForm)
}

/** The compared parts of a document, from some of its fields; the first is the title, which need not be compared. */
export function comparableOf(
  document: JsonObject,
  fields: readonly string[],
  form: TextForm,
  hasTitle = true,
): Pick<SimilarDocument, 'title' | 'body'> {
  const [title, ...others] = fieldTexts(document, fields, form)
  return comparedTexts(hasTitle ? title : undefined, others)
}
