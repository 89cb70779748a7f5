import type { Analyzer } from '../analysis/analyzer.ts'
import { FindlingError } from '../errors.ts'
import { TypedWord } from './dictionary/edit-distance.ts'
import { PrefixIndex } from './dictionary/prefix-index.ts'
import { TypoIndex } from './dictionary/typo-index.ts'
import { Vocabulary } from './dictionary/vocabulary.ts'
import { Accumulators } from './ranking/accumulators.ts'
import { mayHaveHalves } from './ranking/compound.ts'
import { QueryRun, type Ranking, type ScoredId } from './ranking/query-run.ts'
import { type QueryText, readQuery } from './ranking/query-text.ts'
import {
  type KnownWords,
  RARE,
  type ResolvedQuery,
  resolveWords,
  type TypoTolerance,
} from './ranking/resolve-words.ts'
import { type Signal, SignalFactors } from './ranking/signal-factors.ts'
import type { MatchedWord } from './ranking/slot.ts'
import { TopK } from './ranking/top-k.ts'
import { WordPlaces } from './ranking/word-places.ts'
import { type AnalyzedTexts, termsOf } from './segments/analyzed-texts.ts'
import { type FieldWeight, type Scoring, validateFields } from './segments/bm25f.ts'
import type { CompactedSegments, CompactionTask } from './segments/compaction.ts'
import { workOf } from './segments/merge-policy.ts'
import { SegmentStack } from './segments/segment-stack.ts'
import { type FieldText, Tail } from './segments/tail.ts'
import { type Checkpoint, Checkpoints, manifestBlobs } from './stored/checkpoint.ts'

export interface IndexOptions {
  readonly analyzer: Analyzer
  /** What the texts of `add` count, in their order; the first is taken for the title. */
  readonly fields: readonly FieldWeight[]
  /** What the numbers of `add` weigh, in their order. Default none. */
  readonly signals?: readonly Signal[]
  /** How late repetition of a word saturates, above 0. Default 2. */
  readonly k1?: number
  /**
   * Documents of 32 words taken before they are made a segment of their own accord, fewer longer ones. Default 4,096.
   */
  readonly tailDocuments?: number
}

export interface SearchOptions {
  /** The most hits. */
  readonly limit: number
  /** Hits to leave out at the start. Default 0. */
  readonly offset?: number
  /** Whether a document must match one word or all. */
  readonly operator: 'or' | 'and'
  /** The most edits a word that occurs nowhere may be away from what it is taken for; 0 for none. */
  readonly typoTolerance: TypoTolerance
  /** Whether the last word may be the beginning of one, unless a blank or the end of a phrase follows. Default false. */
  readonly prefix?: boolean
  /** Weights for this query in place of the index's own, one per field; a field of weight 0 is not searched. */
  readonly weights?: readonly number[] | undefined
  /** Whether signals weigh. Default true. */
  readonly signals?: boolean
  /** Milliseconds since 1970, for the age of documents. Default 0. */
  readonly now?: number
  /** Whether every match is counted, which reads all of them. Default false. */
  readonly count?: boolean
  /** Whether hits say why they have their score. Default false. */
  readonly explain?: boolean
}

/** A phrase of the query: per place the surfaces that may stand there. */
export interface MatchedPhrase {
  readonly places: readonly (readonly string[])[]
  readonly slop: number
}

export interface SearchResult {
  /** Best first; equal scores by id, in byte order. */
  readonly hits: ScoredId[]
  /** What each distinct word was taken for, in the query's order. */
  readonly words: MatchedWord[]
  readonly phrases: MatchedPhrase[]
  /** The last word, when it may be the beginning of one. */
  readonly beginning: string | undefined
  /** Whether the query has more text or words than are looked at. */
  readonly isCut: boolean
  /** Documents that match; at least so many unless `exact`. */
  readonly total: { readonly count: number; readonly exact: boolean }
}

const DEFAULT_K1 = 2
const DEFAULT_TAIL = 4096

/**
 * Which documents match a query, and how well: BM25F over several fields, in memory. A search sees every write
 * before it. Scores follow length statistics that are renewed when the index has doubled or halved and its documents
 * have become longer or shorter.
 */
