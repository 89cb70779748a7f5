import { Dictionary } from './dictionary/dictionary.ts'
import { FulltextIndex, factorsOf, formOf, type IndexOptions } from './fulltext-index.ts'
import { type Query, type QueryAnswer, type QueryOptions, Searcher } from './ranking/searcher.ts'
import { StoredSegments } from './segments/segment-list.ts'
import { SavedParts } from './stored/saved-parts.ts'

/**
 * An index as it was stored, without its forward lists, which are half of its bytes and can wait: it answers what needs
 * none, as most queries of one word do, and becomes one that may be asked all and changed.
 */
export class LoadedIndex {
  readonly #options: IndexOptions
  readonly #dictionary: Dictionary
  readonly #segments: StoredSegments
  readonly #searcher: Searcher
  readonly #saved = new SavedParts()

  private constructor(options: IndexOptions) {
    const { analyzer } = options
    const { fields, k1 } = formOf(options)
    this.#options = options
    this.#dictionary = new Dictionary(analyzer)
    this.#segments = new StoredSegments(this.#dictionary.vocabulary, fields, k1)
    this.#searcher = new Searcher({
      analyzer,
      signals: factorsOf(options),
      dictionary: this.#dictionary,
      segments: this.#segments,
    })
  }

  /**
   * The index over the memory of its blobs, those of forward lists left out. It is made piece by piece, so that whoever
   * takes them can do other things in between.
   * @throws FindlingError `STORE_CORRUPT` when a part is missing, damaged or made with other options.
   */
  static *loading(
    options: IndexOptions,
    contents: unknown,
    blobs: (name: string) => Uint8Array | undefined,
  ): Generator<void, LoadedIndex> {
    const index = new LoadedIndex(options)
    const { vocabulary } = index.#dictionary
    yield* index.#saved.read(formOf(options), vocabulary, index.#segments, contents, blobs)
    return index
  }

  /** Names of the forward lists. */
  get missing(): string[] {
    return this.#saved.forwardOf(this.#segments)
  }

  /**
   * The whole index, made piece by piece; this one can be asked until then.
   * @throws FindlingError `STORE_CORRUPT` when a forward list is missing or damaged.
   */
  *completing(blobs: (name: string) => Uint8Array | undefined): Generator<void, FulltextIndex> {
    const segments = yield* this.#saved.complete(this.#segments, blobs)
    return new FulltextIndex(this.#options, { dictionary: this.#dictionary, segments, saved: this.#saved })
  }

  /** Living documents. */
  get size(): number {
    return this.#segments.size
  }

  /** Living documents without a word, which no search finds. */
  get wordless(): number {
    return this.#segments.wordless
  }

  /** Memory that the index holds, in bytes, without the small parts that do not grow. */
  get bytes(): number {
    return this.#dictionary.bytes + this.#segments.bytes + this.#searcher.bytes
  }

  has(id: string): boolean {
    return this.#segments.find(id) !== undefined
  }

  /** Undefined where the answer needs the forward lists. */
  search(query: Query, options: QueryOptions): QueryAnswer | undefined {
    return this.#searcher.needsForward(query, options) ? undefined : this.#searcher.search(query, options)
  }

  /** Does beforehand, in steps of some milliseconds, what the first lookup of a typo would do at once. */
  prepareTypos(): Generator<void> {
    return this.#dictionary.prepareTypos()
  }
}

/** The whole index at once, all its blobs being at hand, piece by piece. */
export function* loadingWhole(
  ...[options, contents, blobs]: Parameters<typeof LoadedIndex.loading>
): Generator<void, FulltextIndex> {
  const index = yield* LoadedIndex.loading(options, contents, blobs)
  return yield* index.completing(blobs)
}
