import { idPrecedes } from './document-ids.ts'
import type { LiveSegment } from './live-segment.ts'

/** A document by its number: documents are numbered through all segments, 65,536 to each. */
export interface Ranked {
  score: number
  readonly document: number
}

/** The best `k` of the documents offered, in any order: higher score first, equal scores by id. */
export class TopK {
  /** No document with less than this score can enter; 1, the least score there is, while there is room. */
  threshold = 1
  #size = 0
  readonly #scores: Float64Array
  readonly #documents: Uint32Array

  constructor(
    readonly k: number,
    readonly segments: readonly LiveSegment[],
  ) {
    this.#scores = new Float64Array(k)
    this.#documents = new Uint32Array(k)
  }

  /** Tells that `k` documents with this score or a better one will be offered. */
  expect(score: number): void {
    if (score > this.threshold) this.threshold = score
  }

  offer(score: number, document: number): void {
    if (this.#size < this.k) {
      this.#rise(this.#size++, score, document)
      if (this.#size === this.k) this.threshold = this.#scores[0]!
    } else if (this.#isWorse(0, score, document)) {
      this.#sink(score, document)
      this.threshold = this.#scores[0]!
    }
  }

  /** Best first. */
  ranking(): Ranked[] {
    const ranking = Array.from({ length: this.#size }, (_, i) => ({
      score: this.#scores[i]!,
      document: this.#documents[i]!,
    }))
    return this.order(ranking)
  }

  /** Sorts in place, best first. */
  order(ranking: Ranked[]): Ranked[] {
    return ranking.sort((a, b) => b.score - a.score || (this.#precedes(a.document, b.document) ? -1 : 1))
  }

  /** The id of a document by its number. */
  idOf(document: number): string {
    return this.segments[document >>> 16]!.segment.id(document & 0xffff)
  }

  #isWorse(place: number, score: number, document: number): boolean {
    const own = this.#scores[place]!
    return own < score || (own === score && this.#precedes(document, this.#documents[place]!))
  }

  #precedes(document: number, other: number): boolean {
    const a = this.segments[document >>> 16]!.segment
    const one = document & 0xffff
    const two = other & 0xffff
    if (document >>> 16 === other >>> 16) return a.idRanks[one]! < a.idRanks[two]!
    return idPrecedes(a, one, this.segments[other >>> 16]!.segment, two)
  }

  // A binary heap with the worst at its root.
  #rise(place: number, score: number, document: number): void {
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#isWorse(parent, score, document)) break
      this.#move(parent, place)
      place = parent
    }
    this.#scores[place] = score
    this.#documents[place] = document
  }

  #sink(score: number, document: number): void {
    const scores = this.#scores
    let place = 0
    for (let child = 1; child < this.#size; child = 2 * place + 1) {
      const other = child + 1
      if (other < this.#size && this.#isWorse(other, scores[child]!, this.#documents[child]!)) child = other
      if (!this.#isWorse(child, score, document)) break
      this.#move(child, place)
      place = child
    }
    scores[place] = score
    this.#documents[place] = document
  }

  #move(from: number, to: number): void {
    this.#scores[to] = this.#scores[from]!
    this.#documents[to] = this.#documents[from]!
  }
}
