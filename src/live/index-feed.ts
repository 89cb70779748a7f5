import { FindlingError } from '../errors.ts'
import { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Answering, LoadedIndex } from '../fulltext/loaded-index.ts'
import type { ColumnValue } from '../fulltext/segments/columns/columns.ts'
import type { FieldText } from '../fulltext/segments/token-list.ts'
import type { JsonObject } from '../json.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import type { DocumentReader } from './indexing.ts'

/** A change as an index sees it: the current document, or null if it was removed. */
export interface IndexChange {
  seq: number
  id: string
  document: Readonly<JsonObject> | null
  /** The previous document, if it is known without reading it. */
  patched?: Readonly<JsonObject> | undefined
}

interface LongDocument {
  readonly seq: number
  readonly id: string
  readonly texts: readonly FieldText[]
  readonly columns: readonly ColumnValue[]
}

/** Reads parts of an index that were left out when it was loaded. */
export type PartReader = (names: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>

interface FeedParts {
  index: FulltextIndex | LoadedIndex
  reader: DocumentReader
  readParts: PartReader
  /** Number of the last change that is in the index. */
  seq: number
  /** Fingerprint of the settings that the index is built with. */
  fingerprint: string
}

/** Number of documents that are indexed between two looks at the clock. */
const LOOK_EVERY = 8

/** Making more typical documents than this searchable takes several milliseconds. */
const FELT = 512

/** Number of values of a document, tags included, that take as long as a long text. */
const MANY_VALUES = 10_000

/** An index and the queue of changes to it: applied one after the other, in order, without blocking the event loop for long. */
export class IndexFeed {
  #index: FulltextIndex | LoadedIndex
  readonly fingerprint: string
  readonly #reader: DocumentReader
  readonly #readParts: PartReader
  #chain: Promise<unknown> = Promise.resolve()
  /** Number of queued tasks that are not done yet. */
  #queued = 0
  #seq: number
  #damage: FindlingError | undefined
  #hasFailed = false
  #isPrepared = false

  constructor({ index, reader, readParts, seq, fingerprint }: FeedParts) {
    this.#index = index
    this.fingerprint = fingerprint
    this.#reader = reader
    this.#readParts = readParts
    this.#seq = seq
  }

  /** Number of the last change applied. */
  get seq(): number {
    return this.#seq
  }

  /** The index as far as it is loaded: completely, once that was needed. */
  get index(): FulltextIndex | LoadedIndex {
    return this.#index
  }

  /** The index once it is loaded completely. */
  get whole(): FulltextIndex | undefined {
    return this.#index instanceof FulltextIndex ? this.#index : undefined
  }

  /** Set if a part that was not loaded at first turned out to be damaged: the index is unusable. */
  get damage(): FindlingError | undefined {
    return this.#damage
  }

  /** Whether a queued task has failed: nothing after it will be done. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Queues work that must come before all later changes. */
  first<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#chain.then(work)
    this.#chain = done
    this.#queued++
    done.then(
      () => {
        this.#queued--
      },
      () => {
        this.#hasFailed = true
      },
    )
    return done
  }

  take(changes: readonly IndexChange[]): Promise<void> {
    return this.first(() => this.apply(changes))
  }

  /** A form of the index that can answer every query, valid until the next change. */
  readable(): Promise<Answering> {
    return this.first(() => this.#read())
  }

  /** Loads the index completely, as is needed to change, merge or save it. */
  complete(): Promise<FulltextIndex> {
    return this.first(() => this.#complete())
  }

  /** Resolves when every change queued so far is in the index. */
  async taken(): Promise<void> {
    await this.#chain
  }

  /** Whether the next search would be noticeably slower because it has to make documents searchable, or to sort words. */
  get isBehind(): boolean {
    return (this.whole?.pending ?? 0) > FELT || !this.#index.areAffixesSorted
  }

  /** Whether every change is in the index, and a search of it would not be noticeably slower. */
  get isAtRest(): boolean {
    return this.#queued === 0 && !this.isBehind
  }

  /** Makes all documents of the index searchable, and its words sorted, once every change queued so far is applied. */
  settle(): Promise<void> {
    return this.first(async () => {
      // An index that is not loaded completely has taken no change.
      if (this.whole) await inStretches(this.whole.settling())
      if (!this.#index.areAffixesSorted) await inStretches(this.#index.sortAffixes())
    })
  }

  /** Applies those of the changes that are new, without queueing. They must be in order. */
  async apply(changes: readonly IndexChange[]): Promise<void> {
    const index = await this.#complete()
    if (!this.#isPrepared) await inStretches(index.prepareChanges())
    this.#isPrepared = true
    const stretch = new Stretch()
    for (let i = 0; i < changes.length; i++) {
      if (i % LOOK_EVERY === 0 && stretch.isOver) await stretch.pause()
      if (index.isFull) await inStretches(index.settling())
      const taken = this.#takeIn(index, changes[i]!)
      if (taken) await taken
    }
  }

  /** Synchronous unless the document is long. */
  #takeIn(index: FulltextIndex, { seq, id, document, patched }: IndexChange): Promise<void> | undefined {
    if (seq <= this.#seq) return undefined
    if (document) {
      const texts = this.#reader.texts(document)
      const columns = this.#reader.columns(document)
      const isSame = patched !== undefined && areSame(texts, this.#reader.texts(patched))
      if (isSame && columns.length <= MANY_VALUES && index.addAgain(id, columns)) {
        this.#seq = seq
        return undefined
      }
      if (index.areLong(texts) || columns.length > MANY_VALUES)
        return this.#takeInLong(index, { seq, id, texts, columns })
      index.add(id, texts, columns)
    } else index.remove(id)
    this.#seq = seq
    return undefined
  }

  async #takeInLong(index: FulltextIndex, { seq, id, texts, columns }: LongDocument): Promise<void> {
    const stretch = new Stretch()
    // Reading this many takes as long as indexing them.
    if (columns.length > MANY_VALUES) await stretch.pause()
    await stretch.through(index.adding(id, texts, columns))
    this.#seq = seq
  }

  async #complete(): Promise<FulltextIndex> {
    const index = this.#index
    if (index instanceof FulltextIndex) return index
    try {
      const names = [...index.missing('forward'), ...index.missing('columns')]
      const parts = await this.#readParts(names)
      const whole = await inStretches(index.completing(name => parts.get(name)))
      this.#index = whole
      return whole
    } catch (error) {
      throw this.#seen(error)
    }
  }

  async #read(): Promise<Answering> {
    const index = this.#index
    if (index instanceof FulltextIndex) return index
    try {
      const parts = await this.#readParts(index.missing('forward'))
      return await inStretches(index.reading(name => parts.get(name)))
    } catch (error) {
      throw this.#seen(error)
    }
  }

  #seen(error: unknown): unknown {
    if (error instanceof FindlingError && error.code === 'STORE_CORRUPT') this.#damage = error
    return error
  }
}

/** Whether two documents have the same texts, where the later one was made from the other. */
function areSame(texts: readonly FieldText[], others: readonly FieldText[]): boolean {
  return texts.every((text, field) => {
    const other = others[field]
    if (typeof text === 'string' || typeof other === 'string' || !text || !other) return text === other
    return text.length === other.length && text.every((one, i) => one === other[i])
  })
}
