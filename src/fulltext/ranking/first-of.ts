/**
 * The first `count` of some things in an order, those up to and with `after` left out.
 * @param compare below 0 where the first one comes first
 */
export function firstOf(
  things: ArrayLike<number>,
  count: number,
  compare: (one: number, other: number) => number,
  after?: number,
): number[] {
  const first = new First(count, compare)
  for (let i = 0; i < things.length; i++)
    if (after === undefined || compare(things[i]!, after) > 0) first.offer(things[i]!)
  return first.sorted()
}

/** The first of what is offered, in any order. */
export class First {
  readonly count: number
  readonly #compare: (one: number, other: number) => number
  /** A binary heap with the last at its root. */
  readonly #heap: number[] = []

  constructor(count: number, compare: (one: number, other: number) => number) {
    this.count = count
    this.#compare = compare
  }

  /** The last of them, once there are as many as are wanted: what comes behind it is not among them. */
  get last(): number | undefined {
    return this.#heap.length === this.count ? this.#heap[0] : undefined
  }

  offer(thing: number): void {
    if (this.#heap.length < this.count) this.#rise(thing)
    else if (this.count > 0 && this.#compare(thing, this.#heap[0]!) < 0) this.#sink(thing)
  }

  sorted(): number[] {
    return [...this.#heap].sort(this.#compare)
  }

  #rise(thing: number): void {
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

  #sink(thing: number): void {
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
