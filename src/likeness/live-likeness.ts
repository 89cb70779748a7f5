import type { DatasetState } from '../datasets/state.ts'
import type { Derived, Finding } from '../derived/derived.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import { LoopTurn } from '../loop-turn.ts'
import type { Store } from '../store/store.ts'
import { DatasetLikeness, type DocumentWritten } from './dataset-likeness.ts'

export interface LiveLikenessContext {
  store: Store
  state: DatasetState
  /** Bounds what it takes; nothing does by default. */
  memory?: DerivedMemory
}

/**
 * How like each other the documents of one dataset are, kept in step with them: read from the stored documents when
 * somebody asks for the first time, fed by every commit from then on, read anew when other fields are searched. Nothing
 * of it is stored.
 */
export class LiveLikeness implements Derived {
  readonly kind = 'comparison of documents'
  readonly #context: LiveLikenessContext
  readonly #loopTurn = new LoopTurn()
  /** Calls that work with it at present. */
  #uses = 0
  #likeness: DatasetLikeness | undefined

  constructor(context: LiveLikenessContext) {
    this.#context = context
  }

  get name(): string {
    return this.#context.state.name
  }

  /** Roughly how much memory it holds. */
  get bytes(): number {
    return this.#likeness?.index.bytes ?? 0
  }

  follow(changes: readonly DocumentWritten[]): Promise<void> | undefined {
    return this.#likeness?.follow(changes)
  }

  /** Who asks next sees whether other fields are searched. */
  redefined(): void {}

  /** It needs no loading: who asks has it read. */
  async settle(): Promise<void> {}

  /** It reads the documents itself, so that the change log need keep nothing for it. */
  async catchUp(): Promise<number> {
    return Infinity
  }

  /** Nothing of it is stored. */
  async examine(): Promise<Finding[]> {
    return []
  }

  async rebuild(): Promise<void> {
    this.#forget()
  }

  /** Works with all documents, every completed write among them; it stays in memory until the work is done. */
  async use<T>(work: (likeness: DatasetLikeness) => Promise<T>): Promise<T> {
    const { store, state, memory } = this.#context
    store.assertOpen()
    state.assertThere()
    this.#uses++
    const result = await this.#read()
      .then(work)
      .finally(() => this.#uses--)
    await memory?.used(this)
    if (this.#loopTurn.isOver()) await this.#loopTurn.pause()
    return result
  }

  async release(): Promise<boolean> {
    if (this.#uses > 0) return false
    this.#forget()
    return true
  }

  async close(): Promise<void> {
    this.#forget()
  }

  /** Who asks next has the documents read again. */
  #forget(): void {
    this.#likeness?.leave()
    this.#likeness = undefined
  }

  async #read(): Promise<DatasetLikeness> {
    const { store, state } = this.#context
    const { interpretedFields: fields } = state.settings
    if (!sameFields(this.#likeness?.fields, fields)) {
      this.#likeness = new DatasetLikeness(store, state, fields)
    }
    const likeness = this.#likeness!
    try {
      await likeness.settled()
    } catch (error) {
      if (this.#likeness === likeness) this.#forget()
      throw error
    }
    return likeness
  }
}

const sameFields = (before: readonly string[] | undefined, now: readonly string[]): boolean =>
  before?.length === now.length && now.every((field, i) => before[i] === field)
