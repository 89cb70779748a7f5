import { FindlingError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { eachInPieces } from '../scheduling/each-in-pieces.ts'
import { damaged, SEAL_BYTES, seal, sumOf, unseal } from './checksum.ts'
import { withContent } from './content-sum.ts'
import { type Counts, noCounts } from './counts.ts'
import type { Operation } from './database.ts'
import type { DatasetNumber } from './dataset-number.ts'
import { type DatasetEntry, datasetEntry, type Manifest, withEntry } from './manifest.ts'

/** What happened to one document; listeners receive changes in the order of `seq`. */
export interface Change {
  dataset: DatasetNumber
  seq: number
  id: string
  /** `content`: inserted or changed; `tags`: lost dead tags only; `removal`. */
  kind: ChangeKind
  /** The document before the change, read on demand; null if there was none. */
  readonly before: Readonly<JsonObject> | null
  /** The same, if the change itself has read it, as a patch does: it shares its unchanged parts with the new document. */
  readonly patched?: Readonly<JsonObject> | undefined
  /** The document after the change; null when removed. */
  document: Readonly<JsonObject> | null
}
export type ChangeKind = 'content' | 'tags' | 'removal'

/** A write that is decided when its turn comes: it sees all earlier writes, and is made completely or not at all. */
export interface Mutation<T> {
  /** Keys that apply() will read. */
  reads: readonly string[]
  /** Approximate memory that it takes while it waits. */
  bytes: number
  /** Decides at once, or piece by piece if that takes long. An error thrown here refuses only this mutation. */
  apply(transaction: Transaction): T | Generator<void, T>
}

/** Applies a mutation piece by piece, whether it decides at once or not. */
export function* applying<T>(mutation: Mutation<T>, transaction: Transaction): Generator<void, T> {
  const decided = mutation.apply(transaction)
  return isInPieces(decided) ? yield* decided : decided
}

/** A generator is never the result of a mutation. */
const isInPieces = <T>(decided: T | Generator<void, T>): decided is Generator<void, T> =>
  typeof decided === 'object' && decided !== null && Symbol.iterator in decided && 'next' in decided

/** A change of the manifest. */
export const changing = <T>(
  decide: (manifest: Manifest, transaction: Transaction) => [Manifest, T],
): Mutation<T> => ({
  reads: [],
  bytes: 0,
  apply(transaction) {
    const [manifest, result] = decide(transaction.manifest, transaction)
    transaction.manifest = manifest
    return result
  },
})

export interface Commit {
  operations: Operation[]
  first: number
  last: number
  manifest: Manifest
  counts: ReadonlyMap<DatasetNumber, Counts>
}

/** The writes decided so far in a group, and the state after them. */
export class Transaction {
  readonly changes: Change[] = []
  readonly #read: Map<string, Uint8Array | undefined>
  readonly #writes = new Map<string, Buffer | undefined>()
  readonly #counts = new Map<DatasetNumber, Counts>()
  readonly #countsBefore: ReadonlyMap<DatasetNumber, Counts>
  readonly #first: number
  #seq: number
  #manifest: Manifest
  readonly #manifestBefore: Manifest
  readonly #effects: (() => void)[] = []
  /** Steps that undo the mutation being decided, the latest last. */
  #undo: (() => void)[] = []

  constructor(
    read: Map<string, Uint8Array | undefined>,
    seq: number,
    manifest: Manifest,
    counts: ReadonlyMap<DatasetNumber, Counts>,
  ) {
    this.#read = read
    this.#first = seq + 1
    this.#seq = seq
    this.#manifest = manifest
    this.#manifestBefore = manifest
    this.#countsBefore = counts
  }

  get manifest(): Manifest {
    return this.#manifest
  }

  set manifest(manifest: Manifest) {
    const before = this.#manifest
    this.#undo.push(() => {
      this.#manifest = before
    })
    this.#manifest = manifest
  }

  /**
   * Entry of a dataset that still exists.
   * @param name what the error calls it when it is not
   */
  dataset(dataset: DatasetNumber, name?: string): DatasetEntry {
    const entry = datasetEntry(this.#manifest, dataset)
    if (entry) return entry
    const what = name === undefined ? 'The dataset' : `The dataset ${name}`
    const details = { field: 'dataset', ...(name !== undefined && { received: name }) }
    throw new FindlingError('DATASET_NOT_FOUND', `${what} has been removed.`, details)
  }

  /** Changes the entry of a dataset. */
  setEntry(dataset: DatasetNumber, change: Partial<DatasetEntry>): void {
    this.manifest = withEntry(this.#manifest, dataset, change)
  }

  /** Number of the last change that was decided. */
  get seq(): number {
    return this.#seq
  }

  /** Number of this change: each document change takes one. */
  nextSeq(): number {
    return ++this.#seq
  }

  /** Raises the number: later ones are above it. SEQUENCE_MISMATCH if a higher one has been used. */
  raiseSeq(from: number): void {
    if (this.#seq > from) {
      throw new FindlingError(
        'SEQUENCE_MISMATCH',
        `The store is already at change ${this.#seq}, so its next changes cannot be numbered after ${from}.`,
        { field: 'seqFrom', received: String(from), expected: `at least ${this.#seq}` },
      )
    }
    this.#seq = from
  }

  /** The sealed value, as left by earlier writes. */
  read(key: string): Uint8Array | undefined {
    if (this.#writes.has(key)) return this.#writes.get(key)
    if (!this.#read.has(key)) throw new Error(`The mutation did not announce that it reads ${key}`)
    const value = this.#read.get(key)
    if (value && !unseal(key, value)) throw damaged(key)
    return value
  }

  /** Runs a function as soon as the group is durable, before anybody gets a result. */
  whenDurable(effect: () => void): void {
    this.#effects.push(effect)
  }

  /** Runs a function if the mutation being decided is refused after all. */
  whenUndone(undo: () => void): void {
    this.#undo.push(undo)
  }

  /** Runs the functions that wait for the group to be durable. */
  takeEffect(): void {
    for (const effect of this.#effects) effect()
  }

  /** Stores a value whose payload starts at SEAL_BYTES. */
  put(key: string, value: Buffer): number {
    const sum = seal(key, value)
    this.#stage(key, value)
    return sum
  }

  /** Stores values that are sealed already: many at once. */
  putSealed(values: ReadonlyMap<string, Buffer>): void {
    atOnce(this.puttingSealed(values))
  }

  /** The same piece by piece. */
  *puttingSealed(values: ReadonlyMap<string, Buffer>): Generator<void, void> {
    const before: [string, Buffer | undefined][] = []
    const made: string[] = []
    this.#undo.push(() => {
      for (const key of made) this.#writes.delete(key)
      for (const [key, value] of before) this.#writes.set(key, value)
    })
    yield* eachInPieces(values, ([key, value]) => {
      if (this.#writes.has(key)) before.push([key, this.#writes.get(key)])
      else made.push(key)
      this.#writes.set(key, value)
    })
  }

  delete(key: string): void {
    this.#stage(key, undefined)
  }

  counts(dataset: DatasetNumber): Readonly<Counts> {
    return this.#counts.get(dataset) ?? this.#countsBefore.get(dataset) ?? noCounts()
  }

  /** Keeps the dataset's counts in step with a document's sealed value before and after. */
  count(
    dataset: DatasetNumber,
    id: string,
    before: Uint8Array | undefined,
    after: Uint8Array | undefined,
  ): void {
    const counts = this.counts(dataset)
    const known = counts.content
    const content = known && withContent(known, id, before?.subarray(SEAL_BYTES), after?.subarray(SEAL_BYTES))
    const digest = counts.digest + (after ? sumOf(after) : 0) - (before ? sumOf(before) : 0)
    const documents = counts.documents + (after ? 1 : 0) - (before ? 1 : 0)
    this.setCounts(dataset, { ...counts, documents, digest: digest >>> 0, content })
  }

  setCounts(dataset: DatasetNumber, counts: Counts): void {
    const before = this.#counts.get(dataset)
    this.#undo.push(() => {
      if (before) this.#counts.set(dataset, before)
      else this.#counts.delete(dataset)
    })
    this.#counts.set(dataset, counts)
  }

  /** Applies a mutation completely or not at all. */
  *run<T>(mutation: Mutation<T>): Generator<void, T> {
    try {
      return yield* this.attempt(mutation)
    } finally {
      this.#undo = []
    }
  }

  /** The same for a mutation within another. */
  *attempt<T>(mutation: Mutation<T>): Generator<void, T> {
    const seq = this.#seq
    const changes = this.changes.length
    const effects = this.#effects.length
    const undo = this.#undo.length
    try {
      return yield* applying(mutation, this)
    } catch (error) {
      for (const undoing of this.#undo.splice(undo).reverse()) undoing()
      this.#seq = seq
      this.changes.length = changes
      this.#effects.length = effects
      throw error
    }
  }

  /** Undefined when nothing was written. */
  commit(): Commit | undefined {
    const isIdle = this.#writes.size === 0 && this.#counts.size === 0
    if (isIdle && this.#manifest === this.#manifestBefore) return undefined
    if (this.#seq < this.#first) this.#seq = this.#first
    const operations: Operation[] = []
    for (const [key, value] of this.#writes) {
      operations.push(value ? { type: 'put', key, value } : { type: 'del', key })
    }
    const counts = this.#counts
    return { operations, first: this.#first, last: this.#seq, manifest: this.#manifest, counts }
  }

  #stage(key: string, value: Buffer | undefined): void {
    const staged = this.#writes.has(key)
    const before = this.#writes.get(key)
    this.#undo.push(() => {
      if (staged) this.#writes.set(key, before)
      else this.#writes.delete(key)
    })
    this.#writes.set(key, value)
  }
}
