/** The postings of one term in one segment. */
export interface PostingList {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  /** What of it is still to be read: it may be moved on. */
  from: number
  readonly to: number
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
  /** Postings of all lists. */
  readonly length: number
}

/** What a slot comes to in one segment. */
export interface SlotParts {
  readonly cover: Part
  readonly exact: Part | undefined
}

/** The first place in the ascending `array[from..to)` whose value is not below `value`. */
export function lowerBound(array: Uint16Array, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >> 1
    if (array[middle]! < value) from = middle + 1
    else to = middle
  }
  return from
}

/** The first place in the ascending `array[from..to)` not below `value`, found in doubling strides. */
export function gallop(array: Uint16Array, from: number, to: number, value: number): number {
  if (from >= to || array[from]! >= value) return from
  let stride = 1
  while (from + stride < to && array[from + stride]! < value) stride <<= 1
  return lowerBound(array, from + (stride >> 1), Math.min(to, from + stride + 1), value)
}
