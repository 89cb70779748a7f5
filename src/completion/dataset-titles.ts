import { recordIn } from '../datasets/record.ts'
import type { DatasetState } from '../datasets/state.ts'
import { allDocuments } from '../datasets/stored-documents.ts'
import { fieldTexts } from '../datasets/validation.ts'
import type { JsonObject } from '../json.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../store/transaction.ts'
import { Stretch } from '../stretch.ts'
import { Completions } from './completions.ts'

export type TitleChange = Pick<Change, 'id' | 'document'>

/** The titles of a dataset's documents: read once from what is stored, and from then on told of every commit. */
export class DatasetTitles {
  /** The field that is the title. */
  readonly field: string
  readonly completions = new Completions()
  readonly #state: DatasetState
  readonly #read: Promise<void>
  /** Documents that commits have told of while all are read: what is read of them may be older. */
  readonly #told = new Set<string>()
  #isReading = true
  #following: Promise<void> = Promise.resolve()

  constructor(store: Store, state: DatasetState, field: string) {
    this.field = field
    this.#state = state
    this.#read = this.#readAll(store)
    this.#read.catch(() => undefined) // told by settled()
  }

  /** Resolves when they know all documents and changes up to now; rejects when the documents could not be read. */
  async settled(): Promise<void> {
    await this.#read
    await this.#following
  }

  follow(changes: readonly TitleChange[]): Promise<void> {
    this.#following = this.#following.then(() => this.#apply(changes))
    return this.#following
  }

  async #readAll(store: Store): Promise<void> {
    const stretch = new Stretch()
    // What cannot be read completes nothing; the doctor names it.
    const onDamage = () => undefined
    for await (const batch of allDocuments({ store, state: this.#state }, { onDamage })) {
      for (const [id, payload] of batch) {
        if (!this.#told.has(id)) this.completions.add(id, this.#titleOf(recordIn(payload).document))
        if (stretch.isOver) await stretch.pause()
      }
    }
    this.#isReading = false
    this.#told.clear()
  }

  async #apply(changes: readonly TitleChange[]): Promise<void> {
    const stretch = new Stretch()
    for (const { id, document } of changes) {
      if (this.#isReading) this.#told.add(id)
      if (document) this.completions.add(id, this.#titleOf(document))
      else this.completions.remove(id)
      if (stretch.isOver) await stretch.pause()
    }
  }

  /** Of a list, its first text. */
  #titleOf(document: JsonObject): string | undefined {
    const [title] = fieldTexts(document, [this.field], this.#state.schema.root)
    return Array.isArray(title) ? title[0] : title
  }
}
