import { setImmediate as breathe } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DatasetState } from '../datasets/state.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { Derived, Finding } from '../derived/derived.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { FindlingError } from '../errors.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Answering, LoadedIndex } from '../fulltext/loaded-index.ts'
import type { QueryAnswer, QueryOptions, TextQuery } from '../fulltext/searching/text-query.ts'
import type { WordRules } from '../fulltext/words/word-rules.ts'
import type { Job } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { LoopTurn, Waiter } from '../scheduling/loop-turn.ts'
import { inStretches, stretchEnd } from '../scheduling/stretch.ts'
import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import type { Suggestion } from '../spelling/suggestions.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../store/transaction.ts'
import { HeldIndex } from './held-index.ts'
import { IndexBeside } from './index-beside.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexFeed } from './index-feed.ts'
import { IndexJobs, SMALL } from './index-jobs.ts'
import {
  type IndexWarnings,
  warnOfDamage,
  warnOfFailure,
  warnOfNoneSearchable,
  warnOfUnsearchable,
} from './index-warnings.ts'
import { fingerprint } from './indexing.ts'
import { StoredIndex } from './stored-index.ts'
import { Upkeep } from './upkeep.ts'

interface LiveIndexContext extends IndexWarnings {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  memory: DerivedMemory
  /** Adopted constants that the index follows; undefined if it computes its own. */
  constants: AdoptedConstants | undefined
  /** Bytes for whole answers that are kept. */
  answerCache: number
}

/** What a query needs. */
interface Asked {
  /** Whether the index must be loaded completely. */
  readonly needsWhole: boolean
  readonly rules?: WordRules | undefined
  readonly deadline?: Deadline | undefined
}

/** Work in several steps, which asks the index again and again. */
export interface IndexAsking {
  /** Starts once the index is loaded. */
  readonly deadline?: Deadline | undefined
  /** The index of the first step, which is also that of the others, even if another one replaces it meanwhile. */
  feed?: IndexFeed
}

/** Number of searches after which to check whether they have made a merge worthwhile. */
const LOOK_EVERY = 1024

/** An index with more words than this is rebuilt once no document contains most of them any more. */
const WORDS_KEPT = 50_000

/**
 * The index of one dataset, kept in step with its documents: loaded on first use, updated by every commit, saved from time to
 * time, its larger segments merged in a worker, and rebuilt beside the current one when settings change. Unsaved changes are in
 * the change log.
 */
