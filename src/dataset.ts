import * as z from 'zod'
import type { Documents } from './datasets/documents.ts'
import { redefine } from './datasets/registry.ts'
import type { DatasetSchema } from './datasets/schema/schema.ts'
import type { DatasetSettings, DatasetSettingsInput } from './datasets/settings.ts'
import type { DatasetState } from './datasets/state.ts'
import type { Tags } from './datasets/tags/tags.ts'
import type { MatchedWord } from './fulltext/query-words.ts'
import { parseInput } from './input.ts'
import type { Job } from './jobs/job.ts'
import type { JsonObject } from './json.ts'
import type { LiveIndex } from './live/live-index.ts'

const searchOptions = z.strictObject({
  limit: z.int().min(0).max(10_000).default(10),
  offset: z.int().min(0).max(1_000_000).default(0),
  operator: z.enum(['or', 'and']).default('or'),
  typoTolerance: z.union([z.literal(0), z.literal(1), z.literal(2)]).default(2),
  documents: z.boolean().default(true),
})

export interface SearchOptions {
  /** Hits returned at most, up to 10,000. Default 10. */
  limit?: number
  /** Hits passed over before them. Default 0. */
  offset?: number
  /** `or` (default): any word, more of them rank higher. `and`: every word, in whichever field. */
  operator?: 'or' | 'and'
  /** Most edits by which a word that no document has may differ from one that is meant. Default 2. */
  typoTolerance?: 0 | 1 | 2
  /** `false`: ids and scores only. Default true. */
  documents?: boolean
}

export interface Hit<T> {
  id: string
  /** Higher is better; comparable within one answer only. */
  score: number
  document: T
}

export interface SearchAnswer<T> {
  /** Best first; equal scores by id. */
  hits: Hit<T>[]
  /** What each word of the query was taken for. */
  words: MatchedWord[]
}

/** A dataset as a user holds it. It stays with its data when the dataset is renamed or swapped: ask `name`. */
export class Dataset<T extends object = JsonObject> {
  readonly documents: Documents<T>
  readonly tags: Tags
  readonly #state: DatasetState
  readonly #index: LiveIndex

  constructor(parts: { state: DatasetState; documents: Documents<T>; tags: Tags; index: LiveIndex }) {
    this.documents = parts.documents
    this.tags = parts.tags
    this.#state = parts.state
    this.#index = parts.index
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

  /** The documents that match best, every completed write among them. An empty query finds nothing. */
  search(
    query: string,
    options: SearchOptions & { documents: false },
  ): Promise<{ hits: Omit<Hit<T>, 'document'>[]; words: MatchedWord[] }>
  search(query: string, options?: SearchOptions): Promise<SearchAnswer<T>>
  async search(
    query: string,
    options: SearchOptions = {},
  ): Promise<{ hits: (Omit<Hit<T>, 'document'> & { document?: T })[]; words: MatchedWord[] }> {
    const text = parseInput(z.string(), query, 'query')
    const { documents, ...checked } = parseInput(searchOptions, options, 'options')
    const found = await this.#index.search(text, checked)
    if (!documents) return found
    const contents = await this.documents.getMany(found.hits.map(({ id }) => id))
    // A document that went between ranking and reading is not a hit any more.
    const hits = found.hits.flatMap((hit, i) => (contents[i] ? [{ ...hit, document: contents[i] }] : []))
    return { hits, words: found.words }
  }

  /**
   * Changes settings other than idField and tagField; what is not given stays, of the weights too. Where they change what is indexed, the index is built anew in
   * the background and replaces the old one, which answers until then.
   */
  reconfigure(changes: DatasetSettingsInput): Job<void> {
    return this.#index.reconfigure(redefine(this.#state, changes))
  }
}
