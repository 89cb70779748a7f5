import { jobKey, servicePrefix } from '../store/keyspace.ts'
import { type ServiceEntry, serviceEntry, withService } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { changing, type Mutation } from '../store/transaction.ts'
import { sweep } from '../store/trash.ts'
import { noService, wrongState } from './refusals.ts'
import type { ServiceDataset } from './service-definition.ts'

/** What the manifest says of one service, and how that changes. */
export class StoredService {
  readonly #id: string
  readonly #store: Store

  constructor(id: string, store: Store) {
    this.#id = id
    this.#store = store
  }

  /** SERVICE_NOT_FOUND when it has been removed. */
  get entry(): ServiceEntry {
    return this.#found ?? noService(this.#id)
  }

  get isThere(): boolean {
    return this.#found !== undefined
  }

  /** For people, also when it has just been removed. */
  get name(): string {
    return this.#found?.name ?? this.#id
  }

  /** A service belongs to the dataset from the moment its preparation is requested. */
  claim({ state }: ServiceDataset): Promise<void> {
    return this.#store.amend(transaction => {
      const { name } = transaction.dataset(state.dataset, state.name)
      if (!serviceEntry(transaction.manifest, this.#id)) noService(this.#id)
      transaction.manifest = withService(transaction.manifest, this.#id, { dataset: name })
    })
  }

  change(change: Partial<ServiceEntry>): Promise<void> {
    return this.#store.write({
      reads: [],
      bytes: 0,
      apply: transaction => {
        if (!serviceEntry(transaction.manifest, this.#id)) noService(this.#id)
        transaction.manifest = withService(transaction.manifest, this.#id, change)
      },
    })
  }

  /** SERVICE_STATE if another call has done it since this one was checked. */
  deactivate(): Promise<void> {
    const deactivating = changing(manifest => {
      const { name, isActive } = serviceEntry(manifest, this.#id) ?? noService(this.#id)
      if (!isActive) wrongState(name, 'prepared', 'deactivate', 'active')
      return [withService(manifest, this.#id, { isActive: false }), undefined]
    })
    return this.#store.write(deactivating)
  }

  /** Removes it with the states of its jobs; everything else that it has stored is garbage from then on. */
  remove(jobs: readonly string[]): Promise<void> {
    return this.#store.write(this.removing(jobs))
  }

  /** @param then called as soon as it is stored */
  removing(jobs: readonly string[], then = () => {}): Mutation<void> {
    return changing((manifest, transaction) => {
      if (!serviceEntry(manifest, this.#id)) noService(this.#id)
      const services = manifest.services.filter(({ id }) => id !== this.#id)
      for (const id of jobs) transaction.delete(jobKey(id))
      transaction.whenDurable(then)
      return [{ ...manifest, services, trash: [...manifest.trash, servicePrefix(this.#id)] }, undefined]
    })
  }

  /** Frees the space of a removed service. */
  sweep(): Promise<void> {
    return sweep(this.#store, [servicePrefix(this.#id)])
  }

  get #found(): ServiceEntry | undefined {
    return serviceEntry(this.#store.manifest, this.#id)
  }
}
