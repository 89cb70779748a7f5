import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import type { DatasetState } from '../../datasets/state.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import type { Store } from '../../store/store.ts'
import type { Derived, Finding } from '../derived.ts'
import type { DerivedMemory } from '../memory.ts'
import { type DocumentWritten, GatheredDocuments, type Gathering } from './gathered-documents.ts'

export interface LiveGatheringContext {
  store: Store
  state: DatasetState
  /** Limits its memory; no limit by default. */
  memory?: DerivedMemory
}

/** Creates gatherings of the documents of a dataset. */
export interface Gatherer<G extends Gathering> {
  /** What it is, in words for people. */
  readonly kind: string
  make(state: DatasetState): G
  /** Whether a gathering made now would be the same. */
  fits(gathering: G, state: DatasetState): boolean
}

/**
 * A gathering of the documents of one dataset, kept up to date: read from the stored documents on first use, fed by every commit
 * from then on, and read again when changed settings require it. Nothing of it is stored.
 */
export class LiveGathering<G extends Gathering> implements Derived {
  readonly #context: LiveGatheringContext
  readonly #gatherer: Gatherer<G>
  /** Number of calls that are working with it. */
  #uses = 0
  #gathered: GatheredDocuments<G> | undefined

  constructor(context: LiveGatheringContext, gatherer: Gatherer<G>) {
    this.#context = context
    this.#gatherer = gatherer
  }

  /** Whether what is in memory has every change so far. */
  get isSettled(): boolean {
    return this.#gathered?.isSettled ?? true
  }

  get kind(): string {
    return this.#gatherer.kind
  }

  get name(): string {
    return this.#context.state.name
  }

  get bytes(): number {
    return this.#gathered?.gathering.bytes ?? 0
  }

  follow(changes: readonly DocumentWritten[]): Promise<void> | undefined {
    return this.#gathered?.follow(changes)
  }

  /** The next call checks whether it still fits. */
  redefined(): void {}

  /** It needs no loading: the first call reads it. */
  async settle(): Promise<void> {}

  /** It reads the documents themselves, so the change log need keep nothing for it. */
  async catchUp(): Promise<number> {
    return Infinity
  }

  /** Nothing of it is stored. */
  async examine(): Promise<Finding[]> {
    return []
  }

  async rebuild(): Promise<void> {
    this.forget()
  }

  /**
   * Works with all documents, including every completed write; it stays in memory until the work is done.
   * @param deadline ends the waiting; the reading goes on for others
   */
  use<T>(work: (gathering: G) => T | Promise<T>, deadline?: Deadline): Promise<T> {
    return this.inUse(async () => {
      const reading = this.read()
      await deadline?.wait(reading)
      return await work(await reading)
    })
  }

  /** The same for work that yields one item after the other. */
  async *stream<T>(work: (gathering: G) => AsyncGenerator<T>): AsyncGenerator<T> {
    this.#assertThere()
    this.#uses++
    try {
      yield* work(await this.read())
    } finally {
      this.#uses--
    }
    await this.#context.memory?.used(this)
  }

  async release(): Promise<boolean> {
    if (this.#uses > 0) return false
    this.forget()
    return true
  }

  async close(): Promise<void> {
    this.forget()
  }

  /** Does work during which it is not released. */
  protected async inUse<T>(work: () => Promise<T>): Promise<T> {
    this.#assertThere()
    this.#uses++
    const result = await work().finally(() => this.#uses--)
    await this.#context.memory?.used(this)
    const { turn } = this.#context.store
    if (turn.isOver()) await turn.pause()
    return result
  }

  protected async read(): Promise<G> {
    const { store, state } = this.#context
    if (!this.#gathered || !this.#gatherer.fits(this.#gathered.gathering, state)) {
      this.#gathered = new GatheredDocuments(store, state, this.#gatherer.make(state))
    }
    const gathered = this.#gathered
    try {
      await gathered.settled()
    } catch (error) {
      if (this.#gathered === gathered) this.forget()
      throw error
    }
    return gathered.gathering
  }

  #assertThere(): void {
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
  }

  /** The next call reads the documents again. Waiting callers get what they asked for. */
  protected forget(): void {
    if (this.#uses === 0) this.#gathered?.leave()
    this.#gathered = undefined
  }
}

/** Whether the same fields were read, in the same order and in the same way. */
export const readAlike = (
  { fields, markup }: { readonly fields: readonly string[]; readonly markup: boolean },
  settings: Pick<DatasetSettings, 'interpretedFields' | 'markup'>,
): boolean =>
  markup === settings.markup &&
  fields.length === settings.interpretedFields.length &&
  settings.interpretedFields.every((field, i) => fields[i] === field)
