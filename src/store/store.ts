import { type ErrorCode, FindlingError } from '../errors.ts'
import { memoryShares } from '../memory-budget.ts'
import { LoopTurn } from '../scheduling/loop-turn.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { damaged, sealText, sumOf, unseal, verified } from './checksum.ts'
import { type Counts, checkpointOperations, type JournalEntry, noCounts } from './counts.ts'
import {
  answered,
  type Database,
  databaseError,
  ENCODINGS,
  type KeyRange,
  type OpenedDatabase,
  type Operation,
} from './database.ts'
import type { DatasetNumber } from './dataset-number.ts'
import type { FolderOptions } from './folder.ts'
import { INCIDENTS_KEY, journalKey, keysWithin } from './keyspace.ts'
import { EntryTexts, type Manifest, manifestOperation } from './manifest.ts'
import { openDatabase } from './opening.ts'
import { type Recovered, recover } from './recovery.ts'
import { READ_AHEAD, snapshot } from './snapshot.ts'
import type { Change, Commit, Mutation, Transaction } from './transaction.ts'
import { Watchers } from './watchers.ts'
import { WriteQueue } from './write-queue.ts'

export interface StoreOptions {
  store: string | Database | undefined
  durability: 'disk' | 'process'
  /** Bytes, shared by the database's cache and pending writes, among others. */
  memoryBudget?: number | undefined
  /** What is checked in a folder's tables before LevelDB gets them. */
  verify?: FolderOptions['verify']
  checkTables?: FolderOptions['checkTables']
  isRestoring?: boolean
  /** Errors to accept when opening. */
  accept?: readonly ErrorCode[]
  onDamage(message: string, details: Record<string, unknown>): void
}

/** Receives what a commit changed; returns, by dataset, what writers of its documents have to wait for. */
export type CommitListener = (changes: readonly Change[]) => ReadonlyMap<DatasetNumber, Promise<void>>

const CHECKPOINT_EVERY = 256
/** Values that are read at a time where reading is not done elsewhere. */
const READ_AT_ONCE = 512
/** A commit of more operations is assembled in short stretches. */
const LARGE_COMMIT = 4096
/** Bytes. */
const LARGE_VALUE = 2 ** 20
/** Operations between two checks of the clock. */
const LOOK_EVERY = 64
/** Bytes per read in large scans: each read has to wait for a thread and for the event loop. */
const LARGE_BATCH = 2 ** 18

/** Checked reads and grouped, journalled writes over one database. Knows keys and bytes, not what they mean. */
export class Store {
  readonly #opened: OpenedDatabase
  readonly #queue: WriteQueue
  readonly #sync: boolean
  #listener: CommitListener = () => new Map()
  #manifest: Manifest
  /** Checksum of its stored value. */
  #manifestSum: number
  readonly #entryTexts = new EntryTexts()
  #seq: number
  readonly #counts: Map<DatasetNumber, Counts>
  /** Keys of the journal entries that the next checkpoint makes superfluous. */
  #journalled: string[]
  #incidents: string[]
  #closing = false
  #closed = false

  static async open(options: StoreOptions): Promise<Store> {
    const { store, verify = 'changed', checkTables, memoryBudget, isRestoring = false } = options
    const { cache: cacheBytes } = memoryShares(memoryBudget)
    const opened = await openDatabase(store, { cacheBytes, verify, checkTables, isRestoring })
    try {
      return await Store.#recover(opened, options)
    } catch (error) {
      await opened.close({ isClean: true })
      throw databaseError(error)
    }
  }

