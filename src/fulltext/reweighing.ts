import { frequencyFactor, impactOf, type Scoring } from './bm25f.ts'
import type { PostingList } from './posting-lists.ts'
import type { Segment } from './segment.ts'

/** Factors of fields of so many words are at hand; few fields are longer. */
const COMMON_LENGTHS = 256

/** Computes impacts for other field weights than the stored ones, for one query. */
export class Reweighing {
  readonly #scoring: Scoring
  /** By field and length. */
  readonly #factors: Float64Array

  constructor(scoring: Scoring) {
    this.#scoring = scoring
    this.#factors = new Float64Array(scoring.fields.length * COMMON_LENGTHS)
    for (let i = 0; i < this.#factors.length; i++)
      this.#factors[i] = frequencyFactor(scoring, Math.floor(i / COMMON_LENGTHS), i % COMMON_LENGTHS)
  }

  /** The postings `from..end` that have the term in a field with weight; undefined for none. */
  list(segment: Segment, from: number, end: number, weight: number): PostingList | undefined {
    const documents = new Uint16Array(end - from)
    const impacts = new Uint8Array(end - from)
    const { k1 } = this.#scoring
    let size = 0
    let most = 0
    for (let p = from; p < end; p++) {
      const document = segment.documents[p]!
      const frequency = this.#frequency(segment, p, document)
      if (frequency === 0) continue
      const impact = impactOf(frequency, k1)
      documents[size] = document
      impacts[size++] = impact
      if (impact > most) most = impact
    }
    if (size === 0) return undefined
    return { documents, impacts, from: 0, to: size, end: size, weight, bound: weight * most, sure: 0 }
  }

  #frequency({ frequencies, lengths }: Segment, posting: number, document: number): number {
    const { length: fields } = this.#scoring.fields
    let sum = 0
    for (let f = 0; f < fields; f++) {
      const occurrences = frequencies[posting * fields + f]!
      if (occurrences > 0) sum += occurrences * this.#factor(f, lengths[document * fields + f]!)
    }
    return sum
  }

  #factor(field: number, length: number): number {
    return length < COMMON_LENGTHS
      ? this.#factors[field * COMMON_LENGTHS + length]!
      : frequencyFactor(this.#scoring, field, length)
  }
}
