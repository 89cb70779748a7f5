import * as z from 'zod'
import { type CompletionOptions, completionOptions } from './completion/completion-options.ts'
import type { Completion } from './completion/completions.ts'
import type { LiveCompletions } from './completion/live-completions.ts'
import { Documents, readDocuments } from './datasets/documents.ts'
import { type DatasetInfo, infoOf, redefine } from './datasets/registry.ts'
import type { DatasetSchema, FieldSchema } from './datasets/schema/schema.ts'
import type { DatasetSettings, DatasetSettingsInput } from './datasets/settings.ts'
import type { DatasetState } from './datasets/state.ts'
import { Tags, type TagsContext } from './datasets/tags/tags.ts'
import type { DocumentsContext } from './datasets/writes.ts'
import type { ScoredId } from './fulltext/ranking/query-run.ts'
import { highlightDocument } from './highlighting/document-highlights.ts'
import type { WordFinder } from './highlighting/word-finder.ts'
import { parseInput } from './input.ts'
import type { Job } from './jobs/job.ts'
import type { JsonObject } from './json.ts'
import type { IndexJobOptions, LiveIndex } from './live/live-index.ts'
import {
  explanationOf,
  finderOf,
  type Hit,
  planSearch,
  type SearchAnswer,
  type SearchOptions,
  type SearchPlan,
} from './search/read.ts'
import { Stretch } from './stretch.ts'

const completionText = z.string()

/** What works on one dataset, whatever its name. */
export interface DatasetParts {
  readonly state: DatasetState
  readonly documents: DocumentsContext
  readonly tags: TagsContext
  readonly index: LiveIndex
  readonly completions: LiveCompletions
}

type BareHit<T> = Omit<Hit<T>, 'document'>

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
  ): Promise<Omit<SearchAnswer<T>, 'hits'> & { hits: BareHit<T>[] }>
  search(query: string, options?: SearchOptions): Promise<SearchAnswer<T>>
  async search(
    query: string,
    options: SearchOptions = {},
  ): Promise<Omit<SearchAnswer<T>, 'hits'> & { hits: (BareHit<T> & { document?: T })[] }> {
    const { state, index, documents } = this.#find()
    const { settings, schema } = state
    const plan = planSearch(query, options, settings, documents.clock())
    const found = await index.search(plan.query, plan.index)
    const { hits, words, total, isCut: truncated } = found
    if (!plan.documents && !plan.highlights)
      return { hits: hits.map(hit => bareHit(hit, settings)), words, total, truncated }
    // What is stored has passed the dataset's rules.
    const contents = (await readDocuments(
      documents,
      hits.map(({ id }) => id),
    )) as (T | undefined)[]
    const finder = plan.highlights && finderOf(found)
    const present: (BareHit<T> & { document?: T })[] = []
    const stretch = new Stretch()
    for (const [i, hit] of hits.entries()) {
      if (stretch.isOver) await stretch.pause()
      const document = contents[i]
      // A document that went between ranking and reading is not a hit any more.
      if (document) present.push(fullHit(bareHit(hit, settings), document, plan, finder, schema.root))
    }
    return { hits: present, words, total, truncated }
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
   * has to change, it is rebuilt in the background; the old one answers until the new one replaces it.
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

function bareHit<T>({ id, score, explanation }: ScoredId, settings: DatasetSettings): BareHit<T> {
  return explanation ? { id, score, explanation: explanationOf(explanation, settings) } : { id, score }
}

function fullHit<T extends object>(
  bare: BareHit<T>,
  document: T,
  { documents, highlights: scope }: SearchPlan,
  finder: WordFinder | undefined,
  root: FieldSchema,
): BareHit<T> & { document?: T } {
  // What is stored came from JSON.
  const stored = document as unknown as JsonObject
  const marked = scope && finder && highlightDocument(stored, finder, scope, root)
  return {
    ...bare,
    ...(documents ? { document } : {}),
    ...(marked ? { highlights: marked } : {}),
  }
}
