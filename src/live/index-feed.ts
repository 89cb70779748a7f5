import { FindlingError } from '../errors.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { JsonObject } from '../json.ts'
import { inStretches, Stretch } from '../stretch.ts'
import type { DocumentReader } from './indexing.ts'

/** What one change means to an index: a document as it is now, or null when it is gone. */
export interface IndexChange {
  seq: number
  id: string
  document: Readonly<JsonObject> | null
}

/** Reads parts of an index that were left out when it was loaded. */
export type PartReader = (names: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>

interface FeedParts {
  index: FulltextIndex
  reader: DocumentReader
  readParts: PartReader
  /** Number of the last change that is in the index. */
  seq: number
  /** Of the settings that it is made by. */
  fingerprint: string
}

/** Documents that are indexed before the clock is looked at. */
const LOOK_EVERY = 8

/** To make more documents of 32 words searchable takes several milliseconds. */
const FELT = 512

/** An index and the way changes take into it: one after the other, in their order, never holding the loop for long. */
export class IndexFeed {
  readonly index: FulltextIndex
  readonly fingerprint: string
  readonly #reader: DocumentReader
  readonly #readParts: PartReader
  #chain: Promise<void> = Promise.resolve()
  #seq: number
  #damage: FindlingError | undefined
  #hasFailed = false
  #isPrepared = false
  #isComplete: boolean

  constructor({ index, reader, readParts, seq, fingerprint }: FeedParts) {
    this.index = index
    this.fingerprint = fingerprint
    this.#isComplete = index.missing.length === 0
    this.#reader = reader
    this.#readParts = readParts
    this.#seq = seq
  }

  /** Number of the last change taken in. */
  get seq(): number {
    return this.#seq
  }

  /** Whether the index has all its parts; it never loses any. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Set when a part that was left out turned out to be damaged: the index is of no more use. */
  get damage(): FindlingError | undefined {
    return this.#damage
  }

  /** Whether something queued has failed: nothing behind it will be done. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Queues work that must come before all later changes. */
  first(work: () => Promise<void>): Promise<void> {
    this.#chain = this.#chain.then(work)
    this.#chain.catch(() => {
      this.#hasFailed = true
    })
    return this.#chain
  }

  take(changes: readonly IndexChange[]): Promise<void> {
    return this.first(() => this.apply(changes))
  }

  /** Sees to it that the index has all its parts: before it can be changed, merged, or asked what needs them. */
  complete(): Promise<void> {
    return this.first(() => this.#attach())
  }

  /** Resolves when every change queued so far is in the index. */
  taken(): Promise<void> {
    return this.#chain
  }

  /** Whether the next search would have to make so many documents searchable that it were felt. */
  get isBehind(): boolean {
    return this.index.pending > FELT
  }

  /** Makes all documents of the index searchable, when every change queued so far is in it. */
  settle(): Promise<void> {
    return this.first(() => inStretches(this.index.settling()))
  }

  /** Takes in, out of turn, what is new of these changes, which must be in their order. */
  async apply(changes: readonly IndexChange[]): Promise<void> {
    await this.#attach()
    if (!this.#isPrepared) await inStretches(this.index.prepareChanges())
    this.#isPrepared = true
    const stretch = new Stretch()
    for (let i = 0; i < changes.length; i++) {
      if (i % LOOK_EVERY === 0 && stretch.isOver) await stretch.pause()
      if (this.index.isFull) await inStretches(this.index.settling())
      this.#takeIn(changes[i]!)
    }
  }

  #takeIn({ seq, id, document }: IndexChange): void {
    if (seq <= this.#seq) return
    if (document) this.index.add(id, this.#reader.texts(document), this.#reader.signals(document))
    else this.index.remove(id)
    this.#seq = seq
  }

  async #attach(): Promise<void> {
    if (this.#isComplete) return
    try {
      await inStretches(this.index.attaching(await this.#readParts(this.index.missing)))
      this.#isComplete = true
    } catch (error) {
      if (error instanceof FindlingError && error.code === 'STORE_CORRUPT') this.#damage = error
      throw error
    }
  }
}
