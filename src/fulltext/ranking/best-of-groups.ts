/** A document as it is ranked. */
export interface Ranked {
  readonly score: number
  readonly document: number
  /** Its rank before documents of full groups were left out; undefined behind the first, whose order was looked at. */
  readonly rank?: number
}

interface Group {
  /** Documents that match. */
  matches: number
  /** Places that are taken for good. */
  taken: number
  /** The best that were offered, best first. */
  readonly best: Ranked[]
}

/** The best documents of each group: those taken in their order, then the best of what was offered. */
export class BestOfGroups {
  readonly taken: Ranked[] = []
  readonly #alone: Ranked[] = []
  /** By number. */
  readonly #groups: (Group | undefined)[]
  readonly #met: Group[] = []
  readonly #groupOf: (document: number) => number
  readonly #limit: number
  readonly #precedes: (document: number, other: number) => boolean

  /**
   * @param count of groups
   * @param groupOf 0 for a document that is in no group
   * @param limit documents of each group
   * @param precedes the order of documents with the same score
   */
  constructor(
    count: number,
    groupOf: (document: number) => number,
    limit: number,
    precedes: (document: number, other: number) => boolean,
  ) {
    this.#groups = new Array(count + 1)
    this.#groupOf = groupOf
    this.#limit = limit
    this.#precedes = precedes
  }

  /** A document that has its place elsewhere. */
  reserve(document: number, matches: boolean): void {
    const group = this.#groupOf(document)
    if (group === 0) return
    const own = this.#group(group)
    own.taken++
    if (matches) own.matches++
  }

  /** The next best document, before anything is offered. */
  take(ranked: Ranked): void {
    const group = this.#groupOf(ranked.document)
    if (group !== 0) {
      const own = this.#group(group)
      own.matches++
      if (own.taken >= this.#limit) return
      own.taken++
    }
    this.taken.push(ranked)
  }

  /** A document behind those that were taken, in no order. */
  offer(score: number, document: number): void {
    const group = this.#groupOf(document)
    if (group === 0) {
      this.#alone.push({ score, document })
      return
    }
    const own = this.#group(group)
    own.matches++
    const free = this.#limit - own.taken
    if (free <= 0) return
    const { best } = own
    let at = best.length
    while (at > 0 && this.#isWorse(best[at - 1]!, score, document)) at--
    if (at >= free) return
    best.splice(at, 0, { score, document })
    if (best.length > free) best.pop()
  }

  /** What was offered and is among the best of its group, in no order. */
  *offered(): Generator<Ranked> {
    yield* this.#alone
    for (const { best } of this.#met) yield* best
  }

  /** Documents that match in the group of a document, and its number; undefined for one that is in no group. */
  groupOf(document: number): { group: number; matches: number } | undefined {
    const group = this.#groupOf(document)
    return group === 0 ? undefined : { group, matches: this.#group(group).matches }
  }

  #group(group: number): Group {
    const own = this.#groups[group]
    if (own) return own
    const met: Group = { matches: 0, taken: 0, best: [] }
    this.#groups[group] = met
    this.#met.push(met)
    return met
  }

  #isWorse(held: Ranked, score: number, document: number): boolean {
    return held.score < score || (held.score === score && this.#precedes(document, held.document))
  }
}
