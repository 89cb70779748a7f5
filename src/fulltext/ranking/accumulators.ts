/** Only queries with several words that have many alternatives need more at a time. */
const MAX_LENT = 4

/** Numbers by document, for one segment after another; all zero between uses. */
export class Accumulators {
  scores = new Int32Array(0)
  /** For the best of several alternatives. */
  ofPart = new Int32Array(0)
  /** Room for the documents that have a score, and for one more. */
  found = new Uint16Array(1)
  readonly #free: Int32Array[] = []
  #lent = 0

  get bytes(): number {
    return (2 + this.#free.length) * this.scores.byteLength + this.found.byteLength
  }

  /** Makes room for a segment of this many documents, while nothing is borrowed. */
  fit(documents: number): void {
    if (documents > this.scores.length) this.#renew(2 ** Math.ceil(Math.log2(documents)))
  }

  /** Another array like `ofPart`, to be returned all zero; undefined when too many are in use. */
  borrow(): Int32Array | undefined {
    if (this.#lent === MAX_LENT) return undefined
    this.#lent++
    return this.#free.pop() ?? new Int32Array(this.scores.length)
  }

  giveBack(zeros: Int32Array): void {
    this.#lent--
    this.#free.push(zeros)
  }

  /** Zeroes everything after a failure. */
  clear(): void {
    this.#renew(0)
  }

  #renew(documents: number): void {
    this.scores = new Int32Array(documents)
    this.ofPart = new Int32Array(documents)
    this.found = new Uint16Array(documents + 1)
    this.#free.length = 0
    this.#lent = 0
  }
}
