import { pruneTombstones, tombstonesToPrune } from '../store/change-log.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import type { Store } from '../store/store.ts'
import type { Change } from '../store/transaction.ts'
import type { Derived } from './derived.ts'
import type { DerivedMemory } from './memory.ts'

interface DerivativesContext {
  store: Store
  /** The dataset that they are derived from. */
  state: { readonly dataset: DatasetNumber; readonly name: string }
  memory: DerivedMemory
  warn(message: string, details: Record<string, unknown>): void
}

/** All derived structures of one dataset. */
export class Derivatives<
  Parts extends Readonly<Record<string, Derived>> = Readonly<Record<string, Derived>>,
> {
  readonly parts: Parts
  readonly members: readonly Derived[]
  readonly #context: DerivativesContext
  #pruning: Promise<void> | undefined
  #closing = false

  constructor(parts: Parts, context: DerivativesContext) {
    this.parts = parts
    this.members = Object.values(parts)
    this.#context = context
  }

  /** Memory that each part takes, by its name. */
  get bytes(): { [Name in keyof Parts]: number } {
    const entries = Object.entries(this.parts).map(([name, { bytes }]) => [name, bytes])
    return Object.fromEntries(entries) as { [Name in keyof Parts]: number }
  }

  /** Returns what the writers of the changes have to wait for. */
  follow(changes: readonly Change[]): Promise<void> | undefined {
    const waits: Promise<void>[] = []
    for (const member of this.members) {
      const wait = member.follow(changes)
      if (wait) waits.push(wait)
    }
    this.#beginPruning()
    if (waits.length < 2) return waits[0]
    return Promise.all(waits).then(() => undefined)
  }

  /** The settings have changed. */
  redefined(): void {
    for (const member of this.members) member.redefined()
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#pruning
    for (const member of this.members) await member.close()
    for (const member of this.members) this.#context.memory.forget(member)
  }

  /** Prunes old removals from the change log once all its readers have them, so that it never outgrows the documents. */
  #beginPruning(): void {
    const { store, state } = this.#context
    if (this.#closing || this.#pruning || tombstonesToPrune(store.counts(state.dataset)) === 0) return
    this.#pruning = this.#prune()
      .catch(error => {
        if (this.#closing || store.isClosing) return
        this.#context.warn(
          `Records of old removals in ${state.name} could not be deleted; this is retried later.`,
          {
            error,
          },
        )
      })
      .finally(() => {
        this.#pruning = undefined
      })
  }

  async #prune(): Promise<void> {
    const { store, state } = this.#context
    const passed = await Promise.all(this.members.map(member => member.catchUp()))
    await pruneTombstones(store, state.dataset, Math.min(store.seq, ...passed))
  }
}
