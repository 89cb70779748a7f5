import { recordIn } from '../../datasets/record.ts'
import type { DatasetState } from '../../datasets/state.ts'
import { allDocuments } from '../../datasets/stored-documents.ts'
import type { JsonObject } from '../../json.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { Store } from '../../store/store.ts'
import type { Change } from '../../store/transaction.ts'

/** What is kept in memory of all documents of a dataset. */
export interface Gathering {
  /** Roughly how much memory it holds. */
  readonly bytes: number
  /** Whether enough has changed to make a refresh worthwhile. */
  readonly isStale?: boolean
  /** Takes a document in, in place of the one with this id. */
  add(id: string, document: JsonObject): void
  remove(id: string): void
  /** What is due when all documents were read, and whenever it is stale; it is asked and changed between pieces. */
  refresh?(): Iterable<void>
}

export type DocumentWritten = Pick<Change, 'id' | 'document'>

/** Tells a gathering of the documents of a dataset: once of all that are stored, then of every commit. */
export class GatheredDocuments<G extends Gathering> {
  readonly gathering: G
  readonly #state: DatasetState
  readonly #read: Promise<void>
  /** Documents that commits have told of while all are read: what is read of them may be older. */
  readonly #told = new Set<string>()
  #isReading = true
  #isGone = false
  #following: Promise<void> = Promise.resolve()
  #refreshing: Promise<void> | undefined

  constructor(store: Store, state: DatasetState, gathering: G) {
    this.gathering = gathering
    this.#state = state
    this.#read = this.#readAll(store)
    this.#read.catch(() => undefined) // told by settled()
  }

  /** Resolves when it has all documents and changes up to now; rejects when the documents could not be read. */
  async settled(): Promise<void> {
    await this.#read
    await this.#following
  }

  follow(changes: readonly DocumentWritten[]): Promise<void> {
    this.#following = this.#following.then(() => this.#apply(changes))
    return this.#following
  }

  /** Ends what goes on behind it. */
  leave(): void {
    this.#isGone = true
  }

  async #readAll(store: Store): Promise<void> {
    const stretch = new Stretch()
    // What cannot be read is left out; the doctor names it.
    const onDamage = () => undefined
    for await (const batch of allDocuments({ store, state: this.#state }, { onDamage })) {
      for (const [id, payload] of batch) {
        if (this.#isGone) return
        if (!this.#told.has(id)) this.gathering.add(id, recordIn(payload).document)
        if (stretch.isOver) await stretch.pause()
      }
    }
    await this.#refresh()
    this.#isReading = false
    this.#told.clear()
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

  /** Writers wait only for the previous refresh, so that little is done without one. */
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
