import type { Store } from './store.ts'

/** Clears a prefix that the manifest lists as trash, and removes it from the list. */
export async function sweep(store: Store, prefix: string): Promise<void> {
  await store.clear(prefix)
  await store.amend(transaction => {
    const { manifest } = transaction
    transaction.manifest = { ...manifest, trash: manifest.trash.filter(entry => entry !== prefix) }
  })
}

/** Finishes what a crash interrupted. */
export async function sweepAll(store: Store): Promise<void> {
  for (const prefix of store.manifest.trash) await sweep(store, prefix)
}
