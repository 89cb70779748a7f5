import type * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { damaged, sealText, unseal } from './checksum.ts'
import { type Counts, checkpointSchema, type JournalEntry, journalSchema, noCounts } from './counts.ts'
import {
  answered,
  type Database,
  databaseError,
  ENCODINGS,
  type OpenedDatabase,
  type Operation,
  openDatabase,
  type Range,
} from './database.ts'
import {
  CHECKPOINT_KEY,
  FORMAT_KEY,
  FORMAT_VERSION,
  INCIDENTS_KEY,
  JOURNAL_PREFIX,
  journalKey,
  MANIFEST_KEY,
  splitKey,
  within,
} from './keyspace.ts'
import { datasetEntry, emptyManifest, type Manifest, readManifest } from './manifest.ts'
import { recount } from './recount.ts'
import { type Change, type Commit, type Mutation, WriteQueue } from './write-queue.ts'

export interface StoreOptions {
  store: string | Database | undefined
  durability: 'disk' | 'process'
  /** Bytes; a part of it bounds the database's cache and the writes that wait. */
  memoryBudget: number
  onDamage(message: string, details: Record<string, unknown>): void
}

export type CommitListener = (changes: readonly Change[]) => Promise<void> | undefined

const CHECKPOINT_EVERY = 256
const READ_AHEAD = 500

/** Checked reads and grouped, journalled writes over one database. Knows keys and bytes, not what they mean. */
export class Store {
  readonly #opened: OpenedDatabase
  readonly #queue: WriteQueue
  readonly #sync: boolean
  readonly #listeners = new Set<CommitListener>()
  #manifest: Manifest
  #seq: number
  #counts: Map<number, Counts>
  /** Keys of the journal entries that the next checkpoint makes superfluous. */
  #journalled: string[] = []
  #incidents: string[]
  #closed = false

  static async open(options: StoreOptions): Promise<Store> {
    const opened = await openDatabase(
      options.store,
      Math.max(8 * 2 ** 20, Math.floor(options.memoryBudget / 8)),
    )
    try {
      return await Store.#recover(opened, options)
    } catch (error) {
      await opened.close()
      throw databaseError(error)
    }
  }

