import { recordIn } from '../../src/datasets/record.ts'
import { allDocuments } from '../../src/datasets/stored-documents.ts'
import type { DerivationContext } from '../../src/derivations.ts'
import type { Derived, Finding } from '../../src/derived/derived.ts'
import type { JsonObject } from '../../src/json.ts'
import type { Change } from '../../src/store/transaction.ts'

/** Counts the documents of each tag: read when somebody asks, told of every commit from then on. */
export class TagCounter implements Derived {
  readonly kind = 'counter of tags'
  readonly #context: DerivationContext
  #counts: Promise<Map<string, number>> | undefined
  /** Commits that came while the documents were being read are told once they have been. */
  #following: Promise<void> = Promise.resolve()
  #newestRead = 0

  constructor(context: DerivationContext) {
    this.#context = context
  }

  get name() {
    return this.#context.state.name
  }

  get bytes() {
    return this.#counts ? 1000 : 0
  }

  async counts(): Promise<Map<string, number>> {
    this.#counts ??= this.#read()
    const counts = await this.#counts
    await this.#following
    return new Map([...counts].filter(([, count]) => count !== 0))
  }

  follow(changes: readonly Change[]): Promise<void> | undefined {
    const counts = this.#counts
    if (!counts) return undefined
    this.#following = this.#following.then(async () => {
      const known = await counts
      for (const { seq, before, document } of changes) {
        if (seq <= this.#newestRead) continue
        if (before) this.#count(known, before, -1)
        if (document) this.#count(known, document, 1)
      }
    })
    return this.#following
  }

  redefined(): void {}

  async settle(): Promise<void> {
    await this.counts()
  }

  async catchUp(): Promise<number> {
    return Infinity
  }

  async examine(ids: readonly string[]): Promise<Finding[]> {
    const counts = await this.counts()
    const most = Math.max(0, ...counts.values())
    return most > ids.length ? [{ subject: String(most), message: 'More are counted than there are.' }] : []
  }

  async rebuild(): Promise<void> {
    this.#counts = undefined
  }

  async release(): Promise<boolean> {
    this.#counts = undefined
    return true
  }

  async close(): Promise<void> {
    this.#counts = undefined
  }

  async #read(): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    this.#newestRead = this.#context.store.seq
    for await (const batch of allDocuments(this.#context))
      for (const [, payload] of batch) this.#count(counts, recordIn(payload).document, 1)
    return counts
  }

  #count(counts: Map<string, number>, document: Readonly<JsonObject>, step: number): void {
    for (const tag of this.#context.state.rules.tagIds(document))
      counts.set(tag, (counts.get(tag) ?? 0) + step)
  }
}
