/** The documents of a segment that may be ranked, and what their scores are multiplied with. */
export interface Candidacy {
  /** Number of the segment's first document among all. */
  readonly base: number
  readonly documents: number
  /** By document, whether it must not be found; absent while all may. */
  readonly hidden: Uint32Array | undefined
  /** By document, at least 1 and at most `most`; absent while all are 1. */
  readonly factors: Float64Array | undefined
  readonly most: number
}
