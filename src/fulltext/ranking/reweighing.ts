import { frequencyFactor, type ImpactParameters, impactAside, impactOf } from '../segments/bm25f.ts'
import { ASIDE_ALONE, MOST_IN_TITLE } from '../segments/forward-list.ts'
import { fieldOfOne } from '../segments/impacts.ts'
import type { PostingList } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'

// Most fields are no longer: what depends on the length alone is computed once.
const COMMON_LENGTHS = 256

/** The postings of a term under these weights. */
interface Reweighed {
  readonly documents: Uint16Array
  readonly impacts: Uint8Array
  readonly most: number
}

/** The impacts of this many postings are cached, or of this share of the index if that is more. */
const FEW_KEPT = 2 ** 22
const SHARE_OF_INDEX = 1 / 4

/**
 * Computes impacts for field weights other than the stored ones. They are kept for later queries, which usually have the
 * same weights.
 */
export class Reweighing {
  readonly #scoring: ImpactParameters
  /** By segment, then by place of the first posting. */
  #kept = new WeakMap<ReadableSegment, Map<number, Reweighed>>()
  /** Number of postings in the cache, including those of segments that are gone. */
  #postings = 0
  /** By field and its length in words: the factor of a frequency there. */
  readonly #factors: Float64Array
  /** The same: the impact of a word that occurs there once and nowhere else, as most do; 0 if the field has no weight. */
  readonly #ofOne: Uint8Array
  /** Number of postings in the index. */
  indexed = 0
  /** Whether some field has no weight, so that postings may be left out. */
  readonly #leavesOut: boolean
  readonly #readsTitle: boolean

  constructor(scoring: ImpactParameters) {
    this.#scoring = scoring
    this.#readsTitle = scoring.fields[0]?.weight !== 0
    this.#leavesOut = scoring.fields.some(({ weight }) => weight === 0)
    this.#factors = new Float64Array(scoring.fields.length * COMMON_LENGTHS)
    for (let i = 0; i < this.#factors.length; i++)
      this.#factors[i] = frequencyFactor(scoring, Math.floor(i / COMMON_LENGTHS), i % COMMON_LENGTHS)
    this.#ofOne = Uint8Array.from(this.#factors, factor => (factor === 0 ? 0 : impactOf(factor, scoring.k1)))
  }

  /** Whether it was made for these weights and average lengths. */
  isFor({ fields, averages, k1 }: ImpactParameters): boolean {
    const own = this.#scoring
    return (
      k1 === own.k1 &&
      fields.every(({ weight, b }, f) => weight === own.fields[f]!.weight && b === own.fields[f]!.b) &&
      averages.every((average, f) => average === own.averages[f])
    )
  }

  get bytes(): number {
    return this.#leavesOut ? 3 * this.#postings : this.#postings
  }

  /** The postings `from..end` of documents that have the term in a field with a weight; undefined if there are none. */
  list(segment: ReadableSegment, from: number, end: number, weight: number): PostingList | undefined {
    const { documents, impacts, most } = this.#reweighed(segment, from, end)
    const { length } = impacts
    if (length === 0) return undefined
    return { documents, impacts, from: 0, to: length, weight, bound: weight * most, sure: 0 }
  }

  #reweighed(segment: ReadableSegment, from: number, end: number): Reweighed {
    const kept = this.#kept.get(segment)?.get(from)
    if (kept) return kept
    const reweighed = this.#reweigh(segment, from, end)
    if (this.#postings + end - from > Math.max(FEW_KEPT, SHARE_OF_INDEX * this.indexed)) {
      this.#kept = new WeakMap()
      this.#postings = 0
    }
    const ofSegment = this.#kept.get(segment) ?? new Map<number, Reweighed>()
    this.#kept.set(segment, ofSegment.set(from, reweighed))
    this.#postings += end - from
    return reweighed
  }

  #reweigh(segment: ReadableSegment, from: number, end: number): Reweighed {
    const all = segment.documents.subarray(from, end)
    const documents = this.#leavesOut ? new Uint16Array(end - from) : all
    const impacts = new Uint8Array(end - from)
    let size = 0
    let most = 0
    for (let p = from; p < end; p++) {
      const document = all[p - from]!
      const impact = this.#impact(segment, p, document)
      if (impact === 0) continue
      if (this.#leavesOut) documents[size] = document
      impacts[size++] = impact
      if (impact > most) most = impact
    }
    return { documents: documents.subarray(0, size), impacts: impacts.subarray(0, size), most }
  }

  /** 0 if no field with a weight has the term. */
  #impact({ forward, lengths, shape }: ReadableSegment, posting: number, document: number): number {
    const { fields } = shape
    const { frequencies } = forward
    const inTitle = frequencies[posting * fields]!
    const field = fieldOfOne(frequencies, posting * fields, fields)
    const length = field < 0 ? COMMON_LENGTHS : lengths[document * fields + field]!
    const impact =
      length < COMMON_LENGTHS
        ? this.#ofOne[field * COMMON_LENGTHS + length]!
        : this.#impactOf(frequencies, posting * fields, lengths, document * fields)
    return inTitle >= ASIDE_ALONE && this.#readsTitle && impact > 0 ? impactAside(impact) : impact
  }

  #impactOf(frequencies: Uint8Array, ofPosting: number, lengths: Uint16Array, ofDocument: number): number {
    const scoring = this.#scoring
    let sum = 0
    for (let f = 0; f < scoring.fields.length; f++) {
      const frequency = f === 0 ? frequencies[ofPosting]! & MOST_IN_TITLE : frequencies[ofPosting + f]!
      if (frequency === 0) continue
      const length = lengths[ofDocument + f]!
      const factor =
        length < COMMON_LENGTHS
          ? this.#factors[f * COMMON_LENGTHS + length]!
          : frequencyFactor(scoring, f, length)
      sum += frequency * factor
    }
    return sum === 0 ? 0 : impactOf(sum, scoring.k1)
  }
}
