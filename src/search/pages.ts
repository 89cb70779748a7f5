type Compare = (one: number, other: number) => number

/** To look through all documents takes long: so many pages are found at once, from the second on. */
const PAGES_AHEAD = 32
const MOST_AHEAD = 32_768

/** Documents in an order, page by page; what nobody asks for is not sorted. */
export class Pages {
  readonly #documents: Uint32Array
  readonly #compare: Compare | undefined
  /** Those that come next, in order. */
  #ahead: number[] = []
  #given = 0
  #last: number | undefined

  /** @param compare below 0 where the first one comes first; without it they are in order */
  constructor(documents: Uint32Array, compare: Compare | undefined) {
    this.#documents = documents
    this.#compare = compare
  }

  /** Documents on all pages. */
  get count(): number {
    return this.#documents.length
  }

  next(count: number): number[] {
    const wanted = Math.min(count, this.count - this.#given)
    const page = this.#compare ? this.#found(wanted, this.#compare) : this.#following(wanted)
    this.#given += page.length
    this.#last = page.at(-1) ?? this.#last
    return page
  }

  #following(count: number): number[] {
    return Array.from(this.#documents.subarray(this.#given, this.#given + count))
  }

  #found(count: number, compare: Compare): number[] {
    if (this.#ahead.length < count) {
      const isFirst = this.#last === undefined
      const most = isFirst ? count : Math.max(count, Math.min(MOST_AHEAD, count * PAGES_AHEAD))
      this.#ahead = firstOf(this.#documents, most, compare, this.#last)
    }
    return this.#ahead.splice(0, count)
  }
}

/** The first `count` of some documents in an order, those up to and with `after` left out. */
function firstOf(
  documents: Uint32Array,
  count: number,
  compare: (one: number, other: number) => number,
  after?: number,
): number[] {
  if (count === 0) return []
  // A binary heap with the last at its root.
  const heap: number[] = []
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!
    if (heap.length === count && compare(document, heap[0]!) >= 0) continue
    if (after !== undefined && compare(document, after) <= 0) continue
    if (heap.length < count) rise(heap, document, compare)
    else sink(heap, document, compare)
  }
  return heap.sort(compare)
}

function rise(heap: number[], document: number, compare: (one: number, other: number) => number): void {
  let place = heap.length
  heap.push(document)
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (compare(heap[parent]!, document) >= 0) break
    heap[place] = heap[parent]!
    place = parent
  }
  heap[place] = document
}

function sink(heap: number[], document: number, compare: (one: number, other: number) => number): void {
  let place = 0
  for (let child = 1; child < heap.length; child = 2 * place + 1) {
    if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++
    if (compare(heap[child]!, document) <= 0) break
    heap[place] = heap[child]!
    place = child
  }
  heap[place] = document
}
