import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import { type Suggestion, suggestPhrases } from '../spelling/suggestions.ts'
import { TermDictionary } from './dictionary/dictionary.ts'
import { FulltextIndex, factorsOf, formOf, type IndexOptions } from './fulltext-index.ts'
import { Searcher } from './searching/searcher.ts'
import type { QueryAnswer, QueryOptions, TextQuery } from './searching/text-query.ts'
import type { LiveSegment } from './segments/live-segment.ts'
import { StoredSegments } from './segments/segment-list.ts'
import { earlyParts, type LatePart } from './stored/index-contents.ts'
import { SavedParts } from './stored/saved-parts.ts'
import { Topics } from './topics/topics.ts'
import { RuleCompiler, type WordRules } from './words/word-rules.ts'

/** Something that can answer every query. */
export type Answering = Pick<FulltextIndex, 'search' | 'suggest'>

/**
 * A stored index, loaded without the parts that can wait: forward lists, which are half of its bytes, and columns. At first it
 * answers queries that need neither, such as those of one rare word; later it answers all, and becomes a changeable index.
 */
export class LoadedIndex {
  readonly #options: IndexOptions
  readonly #dictionary: TermDictionary
  readonly #segments: StoredSegments
  readonly #topics: Topics
  readonly #compiler: RuleCompiler
  #searcher: Searcher
  #readable: readonly LiveSegment[] | undefined
  readonly #saved = new SavedParts()

  private constructor(options: IndexOptions) {
    const { analyzer } = options
    const { fields, k1 } = formOf(options)
    this.#options = options
    this.#dictionary = new TermDictionary(analyzer)
    this.#segments = new StoredSegments(this.#dictionary.vocabulary, fields, k1)
    this.#topics = new Topics(this.#dictionary.vocabulary)
    this.#compiler = new RuleCompiler(analyzer)
    this.#searcher = this.#searcherOf()
  }

  #searcherOf(whole?: readonly LiveSegment[]): Searcher {
    return new Searcher({
      analyzer: this.#options.analyzer,
      signals: factorsOf(this.#options),
      dictionary: this.#dictionary,
      segments: this.#segments,
      ...(whole && { whole: { segments: whole } }),
      topics: this.#topics,
      compiler: this.#compiler,
    })
  }

  /**
   * The index over the memory of its blobs, without those that according to `blobNames` can wait. Made piece by piece, so that
   * the caller can do other things in between.
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

  /** Names of the blobs of a part that have not been loaded. */
  missing(part: LatePart): string[] {
    const isHere = part === 'forward' ? this.#readable : earlyParts(formOf(this.#options)).includes(part)
    return isHere ? [] : this.#saved.namesOf(part, this.#segments)
  }

  /**
   * Loads the forward lists, piece by piece. The result, and from then on this index, answers everything.
   * @throws FindlingError `STORE_CORRUPT` when one is missing or damaged.
   */
  *reading(blobs: (name: string) => Uint8Array | undefined): Generator<void, Answering> {
    if (!this.#readable) {
      const readable = yield* this.#readForward(blobs)
      this.#searcher = this.#searcherOf(readable)
      this.#readable = readable
    }
    return {
      search: (query, options) => this.#searcher.search(query, options),
      suggest: (text, options) => this.#suggestions(text, options),
    }
  }

  /**
   * The whole index, made piece by piece; meanwhile this one can still be searched.
   * @throws FindlingError `STORE_CORRUPT` when a missing part is not given, or is damaged.
   */
  *completing(blobs: (name: string) => Uint8Array | undefined): Generator<void, FulltextIndex> {
    const readable = this.#readable ?? (yield* this.#readForward(blobs))
    const segments = yield* this.#saved.complete(this.#segments, readable, blobs)
    return new FulltextIndex(this.#options, {
      dictionary: this.#dictionary,
      segments,
      topics: this.#topics,
      saved: this.#saved,
      compiler: this.#compiler,
    })
  }

  /** Also loads the parts that are only used together with them. */
  *#readForward(blobs: (name: string) => Uint8Array | undefined): Generator<void, LiveSegment[]> {
    const readable = yield* this.#saved.readForward(this.#segments, blobs)
    const topics = yield* this.#saved.readTopics(blobs)
    const { constants } = this.#options
    if (constants) this.#topics.give(constants.topics, this.#segments.scoring)
    else if (topics) this.#topics.restore(topics, this.#segments.scoring)
    return readable
  }

  /** Whether it uses the given constants, if there are any. */
  get isAsGiven(): boolean {
    const { constants } = this.#options
    return !constants || this.#segments.isPinnedAt(constants.averages)
  }

  /** The id of the given constants. */
  get constantsId(): string | undefined {
    return this.#options.constants?.id
  }

  /** Number of living documents. */
  get size(): number {
    return this.#segments.size
  }

  /** Number of living documents without a word, which no search finds. */
  get wordless(): number {
    return this.#segments.wordless
  }

  /** Memory of the index in bytes, without small parts of constant size. */
  get bytes(): number {
    const forward =
      this.#readable?.reduce((sum, { segment }) => sum + segment.forward.bytes.byteLength, 0) ?? 0
    const topics = this.#topics.bytesBeside(this.#readable ?? [])
    return this.#dictionary.bytes + this.#segments.bytes + this.#searcher.bytes + forward + topics
  }

  /** Like that of a whole index, once the forward lists are loaded. */
  get wantsTopics(): boolean {
    return this.#readable !== undefined && this.#topics.areDue(this.size)
  }

  has(id: string): boolean {
    return this.#segments.find(id) !== undefined
  }

  /** Like that of a whole index, which continues with what was read. */
  readRules(rules: WordRules, until: number): boolean {
    return this.#compiler.read(rules, until)
  }

  /** Undefined where the answer needs the columns, or forward lists that are not loaded. */
  search(query: TextQuery, options: QueryOptions, answerBytes?: number): QueryAnswer | undefined {
    const { groupBy, categories } = options
    const lacksParts = this.#readable ? groupBy || categories : this.#searcher.needsForward(query, options)
    return lacksParts ? undefined : this.#searcher.search(query, options, answerBytes)
  }

  /** Undefined before the forward lists are loaded. */
  suggest(text: string, options: CheckedSuggestOptions): Suggestion[] | undefined {
    return this.#readable && this.#suggestions(text, options)
  }

  #suggestions(text: string, options: CheckedSuggestOptions): Suggestion[] {
    return suggestPhrases(text, this.#options.analyzer, this.#searcher.words, options)
  }

  /** Does in advance, in steps of a few milliseconds, what the first lookup of a typo would do at once. */
  prepareTypos(): Generator<void> {
    return this.#dictionary.prepareTypos()
  }

  /** Whether little has to be sorted before parts of words are looked up. */
  get areAffixesSorted(): boolean {
    return this.#dictionary.areAffixesSorted
  }

  /** Sorts it, in steps of a few milliseconds. */
  sortAffixes(): Generator<void> {
    return this.#dictionary.sortAffixes()
  }
}

/** The whole index at once, piece by piece, with all its blobs at hand. */
export function* loadingWhole(
  ...[options, contents, blobs]: Parameters<typeof LoadedIndex.loading>
): Generator<void, FulltextIndex> {
  const index = yield* LoadedIndex.loading(options, contents, blobs)
  return yield* index.completing(blobs)
}