export class LiveIndex implements Derived {
  readonly kind = 'index'
  readonly #context: LiveIndexContext
  /** Indexes that are prepared for typos, or are being prepared. */
  readonly #prepared = new WeakSet<IndexFeed>()
  readonly #loopTurn: LoopTurn
  readonly #held = new HeldIndex(
    put => this.#load(put),
    damage => this.#replaceDamaged(damage),
  )
  readonly #stored: StoredIndex
  readonly #beside: IndexBeside
  readonly #upkeep: Upkeep
  /** The jobs that build it. */
  readonly jobs: IndexJobs
  /** Changes that came while the index was not in memory. */
  #missed = 0
  /** How often it was checked whether searches have made a merge worthwhile. */
  #looks = 0
  #hasToldOfUnsearchable = false
  /** The fields for which it was built last, as far as it was built here. */
  #searched: readonly string[]

  constructor(context: LiveIndexContext) {
    this.#context = context
    this.#searched = context.state.settings.interpretedFields
    this.#loopTurn = context.store.turn
    this.#stored = new StoredIndex(context)
    this.#beside = new IndexBeside(context, this.#stored, feed => {
      this.#held.replace(feed)
      this.#unheard(context.memory.grown(this))
    })
    this.jobs = new IndexJobs(context, {
      beside: this.#beside,
      // A new index has no topics yet, and the new settings may disable them.
      started: job => this.#inBackground(job.ended.then(() => this.#built(job))),
      ready: () => this.#held.use(async feed => await feed.settle()),
    })
    this.#upkeep = new Upkeep(context, this.#held, this.#stored, {
      tended: index => this.#optimizeIfWorthwhile(index),
      due: () => this.#tend(),
    })
  }

  get name(): string {
    return this.#context.state.name
  }

  /** Memory of the index, 0 while it is not loaded. */
  get bytes(): number {
    return this.#held.current?.index.bytes ?? 0
  }

  /**
   * Applies the changes of a commit. Writers wait for an index that is in memory or quick to load, and for one that is about to
   * replace it; never for one that takes long to load or to build.
   */
  follow(changes: readonly Change[]): Promise<void> | undefined {
    const { current } = this.#held
    if (!this.#hasToldOfUnsearchable) this.#tellOfUnsearchable(changes)
    const besides = this.#beside.take(changes)?.catch(error => warnOfFailure(this.#context, error))
    if (current) return this.#take(current, changes, besides)
    return this.#miss(changes.length) ?? besides ?? this.#breathe()
  }

  async #take(
    feed: IndexFeed,
    changes: readonly Change[],
    besides: Promise<void> | undefined,
  ): Promise<void> {
    try {
      await this.#held.useLoaded(feed, () => feed.take(changes))
      await besides
    } catch (error) {
      // The documents are stored: the next caller loads the index again and applies what it lacks.
      warnOfFailure(this.#context, error)
      return
    }
    this.#stored.changed(changes.length)
    this.#beginUpkeep()
    this.#unheard(this.#context.memory.used(this))
    await this.#breathe()
  }

  /**
   * The change log has these changes. A small index is loaded at once; a larger one, in the background, as soon as it has missed
   * so many that it would fall far behind.
   */
  #miss(changes: number): Promise<void> | undefined {
    this.#missed += changes
    if (this.#held.isBegun || this.jobs.isClosing) return undefined
    const { store, state } = this.#context
    const isSmall = store.counts(state.dataset).documents <= SMALL
    if (!isSmall && this.#missed <= SMALL) return undefined
    const loaded = this.#held.use(async () => this.#beginUpkeep()).then(() => this.#context.memory.used(this))
    this.#inBackground(loaded)
    return isSmall ? loaded.catch(() => undefined) : undefined
  }

  #breathe(): Promise<void> | undefined {
    return this.#loopTurn.isOver() ? this.#loopTurn.pause() : undefined
  }

  /** If what is indexed has changed, the next call reads all documents again. */
  redefined(): void {
    const wanted = fingerprint(this.#context.state.settings)
    if (this.#held.current?.fingerprint === wanted) {
      // The new settings may change the topics.
      this.#tend()
      return
    }
    this.#held.letGo()
    void this.jobs.settingsAre(wanted)
  }

  /** Resolves when searches use the constants adopted at present. */
  async takeConstants(): Promise<void> {
    // An index that is being built may have started with other constants; upkeep then replaces them.
    await this.jobs.settled()
    if (this.#held.isBegun) await this.#upkeep.takeConstants()
  }

  /** A promise only where the answer has to be waited for. */
  search(query: TextQuery, options: QueryOptions, deadline?: Deadline): QueryAnswer | Promise<QueryAnswer> {
    const { answerCache } = this.#context
    return this.#ask(index => index.search(query, options, answerCache), {
      needsWhole: options.groupBy !== undefined || options.categories !== undefined,
      rules: options.rules,
      deadline,
    })
  }

  suggest(
    text: string,
    options: CheckedSuggestOptions,
    deadline?: Deadline,
  ): Suggestion[] | Promise<Suggestion[]> {
    return this.#ask(index => index.suggest(text, options), { needsWhole: false, deadline })
  }

  #ask<Answer>(
    question: (index: FulltextIndex | LoadedIndex | Answering) => Answer | undefined,
    asked: Asked,
  ): Answer | Promise<Answer> {
    const answer = asked.rules ? undefined : this.#askAtOnce(question, asked.deadline)
    if (answer === undefined) return this.#askInTurn(question, asked)
    const { memory } = this.#context
    return memory.isLimited ? memory.used(this).then(() => answer) : answer
  }

  /**
   * The answer of an index that is loaded and at rest, while nobody waits for a turn. Most searches are of this kind, and a few
   * awaits would take them longer than matching.
   */
  #askAtOnce<Answer>(
    question: (index: FulltextIndex | LoadedIndex) => Answer | undefined,
    deadline: Deadline | undefined,
  ): Answer | undefined {
    const feed = this.#held.current
    if (!feed?.isAtRest || !this.#loopTurn.isFor()) return undefined
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
    deadline?.begin()
    deadline?.check()
    const answer = question(feed.index)
    if (answer === undefined) return undefined
    this.#lookAtTopics(feed)
    this.#answered(feed)
    return answer
  }

  /** The answer of the index as far as it is loaded; if that cannot answer, of its readable or completely loaded form. */
  async #askInTurn<Answer>(
    question: (index: FulltextIndex | LoadedIndex | Answering) => Answer | undefined,
    { needsWhole, rules, deadline }: Asked,
  ): Promise<Answer> {
    return await this.#using(async feed => {
      if (rules) await this.#readRules(feed, rules, deadline)
      const result =
        (await this.#inTurn(feed, () => question(feed.index), deadline)) ??
        (await this.#askMore(feed, question, needsWhole, deadline))
      this.#lookAtTopics(feed)
      return result
    })
  }

  /** Answers from the index, then starts the work that is due. */
  async #using<T>(answer: (feed: IndexFeed) => Promise<T>): Promise<T> {
    const { store, state, memory } = this.#context
    store.assertOpen()
    state.assertThere()
    const result = await this.#held.use(async feed => {
      const result = await answer(feed)
      this.#answered(feed)
      return result
    })
    if (memory.isLimited) await memory.used(this)
    return result
  }

  #answered(feed: IndexFeed): void {
    this.#prepareTypos(feed)
    if (feed.whole) this.#lookAtSearches(feed.whole)
  }

  /** Reads the rules before the search, in stretches: many rules take long. */
  async #readRules(feed: IndexFeed, rules: WordRules, deadline: Deadline | undefined): Promise<void> {
    const read = () => feed.index.readRules(rules, stretchEnd())
    while (!(await this.#inTurn(feed, read, deadline)));
  }

  /** The index may have been loaded completely, and changed, before the turn of this call comes. */
  async #askMore<Answer>(
    feed: IndexFeed,
    question: (index: FulltextIndex | Answering) => Answer | undefined,
    needsWhole: boolean,
    deadline: Deadline | undefined,
  ): Promise<Answer> {
    const answering = await (needsWhole ? feed.complete() : feed.readable())
    return await this.#inTurn(feed, () => question(feed.whole ?? answering)!, deadline)
  }

  /**
   * Calls synchronous work with the whole index, at rest, and the number of the last change in it.
   * @param asking the same object for all steps of the same work
   */
  async ask<T>(work: (index: FulltextIndex, seq: number) => T, asking: IndexAsking = {}): Promise<T> {
    return await this.#using(async current => {
      if (!asking.feed || asking.feed.hasFailed) asking.feed = current
      const { feed } = asking
      const whole = await feed.complete()
      return await this.#inTurn(feed, () => work(whole, feed.seq), asking.deadline)
    })
  }

  /** Number of the last change in the index; loading it applies all changes up to then. */
  get seq(): number {
    return this.#held.current?.seq ?? Number.POSITIVE_INFINITY
  }

  /** Reports only once: with the wrong fields, every document would be reported. */
  #tellOfUnsearchable(changes: readonly Change[]): void {
    const { state, warn } = this.#context
    const { rules, settings } = state
    const isThere = (text: unknown) => text !== undefined
    const lost = changes.find(({ document }) => document && !rules.fieldTexts(document).some(isThere))
    if (!lost) return
    this.#hasToldOfUnsearchable = true
    warnOfUnsearchable({ state, warn }, lost.id, settings.interpretedFields)
  }

  #built({ kind, state: { status } }: Job<void>): void {
    if (kind === 'reconfigure' && status === 'finished') this.#tellOfNoneSearchable()
    this.#tend()
  }

  /** New settings may name fields that no document has: nothing else would say why searches find nothing. */
  #tellOfNoneSearchable(): void {
    const { state, warn } = this.#context
    const { interpretedFields } = state.settings
    const isSame = isDeepStrictEqual(interpretedFields, this.#searched)
    this.#searched = interpretedFields
    const { size, wordless } = this.#held.current?.index ?? { size: 0, wordless: 0 }
    if (!isSame && size > 0 && wordless === size) warnOfNoneSearchable({ state, warn }, interpretedFields)
  }

  /**
   * Runs the work when the index can answer at once and it is the caller's turn, with nothing in between. A caller that comes
   * again and again, as long searches do, gets at most every other turn while somebody else waits.
   */
  async #inTurn<T>(feed: IndexFeed, work: () => T, deadline: Deadline | undefined): Promise<T> {
    deadline?.begin()
    let waiter: Waiter | undefined
    try {
      for (;;) {
        await (deadline?.wait(feed.taken()) ?? feed.taken())
        if (feed.isBehind) await (deadline?.wait(feed.settle()) ?? feed.settle())
        if (this.#loopTurn.isFor(waiter)) return work()
        waiter ??= {}
        await this.#loopTurn.wait(waiter)
      }
    } finally {
      if (waiter) this.#loopTurn.leave(waiter)
    }
  }

  #lookAtSearches({ searches }: FulltextIndex): void {
    const looks = Math.floor(searches / LOOK_EVERY)
    if (looks === this.#looks) return
    this.#looks = looks
    this.#beginUpkeep()
  }

  /** Topics may be missing from an index that was stored before they were trained. */
  #lookAtTopics({ index }: IndexFeed): void {
    // Within a budget, an index should not grow unnoticed.
    if (this.#context.memory.isLimited || !this.#upkeep.wantsTopics(index) || this.#upkeep.isOccupied) return
    this.#tend()
  }

  #tend(): void {
    if (this.#held.current && this.jobs.isIdle) this.#beginUpkeep()
  }

  #beginUpkeep(): void {
    for (const work of this.#upkeep.begin()) this.#inBackground(work)
  }

  /** Called after an answer, so that the first one need not wait for it. */
  #prepareTypos(feed: IndexFeed): void {
    // Within a budget, an index should not grow unnoticed.
    if (this.#prepared.has(feed) || this.#context.memory.isLimited) return
    this.#prepared.add(feed)
    this.#inBackground(breathe().then(() => inStretches(this.#typosOf(feed))))
  }

  *#typosOf(feed: IndexFeed): Generator<void> {
    const pieces = feed.index.prepareTypos()
    const isOfUse = () => !this.#context.store.isClosing && this.#held.current === feed
    while (isOfUse() && !pieces.next().done) yield
  }

  /** Number of documents that no search finds, because their searched fields contain no word. */
  async unsearchable(): Promise<number> {
    this.#context.store.assertOpen()
    return (await this.#settled()).wordless
  }

  async settle(): Promise<void> {
    await this.#settled()
  }

  async catchUp(): Promise<number> {
    await this.#upkeep.save()
    return Math.min(this.#stored.savedSeq, this.#beside.readFrom ?? Infinity)
  }

  /** Checks which documents are in the index, not their words. */
  async examine(ids: readonly string[]): Promise<Finding[]> {
    const index = await this.#settled().catch(() => undefined)
    if (!index) return [{ subject: '', message: 'The index cannot be loaded.' }]
    const missing = ids.filter(id => !index.has(id))
    if (missing.length === 0 && index.size === ids.length) return []
    const message = `The index has ${index.size} documents, the store has ${ids.length}; ${missing.length} are missing from the index.`
    return [{ subject: missing[0] ?? '', message }]
  }

  /** The index for inspection, with everything applied that was committed so far. */
  async #settled(): Promise<Pick<FulltextIndex | LoadedIndex, 'has' | 'size' | 'wordless'>> {
    const index = await this.#held.use(async feed => {
      await feed.settle()
      return feed.index
    })
    await this.#context.memory.used(this)
    return index
  }

  async rebuild(): Promise<void> {
    await this.jobs.rebuild().finished
  }

  /** Saves the index and releases its memory until the next use; false while it is in use. */
  async release(): Promise<boolean> {
    try {
      if (!this.#isInUse && this.#hasNews) await this.#upkeep.save()
    } catch (error) {
      warnOfFailure(this.#context, error)
      return false
    }
    if (this.#isInUse || this.#hasNews) return false
    this.#held.letGo()
    return true
  }

  /** Saves the index if it has unsaved changes, and releases it. */
  async close(): Promise<void> {
    const ended = this.jobs.close()
    const upkept = this.#upkeep.close()
    await ended
    await upkept
    if (this.#hasNews && this.#upkeep.isSaving)
      await this.#upkeep.save().catch(error => warnOfFailure(this.#context, error))
    await this.#stored.generations.idle()
    this.#held.letGo()
  }

  get #isInUse(): boolean {
    return this.#held.isInUse || !this.jobs.isIdle || this.#upkeep.isUnderWay
  }

  get #hasNews(): boolean {
    return this.#held.current !== undefined && this.#stored.unsaved > 0
  }

  async #load(put: (feed: IndexFeed) => boolean): Promise<IndexFeed> {
    const wanted = fingerprint(this.#context.state.settings)
    if (this.jobs.hasPrepared(wanted)) {
      await this.jobs.settingsAre(wanted)
      if (this.#held.current) return this.#held.current
    }
    const loaded = await this.#stored.load()
    this.#missed = 0
    if (!loaded) return await this.#rebuilt()
    const { feed, isOutdated } = loaded
    // From here on it receives changes; the most recent ones in the log are replayed first.
    if (!put(feed)) return await this.#held.open()
    this.#unheard(feed.first(() => this.#stored.replay(feed)))
    // It answers by the rules of another version; an index by the current rules is built in the background.
    if (isOutdated && this.jobs.isIdle) this.jobs.rebuild()
    return feed
  }

  #replaceDamaged(damage: FindlingError): Promise<IndexFeed> {
    warnOfDamage(this.#context, damage)
    return this.#rebuilt()
  }

  /** The rebuild that is already running, or else one that starts now. */
  async #rebuilt(): Promise<IndexFeed> {
    const { current } = this.#stored.generations
    for (;;) {
      if (this.#held.current) return this.#held.current
      const { building } = this.jobs
      if (this.#stored.generations.current === current && !building) await this.rebuild()
      if (!building) return await this.#held.open()
      void this.jobs.settingsAre(fingerprint(this.#context.state.settings))
      await building.ended
    }
  }

  /** Words that no document contains any more take memory, and time when a query word is unknown. */
  #optimizeIfWorthwhile(index: FulltextIndex): void {
    if (!this.jobs.isIdle) return
    const { known, living } = index.terms
    if (known > WORDS_KEPT && known > 2 * living) this.jobs.optimize({})
  }

  /** Runs background work. The index cannot be released meanwhile, and may have to be afterwards. */
  #inBackground(work: Promise<void>): void {
    this.#unheard(work.finally(() => this.#context.memory.makeRoom()))
  }

  #unheard(work: Promise<void>): void {
    work.catch(error => {
      if (this.jobs.isClosing || (this.#context.store.isClosing && isEnded(error))) return
      warnOfFailure(this.#context, error)
    })
  }
}

/** Whether work was ended by the closing of the engine: the next open resumes it. */
const isEnded = (error: unknown): boolean =>
  error instanceof FindlingError && (error.code === 'CANCELLED' || error.code === 'CLOSED')
