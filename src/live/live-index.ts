import { setImmediate as breathe } from 'node:timers/promises'
import type { DatasetState } from '../datasets/state.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { Derived, Finding } from '../derived/derived.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { FindlingError } from '../errors.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Answering, LoadedIndex } from '../fulltext/loaded-index.ts'
import type { QueryAnswer, QueryOptions, TextQuery } from '../fulltext/searching/searcher.ts'
import type { WordRules } from '../fulltext/words/word-rules.ts'
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
import { type IndexWarnings, warnOfDamage, warnOfFailure, warnOfUnsearchable } from './index-warnings.ts'
import { fingerprint } from './indexing.ts'
import { StoredIndex } from './stored-index.ts'
import { Upkeep } from './upkeep.ts'

interface LiveIndexContext extends IndexWarnings {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  memory: DerivedMemory
  /** Constants that the index follows; undefined where it makes its own. */
  constants: AdoptedConstants | undefined
}

/** What a question needs. */
interface Asked {
  /** All of the index. */
  readonly needsWhole: boolean
  readonly rules?: WordRules | undefined
  readonly deadline?: Deadline | undefined
}

/** Number of searches after which to check whether they have made a merge worthwhile. */
const LOOK_EVERY = 1024

/** An index of more words, most of which no document has any more, is rebuilt without them. */
const WORDS_KEPT = 50_000

/**
 * The index of one dataset, kept in step with its documents: loaded at first use, fed by every commit, saved now
 * and then, merged in a worker, rebuilt beside itself when settings change. What it has not saved is in the change log.
 */
export class LiveIndex implements Derived {
  readonly kind = 'index'
  readonly #context: LiveIndexContext
  /** Indexes that are ready for typos, or are being made so. */
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
  /** How often it was seen whether searches have made a merge worthwhile. */
  #looks = 0
  #hasToldOfUnsearchable = false

