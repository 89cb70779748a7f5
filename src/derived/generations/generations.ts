import { Serial } from '../../scheduling/serial.ts'
import type { Manifest } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/transaction.ts'
import { sweep } from '../../store/trash.ts'
import { Generation, type SealedHead } from './generation.ts'

/** Where the generations of one kind are stored, and which of them the owner's entry in the manifest names. */
export interface GenerationPointer<Entry> {
  prefix(generation: number): string
  read(entry: Entry): number
  written(generation: number): Partial<Entry>
  /** The entry; undefined when the owner is gone. */
  find(manifest: Manifest): Entry | undefined
  /** The same, but throws when the owner is gone. */
  entry(transaction: Transaction): Entry
  change(transaction: Transaction, change: Partial<Entry>): void
}

/** What puts a generation in place. */
export interface Flip<Entry> {
  head: SealedHead
  /** Throws if the owner is no longer the one for which it was built. */
  check(entry: Entry): void
  /** Other members of the owner's entry that the same write changes. */
  change: Partial<Entry>
  /** Adds to the same write. */
  also?(transaction: Transaction): void
  /** Called when it is in place, before anything else runs. */
  inPlace(): void
}

interface GenerationsContext<Entry> {
  store: Store
  pointer: GenerationPointer<Entry>
  /** Called with the error when something could not be swept; the next open sweeps it. */
  unswept(error: unknown): void
}

/** The generations of something derived: one is in use; another may be built beside it, which then replaces it. */
export class Generations<Entry> {
  readonly #context: GenerationsContext<Entry>
  #current: Generation
  /** The highest number used so far: two may be built at the same time. */
  #begun = 0
  readonly #turns = new Serial()

  constructor(context: GenerationsContext<Entry>) {
    this.#context = context
    this.#current = this.#generation(this.#number)
  }

  /** The one in use. */
  get current(): Generation {
    return this.#current
  }

  /** Whether the owner is gone: nothing may be stored any more. */
  get areRemoved(): boolean {
    return this.#entry === undefined
  }

  /** Saving and flipping take turns: a save must not write into a generation that is being swept. */
  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#turns.run(work)
  }

  /** Resolves when all requested turns are over. */
  idle(): Promise<void> {
    return this.#turns.idle()
  }

  /**
   * Builds a generation beside the one in use, then flips the pointer to it and sweeps the old one. A crash leaves the old one,
   * and trash that the next open sweeps.
   */
  async *replace<P>(build: (beside: Generation) => AsyncGenerator<P, Flip<Entry>>): AsyncGenerator<P, void> {
    const { number, beside } = await this.#begin()
    let rubbish = beside.prefix
    try {
      const flip = yield* build(beside)
      await this.inTurn(async () => {
        const old = this.#current.prefix
        await this.#flip(number, beside, flip)
        rubbish = old
      })
    } finally {
      await this.#sweep(rubbish)
    }
  }

  /** Builds a generation that never replaces the one in use: it is removed when the work is over. */
  async *aside<P, T>(work: (aside: Generation) => AsyncGenerator<P, T>): AsyncGenerator<P, T> {
    const { beside } = await this.#begin()
    try {
      return yield* work(beside)
    } finally {
      await this.#sweep(beside.prefix)
    }
  }

  /** Begins a generation, which is trash until it is in place. */
  async #begin(): Promise<{ number: number; beside: Generation }> {
    const number = Math.max(this.#number, this.#begun) + 1
    this.#begun = number
    const beside = this.#generation(number)
    await this.#declareTrash(beside.prefix)
    return { number, beside }
  }

  /** The list of trash names it until it is gone: if this fails, the next open does it. */
  async #sweep(prefix: string): Promise<void> {
    await sweep(this.#context.store, [prefix]).catch(error => this.#context.unswept(error))
  }

  /** Puts it in place by one write, which also declares the old one trash. */
  async #flip(
    number: number,
    beside: Generation,
    { head, check, change, also, inPlace }: Flip<Entry>,
  ): Promise<void> {
    const { store, pointer } = this.#context
    const old = this.#current.prefix
    const flipped = () => {
      this.#current = beside
      inPlace()
    }
    await store.writeWhenRoom({
      reads: [],
      bytes: head.value.byteLength,
      apply(transaction) {
        check(pointer.entry(transaction))
        pointer.change(transaction, { ...change, ...pointer.written(number) })
        const { manifest } = transaction
        const trash = [...manifest.trash.filter(prefix => prefix !== beside.prefix), old]
        transaction.manifest = { ...manifest, trash }
        transaction.put(head.key, head.value)
        also?.(transaction)
        // Before anybody learns of the other changes of the commit.
        transaction.whenDurable(flipped)
      },
    })
  }

  async #declareTrash(prefix: string): Promise<void> {
    const { store, pointer } = this.#context
    await store.clear(prefix)
    await store.amend(transaction => {
      pointer.entry(transaction)
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

  get #entry(): Entry | undefined {
    return this.#context.pointer.find(this.#context.store.manifest)
  }
}