  static async #recover(opened: OpenedDatabase, options: StoreOptions): Promise<Store> {
    const acceptsLostDatasets = options.accept?.includes('DATASETS_LOST') ?? false
    const recovered = await recover(opened, { durability: options.durability, acceptsLostDatasets })
    const store = new Store(opened, options, recovered)
    for (const message of recovered.found) options.onDamage(message, { incident: true })
    if (recovered.found.length > 0) await store.#recordIncidents()
    else if (!knowsDatasets(opened.highWater)) await store.#raiseHighWater()
    return store
  }

  private constructor(opened: OpenedDatabase, options: StoreOptions, recovered: Recovered) {
    this.#opened = opened
    this.#sync = options.durability === 'disk'
    this.#manifest = recovered.manifest
    this.#manifestSum = recovered.manifestSum
    this.#seq = recovered.seq
    this.#counts = recovered.counts
    this.#journalled = recovered.journalled
    this.#incidents = [...new Set([...recovered.incidents, ...recovered.found])]
    this.#queue = new WriteQueue({
      maxBytes: memoryShares(options.memoryBudget).writes,
      state: () => ({ seq: this.#seq, manifest: this.#manifest, counts: this.#counts }),
      read: keys => answered(this.#read(keys)),
      persist: (commit, takeEffect) => this.#persist(commit, takeEffect),
      committed: changes => this.#listener(changes),
    })
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  /** Shared by all answers from this store, whatever the dataset, so that together they leave time to the event loop. */
  readonly turn = new LoopTurn()

  /** Listeners for writes to namespaces. */
  readonly watchers = new Watchers()

  /** Whether all data is gone when the store is closed: derived data then need not be stored. */
  get isVolatile(): boolean {
    return this.#opened.isVolatile
  }

  /** Whether reading a range sees it as of one moment. */
  get hasSnapshots(): boolean {
    return this.#opened.db.supports.implicitSnapshots
  }

  /** Number of the newest committed change. */
  get seq(): number {
    return this.#seq
  }

  get incidents(): readonly string[] {
    return this.#incidents
  }

  counts(dataset: DatasetNumber): Readonly<Counts> {
    return this.#counts.get(dataset) ?? noCounts()
  }

  /** Receives every commit after it is durable and before its writers get their results. */
  onCommit(listener: CommitListener): void {
    this.#listener = listener
  }

  /** Resolves when the listener has received every commit that can be read by now; commits become readable before that. */
  heard(): Promise<void> {
    return this.#queue.heard()
  }

  /** Resolves when the mutation is durable, and everything is over that the listener makes its writers wait for. */
  async write<T>(mutation: Mutation<T>): Promise<T> {
    if (this.#closing) throw closed()
    this.assertOpen()
    try {
      return await this.#queue.add(mutation)
    } catch (error) {
      // The queue decides asynchronously, where the stack no longer contains the caller.
      if (error instanceof FindlingError) Error.captureStackTrace(error)
      throw error
    }
  }

  /**
   * Like write(), but waits for room in the queue instead of refusing, and works until the store is closed: for writers of many
   * rows and for the engine's own data.
   */
  writeWhenRoom<T>(mutation: Mutation<T>): Promise<T> {
    this.assertOpen()
    return this.#queue.addWhenRoom(mutation)
  }

  /** The same for the engine's own data, if nothing must be read to decide. */
  amend<T>(apply: (transaction: Transaction) => T): Promise<T> {
    return this.writeWhenRoom({ reads: [], bytes: 0, apply })
  }

  async get(key: string): Promise<Buffer | undefined> {
    this.assertOpen()
    const value = await answered(this.#opened.db.get(key, ENCODINGS))
    return value && verified(key, value)
  }

  /** Sealed values, their checksums verified. */
  async getMany(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    this.assertOpen()
    const values = await answered(this.#read(keys))
    const stretch = new Stretch()
    for (let i = 0; i < keys.length; i++) {
      if (stretch.isOver) await stretch.pause()
      if (values[i]) verified(keys[i]!, values[i]!)
    }
    return values
  }

  async #read(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    const { db, beginReading } = this.#opened
    if (!beginReading || keys.length <= READ_AT_ONCE) return await db.getMany(keys, ENCODINGS)
    const reader = beginReading()
    try {
      const stretch = new Stretch()
      const values: (Uint8Array | undefined)[] = []
      for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
        if (stretch.isOver) await stretch.pause()
        this.assertOpen()
        for (const value of await reader.getMany(keys.slice(from, from + READ_AT_ONCE))) values.push(value)
      }
      return values
    } finally {
      await reader.close()
    }
  }

  /** Entries of a range in batches, as of the moment when the first is requested. Damaged ones go to `onDamage` or throw. */
  async *entries(
    range: KeyRange,
    options: {
      signal?: AbortSignal | undefined
      onDamage?: ((key: string) => void) | undefined
      /** Selects entries by the size of their values; the others are not read further. */
      wants?: ((bytes: number) => boolean) | undefined
      /** For large scans: each batch has to wait for a thread and for the event loop. */
      largeBatches?: boolean
    } = {},
  ): AsyncGenerator<[string, Buffer][]> {
    this.assertOpen()
    for await (const batch of snapshot(
      this.#opened.db,
      range,
      options.largeBatches ? LARGE_BATCH : undefined,
    )) {
      if (options.signal?.aborted) throw cancelled(options.signal)
      const checked: [string, Buffer][] = []
      for (const [key, value] of batch) {
        if (options.wants && !options.wants(value.byteLength)) continue
        const payload = unseal(key, value)
        if (payload) checked.push([key, payload])
        else if (options.onDamage) options.onDamage(key)
        else throw damaged(key)
      }
      yield checked
      this.assertOpen()
    }
  }

  /**
   * Sealed values of a range in the order of their keys, unverified and in large batches: for callers that have a checksum of all
   * of them together.
   */
  async *unverified(range: KeyRange): AsyncGenerator<Uint8Array[]> {
    this.assertOpen()
    for await (const batch of snapshot(this.#opened.db, range, LARGE_BATCH)) {
      yield batch.map(([, value]) => value)
      this.assertOpen()
    }
  }

  async keys(range: KeyRange): Promise<string[]> {
    this.assertOpen()
    const keys: string[] = []
    const iterator = this.#opened.db.iterator({ ...range, ...ENCODINGS, values: false })
    try {
      for (;;) {
        const batch = await answered(iterator.nextv(READ_AHEAD))
        if (batch.length === 0) return keys
        for (const [key] of batch) keys.push(key)
      }
    } finally {
      await iterator.close()
    }
  }

  /** Writes without the journal, for derived data that nothing points to yet. */
  async writeBeside(operations: Operation[]): Promise<void> {
    this.#assertWritable()
    await answered(this.#opened.db.batch(operations, ENCODINGS))
  }

  /** Deletes everything under a prefix, and frees the space if the database can. */
  async clear(prefix: string): Promise<void> {
    this.#assertWritable()
    const { db } = this.#opened
    const range = keysWithin(prefix)
    await answered(db.clear({ ...range, keyEncoding: 'utf8' }))
    if (db.compactRange) await answered(db.compactRange(range.gte, range.lt, { keyEncoding: 'utf8' }))
  }

  /** Makes the database drop the bytes of deleted and replaced values under a prefix, which takes longer than clearing it. */
  async scrub(prefix: string): Promise<void> {
    this.#assertWritable()
    const { db } = this.#opened
    const { gte, lt } = keysWithin(prefix)
    if (!db.compactRange) return
    await answered(db.compactRange(gte, lt, { keyEncoding: 'utf8' }))
    // A new table keeps entries that newer ones in it replace, until it is merged with an overlapping table.
    await this.writeBeside([
      { type: 'del', key: gte },
      { type: 'del', key: `${prefix}~` },
    ])
    await answered(db.compactRange(gte, lt, { keyEncoding: 'utf8' }))
  }

  /** Damage to the current files of the database. */
  damagedFiles(): Promise<string[]> {
    this.assertOpen()
    return this.#opened.damagedFiles()
  }

  /** Called after a repair, which has deleted them from the store. */
  forgetIncidents(): void {
    this.#incidents = []
  }

  /** The error of a write that failed, after which nothing more is written. */
  get failure(): FindlingError | undefined {
    return this.#queue.failure
  }

  get isClosing(): boolean {
    return this.#closing
  }

  /** From now on write() refuses; the engine's own data is accepted until close(). */
  startClosing(): void {
    this.#closing = true
  }

  /** Finishes pending writes, then lets go of the database. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#queue.close()
    try {
      if (!this.#queue.failure && this.#journalled.length > 0) await answered(this.#writeCheckpoint())
    } finally {
      this.#closed = true
      await this.#opened.close({ isClean: !this.#queue.failure })
    }
  }

  async #persist(commit: Commit, takeEffect: () => void): Promise<void> {
    const { operations, first, last, manifest, counts } = commit
    const before = this.#manifest
    const isChanged = manifest !== before
    const entry: JournalEntry = { first, last, counts: [...counts] }
    let manifestSum = this.#manifestSum
    if (isChanged) {
      const operation = manifestOperation(manifest, this.#entryTexts)
      operations.push(operation)
      manifestSum = sumOf(operation.value)
      entry.manifest = manifestSum
    }
    const key = journalKey(last)
    operations.push({ type: 'put', key, value: sealText(key, JSON.stringify(entry)) })
    const checkpoint = this.#journalled.length >= CHECKPOINT_EVERY
    if (checkpoint) {
      const all = new Map(this.#counts)
      count(all, commit, before)
      const state = { seq: last, counts: all, manifest: manifestSum }
      operations.push(...checkpointOperations(state, [...this.#journalled, key]))
    }
    const isRenamed = isChanged && String(datasetsOf(manifest)) !== String(datasetsOf(before))
    // Datasets that are about to be removed are no longer required.
    if (isRenamed) await this.#opened.raiseHighWater({ seq: this.#seq, datasets: kept(before, manifest) })
    await this.#writeBatch(operations)
    this.#seq = last
    count(this.#counts, commit, before)
    this.#manifest = manifest
    this.#manifestSum = manifestSum
    if (checkpoint) this.#journalled = []
    else this.#journalled.push(key)
    takeEffect()
    if (checkpoint || isRenamed) await this.#raiseHighWater()
  }

  async #writeBatch(unordered: Operation[]): Promise<void> {
    const operations = largestLast(unordered)
    const { db, beginBatch } = this.#opened
    const sync = this.#sync
    if (!beginBatch || operations.length <= LARGE_COMMIT)
      return await db.batch(operations, { ...ENCODINGS, sync })
    const batch = beginBatch()
    const stretch = new Stretch()
    for (const [i, operation] of operations.entries()) {
      if (i % LOOK_EVERY === 0 && stretch.isOver) await stretch.pause()
      if (operation.type === 'put') batch.put(operation.key, operation.value, ENCODINGS)
      else batch.del(operation.key, { keyEncoding: ENCODINGS.keyEncoding })
    }
    await batch.write({ sync })
  }

  async #writeCheckpoint(also: readonly Operation[] = []): Promise<void> {
    const state = { seq: this.#seq, counts: this.#counts, manifest: this.#manifestSum }
    const operations = [...checkpointOperations(state, this.#journalled), ...also]
    await this.#opened.db.batch(operations, { ...ENCODINGS, sync: this.#sync })
    this.#journalled = []
    await this.#raiseHighWater()
  }

  #raiseHighWater(): Promise<void> {
    return this.#opened.raiseHighWater({ seq: this.#seq, datasets: datasetsOf(this.#manifest) })
  }

  /** A gap is reported once: checkpoint, manifest and high-water mark start again after it. */
  async #recordIncidents(): Promise<void> {
    const value = sealText(INCIDENTS_KEY, JSON.stringify(this.#incidents))
    const manifest = manifestOperation(this.#manifest, this.#entryTexts)
    this.#manifestSum = sumOf(manifest.value)
    await this.#writeCheckpoint([manifest, { type: 'put', key: INCIDENTS_KEY, value }])
  }

  #assertWritable(): void {
    this.assertOpen()
    if (this.#queue.failure) throw this.#queue.failure
  }

  /** CLOSED when it is. */
  assertOpen(): void {
    if (this.#closed) throw closed()
  }
}

const closed = (): FindlingError =>
  new FindlingError('CLOSED', 'The engine is closed. Open it again to continue.')

/** False for what an earlier version wrote. */
const knowsDatasets = (highWater: OpenedDatabase['highWater']): boolean =>
  typeof highWater === 'object' && highWater.datasets !== undefined

const datasetsOf = ({ datasets }: Manifest): [DatasetNumber, string][] =>
  datasets.map(({ dataset, name }) => [dataset, name])

/** The datasets of a manifest that are also in the next one. */
function kept(before: Manifest, { datasets }: Manifest): [DatasetNumber, string][] {
  const next = new Set(datasets.map(({ dataset }) => dataset))
  return datasetsOf(before).filter(([dataset]) => next.has(dataset))
}

/** Changes the counts of all datasets as a commit does. @param before the manifest that it may have replaced */
function count(counts: Map<DatasetNumber, Counts>, commit: Commit, before: Manifest): void {
  for (const [dataset, own] of commit.counts) counts.set(dataset, own)
  if (commit.manifest === before) return
  const there = new Set(commit.manifest.datasets.map(({ dataset }) => dataset))
  for (const dataset of counts.keys()) if (!there.has(dataset)) counts.delete(dataset)
}

function cancelled({ reason }: AbortSignal): FindlingError {
  return reason instanceof FindlingError
    ? reason
    : new FindlingError('CANCELLED', 'Reading was cancelled.', {}, reason)
}

/** A batch is one block of memory, copied whenever it grows: anything after a value of megabytes would double it. */
function largestLast(operations: Operation[]): Operation[] {
  let largest: Operation | undefined
  for (const operation of operations) if (sizeOf(operation) > sizeOf(largest)) largest = operation
  if (largest === undefined || sizeOf(largest) < LARGE_VALUE) return operations
  return [...operations.filter(one => one !== largest), largest]
}

const sizeOf = (operation: Operation | undefined): number =>
  operation?.type === 'put' ? operation.value.byteLength : 0
