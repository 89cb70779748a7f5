/** Sparse rows: row `r` has the values `values[starts[r]..starts[r + 1])` at the columns `ids`. */
export interface Rows {
  readonly starts: Uint32Array
  readonly ids: Uint32Array
  readonly values: Float32Array
}

/** Lists of whole numbers: list `n` is `items[starts[n]..starts[n + 1])`. */
export interface Lists {
  readonly starts: Uint32Array
  readonly items: Uint32Array
}

/** An array in memory that threads can share. */
export const sharedIntegers = (length: number): Uint32Array =>
  new Uint32Array(new SharedArrayBuffer(4 * length))
export const sharedFloats = (length: number): Float32Array =>
  new Float32Array(new SharedArrayBuffer(4 * length))

/** Turns lengths of lists into their beginnings, in place: `starts[n + 1]` holds the length of list n. */
export function sumUp(starts: Uint32Array): Uint32Array {
  for (let list = 1; list < starts.length; list++) starts[list]! += starts[list - 1]!
  return starts
}

/** The transposed lists: for each number, the lists that contain it. */
export function inverted({ starts, items }: Lists, numbers: number): Lists {
  const inverse = new Uint32Array(numbers + 1)
  for (const item of items) inverse[item + 1]!++
  const cursors = sumUp(inverse).slice()
  const lists = new Uint32Array(items.length)
  for (let list = 0; list + 1 < starts.length; list++) {
    for (let at = starts[list]!; at < starts[list + 1]!; at++) lists[cursors[items[at]!]!++] = list
  }
  return { starts: inverse, items: lists }
}

/** Each further occurrence counts for less. */
const sublinear = Float64Array.from({ length: 256 }, (_, count) => (count === 0 ? 0 : 1 + Math.log(count)))

export const MOST_COUNTED = 255

const FEW = 256

/**
 * Weighs the features of one text: sublinear frequency times smoothed inverse document frequency. Words and parts of words
 * are each normalized to the same length, and both together to length 1.
 */
export class FeatureWeighing {
  readonly #idf: Float32Array
  readonly #firstPart: number

  /** @param documents by feature: its document frequency @param firstPart the first feature that is a part of a word */
  constructor(documents: Uint32Array, trained: number, firstPart: number) {
    this.#idf = new Float32Array(documents.length)
    // Most features are in few documents, and logarithms are slow.
    const few = Float64Array.from({ length: FEW }, (_, count) => idf(count, trained))
    for (let id = 0; id < documents.length; id++) {
      const count = documents[id]!
      this.#idf[id] = count < FEW ? few[count]! : idf(count, trained)
    }
    this.#firstPart = firstPart
  }

  /** Writes the values of `ids[from..to)` to the same positions. */
  weigh(
    ids: Uint32Array,
    counts: Uint8Array,
    from: number,
    to: number,
    values: Float32Array | Float64Array,
  ): void {
    const weights = this.#idf
    const firstPart = this.#firstPart
    let words = 0
    let parts = 0
    for (let at = from; at < to; at++) {
      const id = ids[at]!
      const value = sublinear[counts[at]!]! * weights[id]!
      values[at] = value
      if (id < firstPart) words += value * value
      else parts += value * value
    }
    const share = words > 0 && parts > 0 ? 0.5 : 1
    const wordScale = words > 0 ? Math.sqrt(share / words) : 0
    const partScale = parts > 0 ? Math.sqrt(share / parts) : 0
    for (let at = from; at < to; at++) values[at]! *= ids[at]! < firstPart ? wordScale : partScale
  }
}

/** Smoothed as if one more document had every feature. */
export const idf = (documents: number, trained: number): number =>
  Math.log((1 + trained) / (1 + documents)) + 1
