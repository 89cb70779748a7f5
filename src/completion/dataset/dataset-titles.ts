import type { DatasetState } from '../../datasets/state.ts'
import { fieldTexts } from '../../datasets/validation.ts'
import type { Gathering } from '../../derived/gathered/gathered-documents.ts'
import type { JsonObject } from '../../json.ts'
import { Completions } from '../model/completions.ts'

/** The titles of a dataset's documents. */
export class DatasetTitles implements Gathering {
  /** The field that is the title, if there is one. */
  readonly field: string | undefined
  /** Whether markup is read as the text that it displays. */
  readonly markup: boolean
  readonly completions = new Completions()
  readonly #state: DatasetState
  readonly #matches: (document: JsonObject) => boolean

  /** @param matches whether the title of a document counts; default: all do */
  constructor(state: DatasetState, matches: (document: JsonObject) => boolean = () => true) {
    this.field = state.settings.interpretedFields[0]
    this.markup = state.settings.markup
    this.#state = state
    this.#matches = matches
  }

  get bytes(): number {
    return this.completions.bytes
  }

  add(id: string, document: JsonObject): void {
    this.completions.add(id, this.#matches(document) ? this.#titleOf(document) : undefined)
  }

  remove(id: string): void {
    this.completions.remove(id)
  }

  /** The title of a document; if the field is a list, its first text. */
  #titleOf(document: JsonObject): string | undefined {
    if (this.field === undefined) return undefined
    const [title] = fieldTexts(document, [this.field], this.#state.textForm)
    return Array.isArray(title) ? title[0] : title
  }
}
