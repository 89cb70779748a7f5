/** The documents of a segment that may be ranked, and the factors on their scores. */
export interface Candidacy {
  /** Number of the segment's first document across all segments. */
  readonly base: number
  readonly documents: number
  /** By document: set if it must not be found; absent if all may be. */
  readonly hidden: Uint32Array | undefined
  /** By document, at least 1 and at most `most`; absent if all are 1. */
  readonly factors: Float64Array | undefined
  readonly most: number
}
