/** Listeners for writes below a prefix. */
export class Watchers {
  readonly #listeners = new Map<string, Set<(keys: readonly string[]) => void>>()

  /** @returns a function that ends it */
  add(prefix: string, listener: (keys: readonly string[]) => void): () => void {
    // A function that is added twice is called twice, and must be removed twice.
    const own = (keys: readonly string[]) => listener(keys)
    const known = this.#listeners.get(prefix) ?? new Set()
    this.#listeners.set(prefix, known.add(own))
    return () => {
      known.delete(own)
      if (known.size === 0 && this.#listeners.get(prefix) === known) this.#listeners.delete(prefix)
    }
  }

  /** Calls the listeners later, so that none of them can delay or break the write. */
  tell(prefix: string, keys: readonly string[]): void {
    for (const listener of this.#listeners.get(prefix) ?? []) queueMicrotask(() => listener(keys))
  }
}
