import type { Store } from './store.ts'

/** Clears prefixes that the manifest lists as trash, and removes them from the list. */
export async function sweep(store: Store, prefixes: readonly string[]): Promise<void> {
  if (prefixes.length === 0) return
  for (const prefix of prefixes) await store.clear(prefix)
  const swept = new Set(prefixes)
  await store.amend(transaction => {
    const { manifest } = transaction
    transaction.manifest = { ...manifest, trash: manifest.trash.filter(prefix => !swept.has(prefix)) }
  })
}

/** Finishes what a crash interrupted. */
export const sweepAll = (store: Store): Promise<void> => sweep(store, store.manifest.trash)
