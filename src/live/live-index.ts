import { analyzerFor } from '../analysis/analyzer.ts'
import { documentIn } from '../datasets/record.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { DatasetState, Definition } from '../datasets/state.ts'
import { fieldTexts } from '../datasets/validation.ts'
import { FindlingError } from '../errors.ts'
import { FulltextIndex, type SearchOptions, type SearchResult } from '../fulltext/fulltext-index.ts'
import type { Job, JobBody, Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { changesSince, pruneTombstones, tombstonesToPrune } from '../store/change-log.ts'
import { documentKey, documentPrefix, within } from '../store/keyspace.ts'
import { type DatasetEntry, datasetEntry, withEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { sweep } from '../store/trash.ts'
import type { Change } from '../store/write-queue.ts'
import { Generation } from './generation.ts'
import { buildInWorker, type IndexTasks, indexOptions } from './index-builder.ts'
import { type IndexChange, IndexFeed } from './index-feed.ts'

export interface LiveIndexContext {
  store: Store
  state: DatasetState
  jobs: JobRunner
  pool: WorkerPool<IndexTasks>
  warn(message: string, details: Record<string, unknown>): void
}

/** After so many changes the index is saved, so that an open has no more than these to take in again. */
const SAVE_EVERY = 4096
const REPLAY_BATCH = 200
/** Raised when a stored index of the version before must not be loaded. */
const INDEX_VERSION = 1
/** More changes than this are not replayed on the main thread: the index is built anew in a worker. */
const REPLAY_AT_MOST = 20_000

/**
 * The index of one dataset, kept in step with its documents: loaded at first use, fed by every commit, saved now
 * and then, merged in a worker, rebuilt beside itself when settings change. What it has not saved is in the change log.
 */
export class LiveIndex {
  readonly #context: LiveIndexContext
  #feed: Promise<IndexFeed> | undefined
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

  /** Takes in what a commit changed; resolves when searches see it. */
  async follow(changes: readonly Change[]): Promise<void> {
    try {
      await Promise.all([this.#next?.take(changes), this.#open().then(feed => feed.take(changes))])
    } catch (error) {
      // The documents are stored: who asks next loads the index again and takes in what it misses.
      this.#feed = undefined
      this.#tellFailure(error)
      return
    }
    this.#unsaved += changes.length
    if (this.#unsaved >= SAVE_EVERY) this.#inBackground(this.#save())
    this.#mergeInBackground()
    this.#pruneInBackground()
  }

  async search(query: string, options: SearchOptions): Promise<SearchResult> {
    this.#context.store.assertOpen()
    this.#context.state.assertThere()
    const feed = await this.#open()
    await feed.settled()
    return feed.index.search(query, options)
  }

  /** The index for inspection, everything committed so far taken in. */
  async settled(): Promise<FulltextIndex> {
    const feed = await this.#open()
    await feed.settled()
    return feed.index
  }

  /**
   * Puts other settings in place. Where they change what is indexed, the index is built anew beside the old one,
   * which answers meanwhile.
   */
  reconfigure(definition: Definition): Job<void> {
    const same = fingerprint(definition.settings) === fingerprint(this.#context.state.settings)
    return this.#start(same ? this.#changeSettings(definition) : this.#rebuild(definition))
  }

  /** Builds the index anew from the documents, under the settings there are. */
  rebuild(): Job<void> {
    return this.#start(this.#rebuild(this.#context.state))
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
  }

  #start(body: JobBody<void>): Job<void> {
    if (this.#rebuilding && this.#isRebuilding) {
      throw new FindlingError(
        'DATASET_BUSY',
        `The dataset ${this.#context.state.name} is being reconfigured. Wait for that job or cancel it.`,
        { job: this.#rebuilding.id },
      )
    }
    const { jobs, state } = this.#context
    this.#rebuilding = jobs.start('reconfigure', `Indexing ${state.name} anew`, body)
    return this.#rebuilding
  }

  get #isRebuilding(): boolean {
    return this.#rebuilding?.state.endedAt === null
  }

  #open(): Promise<IndexFeed> {
    if (this.#feed) return this.#feed
    const loading = this.#load()
    this.#feed = loading
    loading.catch(() => {
      if (this.#feed === loading) this.#feed = undefined
    })
    return loading
  }

  async #load(): Promise<IndexFeed> {
    const { state, store } = this.#context
    const loaded = await this.#tryLoad(this.#generation)
    if (!loaded && store.counts(state.dataset).documents > REPLAY_AT_MOST) return await this.#rebuilt()
    const index = loaded?.index ?? new FulltextIndex(indexOptions(state.settings))
    const feed = this.#feedOf(index, state.settings, loaded?.seq ?? 0)
    this.#savedSeq = feed.seq
    if (!(await this.#tryReplay(feed))) return await this.#rebuilt()
    if (loaded && loaded.fingerprint !== fingerprint(state.settings)) {
      // It answers by the rules of another version; one of these rules is built behind it.
      if (!this.#closing && !this.#isRebuilding) this.rebuild()
    }
    return feed
  }

  /** What is stored of the index, unless it is of no use: then it is cleared away. */
  async #tryLoad(generation: Generation): ReturnType<Generation['load']> {
    const { state, store, warn } = this.#context
    try {
      const loaded = await generation.load(indexOptions(state.settings))
      // Removals that came after it may have been forgotten.
      if (!loaded || loaded.seq >= store.counts(state.dataset).prunedSeq) return loaded
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      warn(`The index of ${state.name} is damaged; it is built anew from the documents.`, {
        reason: error.message,
      })
    }
    await store.clear(generation.prefix)
    return undefined
  }

  /** False when the change log, or a document it tells of, is damaged. */
  async #tryReplay(feed: IndexFeed): Promise<boolean> {
    try {
      await this.#replay(feed)
      return true
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
      const { state, warn } = this.#context
      warn(`The index of ${state.name} cannot be completed; it is built anew from the documents.`, {
        reason: error.message,
      })
      return false
    }
  }

  async #rebuilt(): Promise<IndexFeed> {
    if (this.#isRebuilding) await this.#rebuilding?.finished.catch(() => undefined)
    await this.rebuild().finished
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
    return this.#inTurn(async () => {
      const feed = await this.#open()
      await feed.settled()
      if (!this.#entry()) return
      const { seq, index } = feed
      this.#unsaved = 0
      await this.#generation.save(index.checkpoint(), seq, fingerprint(this.#context.state.settings))
      this.#savedSeq = seq
    })
  }

  #mergeInBackground(): void {
    if (this.#merging || this.#closing) return
    this.#merging = this.#merge().finally(() => {
      this.#merging = undefined
    })
    this.#inBackground(this.#merging)
  }

  async #merge(): Promise<void> {
    const { jobs, pool, state } = this.#context
    const { index } = await this.#open()
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

  /** Work that nobody waits for. */
  #inBackground(work: Promise<void>): void {
    work.catch(error => {
      if (!this.#closing) this.#tellFailure(error)
    })
  }

  /** What could not be saved is still in the change log; the rest is tried again after later changes. */
  #tellFailure(error: unknown): void {
    const message = `Work on the index of ${this.#context.state.name} failed; it is tried again later.`
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
  #rebuild({ settings, schema }: Definition): JobBody<void> {
    const build = this.#build.bind(this)
    return async function* ({ signal }) {
      yield* build({ settings, schema }, signal)
    }
  }

  async *#build(definition: Definition, signal: AbortSignal): AsyncGenerator<Progress, void> {
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
      const snapshot = yield* buildInWorker(pool, settings, documents, total, signal)
      const blobs = (name: string) => snapshot.blobs.get(name)!
      const index = FulltextIndex.load(indexOptions(settings), snapshot.manifest, blobs)
      const next = this.#feedOf(index, settings, seq)
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
    this.#next = undefined
    this.#savedSeq = 0
    this.#unsaved = 1
    state.apply({ settings, schema })
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

  #feedOf(index: FulltextIndex, { interpretedFields }: DatasetSettings, seq: number): IndexFeed {
    return new IndexFeed(index, document => fieldTexts(document, interpretedFields), seq)
  }

  #generationOf(generation: number): Generation {
    return new Generation(this.#context.store, this.#context.state.dataset, generation)
  }

  /** Undefined when the dataset has been removed. */
  #entry(): DatasetEntry | undefined {
    return datasetEntry(this.#context.store.manifest, this.#context.state.dataset)
  }
}

/** What an index depends on besides the documents: another fingerprint, another index. */
export function fingerprint({ interpretedFields, language, weights }: DatasetSettings): string {
  const { name, version } = analyzerFor(language)
  const fields = interpretedFields.map(field => [field, weights[field]])
  return JSON.stringify([INDEX_VERSION, name, version, process.versions.unicode, fields])
}

async function* withoutPrefix(
  batches: AsyncIterable<[string, Buffer][]>,
  length: number,
): AsyncGenerator<[string, Buffer][]> {
  for await (const batch of batches) yield batch.map(([key, payload]) => [key.slice(length), payload])
}
