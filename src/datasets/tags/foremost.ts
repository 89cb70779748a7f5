/** The first so many of all that are offered, in order; no more is kept. */
export class Foremost<T> {
  readonly #count: number
  readonly #compare: (a: T, b: T) => number
  readonly #kept: T[] = []

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count
    this.#compare = compare
  }

  get inOrder(): readonly T[] {
    return this.#kept
  }

  offer(item: T): void {
    const kept = this.#kept
    const last = kept[this.#count - 1]
    if (this.#count === 0 || (last !== undefined && this.#compare(item, last) >= 0)) return
    let [from, to] = [0, kept.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#compare(item, kept[middle]!) < 0) to = middle
      else from = middle + 1
    }
    kept.splice(from, 0, item)
    if (kept.length > this.#count) kept.pop()
  }
}
