import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { documentIn } from '../datasets/record.ts'
import type { DatasetState, Definition } from '../datasets/state.ts'
import { FindlingError } from '../errors.ts'
import { FulltextIndex, type SearchOptions, type SearchResult } from '../fulltext/fulltext-index.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { changesSince, pruneTombstones, tombstonesToPrune } from '../store/change-log.ts'
import { documentKey, documentPrefix, within } from '../store/keyspace.ts'
import { type DatasetEntry, datasetEntry, withEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { sweep } from '../store/trash.ts'
import type { Change } from '../store/write-queue.ts'
import { inStretches } from '../stretch.ts'
import { Generation } from './generation.ts'
import { buildInWorkers, type IndexTasks } from './index-builder.ts'
import { type IndexChange, IndexFeed } from './index-feed.ts'
import type { IndexMemory, Loaded } from './index-memory.ts'
import { documentReader, fingerprint, indexOptions, isLoadable } from './indexing.ts'
import { LoopTurn } from './loop-turn.ts'

export interface IndexJobOptions {
  /**
   * The most worker threads that the job keeps at a time: one indexes, others analyze for it while the process has
   * threads to spare. Default one for each processor but the one that reads; at least 1.
   */
  parallel?: number
}

const jobOptions = z.strictObject({
  parallel: z
    .int()
    .positive()
    .default(() => Math.max(1, availableParallelism() - 1)),
})

export interface LiveIndexContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  memory: IndexMemory
  warn(message: string, details: Record<string, unknown>): void
}

/** After so many changes the index is saved, so that an open has no more than these to take in again. */
const SAVE_EVERY = 4096
const REPLAY_BATCH = 200
/** More changes than this are not replayed on the main thread: the index is built anew in a worker. */
const REPLAY_AT_MOST = 20_000
/** An index of more words, most of which no document has any more, is built anew without them. */
const WORDS_KEPT = 50_000

/**
 * The index of one dataset, kept in step with its documents: loaded at first use, fed by every commit, saved now
 * and then, merged in a worker, rebuilt beside itself when settings change. What it has not saved is in the change log.
 */
export class LiveIndex implements Loaded {
  readonly kind = 'index'
  readonly #context: LiveIndexContext
  readonly #loopTurn = new LoopTurn()
  #feed: Promise<IndexFeed> | undefined
  /** What `#feed` has come to. */
  #current: IndexFeed | undefined
  /** Calls that work with the index at present. */
  #uses = 0
  #generation: Generation
  /** The index that a rebuild is about to put in place: it hears changes too. */
  #next: IndexFeed | undefined
  #savedSeq = 0
  /** While another index is being built, which learns from the change log what came after its documents were read. */
  #isBuilding = false
  #unsaved = 0
  /** Saving and flipping take turns: a save must not write into a generation that is being swept. */
  #turn: Promise<void> = Promise.resolve()
  #merging: Promise<void> | undefined
  #pruning: Promise<void> | undefined
  #rebuilding: Job<void> | undefined
  #closing = false

  constructor(context: LiveIndexContext) {
    this.#context = context
    this.#generation = this.#generationOf(this.#entry()?.index ?? 1)
  }

  get name(): string {
    return this.#context.state.name
  }

  /** Memory of the index, 0 while it is not loaded. */
  get bytes(): number {
    return this.#current?.index.bytes ?? 0
  }

