import type { Store } from '../../store/store.ts'
import type { Transaction } from '../../store/transaction.ts'
import { sweep } from '../../store/trash.ts'
import { Generation, type Snapshot } from './generation.ts'

/** The storage of something that is remade from time to time: a new run is written beside the current one. */
export class Runs {
  readonly #store: Store
  readonly #generation: Generation

  /** @param prefix the prefix of its keys */
  constructor(store: Store, prefix: string) {
    this.#store = store
    this.#generation = new Generation(store, prefix)
  }

  get generation(): Pick<Generation, 'prefix' | 'stored' | 'readBlobs'> {
    return this.#generation
  }

  /** Begins a run: what it writes is trash until it is put in place. */
  async begin(run: number): Promise<void> {
    const place = this.#placeOf(run)
    await this.#store.clear(place)
    await this.#store.amend(transaction => {
      const { manifest } = transaction
      transaction.manifest = { ...manifest, trash: [...without(manifest.trash, place), place] }
    })
  }

  /** Removes what a run has written, unless the store is closing: then the next open removes it. */
  async abandon(run: number): Promise<void> {
    if (!this.#store.isClosing) await sweep(this.#store, [this.#placeOf(run)])
  }

  /** Stores a blob of a run, which nothing points to yet. @returns its name */
  async keep(run: number, place: string, bytes: Uint8Array): Promise<string> {
    const name = `${run}/${place}`
    await this.#generation.saveBlobs(new Map([[name, bytes]]))
    return name
  }

  /**
   * Puts a run in place and deletes obsolete blobs, by one write.
   * @param check throws if it must no longer be put in place
   */
  async put(
    run: number,
    snapshot: Pick<Snapshot, 'contents' | 'obsolete'>,
    { seq, fingerprint }: { readonly seq: number; readonly fingerprint: string },
    check?: (transaction: Transaction) => void,
  ): Promise<void> {
    const saved = { ...snapshot, blobs: new Map() }
    await this.#generation.save(saved, seq, fingerprint, transaction => {
      check?.(transaction)
      const { manifest } = transaction
      const trash = without(without(manifest.trash, this.#placeOf(run)), this.#generation.prefix)
      transaction.manifest = { ...manifest, trash }
    })
  }

  /**
   * Removes everything, unless the store is closing: then the current run is still there after the next open. One write removes
   * the pointer and makes the rest trash, which the next open clears if this does not get to it.
   */
  async remove(): Promise<void> {
    if (this.#store.isClosing) return
    const { prefix } = this.#generation
    await this.#store.amend(transaction => {
      const { manifest } = transaction
      const trash = manifest.trash.filter(one => !one.startsWith(prefix))
      this.#generation.drop(transaction)
      transaction.manifest = { ...manifest, trash: [...trash, prefix] }
    })
    await sweep(this.#store, [prefix])
  }

  #placeOf(run: number): string {
    return `${this.#generation.prefix}b/${run}/`
  }
}

const without = (trash: readonly string[], place: string): string[] => trash.filter(one => one !== place)
