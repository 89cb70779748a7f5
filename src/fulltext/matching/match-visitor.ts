import { countOf } from '../../arrays/set-bits.ts'

/** The least score: as a threshold, it asks for every match. */
export const LEAST_SCORE = 1

/**
 * Takes the documents that match, each once and in no order. A ranker leaves out only what its visitor does not want to
 * know of: one whose threshold stays the least score hears of every match, with its whole score.
 */
export interface MatchVisitor {
  /** The least score of which it wants to know. */
  readonly threshold: number
  /** Whether it takes any score for the true one, which spares computing them. */
  readonly ignoresScores?: boolean
  /** Documents are numbered through all segments, 65,536 to each. */
  offer(score: number, document: number): void
  /**
   * The same of all documents of a segment that match, a bit each, where scores are ignored. They are its own then.
   * @param base number of the first document
   */
  offerAll?(documents: Uint32Array, base: number): void
  /**
   * Tells that so many documents with this score or a better one have been or will be offered. Only who wants the best
   * alone has a use for it.
   */
  expect?(documents: number, score: number): void
}

/** How many documents match. */
export class MatchCounter implements MatchVisitor {
  readonly threshold = LEAST_SCORE
  readonly ignoresScores = true
  count = 0

  offer(): void {
    this.count++
  }

  offerAll(documents: Uint32Array): void {
    this.count += countOf(documents)
  }
}
