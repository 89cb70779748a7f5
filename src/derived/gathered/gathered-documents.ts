import { recordIn } from '../../datasets/record.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments } from '../../datasets/stored-documents.ts'
import type { JsonObject } from '../../json.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import type { Change } from '../../store/transaction.ts'

/** An in-memory structure over all documents of a dataset. */
export interface Gathering {
  /** Approximate memory that it takes. */
  readonly bytes: number
  /** Whether enough has changed to make a refresh worthwhile. */
  readonly isStale?: boolean
  /** Adds a document, replacing the one with this id. */
  add(id: string, document: JsonObject): void
  /** Adds a stored document without parsing all of it. False: it has to be parsed. */
  addStored?(id: string, payload: Buffer): boolean
  remove(id: string): void
  /** Runs when all documents were read, and whenever it is stale; it may be queried and changed between pieces. */
  refresh?(): Iterable<void>
}

export type DocumentWritten = Pick<Change, 'id' | 'document'>

/** Feeds the documents of a dataset to a gathering: first all that are stored, then those of every commit. */
export class GatheredDocuments<G extends Gathering> {
  readonly gathering: G
  readonly #state: DatasetState
  readonly #read: Promise<void>
  /** Documents that commits changed during the first read, which may see older versions of them. */
  readonly #told = new Set<string>()
  #isReading = true
  #isGone = false
  #following: Promise<void> = Promise.resolve()
  /** Number of commits that have not been applied. */
  #waiting = 0
  #refreshing: Promise<void> | undefined

  constructor(store: Store, state: DatasetState, gathering: G) {
    this.gathering = gathering
    this.#state = state
    this.#read = this.#readAll(store)
    this.#read.catch(() => undefined) // reported by settled()
  }

  /** Resolves when it has all documents and changes up to now; rejects when the documents could not be read. */
  async settled(): Promise<void> {
    await this.#read
    await this.#following
  }

  /** Whether it has all documents and changes up to now. */
  get isSettled(): boolean {
    return !this.#isReading && this.#waiting === 0
  }

  follow(changes: readonly DocumentWritten[]): Promise<void> {
    this.#waiting++
    this.#following = this.#following.then(() => this.#apply(changes)).finally(() => this.#waiting--)
    return this.#following
  }

  /** Ends its background work. */
  leave(): void {
    this.#isGone = true
  }

  async #readAll(store: Store): Promise<void> {
    const stretch = new Stretch()
    // Unreadable documents are left out; the doctor names them.
    const onDamage = () => undefined
    for await (const batch of allDocuments({ store, state: this.#state }, { onDamage, largeBatches: true })) {
      for (const [id, payload] of batch) {
        if (this.#isGone) return
        if (!this.#told.has(id)) this.#add(id, payload)
        if (stretch.isOver) await stretch.pause()
      }
    }
    await this.#refresh()
    this.#isReading = false
    this.#told.clear()
  }

  #add(id: string, payload: Buffer): void {
    const { gathering } = this
    if (!gathering.addStored?.(id, payload)) gathering.add(id, recordIn(payload).document)
  }

  async #apply(changes: readonly DocumentWritten[]): Promise<void> {
    const stretch = new Stretch()
    for (const { id, document } of changes) {
      if (this.#isGone) return
      if (this.#isReading) this.#told.add(id)
      if (document) this.gathering.add(id, document)
      else this.gathering.remove(id)
      if (stretch.isOver) await stretch.pause()
    }
    if (!this.#isReading && this.gathering.isStale) await this.#beginRefresh()
  }

  /** Writers wait only for the previous refresh, so that they do not get far ahead of the refreshes. */
  async #beginRefresh(): Promise<void> {
    await this.#refreshing
    if (this.#isGone || !this.gathering.isStale) return
    this.#refreshing = this.#refresh()
  }

  #refresh(): Promise<void> {
    return inStretches(this.#whileThere(this.gathering.refresh?.() ?? []))
  }

  *#whileThere(pieces: Iterable<void>): Generator<void, void> {
    for (const _ of pieces) {
      if (this.#isGone) return
      yield
    }
  }
}