  /** Takes in what a commit changed; resolves when searches see it. */
  async follow(changes: readonly Change[]): Promise<void> {
    try {
      await Promise.all([this.#next?.take(changes), this.#use(feed => feed.take(changes))])
    } catch (error) {
      // The documents are stored: who asks next loads the index again and takes in what it misses.
      this.#letGo()
      this.#tellFailure(error)
      return
    }
    this.#unsaved += changes.length
    if (this.#unsaved >= SAVE_EVERY) this.#inBackground(this.#save())
    this.#mergeInBackground()
    this.#pruneInBackground()
    this.#unheard(this.#context.memory.used(this))
    if (this.#loopTurn.isOver()) await this.#loopTurn.pause()
  }

  async search(query: string, options: SearchOptions): Promise<SearchResult> {
    const { store, state, memory } = this.#context
    store.assertOpen()
    state.assertThere()
    const result = await this.#use(async feed => {
      await feed.settled()
      while (this.#loopTurn.isOver()) {
        await this.#loopTurn.pause()
        await feed.settled()
      }
      if (!feed.isComplete && feed.index.needsForward(query, options)) await feed.complete()
      return feed.index.search(query, options)
    })
    await memory.used(this)
    return result
  }

  /** The index for inspection, everything committed so far taken in. */
  async settled(): Promise<FulltextIndex> {
    const index = await this.#use(async feed => {
      await feed.settled()
      return feed.index
    })
    await this.#context.memory.used(this)
    return index
  }

