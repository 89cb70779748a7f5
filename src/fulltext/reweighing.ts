import { frequencyFactor, impactOf, type Scoring } from './bm25f.ts'
import type { PostingList } from './posting-lists.ts'
import type { Segment } from './segment.ts'

/** Computes impacts for other field weights than the stored ones, for one query. */
export class Reweighing {
  readonly #scoring: Scoring

  constructor(scoring: Scoring) {
    this.#scoring = scoring
  }

  /** The postings `from..end` that have the term in a field with weight; undefined for none. */
  list(segment: Segment, from: number, end: number, weight: number): PostingList | undefined {
    const documents = new Uint16Array(end - from)
    const impacts = new Uint8Array(end - from)
    let size = 0
    let most = 0
    for (let p = from; p < end; p++) {
      const frequency = this.#frequency(segment, p)
      if (frequency === 0) continue
      const impact = impactOf(frequency, this.#scoring.k1)
      documents[size] = segment.documents[p]!
      impacts[size++] = impact
      if (impact > most) most = impact
    }
    if (size === 0) return undefined
    return { documents, impacts, from: 0, to: size, end: size, weight, bound: weight * most, sure: 0 }
  }

  #frequency({ frequencies, lengths, documents }: Segment, posting: number): number {
    const { length: fields } = this.#scoring.fields
    const ofDocument = documents[posting]! * fields
    let sum = 0
    for (let f = 0; f < fields; f++) {
      const occurrences = frequencies[posting * fields + f]!
      if (occurrences > 0) sum += occurrences * frequencyFactor(this.#scoring, f, lengths[ofDocument + f]!)
    }
    return sum
  }
}
