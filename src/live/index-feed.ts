import { setImmediate as breathe } from 'node:timers/promises'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { FieldText } from '../fulltext/tail.ts'
import type { JsonObject } from '../json.ts'

/** What one change means to an index: a document as it is now, or null when it is gone. */
export interface IndexChange {
  seq: number
  id: string
  document: Readonly<JsonObject> | null
}

/** The texts of a document that an index reads, one per field. */
export type TextsOf = (document: Readonly<JsonObject>) => readonly FieldText[]

/** Milliseconds of indexing after which the event loop has its turn, looked at after every few documents. */
const STRETCH = 8
const LOOK_EVERY = 8

/** An index and the way changes take into it: one after the other, in their order, never holding the loop for long. */
export class IndexFeed {
  readonly index: FulltextIndex
  readonly #textsOf: TextsOf
  #chain: Promise<void> = Promise.resolve()
  #seq: number

  /** `seq`: number of the last change that is in the index. */
  constructor(index: FulltextIndex, textsOf: TextsOf, seq: number) {
    this.index = index
    this.#textsOf = textsOf
    this.#seq = seq
  }

  /** Number of the last change taken in. */
  get seq(): number {
    return this.#seq
  }

  /** Queues work that must come before all later changes. */
  first(work: () => Promise<void>): Promise<void> {
    this.#chain = this.#chain.then(work)
    return this.#chain
  }

  take(changes: readonly IndexChange[]): Promise<void> {
    this.#chain = this.#chain.then(() => this.apply(changes))
    return this.#chain
  }

  /** Resolves when every change queued so far is in the index. */
  settled(): Promise<void> {
    return this.#chain
  }

  async apply(changes: readonly IndexChange[]): Promise<void> {
    let until = performance.now() + STRETCH
    for (let i = 0; i < changes.length; i++) {
      if (i % LOOK_EVERY === 0 && performance.now() > until) {
        await breathe()
        until = performance.now() + STRETCH
      }
      const { seq, id, document } = changes[i]!
      if (document) this.index.add(id, this.#textsOf(document))
      else this.index.remove(id)
      if (seq > this.#seq) this.#seq = seq
    }
  }
}