  /**
   * Puts other settings in place. Where they change what is indexed, the index is built anew beside the old one,
   * which answers meanwhile.
   */
  reconfigure(definition: Definition, options: IndexJobOptions = {}): Job<void> {
    const same = fingerprint(definition.settings) === fingerprint(this.#context.state.settings)
    const parallel = threadsOf(options)
    const body = same ? this.#changeSettings(definition) : this.#rebuild(definition, parallel)
    return this.#start('reconfigure', body)
  }

  /** Builds the index anew from the documents, under the settings there are. */
  rebuild(): Job<void> {
    return this.#start('reconfigure', this.#rebuild(this.#context.state, threadsOf({})))
  }

  /**
   * The same to make it small and quick: words that no document has any more go, statistics are those of the
   * documents as they are, and there are as few segments as can be.
   */
  optimize(options: IndexJobOptions = {}): Job<void> {
    return this.#start('optimize', this.#rebuild(this.#context.state, threadsOf(options)))
  }

  /** Saves the index and lets its memory go until somebody asks again; false while it is in use. */
  async release(): Promise<boolean> {
    try {
      if (!this.#isInUse && this.#feed && this.#unsaved > 0) await this.#save()
    } catch (error) {
      this.#tellFailure(error)
      return false
    }
    if (this.#isInUse || (this.#feed && this.#unsaved > 0)) return false
    this.#letGo()
    return true
  }

  /** Saves the index if it has news, and lets it go. */
  async close(): Promise<void> {
    this.#closing = true
    if (this.#rebuilding?.state.status === 'running') this.#rebuilding.cancel()
    await this.#rebuilding?.finished.catch(() => undefined)
    await this.#merging?.catch(() => undefined)
    await this.#pruning?.catch(() => undefined)
    if (this.#feed && this.#unsaved > 0) await this.#save().catch(error => this.#tellFailure(error))
    await this.#turn
    this.#letGo()
  }

  #start(kind: keyof typeof DESCRIPTIONS, body: JobBody<void>): Job<void> {
    if (this.#rebuilding && this.#isRebuilding) {
      throw new FindlingError(
        'DATASET_BUSY',
        `The dataset ${this.#context.state.name} is being reconfigured. Wait for that job or cancel it.`,
        { job: this.#rebuilding.id },
      )
    }
    const { jobs, state } = this.#context
    const job = jobs.start(kind, DESCRIPTIONS[kind](state.name), body)
    this.#rebuilding = job
    // Who asked for the job hears how it ended.
    this.#inBackground(job.finished.catch(() => undefined))
    return job
  }

  get #isRebuilding(): boolean {
    return this.#rebuilding?.state.endedAt === null
  }

  get #isInUse(): boolean {
    return this.#uses > 0 || this.#closing || this.#isRebuilding || !!this.#merging || !!this.#pruning
  }

  /**
   * Works with the index, on one built anew where a part that was left out at loading turns out to be damaged. Where
   * work on it failed otherwise, who asks next has it loaded again.
   */
  async #use<T>(work: (feed: IndexFeed) => Promise<T>): Promise<T> {
    this.#uses++
    try {
      const feed = await this.#open()
      try {
        return await work(feed)
      } catch (error) {
        if (this.#current === feed && feed.hasFailed) this.#giveUp(feed)
        if (!feed.damage) throw error
        return await work(await this.#open())
      }
    } finally {
      this.#uses--
    }
  }

  #open(): Promise<IndexFeed> {
    return this.#feed ?? this.#hold(this.#load())
  }

  /** Makes the index that is on its way the one that all wait for. */
  #hold(loading: Promise<IndexFeed>): Promise<IndexFeed> {
    this.#feed = loading
    this.#current = undefined
    loading.then(
      feed => {
        if (this.#feed === loading) this.#current = feed
      },
      () => {
        if (this.#feed === loading) this.#feed = undefined
      },
    )
    return loading
  }

  #letGo(): void {
    this.#feed = undefined
    this.#current = undefined
  }

  #giveUp({ damage }: IndexFeed): void {
    this.#letGo()
    if (!damage) return
    this.#tellDamage(damage)
    this.#hold(this.#rebuilt())
  }

  async #load(): Promise<IndexFeed> {
    const { state, store } = this.#context
    const loaded = await this.#tryLoad(this.#generation)
    if (!loaded && store.counts(state.dataset).documents > REPLAY_AT_MOST) return await this.#rebuilt()
    const index = loaded?.index ?? new FulltextIndex(await indexOptions(state.settings))
    const feed = this.#feedOf(index, state, this.#generation, loaded?.seq ?? 0)
    this.#savedSeq = feed.seq
    if (!(await this.#tryReplay(feed))) return await this.#rebuilt()
    // Within a budget, an index should not grow behind its back.
    if (!this.#context.memory.isLimited) this.#inBackground(inStretches(index.prepareTypos()))
    if (loaded && loaded.fingerprint !== fingerprint(state.settings)) {
      // It answers by the rules of another version; one of these rules is built behind it.
      if (!this.#closing && !this.#isRebuilding) this.rebuild()
    }
    return feed
  }

  /** What is stored of the index, unless it is of no use: then it is cleared away. */
  async #tryLoad(
    generation: Generation,
  ): Promise<{ index: FulltextIndex; seq: number; fingerprint: string } | undefined> {
    const { state, store } = this.#context
    try {
      const record = await generation.stored()
      if (!record) return undefined
      const { seq, fingerprint } = record
      // Removals that came after it may have been forgotten.
      if (isLoadable(fingerprint, state.settings) && seq >= store.counts(state.dataset).prunedSeq)
        return { index: await generation.load(await indexOptions(state.settings), record), seq, fingerprint }
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      this.#tellDamage(error)
    }
    await store.clear(generation.prefix)
    return undefined
  }

  /** False when the index, the change log, or a document that it tells of is damaged. */
  async #tryReplay(feed: IndexFeed): Promise<boolean> {
    try {
      await this.#replay(feed)
      return true
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      this.#tellDamage(error)
      return false
    }
  }

  async #rebuilt(): Promise<IndexFeed> {
    const generation = this.#generation
    if (this.#isRebuilding) await this.#rebuilding?.finished.catch(() => undefined)
    if (this.#generation === generation) await this.rebuild().finished
    return await this.#feed!
  }

  /** Reads again what changed after the feed's number. Commits that come meanwhile wait behind it. */
  async #replay(feed: IndexFeed): Promise<void> {
    const { store, state } = this.#context
    for await (const changes of changesSince(store, state.dataset, feed.seq)) {
      for (let at = 0; at < changes.length; at += REPLAY_BATCH) {
        const some = changes.slice(at, at + REPLAY_BATCH)
        const values = await store.getMany(some.map(({ id }) => documentKey(state.dataset, id)))
        await feed.apply(
          some.map(({ seq, id }, i): IndexChange => {
            const value = values[i]
            return { seq, id, document: value ? documentIn(value) : null }
          }),
        )
        this.#unsaved += some.length
      }
    }
  }

  #save(): Promise<void> {
    return this.#use(feed =>
      this.#inTurn(async () => {
        await feed.settled()
        if (this.#current !== feed || !this.#entry()) return
        const { seq, index } = feed
        this.#unsaved = 0
        await this.#generation.save(index.checkpoint(), seq, fingerprint(this.#context.state.settings))
        this.#savedSeq = seq
        this.#optimizeIfWorthwhile(index)
      }),
    )
  }

