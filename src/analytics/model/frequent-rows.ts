/** The counts of one thing; the first number is how often it occurred. */
export type Tallies = number[]

/** A row as it is stored: its group, its name, its weight and its counts. */
export type StoredRow = readonly [group: number, name: string, weight: number, ...tally: number[]]

interface Counted {
  /** Decides whether the row is kept: its first number, less what was subtracted from all rows when rarer ones were dropped. */
  weight: number
  readonly tally: Tallies
}

/**
 * Counts of the most frequent of many things; of all things while they are few. When there are too many, the rarer half is
 * dropped and its weight is subtracted from all weights, so that whatever is frequent enough is kept (Anderson et al., "A
 * high-performance algorithm for identifying frequent items in data streams", IMC 2017). Counts of a thing from before it was
 * dropped are missing, at most `missed`. Things are in groups, and the same name may be in several.
 */
export class FrequentRows {
  readonly #most: number
  readonly #width: number
  /** By group and name. */
  readonly #groups: Map<string, Counted>[] = []
  #size = 0
  #missed = 0

  /**
   * @param width number of counts per row
   * @param most number of rows that are guaranteed to be kept, over all groups
   */
  constructor(width: number, most: number) {
    this.#width = width
    this.#most = most
  }

  /** The most that may be missing from the first number of any row; 0 while nothing was dropped. */
  get missed(): number {
    return this.#missed
  }

  get size(): number {
    return this.#size
  }

  /** The counts of a thing, for the caller to add to. @param times what is about to be added to the first number */
  of(group: number, name: string, times = 0): Tallies {
    let row = this.#groups[group]?.get(name)
    if (!row) {
      if (this.#size >= 2 * this.#most) this.#letGo()
      row = { weight: 0, tally: new Array<number>(this.#width).fill(0) }
      this.#rowsOf(group).set(name, row)
      this.#size++
    }
    row.weight += times
    return row.tally
  }

  delete(group: number, name: string): boolean {
    const isGone = this.#groups[group]?.delete(name) ?? false
    if (isGone) this.#size--
    return isGone
  }

  *[Symbol.iterator](): Generator<[group: number, name: string, tally: Readonly<Tallies>]> {
    for (const [group, rows] of this.#groups.entries())
      for (const [name, { tally }] of rows) yield [group, name, tally]
  }

  /**
   * Adds the counts of another instance, as if they had been counted here.
   * @param groupOf maps each group of the other instance to a group here; undefined leaves it out
   */
  merge(other: FrequentRows, groupOf: (group: number) => number | undefined): void {
    for (const [from, rows] of other.#groups.entries()) {
      const group = groupOf(from)
      if (group === undefined) continue
      for (const [name, { weight, tally }] of rows) this.#add(group, name, weight, tally)
    }
    this.#missed += other.#missed
  }

  get stored(): { missed: number; rows: StoredRow[] } {
    const rows = this.#groups.flatMap((some, group) =>
      [...some].map(([name, { weight, tally }]): StoredRow => [group, name, weight, ...tally]),
    )
    return { missed: this.#missed, rows }
  }

  /** Loads what `stored` returned. */
  take({ missed, rows }: { missed: number; rows: readonly StoredRow[] }): void {
    for (const [group, name, weight, ...tally] of rows) this.#add(group, name, weight, tally)
    this.#missed += missed
  }

  #add(group: number, name: string, weight: number, counted: readonly number[]): void {
    const tally = this.of(group, name, weight)
    for (let i = 0; i < this.#width; i++) tally[i]! += counted[i] ?? 0
  }

  #rowsOf(group: number): Map<string, Counted> {
    while (this.#groups.length <= group) this.#groups.push(new Map())
    return this.#groups[group]!
  }

  #letGo(): void {
    const weights = new Float64Array(this.#size)
    let at = 0
    for (const rows of this.#groups) for (const { weight } of rows.values()) weights[at++] = weight
    weights.sort()
    const taken = weights[weights.length - 1 - this.#most]!
    let lost = 0
    for (const rows of this.#groups) {
      for (const [name, row] of rows) {
        if (row.weight > taken) row.weight -= taken
        else {
          // Where a row counts several things, each of them is at most its weight.
          lost = Math.max(lost, row.tally[0]!, row.weight)
          rows.delete(name)
          this.#size--
        }
      }
    }
    this.#missed += lost
  }
}