  constructor(context: LiveIndexContext) {
    this.#context = context
    this.#loopTurn = context.store.turn
    this.#stored = new StoredIndex(context)
    this.#beside = new IndexBeside(context, this.#stored, feed => {
      this.#held.replace(feed)
      this.#unheard(context.memory.grown(this))
    })
    this.jobs = new IndexJobs(context, {
      beside: this.#beside,
      // What was built has no topics yet, and other settings may want none.
      started: job => this.#inBackground(job.ended.then(() => this.#tend())),
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
   * Takes in what a commit changed. Writers wait for an index that is in memory, or is there in no time, and for one
   * that is about to be put in its place; never for one that takes long to load or to build.
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

  /** The change log has them. An index that is small is loaded at once, one that would get far behind meanwhile. */
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

  /** Where other fields are searched from now on, the next call reads all documents again. */
  redefined(): void {
    const wanted = fingerprint(this.#context.state.settings)
    if (this.#held.current?.fingerprint === wanted) {
      // They may want other topics.
      this.#tend()
      return
    }
    this.#held.letGo()
    void this.jobs.settingsAre(wanted)
  }

  /** Resolves when searches follow the constants that are adopted now. */
  async takeConstants(): Promise<void> {
    // An index that is being built may have begun with others: what is due then sees to it.
    await this.jobs.settled()
    if (this.#held.isBegun) await this.#upkeep.takeConstants()
  }

  search(query: TextQuery, options: QueryOptions, deadline?: Deadline): Promise<QueryAnswer> {
    return this.#ask(index => index.search(query, options), {
      needsWhole: options.groupBy !== undefined || options.categories !== undefined,
      rules: options.rules,
      deadline,
    })
  }

  suggest(text: string, options: CheckedSuggestOptions, deadline?: Deadline): Promise<Suggestion[]> {
    return this.#ask(index => index.suggest(text, options), { needsWhole: false, deadline })
  }

  async #ask<Answer>(
    question: (index: FulltextIndex | LoadedIndex | Answering) => Answer | undefined,
    asked: Asked,
  ): Promise<Answer> {
    const answer = asked.rules ? undefined : this.#askAtOnce(question, asked.deadline)
    if (answer === undefined) return await this.#askInTurn(question, asked)
    const { memory } = this.#context
    if (memory.isLimited) await memory.used(this)
    return answer
  }

  /**
   * The answer of an index that is there and at rest, while nobody waits for a turn. Most searches are of this kind, and to
   * wait for nothing a few times would take them longer than to match.
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

  /** The answer of the index; where one that is not whole has none, of what answers everything, or of the whole one. */
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

  /** Answers by the index, and sees to what is due then. */
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

  /** Before they are searched by: many take long. */
  async #readRules(feed: IndexFeed, rules: WordRules, deadline: Deadline | undefined): Promise<void> {
    const read = () => feed.index.readRules(rules, stretchEnd())
    while (!(await this.#inTurn(feed, read, deadline)));
  }

  /** What of the index was not loaded may have been changed, and made whole, before it is its turn. */
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
   * Hands the whole index, at rest, to work that is done at once, with the number of the last change that is in it.
   * @param deadline its time begins once the index is there
   */
  async ask<T>(work: (index: FulltextIndex, seq: number) => T, deadline?: Deadline): Promise<T> {
    return await this.#using(async feed => {
      const whole = await feed.complete()
      return await this.#inTurn(feed, () => work(whole, feed.seq), deadline)
    })
  }

  /** Number of the last change in the index; loading it applies all changes up to then. */
  get seq(): number {
    return this.#held.current?.seq ?? Number.POSITIVE_INFINITY
  }

  /** Once: with the wrong fields, every document would be reported. */
  #tellOfUnsearchable(changes: readonly Change[]): void {
    const { state, warn } = this.#context
    const { rules, settings } = state
    const isThere = (text: unknown) => text !== undefined
    const lost = changes.find(({ document }) => document && !rules.fieldTexts(document).some(isThere))
    if (!lost) return
    this.#hasToldOfUnsearchable = true
    warnOfUnsearchable({ state, warn }, lost.id, settings.interpretedFields)
  }

  /**
   * Asks the index when it would answer at once, and it is its turn: nothing comes between that and the work. Who asks
   * again and again, as long searches do, has every other turn at most while somebody else waits.
   */
  async #inTurn<T>(feed: IndexFeed, work: () => T, deadline: Deadline | undefined): Promise<T> {
    deadline?.begin()
    let waiter: Waiter | undefined
    try {
      for (;;) {
        await feed.taken()
        if (feed.isBehind) await feed.settle()
        deadline?.check()
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

  /** Those of an index that was stored before they could be found out. */
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

  /** Once there is an answer, so that the first one need not wait for it. */
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

  /** Documents that no search finds, because none of the searched fields of them has a word. */
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

  /** Compares which documents are in it, not their words. */
  async examine(ids: readonly string[]): Promise<Finding[]> {
    const index = await this.#settled().catch(() => undefined)
    if (!index) return [{ subject: '', message: 'The index cannot be loaded.' }]
    const missing = ids.filter(id => !index.has(id))
    if (missing.length === 0 && index.size === ids.length) return []
    const message = `The index has ${index.size} documents, the store has ${ids.length}; ${missing.length} are missing from the index.`
    return [{ subject: missing[0] ?? '', message }]
  }

  /** The index for inspection, everything committed so far applied. */
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

  /** Saves the index and lets its memory go until somebody asks again; false while it is in use. */
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

  /** Saves the index if it has news, and lets it go. */
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
    // From here on it hears of changes; those of the last moments come before them.
    if (!put(feed)) return await this.#held.open()
    this.#unheard(feed.first(() => this.#stored.replay(feed)))
    // It answers by the rules of another version; one with the current rules is built in the background.
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

  /** Words that no document has any more take memory, and time where a word is not known. */
  #optimizeIfWorthwhile(index: FulltextIndex): void {
    if (!this.jobs.isIdle) return
    const { known, living } = index.terms
    if (known > WORDS_KEPT && known > 2 * living) this.jobs.optimize({})
  }

  /** Background work. The index could not be released meanwhile, and may have to be when it is over. */
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

/** By the engine, which ends all work when it closes: the next open takes it up again. */
const isEnded = (error: unknown): boolean =>
  error instanceof FindlingError && (error.code === 'CANCELLED' || error.code === 'CLOSED')
