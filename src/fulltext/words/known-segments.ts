import type { TermCounts } from '../dictionary/term-counts.ts'
import type { Segment } from '../segments/segment.ts'

/** A segment and which of its documents are not there. */
export interface KnownSegment<S extends Segment = Segment> {
  readonly segment: S
  /** By document; absent where all are there. */
  readonly dead: Uint32Array | undefined
}

/** The documents by which words are known, of a whole index or of what may be seen of it. */
export interface KnownSegments {
  readonly segments: readonly KnownSegment[]
  /** How many documents there are. */
  readonly size: number
  readonly frequencies: TermCounts
}
