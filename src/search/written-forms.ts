import type { DatasetState } from '../datasets/state.ts'
import { readDocuments } from '../datasets/stored-documents.ts'
import { fieldTexts } from '../datasets/validation.ts'
import { SpeltWords } from '../fulltext/dictionary/spelt-words.ts'
import type { QueryOptions } from '../fulltext/searching/text-query.ts'
import type { JsonObject } from '../json.ts'
import type { LiveIndex } from '../live/live-index.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { Store } from '../store/store.ts'
import type { VisibleCondition } from './cursors.ts'
import { isThere } from './visible.ts'

/** Number of documents read to find out how a word is written. */
const DOCUMENTS = 5
const hasDigit = /\p{N}/u

const exactly: QueryOptions = {
  limit: DOCUMENTS,
  operator: 'and',
  typoTolerance: 0,
  topics: false,
  signals: false,
  exclusion: false,
}

/**
 * How documents write words, as `rasenmäher` for `rasenmaher`, for somebody who sees only some documents, where the
 * index cannot be asked. The best visible documents with the word are read; the spelling that most of them have counts.
 */
export class WrittenForms {
  readonly #index: LiveIndex
  readonly #place: { readonly store: Store; readonly state: DatasetState }

  constructor(index: LiveIndex, place: { readonly store: Store; readonly state: DatasetState }) {
    this.#index = index
    this.#place = place
  }

  /** By word; the word itself where no document has it. */
  async of(
    words: Iterable<string>,
    { visible, deadline }: { readonly visible: VisibleCondition; readonly deadline?: Deadline | undefined },
  ): Promise<ReadonlyMap<string, string>> {
    const forms = new Map<string, string>()
    for (const word of words) forms.set(word, await this.#formOf(word, visible, deadline))
    return forms
  }

  async #formOf(word: string, visible: VisibleCondition, deadline: Deadline | undefined): Promise<string> {
    if (hasDigit.test(word)) return word
    const { hits } = await this.#index.search(word, exactly, deadline)
    const read = await readDocuments(
      this.#place,
      hits.map(({ id }) => id),
    )
    const form = this.#spelt(word, read.filter(document => isThere(document, visible)) as JsonObject[])
    return form ?? word
  }

  #spelt(word: string, documents: readonly JsonObject[]): string | undefined {
    const { settings, textForm, queryFields } = this.#place.state
    const spelt = new SpeltWords([word], queryFields.analyzer)
    for (const document of documents)
      spelt.add(fieldTexts(document, settings.interpretedFields, textForm).flatMap(text => text ?? []))
    return spelt.formOf(word)
  }
}
