import * as z from 'zod'
import { type CompletionOptions, completionOptions } from './completion/completion-options.ts'
import type { Completion } from './completion/completions.ts'
import type { LiveCompletions } from './completion/live-completions.ts'
import type { Documents } from './datasets/documents.ts'
import { redefine } from './datasets/registry.ts'
import type { DatasetSchema } from './datasets/schema/schema.ts'
import type { DatasetSettings, DatasetSettingsInput } from './datasets/settings.ts'
import type { DatasetState } from './datasets/state.ts'
import type { Tags } from './datasets/tags/tags.ts'
import type { ScoredId } from './fulltext/query-run.ts'
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
} from './search.ts'
import { Stretch } from './stretch.ts'

const completionText = z.string()

/** What a dataset is put together from. */
export interface DatasetParts<T extends object> {
  state: DatasetState
  documents: Documents<T>
  tags: Tags
  index: LiveIndex
  completions: LiveCompletions
  clock: () => number
}

type BareHit<T> = Omit<Hit<T>, 'document'>

/** A dataset as a user holds it. It stays with its data when the dataset is renamed or swapped: ask `name`. */
export class Dataset<T extends object = JsonObject> {
  readonly documents: Documents<T>
  readonly tags: Tags
  readonly #state: DatasetState
  readonly #index: LiveIndex
  readonly #completions: LiveCompletions
  readonly #clock: () => number

  constructor({ state, documents, tags, index, completions, clock }: DatasetParts<T>) {
    this.documents = documents
    this.tags = tags
    this.#state = state
    this.#index = index
    this.#completions = completions
    this.#clock = clock
  }

  get name(): string {
    return this.#state.name
  }

  get settings(): Readonly<DatasetSettings> {
    return this.#state.settings
  }

  get schema(): Readonly<DatasetSchema> {
    return this.#state.schema
  }

  /**
   * The documents that match best, every completed write among them. An empty query finds nothing. Words in double
   * quotes are a phrase: they, or forms of them, must stand one behind the other; `"..."~2` lets two words stand between.
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
    const plan = planSearch(query, options, this.#state.settings, this.#clock())
    const found = await this.#index.search(plan.query, plan.index)
    const { hits, words, total } = found
    if (!plan.documents && !plan.highlights) return { hits: hits.map(hit => this.#bare(hit)), words, total }
    const contents = await this.documents.getMany(hits.map(({ id }) => id))
    const finder = plan.highlights && finderOf(found)
    const present: (BareHit<T> & { document?: T })[] = []
    const stretch = new Stretch()
    for (const [i, hit] of hits.entries()) {
      if (stretch.isOver) await stretch.pause()
      const document = contents[i]
      // A document that went between ranking and reading is not a hit any more.
      if (document) present.push(this.#hit(hit, document, plan, finder))
    }
    return { hits: present, words, total }
  }

  /** What the text may become: titles of documents and names of tags that begin so, for a list under an input field. */
  async complete(text: string, options: CompletionOptions = {}): Promise<Completion[]> {
    const checked = parseInput(completionOptions, options, 'options')
    return await this.#completions.complete(parseInput(completionText, text, 'text'), checked)
  }

  /**
   * Changes settings other than idField and tagField; what is not given stays, of the weights too. Where they change
   * what is indexed, the index is built anew in the background and replaces the old one, which answers until then.
   */
  reconfigure(changes: DatasetSettingsInput, options: IndexJobOptions = {}): Job<void> {
    return this.#index.reconfigure(redefine(this.#state, changes), options)
  }

  /**
   * Builds the index anew in the background: words that no document has any more go, length statistics are renewed,
   * segments joined. It is never necessary; the old index answers until then.
   */
  optimize(options: IndexJobOptions = {}): Job<void> {
    return this.#index.optimize(options)
  }

  #hit(hit: ScoredId, document: T, plan: SearchPlan, finder: WordFinder | undefined) {
    const bare = this.#bare(hit)
    const { highlights: scope } = plan
    // What is stored came from JSON.
    const stored = document as unknown as JsonObject
    const marked = scope && finder && highlightDocument(stored, finder, scope, this.#state.schema.root)
    return {
      ...bare,
      ...(plan.documents ? { document } : {}),
      ...(marked ? { highlights: marked } : {}),
    }
  }

  #bare({ id, score, explanation }: ScoredId): BareHit<T> {
    if (!explanation) return { id, score }
    return { id, score, explanation: explanationOf(explanation, this.#state.settings) }
  }
}
