import { grown } from '../../arrays/grow.ts'

/** A document with its place in the ranking. */
export interface Ranked {
  readonly score: number
  readonly document: number
  /** Its rank before documents of full groups were left out; undefined beyond the documents that were reordered. */
  readonly rank?: number
}

/** Initial number of places. */
const ROOM = 256

/** The best documents of each group: those taken in order, then the best of those offered. */
export class BestOfGroups {
  readonly taken: Ranked[] = []
  /** By group: number of matching documents. */
  readonly #matches: Uint32Array
  /** By group: number of places taken for good. */
  readonly #taken: Uint32Array
  /** By group: the first place of its offered documents, 0 for none. Group 0 holds all that are in no group, unordered. */
  readonly #first: Uint32Array
  /** By place: the next place of its group. */
  #next = new Uint32Array(ROOM)
  #scores = new Float64Array(ROOM)
  #documents = new Uint32Array(ROOM)
  #held = 0
  readonly #groupOf: (document: number) => number
  readonly #limit: number
  readonly #precedes: (document: number, other: number) => boolean

  /**
   * @param count number of groups
   * @param groupOf 0 for a document that is in no group
   * @param limit number of documents per group
   * @param precedes the order of documents with the same score
   */
  constructor(
    count: number,
    groupOf: (document: number) => number,
    limit: number,
    precedes: (document: number, other: number) => boolean,
  ) {
    this.#matches = new Uint32Array(count + 1)
    this.#taken = new Uint32Array(count + 1)
    this.#first = new Uint32Array(count + 1)
    this.#groupOf = groupOf
    this.#limit = limit
    this.#precedes = precedes
  }

  /** Counts a document that has its place elsewhere. */
  reserve(document: number, matches: boolean): void {
    const group = this.#groupOf(document)
    if (group === 0) return
    this.#taken[group]!++
    if (matches) this.#matches[group]!++
  }

  /** Takes the next best document, before anything is offered. */
  take(ranked: Ranked): void {
    const group = this.#groupOf(ranked.document)
    if (group !== 0) {
      this.#matches[group]!++
      if (this.#taken[group]! >= this.#limit) return
      this.#taken[group]!++
    }
    this.taken.push(ranked)
  }

  /** Offers a document that ranks after those taken, in any order. */
  offer(score: number, document: number): void {
    const group = this.#groupOf(document)
    if (group === 0) {
      this.#first[0] = this.#hold(score, document, this.#first[0]!)
      return
    }
    this.#matches[group]!++
    const free = this.#limit - this.#taken[group]!
    if (free > 0) this.#insert(group, free, score, document)
  }

  /** Number of offered documents that are among the best of their groups. */
  get offered(): number {
    return this.#held
  }

  /** Visits these, in no particular order. */
  visitOffered(visit: (score: number, document: number) => void): void {
    for (let at = 1; at <= this.#held; at++) visit(this.#scores[at]!, this.#documents[at]!)
  }

  /** The group of a document and how many of its documents match; undefined for a document in no group. */
  groupOf(document: number): { group: number; matches: number } | undefined {
    const group = this.#groupOf(document)
    return group === 0 ? undefined : { group, matches: this.#matches[group]! }
  }

  /** Inserts it among the best `free` of its group, replacing the worst if that many are held. */
  #insert(group: number, free: number, score: number, document: number): void {
    let before = 0
    let at = this.#first[group]!
    let count = 1
    for (; at !== 0 && !this.#isWorse(at, score, document); at = this.#next[at]!) {
      before = at
      count++
    }
    if (count > free) return
    let [beforeLast, last] = [before, at]
    for (; last !== 0 && this.#next[last] !== 0; last = this.#next[last]!) {
      beforeLast = last
      count++
    }
    if (last !== 0 && count === free) {
      this.#scores[last] = score
      this.#documents[last] = document
      if (last === at) return
      this.#next[beforeLast] = 0
      this.#next[last] = at
    } else last = this.#hold(score, document, at)
    if (before === 0) this.#first[group] = last
    else this.#next[before] = last
  }

  #hold(score: number, document: number, next: number): number {
    const at = ++this.#held
    this.#next = grown(this.#next, at + 1)
    this.#scores = grown(this.#scores, at + 1)
    this.#documents = grown(this.#documents, at + 1)
    this.#scores[at] = score
    this.#documents[at] = document
    this.#next[at] = next
    return at
  }

  #isWorse(at: number, score: number, document: number): boolean {
    const held = this.#scores[at]!
    return held < score || (held === score && this.#precedes(document, this.#documents[at]!))
  }
}
