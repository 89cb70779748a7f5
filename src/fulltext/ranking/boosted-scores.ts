import { LEAST_SCORE, type MatchVisitor } from '../matching/match-visitor.ts'

/** What is added to the scores of documents, 0 or more, by place of the segment; undefined where nothing is. */
export type Boosts = readonly (SegmentBoosts | undefined)[]

export interface SegmentBoosts {
  /** By document. */
  readonly values: Float64Array
  /** An upper bound of the values. */
  readonly most: number
}

/** Passes on the documents of one segment with the boosts added to their scores. */
export class BoostedScores implements MatchVisitor {
  readonly #visitor: MatchVisitor
  readonly #values: Float64Array
  readonly #most: number
  readonly #steps: number

  /** @param steps of ranked scores that make a score of 1 */
  constructor(visitor: MatchVisitor, { values, most }: SegmentBoosts, steps: number) {
    this.#visitor = visitor
    this.#values = values
    this.#most = most * steps
    this.#steps = steps
  }

  get threshold(): number {
    return Math.max(LEAST_SCORE, this.#visitor.threshold - this.#most)
  }

  offer(score: number, document: number): void {
    this.#visitor.offer(score + this.#steps * this.#values[document & 0xffff]!, document)
  }

  /** Boosts only raise the scores announced. */
  expect(documents: number, score: number): void {
    this.#visitor.expect?.(documents, score)
  }
}
