/** What is counted of one thing; the first number says how often there was one. */
export type Tallies = number[]

/** As it is stored: its name, what keeps it, and what was counted. */
export type StoredRow = readonly [name: string, weight: number, ...tally: number[]]

interface Counted {
  /** What keeps it: its first number, less what was taken from all as rarer ones were let go. */
  weight: number
  readonly tally: Tallies
}

/**
 * What is counted of the most frequent of many things: of all while they are few. Beyond, the rarer half is let go, and
 * what that takes from the weights is taken from all, so that whatever is frequent enough is there (Anderson et al., "A
 * high-performance algorithm for identifying frequent items in data streams", IMC 2017). What was counted of a thing before
 * it was let go is missing, at most `missed` of it.
 */
export class FrequentRows {
  readonly #most: number
  readonly #width: number
  readonly #rows = new Map<string, Counted>()
  #missed = 0

  /**
   * @param width how many numbers are counted of each
   * @param most how many are kept for certain
   */
  constructor(width: number, most: number) {
    this.#width = width
    this.#most = most
  }

  /** Up to how much may be missing from the first number of each; 0 while nothing was let go. */
  get missed(): number {
    return this.#missed
  }

  get size(): number {
    return this.#rows.size
  }

  /** That of a thing, to add to it. @param times what is about to be added to its first number */
  of(name: string, times = 0): Tallies {
    let row = this.#rows.get(name)
    if (!row) {
      if (this.#rows.size >= 2 * this.#most) this.#letGo()
      row = { weight: 0, tally: new Array<number>(this.#width).fill(0) }
      this.#rows.set(name, row)
    }
    row.weight += times
    return row.tally
  }

  get(name: string): Readonly<Tallies> | undefined {
    return this.#rows.get(name)?.tally
  }

  delete(name: string): boolean {
    return this.#rows.delete(name)
  }

  *[Symbol.iterator](): Generator<[name: string, tally: Readonly<Tallies>]> {
    for (const [name, { tally }] of this.#rows) yield [name, tally]
  }

  /** Adds what others have counted, as if it had been counted here. */
  add(name: string, weight: number, counted: readonly number[]): void {
    const tally = this.of(name, weight)
    for (let i = 0; i < this.#width; i++) tally[i]! += counted[i] ?? 0
  }

  merge(other: FrequentRows, isMeant: (name: string) => boolean = () => true): void {
    for (const [name, { weight, tally }] of other.#rows) if (isMeant(name)) this.add(name, weight, tally)
    this.#missed += other.#missed
  }

  get stored(): { missed: number; rows: StoredRow[] } {
    return {
      missed: this.#missed,
      rows: [...this.#rows].map(([name, { weight, tally }]) => [name, weight, ...tally]),
    }
  }

  /** Takes what `stored` gave. */
  take({ missed, rows }: { missed: number; rows: readonly StoredRow[] }): void {
    for (const [name, weight, ...tally] of rows) this.add(name, weight, tally)
    this.#missed += missed
  }

  #letGo(): void {
    const weights = Float64Array.from([...this.#rows.values()], ({ weight }) => weight).sort()
    const taken = weights[weights.length - 1 - this.#most]!
    let lost = 0
    for (const [name, row] of this.#rows) {
      if (row.weight > taken) row.weight -= taken
      else {
        lost = Math.max(lost, row.tally[0]!)
        this.#rows.delete(name)
      }
    }
    this.#missed += lost
  }
}
