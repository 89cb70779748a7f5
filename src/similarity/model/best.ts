/** Collects documents with scores, in any order. */
export interface Collector {
  /** Maximum number of entries. */
  readonly most: number
  /** Documents with lower scores need not be offered. */
  readonly threshold: number
  offer(document: number, score: number): void
}

/** The best `most` documents with scores of at least `least`: higher scores first, equal scores by id. */
export class Best implements Collector {
  readonly documents: number[] = []
  readonly scores: number[] = []
  threshold: number
  readonly #ids: readonly string[]

  constructor(
    ids: readonly string[],
    readonly most: number,
    least: number,
  ) {
    this.#ids = ids
    this.threshold = most === 0 ? Number.POSITIVE_INFINITY : least
  }

  offer(document: number, score: number): void {
    if (score < this.threshold) return
    const { documents, scores } = this
    let at = scores.length
    if (at === this.most) {
      if (!this.#isBefore(score, document, --at)) return
    } else {
      scores.push(0)
      documents.push(0)
    }
    while (at > 0 && this.#isBefore(score, document, at - 1)) {
      scores[at] = scores[at - 1]!
      documents[at] = documents[at - 1]!
      at--
    }
    scores[at] = score
    documents[at] = document
    if (scores.length === this.most) this.threshold = Math.max(this.threshold, scores[this.most - 1]!)
  }

  #isBefore(score: number, document: number, at: number): boolean {
    const other = this.scores[at]!
    return score > other || (score === other && this.#ids[document]! < this.#ids[this.documents[at]!]!)
  }
}

/** All documents with scores of at least `threshold`, in no particular order. */
export class AllAtLeast implements Collector {
  readonly documents: number[] = []
  readonly scores: number[] = []
  readonly most = Number.POSITIVE_INFINITY

  constructor(readonly threshold: number) {}

  offer(document: number, score: number): void {
    if (score < this.threshold) return
    this.documents.push(document)
    this.scores.push(score)
  }
}
