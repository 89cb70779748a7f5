/** The postings of one term in one segment. */
export interface PostingList {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  /** The part at hand, of which `end` is the end of the whole. */
  from: number
  to: number
  readonly end: number
  /** A whole number, so that sums are exact and the same in every order. */
  readonly weight: number
  /** The most it can add to a score. */
  readonly bound: number
  /** What it adds to the scores of `SURE_DOCUMENTS` documents at least, 0 where that is not known. */
  readonly sure: number
}

/** Alternatives of which the best counts; mostly a single one. */
export interface Part {
  readonly lists: readonly PostingList[]
  /** The most it can add to a score. */
  readonly bound: number
  /** Postings of the part at hand. */
  length: number
}

/** What a slot comes to in one segment. */
export interface SlotParts {
  readonly cover: Part
  readonly exact: Part | undefined
}