  static async #recover(opened: OpenedDatabase, options: StoreOptions): Promise<Store> {
    const { db } = opened
    const manifest = (await readFormat(opened))
      ? await readManifestRecord(db)
      : await initialise(opened, options)
    const { seq, counts, journalled, damage } = await readJournal(db)
    const incidents = await readIncidents(db)
    const missed = damage.length > 0 ? [] : missedAfter(seq, opened.highWater)
    const found = [...damage, ...missed, ...opened.dropped]
    const truth = found.length > 0 ? await recount(db, manifest, counts) : { seq, counts }
    // Numbers of lost changes are not given again: a reader may have seen them.
    const newest = Math.max(seq, truth.seq, opened.highWater || 0)
    const store = new Store(opened, options, manifest, newest, truth.counts)
    store.#journalled = journalled
    store.#incidents = [...incidents, ...found]
    for (const message of found) options.onDamage(message, { incident: true })
    if (found.length > 0) await store.#recordIncidents()
    return store
  }

  private constructor(
    opened: OpenedDatabase,
    options: StoreOptions,
    manifest: Manifest,
    seq: number,
    counts: Map<number, Counts>,
  ) {
    this.#opened = opened
    this.#sync = options.durability === 'disk'
    this.#manifest = manifest
    this.#seq = seq
    this.#counts = counts
    this.#incidents = []
    this.#queue = new WriteQueue({
      maxBytes: Math.floor(options.memoryBudget / 4),
      state: () => ({ seq: this.#seq, manifest: this.#manifest, counts: this.#counts }),
      read: keys => answered(this.#opened.db.getMany(keys, ENCODINGS)),
      persist: commit => this.#persist(commit),
      committed: changes => this.#announce(changes),
    })
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  /** Number of the newest committed change. */
  get seq(): number {
    return this.#seq
  }

  get incidents(): readonly string[] {
    return this.#incidents
  }

  counts(dataset: number): Readonly<Counts> {
    return this.#counts.get(dataset) ?? noCounts()
  }

  /** Hears every commit after it is durable and before its writers are told. */
  onCommit(listener: CommitListener): void {
    this.#listeners.add(listener)
  }

  /** Resolves when the mutation is durable and every listener has taken it in. */
  write<T>(mutation: Mutation<T>): Promise<T> {
    this.assertOpen()
    return this.#queue.add(mutation)
  }

  /** As write(), but waits for room in the queue where that would refuse: for writers of many rows. */
  writeWhenRoom<T>(mutation: Mutation<T>): Promise<T> {
    this.assertOpen()
    return this.#queue.addWhenRoom(mutation)
  }

  async get(key: string): Promise<Buffer | undefined> {
    this.assertOpen()
    const value = await answered(this.#opened.db.get(key, ENCODINGS))
    return value && open(key, value)
  }

  /** Sealed values, their checksums verified. */
  async getMany(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    this.assertOpen()
    const values = await answered(this.#opened.db.getMany(keys, ENCODINGS))
    for (let i = 0; i < keys.length; i++) if (values[i]) open(keys[i]!, values[i]!)
    return values
  }

  /** Entries of a range as they were when the first was asked for, in batches. Damaged ones go to `onDamage` or throw. */
  async *entries(
    range: Range,
    options: { signal?: AbortSignal | undefined; onDamage?: ((key: string) => void) | undefined } = {},
  ): AsyncGenerator<[string, Buffer][]> {
    this.assertOpen()
    for await (const batch of snapshot(this.#opened.db, range)) {
      if (options.signal?.aborted) throw cancelled(options.signal)
      const checked: [string, Buffer][] = []
      for (const [key, value] of batch) {
        const payload = unseal(key, value)
        if (payload) checked.push([key, payload])
        else if (options.onDamage) options.onDamage(key)
        else throw damaged(key)
      }
      yield checked
      this.assertOpen()
    }
  }

  async keys(range: Range): Promise<string[]> {
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

  /** Writes beside the journal, for derived data that nothing points to yet. */
  async writeBeside(operations: Operation[]): Promise<void> {
    this.#assertWritable()
    await answered(this.#opened.db.batch(operations, ENCODINGS))
  }

  /** Deletes everything under a prefix and gives the space back where the database can. */
  async clear(prefix: string): Promise<void> {
    this.#assertWritable()
    const { db } = this.#opened
    const range = within(prefix)
    await answered(db.clear({ ...range, keyEncoding: 'utf8' }))
    if (db.compactRange) await answered(db.compactRange(range.gte, range.lt, { keyEncoding: 'utf8' }))
  }

  /** After a repair, which has deleted their record. */
  forgetIncidents(): void {
    this.#incidents = []
  }

  /** Finishes what was asked for before, then lets go of the database. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#queue.close()
    try {
      if (!this.#queue.failure && this.#journalled.length > 0) await answered(this.#writeCheckpoint())
    } finally {
      this.#closed = true
      await this.#opened.close()
    }
  }

  async #persist(commit: Commit): Promise<void> {
    const { operations, first, last, manifest, counts } = commit
    const entry: JournalEntry = { first, last, counts: [...counts] }
    const key = journalKey(last)
    operations.push({ type: 'put', key, value: sealText(key, JSON.stringify(entry)) })
    const all = new Map([...this.#counts, ...counts])
    for (const dataset of all.keys()) if (!datasetEntry(manifest, dataset)) all.delete(dataset)
    const checkpoint = this.#journalled.length >= CHECKPOINT_EVERY
    if (checkpoint) operations.push(...checkpointOperations(last, all, [...this.#journalled, key]))
    if (manifest !== this.#manifest) operations.push(manifestOperation(manifest))
    await this.#opened.db.batch(operations, { ...ENCODINGS, sync: this.#sync })
    this.#seq = last
    this.#counts = all
    this.#manifest = manifest
    if (!checkpoint) this.#journalled.push(key)
    else {
      this.#journalled = []
      await this.#opened.raiseHighWater(last)
    }
  }

  #announce(changes: readonly Change[]): Promise<void> | undefined {
    const waits: Promise<void>[] = []
    for (const listener of this.#listeners) {
      const wait = listener(changes)
      if (wait) waits.push(wait)
    }
    return waits.length > 0 ? Promise.all(waits).then(() => undefined) : undefined
  }

  async #writeCheckpoint(): Promise<void> {
    const operations = checkpointOperations(this.#seq, this.#counts, this.#journalled)
    await this.#opened.db.batch(operations, { ...ENCODINGS, sync: this.#sync })
    this.#journalled = []
    await this.#opened.raiseHighWater(this.#seq)
  }

  /** A gap in the journal is told once: the checkpoint behind it starts a new chain. */
  async #recordIncidents(): Promise<void> {
    const operations = checkpointOperations(this.#seq, this.#counts, this.#journalled)
    const value = sealText(INCIDENTS_KEY, JSON.stringify(this.#incidents))
    operations.push({ type: 'put', key: INCIDENTS_KEY, value })
    await this.#opened.db.batch(operations, { ...ENCODINGS, sync: this.#sync })
    this.#journalled = []
  }

  #assertWritable(): void {
    this.assertOpen()
    if (this.#queue.failure) throw this.#queue.failure
  }

  /** CLOSED when it is. */
  assertOpen(): void {
    if (this.#closed) throw new FindlingError('CLOSED', 'The engine is closed. Open it again to go on.')
  }
}

function cancelled({ reason }: AbortSignal): FindlingError {
  return reason instanceof FindlingError
    ? reason
    : new FindlingError('CANCELLED', 'Reading was cancelled.', {}, reason)
}

function open(key: string, value: Uint8Array): Buffer {
  const payload = unseal(key, value)
  if (!payload) throw damaged(key)
  return payload
}

async function readRecord(db: Database, key: string): Promise<string | undefined> {
  const value = await db.get(key, ENCODINGS)
  return value && open(key, value).toString()
}

async function readFormat({ db, highWater }: OpenedDatabase): Promise<boolean> {
  const text = await readRecord(db, FORMAT_KEY)
  if (text === undefined) {
    if (highWater !== undefined) throw formatLost()
    await assertEmpty(db)
    return false
  }
  const { version } = JSON.parse(text) as { version?: unknown }
  if (version === FORMAT_VERSION) return true
  throw new FindlingError(
    'FORMAT_UNSUPPORTED',
    `The store has format version ${version}; this version of findling reads ${FORMAT_VERSION}. Open it with the version that wrote it, or a newer one.`,
    { field: 'store', received: String(version), expected: String(FORMAT_VERSION) },
  )
}

async function assertEmpty(db: Database): Promise<void> {
  const iterator = db.iterator({ ...ENCODINGS, limit: 1 })
  try {
    const [first] = await iterator.nextv(1)
    if (!first) return
    if (splitKey(first[0]).room) throw formatLost()
    throw new FindlingError(
      'STORE_UNSUPPORTED',
      'The database holds entries that findling did not write. Accepted: a store of findling, an empty database or a new folder.',
      { field: 'store', received: `a database with the key ${JSON.stringify(first[0].slice(0, 40))}` },
    )
  } finally {
    await iterator.close()
  }
}

const formatLost = (): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    'The store has lost its format record: it is damaged. Restore a copy of it.',
    { field: 'store' },
  )

async function initialise({ db, raiseHighWater }: OpenedDatabase, options: StoreOptions): Promise<Manifest> {
  const manifest = emptyManifest()
  const format = sealText(FORMAT_KEY, JSON.stringify({ format: 'findling', version: FORMAT_VERSION }))
  await db.batch(
    [
      { type: 'put', key: FORMAT_KEY, value: format },
      manifestOperation(manifest),
      ...checkpointOperations(0, new Map(), []),
    ],
    { ...ENCODINGS, sync: options.durability === 'disk' },
  )
  await raiseHighWater(0)
  return manifest
}

async function readManifestRecord(db: Database): Promise<Manifest> {
  const text = await readRecord(db, MANIFEST_KEY)
  if (text !== undefined) return readManifest(text)
  throw new FindlingError(
    'STORE_CORRUPT',
    'The store has lost its manifest, which names its datasets. Restore a copy of the store.',
    { field: 'store' },
  )
}

async function readIncidents(db: Database): Promise<string[]> {
  const value = await db.get(INCIDENTS_KEY, ENCODINGS)
  if (!value) return []
  const payload = unseal(INCIDENTS_KEY, value)
  return payload ? (JSON.parse(payload.toString()) as string[]) : ['The record of earlier damage is damaged.']
}

/** What the journal cannot tell: that its end is missing. */
function missedAfter(seq: number, highWater: number | undefined): string[] {
  if (highWater === undefined || highWater <= seq) return []
  return [
    Number.isNaN(highWater)
      ? 'The file findling.seq, which says how many changes there were, is damaged.'
      : `The changes ${seq + 1} to ${highWater} are lost.`,
  ]
}

interface Journal {
  seq: number
  counts: Map<number, Counts>
  journalled: string[]
  damage: string[]
}

async function readJournal(db: Database): Promise<Journal> {
  const damage: string[] = []
  let seq = 0
  const counts = new Map<number, Counts>()
  const journalled: string[] = []
  const value = await db.get(CHECKPOINT_KEY, ENCODINGS)
  const checkpoint = value && parsed(checkpointSchema, unseal(CHECKPOINT_KEY, value))
  if (!checkpoint) damage.push(`The checkpoint of the store is ${value ? 'damaged' : 'missing'}.`)
  else {
    seq = checkpoint.seq
    for (const [dataset, entry] of checkpoint.counts) counts.set(dataset, entry)
  }
  for await (const batch of snapshot(db, within(JOURNAL_PREFIX))) {
    for (const [key, value] of batch) {
      journalled.push(key)
      const entry = parsed(journalSchema, unseal(key, value))
      if (!entry) damage.push(`Journal entry ${key} is damaged.`)
      else {
        if (entry.first > seq + 1) damage.push(`The changes ${seq + 1} to ${entry.first - 1} are lost.`)
        seq = entry.last
        for (const [dataset, after] of entry.counts) counts.set(dataset, after)
      }
    }
  }
  return { seq, counts, journalled, damage }
}

const parsed = <T>(schema: z.ZodType<T>, payload: Buffer | undefined): T | undefined =>
  payload && schema.safeParse(JSON.parse(payload.toString())).data

function checkpointOperations(
  seq: number,
  counts: Map<number, Counts>,
  journalled: readonly string[],
): Operation[] {
  const value = sealText(CHECKPOINT_KEY, JSON.stringify({ seq, counts: [...counts] }))
  const operations: Operation[] = [{ type: 'put', key: CHECKPOINT_KEY, value }]
  for (const key of journalled) operations.push({ type: 'del', key })
  return operations
}

function manifestOperation(manifest: Manifest): Operation {
  return { type: 'put', key: MANIFEST_KEY, value: sealText(MANIFEST_KEY, JSON.stringify(manifest)) }
}

/** Batches of one moment: by the iterator's own snapshot or, where a store has none, by fixing the keys first. */
async function* snapshot(db: Database, range: Range): AsyncGenerator<[string, Uint8Array][]> {
  const iterator = db.iterator({ ...range, ...ENCODINGS, values: db.supports.implicitSnapshots })
  try {
    if (!db.supports.implicitSnapshots) return yield* readByKeys(db, iterator)
    for (;;) {
      const batch = await answered(iterator.nextv(READ_AHEAD))
      if (batch.length === 0) return
      yield batch
    }
  } finally {
    await iterator.close()
  }
}

async function* readByKeys(
  db: Database,
  iterator: ReturnType<Database['iterator']>,
): AsyncGenerator<[string, Uint8Array][]> {
  const keys: string[] = []
  for (;;) {
    const batch = await answered(iterator.nextv(READ_AHEAD))
    if (batch.length === 0) break
    for (const [key] of batch) keys.push(key)
  }
  for (let i = 0; i < keys.length; i += READ_AHEAD) {
    const some = keys.slice(i, i + READ_AHEAD)
    const values = await answered(db.getMany(some, ENCODINGS))
    yield some.flatMap((key, n): [string, Uint8Array][] => (values[n] ? [[key, values[n]]] : []))
  }
}
