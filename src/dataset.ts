import * as z from 'zod'
import { type CompletionOptions, completionOptions } from './completion/completion-options.ts'
import type { Completion } from './completion/completions.ts'
import type { LiveCompletions } from './completion/live-completions.ts'
import { Documents } from './datasets/documents.ts'
import { type DatasetInfo, infoOf, redefine } from './datasets/registry.ts'
import type { DatasetSchema } from './datasets/schema/schema.ts'
import type { DatasetSettings, DatasetSettingsInput } from './datasets/settings.ts'
import { Tags, type TagsContext } from './datasets/tags/tags.ts'
import { parseInput } from './input.ts'
import type { Job } from './jobs/job.ts'
import type { JsonObject } from './json.ts'
import type { IndexJobOptions } from './live/live-index.ts'
import type { Hit, PresentedAnswer, SearchAnswer } from './search/answer.ts'
import type { SearchOptions } from './search/read.ts'
import { type Searchable, search } from './search/search.ts'

const completionText = z.string()

/** What works on one dataset, whatever its name. */
export interface DatasetParts extends Searchable {
  readonly tags: TagsContext
  readonly completions: LiveCompletions
}

/**
 * The dataset of a name. Every call looks up the name again: after a swap, or after the dataset was removed and created
 * again, it answers with the data that now have the name. DATASET_NOT_FOUND while there is none. Settings, schema and zod
 * object belong to the data and move with them.
 */
export class Dataset<T extends object = JsonObject, I extends object = T> {
  /** The name it was asked for by. */
  readonly name: string
  /** What is stored and searched. */
  readonly documents: Documents<T, I>
  /** The tree of tags that documents name. */
  readonly tags: Tags
  readonly #find: () => DatasetParts

  constructor(name: string, find: () => DatasetParts) {
    this.name = name
    this.documents = new Documents<T, I>(() => find().documents)
    this.tags = new Tags(() => find().tags)
    this.#find = find
  }

  /** All settings, with defaults for those that were not given. */
  get settings(): Readonly<DatasetSettings> {
    return this.#find().state.settings
  }

  /** Which fields documents have, as far as a sample or a schema said. */
  get schema(): Readonly<DatasetSchema> {
    return this.#find().state.schema
  }

  /**
   * Facts about the dataset. `unsearchable` counts documents with no word in any of the searched fields, which no search
   * finds. It is counted in the index, which is loaded for this.
   * @example
   * const { documents, unsearchable } = await products.info()
   * console.log(documents, unsearchable) // 3 0
   */
  async info(): Promise<DatasetInfo & { unsearchable: number }> {
    const { state, index, documents } = this.#find()
    const unsearchable = await index.unsearchable()
    return { ...infoOf(state, documents.store), unsearchable }
  }

  /**
   * Searches for the documents that match best. It sees every completed write. An empty query finds nothing. Words in
   * double quotes are a phrase: they, or forms of them, must follow each other; `"..."~2` allows two words between them.
   * @example
   * const { hits, words } = await products.search('wirless hedphones', { limit: 5 })
   * console.log(hits[0].id, hits[0].document.title) // p1 Wireless headphones
   * console.log(words[0].kind, words[0].surfaces) // typo [ 'wireless' ]
   */
  search(
    query: string,
    options: SearchOptions & { documents: false },
  ): Promise<Omit<SearchAnswer<T>, 'hits'> & { hits: Omit<Hit<T>, 'document'>[] }>
  search(query: string, options?: SearchOptions): Promise<SearchAnswer<T>>
  search(query: string, options: SearchOptions = {}): Promise<PresentedAnswer<T>> {
    return search(this.#find, query, options)
  }

  /**
   * Completes a text, for a list under an input field: titles of documents and names of tags with words that begin so.
   * @example
   * const [completion] = await products.complete('wireless k')
   * console.log(completion.text, completion.kind) // Wireless keyboard title
   */
  async complete(text: string, options: CompletionOptions = {}): Promise<Completion[]> {
    const checked = parseInput(completionOptions, options, 'options')
    return await this.#find().completions.complete(parseInput(completionText, text, 'text'), checked)
  }

  /**
   * Changes settings, except idField and tagField. Settings and weights that are not given stay as they are. If the index
   * has to change, it is rebuilt in the background; the old one answers until the new one replaces it. Search settings, such
   * as synonyms, change at once.
   * @example
   * await products.reconfigure({ interpretedFields: ['title'] })
   * console.log((await products.search('nozzle')).hits.length) // 0
   */
  reconfigure(changes: DatasetSettingsInput, options: IndexJobOptions = {}): Job<void> {
    const { state, index } = this.#find()
    return index.reconfigure(redefine(state, changes), options)
  }

  /**
   * Rebuilds the index in the background: words that no document has any more are dropped, length statistics renewed and
   * segments merged. You never need to call it; the old index answers until the new one is ready.
   * @example
   * const job = products.optimize({ parallel: 1 })
   * await job.finished
   * console.log(job.state.status) // finished
   */
  optimize(options: IndexJobOptions = {}): Job<void> {
    return this.#find().index.optimize(options)
  }
}
