import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { FieldScoring, ImpactParameters } from './bm25f.ts'
import { Frequencies } from './frequencies.ts'
import { hashId } from './id-table.ts'
import { LiveSegment } from './live-segment.ts'
import type { Segment } from './segment.ts'

/** The length statistics that all impacts were computed from. */
export interface PinnedLengths {
  /** Raised by each change. */
  readonly serial: number
  /** Number of living documents at that time. */
  readonly documents: number
  /** Average tokens per field. */
  readonly averages: readonly number[]
}

/** What searches read of an index: its segments, in order of arrival of their documents. */
export class SegmentList<S extends Segment> {
  segments: LiveSegment<S>[] = []
  pin: PinnedLengths
  /** Number of living documents. */
  size = 0
  /** Number of tokens per field in the living documents. */
  readonly totals: Float64Array
  /** Number of living documents per term. */
  readonly frequencies: Frequencies
  /** Number of searches so far. */
  searches = 0
  /** Raised whenever documents are added, removed or renumbered. */
  moment = 0
  readonly #fields: readonly FieldScoring[]
  readonly #k1: number

  /** `from`: the list that it continues, without its segments. */
  constructor(
    vocabulary: Vocabulary,
    fields: readonly FieldScoring[],
    k1: number,
    from?: SegmentList<Segment>,
  ) {
    this.#fields = fields
    this.#k1 = k1
    this.pin = from?.pin ?? { serial: 0, documents: 0, averages: fields.map(() => 1) }
    this.totals = from?.totals ?? new Float64Array(fields.length)
    this.frequencies = from?.frequencies ?? new Frequencies(vocabulary)
    this.size = from?.size ?? 0
    this.searches = from?.searches ?? 0
  }

  /** Number of living documents without a word, which no search finds. */
  get wordless(): number {
    return this.segments.reduce((sum, live) => sum + live.wordless, 0)
  }

  /** The segment and number of the living document with this id. */
  find(id: string): { live: LiveSegment<S>; document: number } | undefined {
    const hash = hashId(id)
    for (const live of this.segments) {
      const document = live.documentOf(id, hash)
      if (document >= 0) return { live, document }
    }
    return undefined
  }

  /** The parameters from which impacts are computed now. */
  get scoring(): ImpactParameters {
    return this.scoringFor(this.pin.averages)
  }

  /** Whether impacts are computed from these averages, if there are any. */
  isPinnedAt(averages: readonly number[]): boolean {
    return this.size === 0 || averages.every((average, field) => average === this.pin.averages[field])
  }

  get bytes(): number {
    return this.segments.reduce((sum, { segment }) => sum + segment.bytes, this.frequencies.bytes)
  }

  /** The same for other average lengths. */
  protected scoringFor(averages: readonly number[]): ImpactParameters {
    return { fields: this.#fields, k1: this.#k1, averages }
  }
}

/** The segments of a stored index, some of their parts not loaded yet: nothing changes until they are. */
export class StoredSegments extends SegmentList<Segment> {
  /** Adds a stored segment with its removed documents; undefined if these contradict it. */
  restore(segment: Segment, removed: Uint16Array): LiveSegment<Segment> | undefined {
    const live = new LiveSegment(this.segments.length, segment, this.searches)
    for (const document of removed) {
      if (document >= segment.shape.documents || !live.remove(document)) return undefined
    }
    this.frequencies.restore(segment)
    if (live.dead) this.frequencies.removeAll(segment, live.dead)
    this.segments.push(live)
    this.size += live.size
    this.moment++
    return live
  }
}
