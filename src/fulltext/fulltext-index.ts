import type { Analyzer } from '../analysis/analyzer.ts'
import { FindlingError } from '../errors.ts'
import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import { type Suggestion, suggestPhrases } from '../spelling/suggestions.ts'
import { TermDictionary } from './dictionary/dictionary.ts'
import type { IndexConstants } from './index-constants.ts'
import type { MatchSet } from './matching/match-set.ts'
import type { MatchVisitor } from './matching/match-visitor.ts'
import type { Selection } from './matching/selection.ts'
import type { View } from './matching/views.ts'
import { columnOf, type Signal, SignalFactors } from './ranking/signal-factors.ts'
import { Searcher } from './searching/searcher.ts'
import type { MatchOptions, QueryAnswer, QueryOptions, TextQuery } from './searching/text-query.ts'
import { type AnalyzedTexts, termsOf } from './segments/analyzed-texts.ts'
import { type FieldScoring, validateFields } from './segments/bm25f.ts'
import type { Columns, ColumnValue } from './segments/columns/columns.ts'
import { NumberedPaths } from './segments/columns/value-numbers.ts'
import type { CompactedSegments, CompactionTask } from './segments/compaction.ts'
import { workOf } from './segments/merge-policy.ts'
import { SegmentStack, type WholeSegments } from './segments/segment-stack.ts'
import { Tail } from './segments/tail.ts'
import { areLong, type FieldText, TokenList } from './segments/token-list.ts'
import type { IndexForm } from './stored/index-contents.ts'
import { type SavedIndex, SavedParts } from './stored/saved-parts.ts'
import type { NamedTopics } from './topics/named-topics.ts'
import { LEAST_DOCUMENTS, Topics } from './topics/topics.ts'
import type { TopicTraining, TrainedTopics } from './topics/training.ts'
import { RuleCompiler, type WordRules } from './words/word-rules.ts'

export interface IndexOptions {
  readonly analyzer: Analyzer
  /** The scoring of the texts passed to `add`, in their order; the first is the title. */
  readonly fields: readonly FieldScoring[]
  /** Columns that influence the ranking. Default none. */
  readonly signals?: readonly Signal[]
  /** The higher, the later repetitions of a word saturate; above 0. Default 2. */
  readonly k1?: number
  /**
   * Number of typical documents after which they become a segment without further calls; fewer if they are longer or have many values.
   * Default 4,096.
   */
  readonly tailDocuments?: number
  /** Replace what the index would measure and learn itself. Default none. */
  readonly constants?: IndexConstants | undefined
}

/** The constants of the ranking in use. */
export interface ConstantsInForce {
  readonly averages: readonly number[]
  readonly documents: number
  /** With terms named piece by piece, even while the index changes. */
  topics(): Generator<void, NamedTopics | undefined>
}

/** What constants are learnt from. */
export interface ConstantsTraining {
  readonly averages: readonly number[]
  readonly documents: number
  /** Undefined with too few documents. Run `trainTopics(task)` on any thread. */
  readonly task: TopicTraining | undefined
  /** The trained topics with their terms named, piece by piece. */
  named(trained: TrainedTopics): Generator<void, NamedTopics>
}

const DEFAULT_K1 = 2
const DEFAULT_TAIL = 4096

/** The options that are fixed for as long as the index is stored. */
export function formOf({ analyzer, fields, signals = [], k1 = DEFAULT_K1 }: IndexOptions): IndexForm {
  validateFields(fields, k1)
  const { name, version } = analyzer
  return {
    analyzer: { name, version },
    fields: fields.map(({ weight, b }) => ({ weight, b })),
    columns: signals.map(columnOf),
    k1,
  }
}

export const factorsOf = ({ signals = [] }: IndexOptions): SignalFactors | undefined =>
  signals.length > 0 ? new SignalFactors(signals) : undefined

/** The parts of a stored index, all of them loaded. */
export interface RestoredIndex {
  readonly dictionary: TermDictionary
  readonly segments: WholeSegments
  readonly saved: SavedParts
  readonly topics: Topics
  readonly compiler: RuleCompiler
}

/**
 * Which documents match a query, and how well: BM25F over several fields, in memory. A search sees every earlier
 * write. Scores use length statistics that are renewed when the index has doubled or halved and its documents
 * have become longer or shorter.
 */