  /** Words that no document has any more take memory, and time where a word is not known. */
  #optimizeIfWorthwhile(index: FulltextIndex): void {
    if (this.#closing || this.#isRebuilding) return
    const { known, living } = index.terms
    if (known > WORDS_KEPT && known > 2 * living) this.optimize()
  }

  #mergeInBackground(): void {
    if (this.#merging || this.#closing) return
    this.#merging = this.#merge().finally(() => {
      this.#merging = undefined
    })
    this.#inBackground(this.#merging)
  }

  #merge(): Promise<void> {
    return this.#use(async feed => {
      await feed.complete()
      await this.#mergeAll(feed.index)
    })
  }

  async #mergeAll(index: FulltextIndex): Promise<void> {
    const { jobs, pool, state } = this.#context
    const body: JobBody<void> = async function* ({ signal }) {
      let done = 0
      for (let task = index.planCompaction(); task; task = index.planCompaction()) {
        index.adopt(await pool.run('compact', task, { signal }))
        yield { done: ++done, total: undefined, phase: 'merging' }
      }
    }
    // Saving freezes the newest documents, after which there may be more to merge.
    while (!this.#closing && index.planCompaction()) {
      await jobs.start('merge', `Merging the index of ${state.name}`, body, { persist: false }).finished
      await this.#save()
    }
  }

  /** Whatever removed documents: removals that the saved index has seen are not told for ever. */
  #pruneInBackground(): void {
    const { store, state } = this.#context
    if (this.#pruning || this.#closing || this.#isBuilding) return
    if (tombstonesToPrune(store.counts(state.dataset)) === 0) return
    this.#pruning = this.#prune().finally(() => {
      this.#pruning = undefined
    })
    this.#inBackground(this.#pruning)
  }

  async #prune(): Promise<void> {
    const { store, state } = this.#context
    await this.#save()
    await pruneTombstones(store, state.dataset, this.#savedSeq)
  }

  /** Work that nobody waits for. The index could not be let go meanwhile, and may be to let go when it is over. */
  #inBackground(work: Promise<void>): void {
    this.#unheard(work.finally(() => this.#context.memory.makeRoom()))
  }

  #unheard(work: Promise<void>): void {
    work.catch(error => {
      if (!this.#closing) this.#tellFailure(error)
    })
  }

  #tellDamage({ message: reason }: FindlingError): void {
    const message = `The index of ${this.name} is damaged or incomplete; it is built anew from the documents.`
    this.#context.warn(message, { reason })
  }

  /** What could not be saved is still in the change log; the rest is tried again after later changes. */
  #tellFailure(error: unknown): void {
    const message = `Work on the index of ${this.name} failed; it is tried again later.`
    this.#context.warn(message, { error })
  }

  #changeSettings({ settings, schema }: Definition): JobBody<void> {
    const { store, state } = this.#context
    return async function* () {
      await store.writeWhenRoom({
        reads: [],
        bytes: 0,
        apply(transaction) {
          transaction.dataset(state.dataset)
          transaction.manifest = withEntry(transaction.manifest, state.dataset, { settings, schema })
        },
      })
      state.apply({ settings, schema })
      yield { done: 1, total: 1, phase: 'settings changed' }
    }
  }

  /** Build beside, then flip one pointer: a crash leaves the old index, and rubbish that the next open sweeps. */
  #rebuild({ settings, schema }: Definition, parallel: number): JobBody<void> {
    const build = this.#build.bind(this)
    return async function* ({ signal }) {
      yield* build({ settings, schema }, parallel, signal)
    }
  }

  async *#build(
    definition: Definition,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { store, state, pool } = this.#context
    const { settings } = definition
    const generation = (this.#entry()?.index ?? 1) + 1
    const beside = this.#generationOf(generation)
    await this.#trash(beside.prefix)
    let rubbish = beside.prefix
    this.#isBuilding = true
    try {
      const { seq } = store
      const documents = withoutPrefix(
        store.entries(within(documentPrefix(state.dataset)), {
          signal,
          // What cannot be read cannot be found either; the doctor names it.
          onDamage: key => this.#context.warn(`The stored value ${key} is damaged and not indexed.`, { key }),
        }),
        documentPrefix(state.dataset).length,
      )
      const { documents: total } = store.counts(state.dataset)
      const snapshot = yield* buildInWorkers(pool, definition, documents, {
        total,
        parallel,
        signal,
      })
      const blobs = (name: string) => snapshot.blobs.get(name)
      const loading = FulltextIndex.loading(await indexOptions(settings), snapshot.manifest, blobs)
      const index = await inStretches(loading)
      const next = this.#feedOf(index, definition, beside, seq)
      this.#next = next
      await next.first(() => this.#replay(next))
      await beside.saveBlobs(snapshot.blobs)
      await next.settled()
      signal.throwIfAborted()
      const old = this.#generation.prefix
      await this.#inTurn(() =>
        this.#flip(next, beside, generation, definition, beside.record(snapshot, seq, fingerprint(settings))),
      )
      rubbish = old
    } finally {
      this.#isBuilding = false
      this.#next = undefined
      // The list of trash names it until it is gone: what fails here is done at the next open.
      await sweep(store, rubbish).catch(error => this.#tellFailure(error))
    }
  }

  async #flip(
    next: IndexFeed,
    beside: Generation,
    generation: number,
    { settings, schema }: Definition,
    record: { key: string; value: Buffer },
  ): Promise<void> {
    const { store, state } = this.#context
    const old = this.#generation.prefix
    await store.writeWhenRoom({
      reads: [],
      bytes: record.value.byteLength,
      apply(transaction) {
        transaction.dataset(state.dataset)
        const manifest = withEntry(transaction.manifest, state.dataset, {
          index: generation,
          settings,
          schema,
        })
        const trash = [...manifest.trash.filter(prefix => prefix !== beside.prefix), old]
        transaction.manifest = { ...manifest, trash }
        transaction.put(record.key, record.value)
      },
    })
    this.#generation = beside
    this.#feed = Promise.resolve(next)
    this.#current = next
    this.#next = undefined
    this.#savedSeq = 0
    this.#unsaved = 1
    state.apply({ settings, schema })
    this.#unheard(this.#context.memory.grown(this))
  }

  async #trash(prefix: string): Promise<void> {
    const { store, state } = this.#context
    await store.clear(prefix)
    await store.writeWhenRoom({
      reads: [],
      bytes: 0,
      apply(transaction) {
        transaction.dataset(state.dataset)
        const { manifest } = transaction
        transaction.manifest = { ...manifest, trash: [...manifest.trash, prefix] }
      },
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #feedOf(
    index: FulltextIndex,
    { settings, schema }: Definition,
    generation: Generation,
    seq: number,
  ): IndexFeed {
    const reader = documentReader(settings, schema.root)
    return new IndexFeed({ index, reader, readParts: names => generation.readBlobs(names), seq })
  }

  #generationOf(generation: number): Generation {
    return new Generation(this.#context.store, this.#context.state.dataset, generation)
  }

  /** Undefined when the dataset has been removed. */
  #entry(): DatasetEntry | undefined {
    return datasetEntry(this.#context.store.manifest, this.#context.state.dataset)
  }
}

const threadsOf = (options: IndexJobOptions): number => parseInput(jobOptions, options, 'options').parallel

const DESCRIPTIONS = {
  reconfigure: (name: string) => `Indexing ${name} anew`,
  optimize: (name: string) => `Optimizing the index of ${name}`,
}

async function* withoutPrefix(
  batches: AsyncIterable<[string, Buffer][]>,
  length: number,
): AsyncGenerator<[string, Buffer][]> {
  for await (const batch of batches) yield batch.map(([key, payload]) => [key.slice(length), payload])
}
