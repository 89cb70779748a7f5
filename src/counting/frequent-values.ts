/**
 * The most frequent of many values. All are counted while they are few; when there are too many, the rarer half is dropped and
 * its count is subtracted from all counts (Anderson et al., "A high-performance algorithm for identifying frequent items
 * in data streams", IMC 2017). A count is then a lower bound.
 */
export class FrequentValues {
  readonly #most: number
  readonly #counts = new Map<string, number>()
  #isExact = true

  /** @param most number of values that are guaranteed to be kept */
  constructor(most: number) {
    this.#most = most
  }

  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
    if (this.#counts.size > 2 * this.#most) this.#letGo()
  }

  #letGo(): void {
    this.#isExact = false
    const taken = [...this.#counts.values()].sort((a, b) => b - a)[this.#most]!
    for (const [value, count] of this.#counts) {
      if (count <= taken) this.#counts.delete(value)
      else this.#counts.set(value, count - taken)
    }
  }

  /** Whether no value was dropped, so that the counts are exact. */
  get isExact(): boolean {
    return this.#isExact
  }

  get entries(): IterableIterator<[value: string, count: number]> {
    return this.#counts.entries()
  }

  /** Most frequent first, equal ones by value. */
  top(limit: number): { value: string; count: number }[] {
    return [...this.#counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, limit)
  }
}