export class FulltextIndex {
  readonly #form: IndexForm
  readonly #analyzer: Analyzer
  readonly #tailDocuments: number
  readonly #dictionary: TermDictionary
  readonly #tail: Tail
  readonly #stack: SegmentStack
  readonly #searcher: Searcher
  readonly #saved: SavedParts
  readonly #topics: Topics
  readonly #compiler: RuleCompiler
  readonly #functionWords: ReadonlySet<string>
  readonly #numbered = new NumberedPaths()
  /** The conversion of the tail to a segment, while it is in progress. */
  #freezing: Generator<void> | undefined
  /** The given constants, and those in use: the given ones once all impacts are computed from them. */
  #given: IndexConstants | undefined
  #taken: IndexConstants | undefined

  /** An empty index, or one that was stored. */
  constructor(options: IndexOptions, restored?: RestoredIndex) {
    const { analyzer, tailDocuments = DEFAULT_TAIL, constants } = options
    this.#given = constants
    this.#form = formOf(options)
    this.#analyzer = analyzer
    const { fields, columns, k1 } = this.#form
    this.#tailDocuments = tailDocuments
    const dictionary = restored?.dictionary ?? new TermDictionary(analyzer)
    this.#dictionary = dictionary
    this.#tail = new Tail(analyzer, dictionary.vocabulary, fields.length, columns)
    const segments = new SegmentStack(dictionary.vocabulary, fields, k1, {
      from: restored?.segments,
      given: constants?.averages,
    })
    this.#stack = segments
    this.#topics = restored?.topics ?? new Topics(dictionary.vocabulary)
    this.#compiler = restored?.compiler ?? new RuleCompiler(analyzer)
    this.#functionWords = analyzer.functionWords?.all ?? new Set()
    this.#searcher = new Searcher({
      analyzer,
      signals: factorsOf(options),
      dictionary,
      segments,
      whole: segments,
      topics: this.#topics,
      compiler: this.#compiler,
    })
    this.#saved = restored?.saved ?? new SavedParts()
    this.#takeConstants()
  }

  /** Gives constants, to be used once all impacts are computed from them: at once in a small index, otherwise by compaction. */
  give(constants: IndexConstants): void {
    this.#given = constants
    this.#stack.give(constants.averages)
  }

  /** Whether it uses the given constants, if there are any. */
  get isAsGiven(): boolean {
    return this.#given === this.#taken
  }

  /** The id of the constants given last. */
  get constantsId(): string | undefined {
    return this.#given?.id
  }

  get constants(): ConstantsInForce {
    this.#freeze()
    const topics = this.#topics.named()
    return { averages: this.#stack.pin.averages, documents: this.size, topics: () => topics }
  }

  /** What constants would be learnt from now; does not change the index. */
  learningConstants(): ConstantsTraining {
    this.#freeze()
    const scoring = this.#stack.measured
    return {
      averages: scoring.averages,
      documents: this.size,
      task:
        this.size < LEAST_DOCUMENTS
          ? undefined
          : this.#topics.trainingOf(this.#stack, this.#functionWords, scoring),
      named: trained => this.#topics.naming(trained),
    }
  }

  /** Does in advance, in steps of a few milliseconds, what the first lookup of a typo after loading would do at once. */
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

  /** The same for the first change. */
  *prepareChanges(): Generator<void> {
    for (const { segment } of this.#stack.segments) {
      segment.prepareIds()
      yield
    }
  }

  /** Number of living documents. */
  get size(): number {
    return this.#stack.size + this.#tail.size
  }

  /** Memory of the index in bytes, without small parts of constant size. */
  get bytes(): number {
    const topics = this.#topics.bytesBeside(this.#stack.segments)
    const made = this.#searcher.bytes + this.#numbered.bytes
    return this.#dictionary.bytes + this.#tail.bytes + this.#stack.bytes + made + topics
  }

  /** The work that a search would first have to do to make documents searchable, in typical documents. */
  get pending(): number {
    const { taken, tokens, valueBytes } = this.#tail
    return workOf(taken, tokens, valueBytes)
  }

  /** Whether so many are pending that the next document would make them searchable. */
  get isFull(): boolean {
    return this.pending >= this.#tailDocuments
  }

  /** Makes pending documents searchable, piece by piece; a call in between that cannot wait does the rest at once. */
  *settling(): Generator<void> {
    const freezing = this.#beginFreezing()
    while (freezing && this.#freezing === freezing) {
      this.#freezeOn()
      yield
    }
    this.#settle()
  }

  /** Number of terms in the dictionary, and of those that occur in a living document. */
  get terms(): { known: number; living: number } {
    this.#freeze()
    return { known: this.#dictionary.vocabulary.terms.size, living: this.#stack.frequencies.living }
  }

  /** Number of living documents without a word, which no search finds. */
  get wordless(): number {
    this.#freeze()
    return this.#stack.wordless
  }

  has(id: string): boolean {
    return this.#tail.has(id) || this.#stack.find(id) !== undefined
  }

  /** Whether texts are so long that they should be added piece by piece. */
  areLong(texts: readonly FieldText[]): boolean {
    return areLong(texts, this.#analyzer.longText)
  }

  /** Adds a document with one text per field and its column values, replacing any with the same id. */
  add(id: string, texts: readonly FieldText[], values: readonly ColumnValue[] = []): void {
    this.#checkTexts(texts)
    this.#makeRoom()
    if (!this.#tail.add(id, texts, values)) this.#stack.remove(id)
  }

  /**
   * Replaces the column values of a document whose texts are unchanged, so that these need not be analyzed again. False if
   * there is no such document.
   */
  addAgain(id: string, values: readonly ColumnValue[]): boolean {
    this.#makeRoom()
    const words = this.#tail.wordsOf(id) ?? this.#stack.wordsOf(id)
    if (!words) return false
    if (!this.#tail.addTerms(id, words.tokens, words.lengths, values)) this.#stack.remove(id)
    return true
  }

  /**
   * Like `add`, for long texts, which are read piece by piece. The document is there at the end; meanwhile anything may be
   * done with the index except adding and removing documents.
   */
  *adding(id: string, texts: readonly FieldText[], values: readonly ColumnValue[] = []): Generator<void> {
    this.#checkTexts(texts)
    const list = new TokenList(this.#analyzer, this.#dictionary.vocabulary)
    const lengths = new Uint16Array(texts.length)
    yield* list.adding(texts, lengths)
    this.#makeRoom()
    if (!this.#tail.addTerms(id, list.tokens.subarray(0, list.size), lengths, values)) this.#stack.remove(id)
  }

  #checkTexts({ length: given }: readonly FieldText[]): void {
    const { length } = this.#form.fields
    if (given === length) return
    const [received, expected] = [`${given} texts`, `${length} texts, one per field`]
    const message = `texts has ${received}, but must have ${expected}`
    throw new FindlingError('INVALID_ARGUMENT', message, { field: 'texts', received, expected })
  }

  /** Adds documents whose texts were analyzed elsewhere; `columns` holds them in the same order. */
  addAnalyzed(ids: readonly string[], texts: AnalyzedTexts, columns: Columns): void {
    this.#finishFreezing()
    const { fields } = this.#form
    const terms = termsOf(texts, fields.length, this.#dictionary.vocabulary)
    let at = 0
    for (const [document, id] of ids.entries()) {
      const lengths = texts.lengths.subarray(document * fields.length, (document + 1) * fields.length)
      const end = lengths.reduce((sum, length) => sum + length, at)
      this.#makeRoom()
      const values = columns.addedBy(document)
      if (!this.#tail.addTerms(id, terms.subarray(at, end), lengths, values, columns.isCut))
        this.#stack.remove(id)
      at = end
    }
  }

  /** False when there was no such document. */
  remove(id: string): boolean {
    this.#finishFreezing()
    return this.#tail.remove(id) || this.#stack.remove(id)
  }

  /** Reads groups for searches with `groupBy`: see `Searcher.group()`. */
  group(...asked: Parameters<Searcher['group']>): ReturnType<Searcher['group']> {
    this.#freeze()
    return this.#searcher.group(...asked)
  }

  /** Reads rules for later searches until the time is up, but at least some. Returns whether all have been read. */
  readRules(rules: WordRules, until: number): boolean {
    return this.#compiler.read(rules, until)
  }

  /** @param answerBytes for answers that are kept in case they are asked for again */
  search(query: TextQuery, options: QueryOptions, answerBytes?: number): QueryAnswer {
    this.#freeze()
    return this.#searcher.search(query, options, answerBytes)
  }

  /** Corrected versions of a text, the likeliest first. */
  suggest(text: string, options: CheckedSuggestOptions, view?: View): Suggestion[] {
    this.#freeze()
    const { words } = this.#searcher
    return suggestPhrases(text, this.#analyzer, view?.words ?? words, options)
  }

  /** The view with this name on the current state; undefined where it has yet to be made. */
  view(name: string): View | undefined {
    this.#freeze()
    return this.#searcher.view(name)
  }

  /** Makes a view of a selection of the current state. @param keeps whether it may be kept until the index changes */
  addView(name: string, selection: Selection, keeps: boolean): View {
    return this.#searcher.addView(name, selection, keeps)
  }

  /**
   * Passes every matching document to the visitor, each once and in no particular order. Scores are in steps that depend on the
   * query, and lack the bonus for the positions of words in the title.
   * @returns how many steps are a score of 1
   */
  visit(query: TextQuery, options: MatchOptions, visitor: MatchVisitor): number {
    this.#freeze()
    return this.#searcher.visit(query, options, visitor)
  }

  /** The documents that a query may find, whether they match its words or not: see `Searcher.open()`. */
  open(query: TextQuery, options: MatchOptions): MatchSet {
    this.#freeze()
    return this.#searcher.open(query, options)
  }

  /** Its segments and words, valid until the index changes. */
  get state(): {
    readonly segments: SegmentStack['segments']
    readonly vocabulary: TermDictionary['vocabulary']
    readonly numbered: NumberedPaths
  } {
    this.#freeze()
    return {
      segments: this.#stack.segments,
      vocabulary: this.#dictionary.vocabulary,
      numbered: this.#numbered,
    }
  }

  /** The id of a document that was visited, valid until the index changes. */
  idOf(document: number): string {
    return this.#stack.segments[document >>> 16]!.segment.id(document & 0xffff)
  }

  /** The columns that hold the document, and its number in them; valid until the index changes. */
  columnsOf(document: number): { readonly columns: Columns; readonly number: number } {
    return { columns: this.#stack.segments[document >>> 16]!.segment.columns, number: document & 0xffff }
  }

  /**
   * Work that keeps searches fast and takes too long between two calls, if there is any. Run `compact(task)` on any
   * thread, then pass its result to `adopt`; only that of the newest task is taken.
   * @param joinsAll whether to merge into as few segments as possible, whatever that takes
   */
  planCompaction(joinsAll = false): CompactionTask | undefined {
    if (joinsAll) this.#freeze()
    return this.#stack.plan(joinsAll)
  }

  /** Whether `planCompaction()` would return a task. */
  get isCompactionDue(): boolean {
    return this.#stack.isCompactionDue
  }

  /** Gives up the newest task, whose result will not be adopted. */
  dropCompaction(): void {
    this.#stack.dropPlan()
  }

  /** Number of searches so far. They, too, make compaction worthwhile. */
  get searches(): number {
    return this.#stack.searches
  }

  /** Counts work on all segments as the number of searches that take as long. */
  looked(searches: number): void {
    this.#stack.searches += searches
  }

  /** Adopts the result of a task. False, without effect, if the task is not the newest or its segments are gone. */
  adopt(result: CompactedSegments): boolean {
    const isOfUse = this.#stack.adopt(result)
    this.#takeConstants()
    return isOfUse
  }

  /** Whether topics should be learnt again: there are enough documents, and many have changed. */
  get wantsTopics(): boolean {
    return this.#topics.areDue(this.size)
  }

  /** What topics are learnt from. Run `trainTopics(task)` on any thread, then adopt the result of the newest task. */
  planTopics(): TopicTraining {
    this.#freeze()
    return this.#topics.plan(this.#stack, this.#functionWords)
  }

  /** False, without effect, if the task is not the newest. */
  adoptTopics(trained: TrainedTopics): boolean {
    return this.#topics.adopt(trained, this.#stack.scoring)
  }

  /** Drops the topics until they are learnt again. */
  forgetTopics(): void {
    this.#topics.forget()
  }

  /** What has to be stored to restore the current state; each blob is returned once. */
  save(): SavedIndex {
    this.#freeze()
    return this.#saved.write(this.#form, this.#dictionary.vocabulary, this.#stack, this.#topics.blocks)
  }

  #makeRoom(): void {
    if (this.isFull) this.#freeze()
    else this.#finishFreezing()
  }

  #freeze(): void {
    this.#beginFreezing()
    this.#finishFreezing()
    this.#settle()
  }

  #settle(): void {
    this.#stack.settle()
    if (this.#given !== this.#taken) this.#takeConstants()
  }

  #takeConstants(): void {
    if (!this.#given || this.#given === this.#taken || !this.#stack.isAsGiven) return
    this.#taken = this.#given
    this.#topics.give(this.#given.topics, this.#stack.scoring)
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
}
