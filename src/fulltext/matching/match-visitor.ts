import { countOf } from '../../arrays/set-bits.ts'

/** The lowest possible score: as a threshold, it asks for every match. */
export const LEAST_SCORE = 1

/**
 * Receives the documents that match, each once and in no particular order. A ranker only leaves out what the visitor does not
 * want: a visitor whose threshold stays at the lowest score receives every match, with its full score.
 */
export interface MatchVisitor {
  /** The lowest score that it wants. */
  readonly threshold: number
  /** Whether it accepts any score, so that scores need not be computed. */
  readonly ignoresScores?: boolean
  /** Documents are numbered across all segments, 65,536 to each. */
  offer(score: number, document: number): void
  /**
   * The same for all matching documents of a segment, one bit each, if scores are ignored. The visitor owns the array then.
   * @param base number of the first document
   */
  offerAll?(documents: Uint32Array, base: number): void
  /**
   * Announces that at least this many documents with this score or a better one have been or will be offered. Only visitors that
   * keep the best have a use for it.
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
