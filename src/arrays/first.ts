/** The first n of all that are offered, in any order; no more is kept. */
export class First<T = number> {
  readonly count: number
  readonly #compare: (one: T, other: T) => number
  /** A binary heap with the last at its root. */
  readonly #heap: T[] = []

  constructor(count: number, compare: (one: T, other: T) => number) {
    this.count = count
    this.#compare = compare
  }

  /** The last of them, once there are n: whatever sorts after it is not among the first n. */
  get last(): T | undefined {
    return this.#heap.length === this.count ? this.#heap[0] : undefined
  }

  offer(thing: T): void {
    if (this.#heap.length < this.count) this.#rise(thing)
    else if (this.count > 0 && this.#compare(thing, this.#heap[0]!) < 0) this.#sink(thing)
  }

  sorted(): T[] {
    return [...this.#heap].sort(this.#compare)
  }

  #rise(thing: T): void {
    const heap = this.#heap
    let place = heap.length
    heap.push(thing)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#compare(heap[parent]!, thing) >= 0) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = thing
  }

  #sink(thing: T): void {
    const heap = this.#heap
    let place = 0
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && this.#compare(heap[child + 1]!, heap[child]!) > 0) child++
      if (this.#compare(heap[child]!, thing) <= 0) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = thing
  }
}
