import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { DatasetState, Definition } from '../datasets/state.ts'
import type { AdoptedConstants } from '../derived/constants/adopted-constants.ts'
import type { Derived, Finding } from '../derived/derived.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { FindlingError } from '../errors.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Answering, LoadedIndex } from '../fulltext/loaded-index.ts'
import type { QueryAnswer, QueryOptions, TextQuery } from '../fulltext/searching/searcher.ts'
import type { WordRules } from '../fulltext/words/word-rules.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { parallel } from '../jobs/parallel.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner, StartOptions } from '../jobs/runner.ts'
import { watching } from '../jobs/watching.ts'
import type { Given } from '../options-reader.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { LoopTurn, Waiter } from '../scheduling/loop-turn.ts'
import { inStretches, stretchEnd } from '../scheduling/stretch.ts'
import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import type { Suggestion } from '../spelling/suggestions.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../store/transaction.ts'
import { HeldIndex } from './held-index.ts'
import { IndexAhead } from './index-ahead.ts'
import { IndexBeside } from './index-beside.ts'
import type { IndexTasks } from './index-builder.ts'
import type { IndexFeed } from './index-feed.ts'
import { type IndexWarnings, warnOfDamage, warnOfFailure, warnOfUnsearchable } from './index-warnings.ts'
import { fingerprint } from './indexing.ts'
import { refuseOutgrown, refuseRedefined, StoredIndex } from './stored-index.ts'
import { Upkeep } from './upkeep.ts'

/** What jobs take that build an index. */
export interface IndexJobOptions extends JobOptions {
  /**
   * The most worker threads that the job keeps at a time: one indexes, others analyze for it while the process has
   * threads to spare. Default one for each processor but the one that reads; at least 1.
   */
  parallel?: number
}

const jobOptions = z.strictObject({ parallel, ...watching })

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

/** How settings are changed that others write. */
interface Redefinition {
  announce(): Promise<unknown>
  /** They do not come. */
  withdraw(): Promise<unknown>
  write(): Promise<unknown>
}

/** Milliseconds between two looks at how far an index is, and between two times that settings are announced which take long. */
const LOOK_AGAIN = 200
const ANNOUNCED_EVERY = 60_000

/** Number of searches after which to check whether they have made a merge worthwhile. */
const LOOK_EVERY = 1024

/** Documents of an index that is loaded in no time, and changes that an absent one may miss. */
const SMALL = 4096

/** An index of more words, most of which no document has any more, is rebuilt without them. */
const WORDS_KEPT = 50_000

/** What is done to the index as a whole. */
type Work =
  | { readonly is: 'idle' | 'closing' }
  | { readonly is: 'building'; readonly kind: BuildKind; readonly job: Job<void> }

type BuildKind = keyof typeof DESCRIPTIONS

