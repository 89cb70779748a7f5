import { frequencyFactor, type ImpactParameters, impactAside, impactOf } from '../segments/bm25f.ts'
import { ASIDE_ALONE, MOST_IN_TITLE } from '../segments/forward-list.ts'
import type { PostingList } from '../segments/posting-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'

// Most words occur in one field only, and a few times at most: the impact of these is computed once.
const COMMON_OCCURRENCES = 4
const COMMON_LENGTHS = 256

/** The counts of one segment from which impacts are computed. */
interface Counts {
  readonly frequencies: Uint8Array
  readonly lengths: Uint16Array
  readonly fields: number
}

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
  /** By field, occurrences, and length of the field in words; 0 if not computed yet. */
  readonly #common: Uint8Array
  /** Number of postings in the index. */
  indexed = 0
  /** Whether some field has no weight, so that postings may be left out. */
  readonly #leavesOut: boolean
  readonly #readsTitle: boolean

  constructor(scoring: ImpactParameters) {
    this.#scoring = scoring
    this.#readsTitle = scoring.fields[0]?.weight !== 0
    this.#leavesOut = scoring.fields.some(({ weight }) => weight === 0)
    this.#common = new Uint8Array(scoring.fields.length * COMMON_OCCURRENCES * COMMON_LENGTHS)
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
    const { forward, lengths, shape } = segment
    const counts = { frequencies: forward.frequencies, lengths, fields: shape.fields }
    const all = segment.documents.subarray(from, end)
    const documents = this.#leavesOut ? new Uint16Array(end - from) : all
    const impacts = new Uint8Array(end - from)
    let size = 0
    let most = 0
    for (let p = from; p < end; p++) {
      const document = all[p - from]!
      const impact = this.#impact(counts, p, document)
      if (impact === 0) continue
      if (this.#leavesOut) documents[size] = document
      impacts[size++] = impact
      if (impact > most) most = impact
    }
    return { documents: documents.subarray(0, size), impacts: impacts.subarray(0, size), most }
  }

  /** 0 if no field with a weight has the term. */
  #impact(counts: Counts, posting: number, document: number): number {
    const impact = this.#impactOf(counts, posting, document)
    const isAside = counts.frequencies[posting * counts.fields]! >= ASIDE_ALONE && this.#readsTitle
    return isAside && impact > 0 ? impactAside(impact) : impact
  }

  #impactOf(counts: Counts, posting: number, document: number): number {
    const common = placeOf(counts, posting, document)
    if (common >= 0 && this.#common[common] !== 0) return this.#common[common]!
    const frequency = this.#frequency(counts, posting, document)
    const impact = frequency === 0 ? 0 : impactOf(frequency, this.#scoring.k1)
    if (common >= 0) this.#common[common] = impact
    return impact
  }

  #frequency({ frequencies, lengths, fields }: Counts, posting: number, document: number): number {
    let sum = 0
    for (let f = 0; f < fields; f++) {
      const occurrences = occurrencesIn(f, frequencies[posting * fields + f]!)
      const length = lengths[document * fields + f]!
      if (occurrences > 0) sum += occurrences * frequencyFactor(this.#scoring, f, length)
    }
    return sum
  }
}

const occurrencesIn = (field: number, frequency: number): number =>
  field === 0 ? frequency & MOST_IN_TITLE : frequency

/** Place of a common posting's impact in the cache; -1 for any other posting. */
function placeOf({ frequencies, lengths, fields }: Counts, posting: number, document: number): number {
  let place = -1
  for (let f = 0; f < fields; f++) {
    const occurrences = occurrencesIn(f, frequencies[posting * fields + f]!)
    if (occurrences === 0) continue
    const length = lengths[document * fields + f]!
    if (place >= 0 || occurrences >= COMMON_OCCURRENCES || length >= COMMON_LENGTHS) return -1
    place = (f * COMMON_OCCURRENCES + occurrences) * COMMON_LENGTHS + length
  }
  return place
}
