import { Serial } from '../serial.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import { type DatasetEntry, datasetEntry } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { sweep } from '../store/trash.ts'
import { Generation, type SealedHead } from './generation.ts'

/** Where the generations of one kind of derived thing lie, and which of them the manifest says is in use. */
export interface GenerationPointer {
  prefix(generation: number): string
  read(entry: DatasetEntry): number
  written(generation: number): Partial<DatasetEntry>
}

/** What puts a generation in place. */
export interface Flip {
  head: SealedHead
  /** Throws where the dataset is no longer what it was built for. */
  check(entry: DatasetEntry): void
  /** What else of the dataset changes by the same write. */
  change: Partial<DatasetEntry>
  /** Called when it is in place, before anybody else has a turn. */
  inPlace(): void
}

interface GenerationsContext {
  store: Store
  dataset: DatasetNumber
  pointer: GenerationPointer
  /** Hears what could not be swept; the next open does it. */
  unswept(error: unknown): void
}

/** The generations of something derived: one is in use, another may be built beside it and then takes its place. */
export class Generations {
  readonly #context: GenerationsContext
  #current: Generation
  readonly #turns = new Serial()

  constructor(context: GenerationsContext) {
    this.#context = context
    this.#current = this.#generation(this.#number)
  }

  /** The one in use. */
  get current(): Generation {
    return this.#current
  }

  /** Whether the dataset is gone: nothing of it may be stored any more. */
  get areRemoved(): boolean {
    return this.#entry === undefined
  }

  /** Saving and flipping take turns: a save must not write into a generation that is being swept. */
  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#turns.run(work)
  }

  /** Resolves when those who have asked for a turn have had it. */
  idle(): Promise<void> {
    return this.#turns.idle()
  }

  /**
   * Has a generation built beside the one in use, then flips the pointer to it and sweeps the old one. A crash leaves
   * the old one, and rubbish that the next open sweeps.
   */
  async *replace<P>(build: (beside: Generation) => AsyncGenerator<P, Flip>): AsyncGenerator<P, void> {
    const { store } = this.#context
    const number = this.#number + 1
    const beside = this.#generation(number)
    await this.#declareTrash(beside.prefix)
    let rubbish = beside.prefix
    try {
      const flip = yield* build(beside)
      await this.inTurn(async () => {
        const old = this.#current.prefix
        await this.#flip(number, beside, flip)
        rubbish = old
      })
    } finally {
      // The list of trash names it until it is gone: what fails here is done at the next open.
      await sweep(store, rubbish).catch(error => this.#context.unswept(error))
    }
  }

  /** Puts it in place by one write, which also declares the old one trash. */
  async #flip(number: number, beside: Generation, { head, check, change, inPlace }: Flip): Promise<void> {
    const { store, dataset, pointer } = this.#context
    const old = this.#current.prefix
    const flipped = () => {
      this.#current = beside
      inPlace()
    }
    await store.writeWhenRoom({
      reads: [],
      bytes: head.value.byteLength,
      apply(transaction) {
        check(transaction.dataset(dataset))
        transaction.setEntry(dataset, { ...change, ...pointer.written(number) })
        const { manifest } = transaction
        const trash = [...manifest.trash.filter(prefix => prefix !== beside.prefix), old]
        transaction.manifest = { ...manifest, trash }
        transaction.put(head.key, head.value)
        // Before anybody hears of what else the commit changed.
        transaction.whenDurable(flipped)
      },
    })
  }

  async #declareTrash(prefix: string): Promise<void> {
    const { store, dataset } = this.#context
    await store.clear(prefix)
    await store.amend(transaction => {
      transaction.dataset(dataset)
      const { manifest } = transaction
      transaction.manifest = { ...manifest, trash: [...manifest.trash, prefix] }
    })
  }

  #generation(number: number): Generation {
    return new Generation(this.#context.store, this.#context.pointer.prefix(number))
  }

  get #number(): number {
    return this.#entry ? this.#context.pointer.read(this.#entry) : 1
  }

  get #entry(): DatasetEntry | undefined {
    return datasetEntry(this.#context.store.manifest, this.#context.dataset)
  }
}
