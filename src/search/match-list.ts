import { First } from '../arrays/first.ts'
import type { IndexState } from '../filters/filter.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import { LEAST_SCORE, type MatchVisitor } from '../fulltext/matching/match-visitor.ts'
import type { MatchOrder } from '../fulltext/reordering/match-order.ts'

interface Sized {
  readonly segment: { readonly shape: { readonly documents: number } }
}

/** Documents with higher scores for some words first, others in the order of the index. */
export class ScoreOrder implements MatchOrder, MatchVisitor {
  readonly threshold = LEAST_SCORE
  readonly #segments: readonly Sized[]
  readonly #equal: ((one: number, other: number) => number) | undefined
  /** By place of the segment, then by document; undefined where no document of the segment has a score. */
  readonly scores: (Float64Array | undefined)[]

  /** @param equal order of documents with equal scores, other than that of the index */
  constructor(segments: readonly Sized[], equal?: MatchOrder['compare']) {
    this.#segments = [...segments]
    this.#equal = equal
    this.scores = segments.map(() => undefined)
  }

  offer(score: number, document: number): void {
    this.in(document >>> 16)[document & 0xffff] = score
  }

  /** Adds scores by segment and document, given in units of 1 / `steps`, multiplied by a factor. */
  add(scores: readonly (Float64Array | undefined)[], steps = 1, times = 1): void {
    for (const [place, added] of scores.entries()) {
      if (!added) continue
      const sums = this.in(place)
      for (let document = 0; document < added.length; document++)
        sums[document]! += (added[document]! / steps) * times
    }
  }

  of(document: number): number {
    return this.scores[document >>> 16]?.[document & 0xffff] ?? 0
  }

  /** Whether no document has a score. */
  get isEmpty(): boolean {
    return this.scores.every(scores => scores === undefined)
  }

  readonly compare = (one: number, other: number): number =>
    this.of(other) - this.of(one) || (this.#equal ? this.#equal(one, other) : one - other)

  first(set: MatchSet, count: number, after?: number): number[] {
    const first = new First(Math.min(count, set.size), this.compare)
    let { last } = first
    let least = Number.NEGATIVE_INFINITY
    for (const place of this.scores.keys()) {
      const scores = this.scores[place]
      const bits = set.in(place) ?? NOTHING
      for (let at = 0; at < bits.length; at++) {
        for (let word = bits[at]!; word !== 0; word &= word - 1) {
          const local = (at << 5) + 31 - Math.clz32(word & -word)
          const score = scores ? scores[local]! : 0
          // On equal scores the earlier document of the index wins, and this one is later.
          if (score < least || (score === least && !this.#equal)) continue
          const document = (place << 16) + local
          if (after !== undefined && this.compare(document, after) <= 0) continue
          first.offer(document)
          if (first.last === last) continue
          last = first.last
          if (last !== undefined) least = this.of(last)
        }
      }
    }
    return first.sorted()
  }

  /** Those of a segment, to be changed. */
  in(place: number): Float64Array {
    this.scores[place] ??= new Float64Array(this.#segments[place]!.segment.shape.documents)
    return this.scores[place]
  }
}

const NOTHING = new Uint32Array(0)

/** The order of the index. */
export const indexOrder: MatchOrder = {
  compare: (one, other) => one - other,
  first: (set, count, after = -1) => set.first(count, after),
}

export const idAt = (segments: IndexState['segments'], document: number): string =>
  segments[document >>> 16]!.segment.id(document & 0xffff)