const IDLE: Work = { is: 'idle' }

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
  #begun: Work = IDLE
  /** For settings that were to come. */
  #ahead: IndexAhead | undefined
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
    if (this.#held.isBegun || this.#work.is === 'closing') return undefined
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
    void this.#ahead?.settingsAre(wanted)
  }

  /**
   * Builds an index for settings that are to come, unless it would be there in no time, or another one is built. The one for
   * settings that were to come before is kept if they are the same, and given up otherwise.
   */
  prepare(definition: Definition): void {
    const { store, state } = this.#context
    const wanted = fingerprint(definition.settings)
    const ahead = this.#ahead
    if (ahead && !ahead.isOver) {
      if (ahead.fingerprint === wanted) ahead.keep()
      else void ahead.settingsAre(wanted).then(() => this.prepare(definition))
      return
    }
    const isSmall = store.counts(state.dataset).documents <= SMALL
    if (isSmall || wanted === fingerprint(state.settings) || this.#work.is !== 'idle') return
    if (store.isClosing || state.removed) return
    const { parallel } = jobOptions.parse({})
    this.#ahead = new IndexAhead(wanted, whenWanted =>
      this.#start(
        'reconfigure',
        ({ signal }) => this.#beside.buildAhead(definition, { parallel, signal, wanted: whenWanted }),
        { persist: false },
      ),
    )
  }

  /** Resolves when searches follow the constants that are adopted now. */
  async takeConstants(): Promise<void> {
    // An index that is being built may have begun with others: what is due then sees to it.
    if (this.#ahead && !this.#ahead.isOver) this.#ahead.job.cancel()
    while (this.#work.is === 'building') await this.#work.job.ended
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
    if (this.#held.current && this.#work.is === 'idle') this.#beginUpkeep()
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

  /**
   * Applies other settings. If they change what is indexed, a new index is built beside the old one,
   * which answers meanwhile.
   */
  reconfigure(definition: Definition, options: Given<IndexJobOptions> = {}): Job<void> {
    const { store, state } = this.#context
    const same = fingerprint(definition.settings) === fingerprint(state.settings)
    const { parallel, ...watch } = parseInput(jobOptions, options, 'options')
    const body = same ? changeSettings(store, state, definition) : this.#build(definition, parallel)
    return this.#start('reconfigure', body, watch)
  }

  /**
   * Settings that `write` has stored when it resolves, as a job. `announce` has an index prepared for them here and elsewhere;
   * what cannot be announced is indexed once they are set.
   */
  redefining({ announce, withdraw, write }: Redefinition, options: Given<IndexJobOptions> = {}): Job<void> {
    const { jobs, state } = this.#context
    const { parallel: _, ...watch } = parseInput(jobOptions, options, 'options')
    const prepared = () => this.#ahead
    const ready = () => this.#held.use(async feed => await feed.settle())
    const body: JobBody<void> = async function* () {
      yield { done: 0, total: 1, phase: 'indexing' }
      await announce().catch(() => {})
      let [announcedAt, isWritten] = [performance.now(), false]
      const ahead = prepared()
      try {
        while (ahead && !ahead.isBuilt) {
          yield ahead.job.state.progress
          await Promise.race([ahead.built, pause(LOOK_AGAIN)])
          if (performance.now() - announcedAt < ANNOUNCED_EVERY) continue
          await announce().catch(() => {})
          announcedAt = performance.now()
        }
        await write()
        isWritten = true
      } finally {
        // Where it is cancelled, too.
        if (!isWritten) await withdraw().catch(() => {})
      }
      await ready()
      yield { done: 1, total: 1, phase: 'indexing' }
    }
    return jobs.start('reconfigure', DESCRIPTIONS.reconfigure(state.name), body, {
      ...watch,
      datasets: [state.name],
    })
  }

  /** Rebuilds the index from the documents, with the current settings. */
  async rebuild(): Promise<void> {
    await this.#startRebuild().finished
  }

  /**
   * The same to make it small and quick: words that no document has any more go, statistics are those of the
   * documents as they are, and there are as few segments as can be.
   */
  optimize(options: Given<IndexJobOptions> = {}): Job<void> {
    const { parallel, ...watch } = parseInput(jobOptions, options, 'options')
    return this.#start('optimize', this.#build(this.#context.state, parallel), watch)
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
    const before = this.#work
    this.#begun = { is: 'closing' }
    const upkept = this.#upkeep.close()
    if (before.is === 'building') {
      before.job.cancel()
      await before.job.ended
    }
    await upkept
    if (this.#hasNews && this.#upkeep.isSaving)
      await this.#upkeep.save().catch(error => warnOfFailure(this.#context, error))
    await this.#stored.generations.idle()
    this.#held.letGo()
  }

  #build({ settings, schema, findsFields }: Definition, parallel: number): JobBody<void> {
    const { redefinitions } = this.#context.state
    const definition = { settings, schema, findsFields }
    return ({ signal }) => this.#beside.build(definition, { redefinitions, parallel, signal })
  }

  #start(kind: BuildKind, body: JobBody<void>, watch?: StartOptions): Job<void> {
    const { jobs, state } = this.#context
    if (this.#work.is === 'building') {
      throw new FindlingError(
        'DATASET_BUSY',
        `The index of ${state.name} is being ${UNDER_WAY[this.#work.kind]}. Wait for that job or cancel it.`,
        { job: this.#work.job.id },
      )
    }
    const job = jobs.start(kind, DESCRIPTIONS[kind](state.name), body, {
      ...watch,
      datasets: [state.name],
    })
    const work: Work = { is: 'building', kind, job }
    if (this.#work.is === 'idle') this.#begun = work
    // What was built has no topics yet, and other settings may want none.
    this.#inBackground(job.ended.then(() => this.#tend()))
    return job
  }

  #startRebuild(): Job<void> {
    const { parallel } = jobOptions.parse({})
    return this.#start('reconfigure', this.#build(this.#context.state, parallel))
  }

  get #work(): Work {
    const begun = this.#begun
    return begun.is === 'building' && begun.job.state.endedAt !== null ? IDLE : begun
  }

  get #isInUse(): boolean {
    return this.#held.isInUse || this.#work.is !== 'idle' || this.#upkeep.isUnderWay
  }

  get #hasNews(): boolean {
    return this.#held.current !== undefined && this.#stored.unsaved > 0
  }

  async #load(put: (feed: IndexFeed) => boolean): Promise<IndexFeed> {
    const wanted = fingerprint(this.#context.state.settings)
    if (this.#ahead?.fingerprint === wanted) {
      await this.#ahead.settingsAre(wanted)
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
    if (isOutdated && this.#work.is === 'idle') this.#startRebuild()
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
      const work = this.#work
      if (this.#stored.generations.current === current && work.is !== 'building') await this.rebuild()
      if (work.is !== 'building') return await this.#held.open()
      void this.#ahead?.settingsAre(fingerprint(this.#context.state.settings))
      await work.job.ended
    }
  }

  /** Words that no document has any more take memory, and time where a word is not known. */
  #optimizeIfWorthwhile(index: FulltextIndex): void {
    if (this.#work.is !== 'idle') return
    const { known, living } = index.terms
    if (known > WORDS_KEPT && known > 2 * living) this.optimize()
  }

  /** Background work. The index could not be released meanwhile, and may have to be when it is over. */
  #inBackground(work: Promise<void>): void {
    this.#unheard(work.finally(() => this.#context.memory.makeRoom()))
  }

  #unheard(work: Promise<void>): void {
    work.catch(error => {
      if (this.#work.is === 'closing' || (this.#context.store.isClosing && isEnded(error))) return
      warnOfFailure(this.#context, error)
    })
  }
}

const DESCRIPTIONS = {
  reconfigure: (name: string) => `Indexing ${name} anew`,
  optimize: (name: string) => `Optimizing the index of ${name}`,
}

/** By the engine, which ends all work when it closes: the next open takes it up again. */
const isEnded = (error: unknown): boolean =>
  error instanceof FindlingError && (error.code === 'CANCELLED' || error.code === 'CLOSED')

const UNDER_WAY = { reconfigure: 'built anew', optimize: 'optimized' } satisfies Record<BuildKind, string>

/** Of settings that do not change what is indexed. */
function changeSettings(store: Store, state: DatasetState, definition: Definition): JobBody<void> {
  const { redefinitions } = state
  return async function* () {
    await store.amend(transaction => {
      refuseRedefined(state, redefinitions)
      refuseOutgrown(transaction.dataset(state.dataset), definition)
      transaction.setEntry(state.dataset, definition)
      // Before those of the same commit that add to the searched fields.
      transaction.whenDurable(() => state.apply(definition))
    })
    yield { done: 1, total: 1, phase: 'settings changed' }
  }
}
