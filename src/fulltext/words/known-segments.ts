import type { TermCounts } from '../dictionary/term-counts.ts'
import type { Segment } from '../segments/segment.ts'

/** A segment and the documents of it that do not count: removed, or not visible. */
export interface KnownSegment<S extends Segment = Segment> {
  readonly segment: S
  /** By document; absent if all count. */
  readonly dead: Uint32Array | undefined
}

/** The documents by which words are known: those of the whole index, or the visible ones. */
export interface KnownSegments {
  readonly segments: readonly KnownSegment[]
  /** Number of documents. */
  readonly size: number
  readonly frequencies: TermCounts
}
