import type { ScoreExplanation } from './explanation.ts'
import type { GroupValue } from './grouping.ts'

export interface ScoredId {
  readonly id: string
  readonly score: number
  /** If requested. */
  readonly explanation?: ScoreExplanation
  /** If hits are grouped and this document has a value: the value, and the number of matching documents with it. */
  readonly group?: { readonly value: GroupValue; readonly documents: number }
  /** Set if it was pinned to its place. */
  readonly pinned?: true
  /** If vectors were compared, and the document has one. */
  readonly similarity?: number
}

/** Hits in order, read page by page. */
export interface HitList {
  readonly length: number
  slice(from: number, to: number): ScoredId[]
}

/**
 * Hits whose pages are made on demand: an object for each of very many hits, few of which are read, would take ten times the
 * memory, and the garbage collector's time. They hold no reference to the index.
 */
export class KeptHits implements HitList {
  /** The concatenated ids; below, where each begins. */
  #text = ''
  readonly #starts: Uint32Array
  readonly #scores: Float64Array
  /** If hits are grouped: the values of those that have one, and how many documents have it. */
  readonly #values: (GroupValue | undefined)[] = []
  readonly #documents: Uint32Array

  /** @param isGrouped whether there may be groups */
  constructor(length: number, hitAt: (at: number) => ScoredId, isGrouped: boolean) {
    this.#starts = new Uint32Array(length + 1)
    this.#scores = new Float64Array(length)
    this.#documents = new Uint32Array(isGrouped ? length : 0)
    const ids: string[] = []
    for (let at = 0; at < length; at++) {
      const { id, score, group } = hitAt(at)
      ids.push(id)
      this.#starts[at + 1] = this.#starts[at]! + id.length
      this.#scores[at] = score
      if (!isGrouped) continue
      this.#values.push(group?.value)
      this.#documents[at] = group?.documents ?? 0
    }
    this.#text = ids.join('')
  }

  get length(): number {
    return this.#scores.length
  }

  slice(from: number, to: number): ScoredId[] {
    const hits: ScoredId[] = []
    for (let at = from; at < Math.min(to, this.length); at++) {
      const id = this.#text.slice(this.#starts[at], this.#starts[at + 1])
      const score = this.#scores[at]!
      const value = this.#values[at]
      hits.push(
        value === undefined
          ? { id, score }
          : { id, score, group: { value, documents: this.#documents[at]! } },
      )
    }
    return hits
  }
}