export class FulltextIndex {
  readonly #analyzer: Analyzer
  readonly #settings: {
    analyzer: { name: string; version: number }
    fields: FieldWeight[]
    signals: number
    k1: number
  }
  readonly #tailDocuments: number
  readonly #signals: SignalFactors | undefined
  readonly #vocabulary: Vocabulary
  readonly #typos: TypoIndex
  readonly #prefixes: PrefixIndex
  readonly #tail: Tail
  readonly #stack: SegmentStack
  readonly #checkpoints = new Checkpoints()
  /** The tail's way into a segment, while it is under way. */
  #freezing: Generator<void> | undefined
  readonly #known: KnownWords
  readonly #ranking: Ranking

  constructor({
    analyzer,
    fields,
    signals = [],
    k1 = DEFAULT_K1,
    tailDocuments = DEFAULT_TAIL,
  }: IndexOptions) {
    validateFields(fields, k1)
    const { name, version } = analyzer
    this.#analyzer = analyzer
    this.#tailDocuments = tailDocuments
    this.#settings = {
      analyzer: { name, version },
      fields: fields.map(({ weight, b }) => ({ weight, b })),
      signals: signals.length,
      k1,
    }
    this.#signals = signals.length > 0 ? new SignalFactors(signals) : undefined
    this.#vocabulary = new Vocabulary(analyzer)
    this.#typos = new TypoIndex(this.#vocabulary.terms)
    this.#prefixes = new PrefixIndex(this.#vocabulary.terms)
    this.#tail = new Tail(analyzer, this.#vocabulary, fields.length, signals.length)
    this.#stack = new SegmentStack(this.#vocabulary, this.#settings.fields, k1)
    const [stack, vocabulary, typos, prefixes] = [this.#stack, this.#vocabulary, this.#typos, this.#prefixes]
    this.#known = { analyzer, vocabulary, typos, prefixes, stack, typed: new TypedWord() }
    this.#ranking = {
      stack,
      vocabulary,
      places: new WordPlaces(),
      sums: new Accumulators(),
      top: new TopK(),
      reweighing: undefined,
    }
  }

  /**
   * The index of a checkpoint, over the memory of its blobs. Those of `forwardBlobs` may be left out (undefined) and
   * attached later. It is made piece by piece, so that whoever takes them can do other things in between.
   * @throws FindlingError `STORE_CORRUPT` when a part is missing, damaged or made with other options.
   */
  static *loading(
    options: IndexOptions,
    manifest: unknown,
    blobs: (name: string) => Uint8Array | undefined,
  ): Generator<void, FulltextIndex> {
    const index = new FulltextIndex(options)
    yield* index.#checkpoints.read(index.#settings, index.#parts(), manifest, blobs)
    return index
  }

  /** The same in one go. */
  static load(...from: Parameters<typeof FulltextIndex.loading>): FulltextIndex {
    return atOnce(FulltextIndex.loading(...from))
  }

  /**
   * The blobs that `load` will ask for: the forward lists, which can wait, and all others.
   * @throws FindlingError `STORE_CORRUPT` when the manifest is damaged.
   */
  static blobNames(manifest: unknown): { needed: string[]; forward: string[] } {
    return manifestBlobs(manifest)
  }

  /**
   * The forward lists that are stored but not attached. While there are some, the index must not be changed, and
   * only be asked what needs none.
   */
  get missing(): string[] {
    return this.#checkpoints.missing(this.#stack)
  }

  /**
   * Attaches forward lists by name, piece by piece.
   * @throws FindlingError `STORE_CORRUPT` when one is damaged.
   */
  attaching(blobs: ReadonlyMap<string, Uint8Array>): Generator<void, void> {
    return this.#checkpoints.attach(this.#stack, blobs)
  }

  /** The same in one go. */
  attach(blobs: ReadonlyMap<string, Uint8Array>): void {
    atOnce(this.attaching(blobs))
  }

  /** Does beforehand, in steps of some milliseconds, what the first lookup of a typo after a load would do at once. */
  *prepareTypos(): Generator<void> {
    while (this.#typos.build()) yield
  }

  /** The same for the first change. */
  *prepareChanges(): Generator<void> {
    for (const { segment } of this.#stack.segments) {
      segment.prepareIds()
      yield
    }
  }

  /** Whether a search needs the forward lists. */
  needsForward(query: string, { explain, weights }: Pick<SearchOptions, 'explain' | 'weights'>): boolean {
    const { words, phrases } = readQuery(query, this.#analyzer)
    if (words.length === 0) return false
    if (words.length > 1 || phrases.length > 0 || explain || weights) return true
    return this.#maySplit(words[0]!)
  }

  /** Living documents. */
  get size(): number {
    return this.#stack.size + this.#tail.size
  }

  /** Memory that the index holds, in bytes, without the small parts that do not grow. */
  get bytes(): number {
    const { stack, vocabulary, places, sums, reweighing } = this.#ranking
    const parts = [vocabulary, this.#typos, this.#prefixes, this.#tail, stack, places, sums]
    return parts.reduce((sum, { bytes }) => sum + bytes, reweighing?.bytes ?? 0)
  }

  /** Documents of 32 words, or the work of so many, that a search would have to make searchable first. */
  get pending(): number {
    return workOf(this.#tail.taken, this.#tail.tokens)
  }

  /** Whether so many are pending that the next document would have them made searchable. */
  get isFull(): boolean {
    return this.pending >= this.#tailDocuments
  }

  /** Makes them searchable, piece by piece; what comes in between and cannot wait does the rest at once. */
  *settling(): Generator<void> {
    const freezing = this.#beginFreezing()
    while (freezing && this.#freezing === freezing) {
      this.#freezeOn()
      yield
    }
    this.#stack.settle()
  }

  /** Terms in the dictionary, and how many of them stand in a living document. */
  get terms(): { known: number; living: number } {
    this.#freeze()
    return { known: this.#vocabulary.terms.size, living: this.#stack.frequencies.living }
  }

  /** Living documents without a word, which no search finds. */
  get wordless(): number {
    this.#freeze()
    return this.#stack.segments.reduce((sum, live) => sum + live.wordless, 0)
  }

  has(id: string): boolean {
    return this.#tail.has(id) || this.#stack.find(id) !== undefined
  }

  /** Adds a document, one text per field and one number per signal; it replaces one with the same id. */
  add(id: string, texts: readonly FieldText[], signals: readonly number[] = []): void {
    const { length } = this.#settings.fields
    if (texts.length !== length) {
      const [received, expected] = [`${texts.length} texts`, `${length} texts, one per field`]
      const message = `texts has ${received}, but must have ${expected}`
      throw new FindlingError('INVALID_ARGUMENT', message, { field: 'texts', received, expected })
    }
    this.#makeRoom()
    if (!this.#tail.add(id, texts, signals)) this.#stack.remove(id)
  }

  /** Adds documents whose texts were analyzed elsewhere; `signals` holds the numbers of one after the other. */
  addAnalyzed(ids: readonly string[], texts: AnalyzedTexts, signals: Float64Array): void {
    this.#finishFreezing()
    const { fields, signals: numbers } = this.#settings
    const terms = termsOf(texts, this.#vocabulary)
    let at = 0
    for (const [document, id] of ids.entries()) {
      const lengths = texts.lengths.subarray(document * fields.length, (document + 1) * fields.length)
      const end = lengths.reduce((sum, length) => sum + length, at)
      const own = signals.subarray(document * numbers, (document + 1) * numbers)
      this.#makeRoom()
      if (!this.#tail.addTerms(id, terms.subarray(at, end), lengths, own)) this.#stack.remove(id)
      at = end
    }
  }

  /** False when there was no such document. */
  remove(id: string): boolean {
    this.#finishFreezing()
    return this.#tail.remove(id) || this.#stack.remove(id)
  }

  search(query: string, options: SearchOptions): SearchResult {
    this.#freeze()
    this.#stack.searches++
    try {
      return this.#answer(query, options)
    } catch (error) {
      this.#ranking.sums.clear()
      throw error
    }
  }

  #answer(query: string, options: SearchOptions): SearchResult {
    const text = readQuery(query, this.#analyzer)
    const { typoTolerance, prefix = false, operator, offset = 0, limit, explain = false } = options
    const isBeginning = prefix && text.isOpen
    const resolved = resolveWords(text.words, this.#known, { typoTolerance, prefix: isBeginning })
    const { signals = true, now = 0 } = options
    const plan = {
      text,
      resolved,
      operator,
      scoring: this.#scoring(options.weights),
      signals: signals ? this.#signals : undefined,
      now,
    }
    const run = new QueryRun(plan, this.#ranking)
    const hits = run.hits(offset, limit, explain)
    return {
      hits,
      words: resolved.words,
      phrases: matchedPhrases(text, resolved),
      beginning: isBeginning ? text.words.at(-1) : undefined,
      isCut: text.isCut,
      total: this.#total(run, options, hits.length),
    }
  }

  /**
   * Work that keeps searches fast and is too long to be done between two calls, if there is any. Run
   * `compact(task)` on any thread, then `adopt` its result; only the newest task's is taken.
   * @param joinsAll whether there are to be as few segments as can be, whatever that takes
   */
  planCompaction(joinsAll = false): CompactionTask | undefined {
    if (joinsAll) this.#freeze()
    return this.#stack.plan(joinsAll)
  }

  /** Searches there have been. They, too, make compaction worthwhile. */
  get searches(): number {
    return this.#stack.searches
  }

  /** Takes over the result of a task. False, and no harm, when it is not of the newest task or its segments are gone. */
  adopt(result: CompactedSegments): boolean {
    return this.#stack.adopt(result)
  }

  /** What must be stored for `load` to restore this moment; blobs are given once. */
  checkpoint(): Checkpoint {
    this.#freeze()
    return this.#checkpoints.write(this.#settings, this.#parts())
  }

  #makeRoom(): void {
    if (this.isFull) this.#freeze()
    else this.#finishFreezing()
  }

  #parts(): { vocabulary: Vocabulary; stack: SegmentStack } {
    return { vocabulary: this.#vocabulary, stack: this.#stack }
  }

  #freeze(): void {
    this.#beginFreezing()
    this.#finishFreezing()
    this.#stack.settle()
  }

  #beginFreezing(): Generator<void> | undefined {
    if (this.#tail.taken > 0) this.#freezing ??= this.#freezeTail()
    return this.#freezing
  }

  #freezeOn(): void {
    if (this.#freezing?.next().done) this.#freezing = undefined
  }

  #finishFreezing(): void {
    while (this.#freezing) this.#freezeOn()
  }

  *#freezeTail(): Generator<void> {
    this.#stack.push(yield* this.#tail.freezing())
  }

  /** With fewer hits than asked for, or none left out, they are all there is. */
  #total(run: QueryRun, { offset = 0, limit, count }: SearchOptions, hits: number): SearchResult['total'] {
    if (hits < limit && (hits > 0 || offset === 0)) return { count: offset + hits, exact: true }
    return count ? { count: run.count(), exact: true } : { count: hits > 0 ? offset + hits : 0, exact: false }
  }

  /** Whether the word may turn out to be two written as one, which only the forward lists tell. */
  #maySplit(word: string): boolean {
    const term = this.#vocabulary.terms.find(word)
    const isCommon = term >= 0 && this.#stack.frequencies.of(term) > RARE
    return !isCommon && mayHaveHalves(word, this.#stack, this.#vocabulary)
  }

  #scoring(weights: readonly number[] | undefined): Scoring | undefined {
    if (!weights) return undefined
    const { scoring } = this.#stack
    const { fields: own } = scoring
    const fields = own.map(({ b }, i) => ({ weight: weights[i] ?? own[i]!.weight, b }))
    return { ...scoring, fields }
  }
}

function matchedPhrases({ phrases }: QueryText, { sequence, words }: ResolvedQuery): MatchedPhrase[] {
  if (phrases.length === 0) return []
  const surfaces = new Map(words.map(({ word, surfaces }) => [word, surfaces]))
  return phrases.map(({ words: places, slop }) => ({
    places: places.map(place => surfaces.get(sequence[place]?.word ?? '') ?? []),
    slop,
  }))
}

function atOnce<T>(pieces: Iterator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}
