/** What is done at a time. */
const AT_ONCE = 256

/** Does the same with each of many, a few at a time. */
export function* eachInPieces<T>(all: Iterable<T>, work: (one: T) => void): Generator<void, void> {
  let left = AT_ONCE
  for (const one of all) {
    work(one)
    if (--left > 0) continue
    yield
    left = AT_ONCE
  }
}
