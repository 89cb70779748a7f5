/** The postings of one term in one segment. */
export interface PostingList {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  /** The postings still to be read: a reader may advance it. */
  from: number
  readonly to: number
  /** A whole number, so that sums are exact and the same in every order. */
  readonly weight: number
  /** The most that it can add to a score. */
  readonly bound: number
  /** The least that it adds to the scores of `SURE_DOCUMENTS` documents; 0 if that is not known. */
  readonly sure: number
}

/** Alternatives, the best of which counts; usually a single one. */
export interface Part {
  readonly lists: readonly PostingList[]
  /** The most that it can add to a score. */
  readonly bound: number
  /** Number of postings in all lists. */
  readonly length: number
}

/** A slot in one segment. */
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
