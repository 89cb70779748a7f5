import { recordIn } from '../datasets/record.ts'
import type { DatasetState } from '../datasets/state.ts'
import { allDocuments } from '../datasets/stored-documents.ts'
import { fieldTexts } from '../datasets/validation.ts'
import type { JsonObject } from '../json.ts'
import type { SimilarDocument } from '../similarity/aspects.ts'
import { SimilarityIndex } from '../similarity/similarity-index.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../store/transaction.ts'
import { inStretches, Stretch } from '../stretch.ts'

export type DocumentWritten = Pick<Change, 'id' | 'document'>

/** The documents of a dataset as they are compared: read once from what is stored, then told of every commit. */
export class DatasetLikeness {
  /** The fields that are compared; the first is the title. */
  readonly fields: readonly string[]
  readonly index = new SimilarityIndex()
  readonly #state: DatasetState
  readonly #read: Promise<void>
  /** Documents that commits have told of while all are read: what is read of them may be older. */
  readonly #told = new Set<string>()
  #isReading = true
  #isGone = false
  #following: Promise<void> = Promise.resolve()
  #refreshing: Promise<void> | undefined

  constructor(store: Store, state: DatasetState, fields: readonly string[]) {
    this.fields = fields
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

  /** What is compared of a document. */
  comparable(document: JsonObject): SimilarDocument {
    const [title, ...others] = fieldTexts(document, this.fields, this.#state.schema.root)
    return { title: joined(title), body: others.map(joined).join('\n') }
  }

  async #readAll(store: Store): Promise<void> {
    const stretch = new Stretch()
    // What cannot be read is like nothing; the doctor names it.
    const onDamage = () => undefined
    for await (const batch of allDocuments({ store, state: this.#state }, { onDamage })) {
      for (const [id, payload] of batch) {
        if (this.#isGone) return
        if (!this.#told.has(id)) this.index.add(id, this.comparable(recordIn(payload).document))
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
      if (document) this.index.add(id, this.comparable(document))
      else this.index.remove(id)
      if (stretch.isOver) await stretch.pause()
    }
    if (!this.#isReading && this.index.isStale) await this.#beginRefresh()
  }

  /** Who writes waits only for the refresh before, so that what is compared one by one stays little. */
  async #beginRefresh(): Promise<void> {
    await this.#refreshing
    if (this.#isGone || !this.index.isStale) return
    this.#refreshing = this.#refresh()
  }

  #refresh(): Promise<void> {
    return inStretches(this.#whileThere(this.index.refresh()))
  }

  *#whileThere(pieces: Iterable<void>): Generator<void, void> {
    for (const _ of pieces) {
      if (this.#isGone) return
      yield
    }
  }
}

const joined = (texts: string | string[] | undefined): string =>
  Array.isArray(texts) ? texts.join('\n') : (texts ?? '')
