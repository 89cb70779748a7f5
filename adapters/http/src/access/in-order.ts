/** Runs changes one after the other, so that they are stored in the order in which they take effect. */
export function inOrder(): <T>(change: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return change => {
    const changed = last.then(change)
    last = changed.catch(() => undefined)
    return changed
  }
}
