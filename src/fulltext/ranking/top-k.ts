import { LEAST_SCORE, type MatchVisitor } from '../matching/match-visitor.ts'
import { idPrecedes } from '../segments/document-ids.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Segment } from '../segments/segment.ts'

/** Room for this many is kept between queries. */
const KEPT = 1024

/** Up to this many are kept sorted: moving them is cheaper than maintaining and sorting a heap. */
const FEW = 64

/**
 * The best `k` of the documents offered, in any order: higher score first, equal scores by id. Documents are numbered
 * across all segments, 65,536 to each. One instance is reused, so that queries need not allocate.
 */
export class TopK implements MatchVisitor {
  /** Documents with lower scores cannot enter. */
  threshold = LEAST_SCORE
  k = 0
  /** Number of documents held. */
  size = 0
  /** By rank, once sorted. */
  scores = new Float64Array(KEPT)
  documents = new Uint32Array(KEPT)
  #segments: readonly LiveSegment<Segment>[] = []

  begin(k: number, segments: readonly LiveSegment<Segment>[]): void {
    this.k = k
    this.size = 0
    this.threshold = LEAST_SCORE
    this.#segments = segments
    if (k > this.scores.length) this.#makeRoom(k)
  }

  /** Releases the segments, and room that few queries need. */
  end(): void {
    this.#segments = []
    if (this.scores.length > KEPT) this.#makeRoom(KEPT)
  }

  expect(documents: number, score: number): void {
    if (documents >= this.k && score > this.threshold) this.threshold = score
  }

  offer(score: number, document: number): void {
    const worst = this.k <= FEW ? this.k - 1 : 0
    const isFull = this.size === this.k
    if (isFull && !this.#isWorse(worst, score, document)) return
    if (this.k <= FEW) this.#insert(isFull ? worst : this.size, score, document)
    else if (isFull) this.#sink(this.size, score, document)
    else this.#rise(this.size, score, document)
    if (!isFull) this.size++
    if (this.size === this.k) this.expect(this.k, this.scores[worst]!)
  }

  /** Sorts what is held, best first. Nothing may be offered afterwards. */
  sort(): void {
    if (this.k <= FEW) return
    for (let last = this.size - 1; last > 0; last--) {
      const score = this.scores[last]!
      const document = this.documents[last]!
      this.#move(0, last)
      this.#sink(last, score, document)
    }
  }

  /** Gives a rank a higher score, once all ranks before it have their final ones, and moves it to its sorted position. */
  raise(rank: number, score: number): void {
    this.#insert(rank, score, this.documents[rank]!)
  }

  /** Inserts a document into the sorted ranks; those after `rank` stay where they are. */
  #insert(rank: number, score: number, document: number): void {
    const { scores, documents } = this
    for (; rank > 0; rank--) {
      const better = scores[rank - 1]!
      if (better > score || (better === score && !this.#precedes(document, documents[rank - 1]!))) break
      scores[rank] = better
      documents[rank] = documents[rank - 1]!
    }
    scores[rank] = score
    documents[rank] = document
  }

  #isWorse(place: number, score: number, document: number): boolean {
    const own = this.scores[place]!
    return own < score || (own === score && this.#precedes(document, this.documents[place]!))
  }

  #precedes(document: number, other: number): boolean {
    return documentPrecedes(document, other, this.#segments)
  }

  #makeRoom(places: number): void {
    this.scores = new Float64Array(places)
    this.documents = new Uint32Array(places)
  }

  // A binary heap with the worst at its root.
  #rise(place: number, score: number, document: number): void {
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#isWorse(parent, score, document)) break
      this.#move(parent, place)
      place = parent
    }
    this.scores[place] = score
    this.documents[place] = document
  }

  /** Replaces the root of the first `size` by a document. */
  #sink(size: number, score: number, document: number): void {
    const { scores, documents } = this
    let place = 0
    for (let child = 1; child < size; child = 2 * place + 1) {
      const other = child + 1
      if (other < size && this.#isWorse(other, scores[child]!, documents[child]!)) child = other
      if (!this.#isWorse(child, score, document)) break
      this.#move(child, place)
      place = child
    }
    scores[place] = score
    documents[place] = document
  }

  #move(from: number, to: number): void {
    this.scores[to] = this.scores[from]!
    this.documents[to] = this.documents[from]!
  }
}

/** The order of documents with the same score: by id. */
export function documentPrecedes(
  document: number,
  other: number,
  segments: readonly LiveSegment<Segment>[],
): boolean {
  const a = segments[document >>> 16]!.segment
  const one = document & 0xffff
  const two = other & 0xffff
  if (document >>> 16 === other >>> 16) return a.idRanks[one]! < a.idRanks[two]!
  return idPrecedes(a, one, segments[other >>> 16]!.segment, two)
}
