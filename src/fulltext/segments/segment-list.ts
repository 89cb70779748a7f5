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
  /** Living documents when it was taken. */
  readonly documents: number
  /** Average tokens per field. */
  readonly averages: readonly number[]
}

/** What searches read of an index: its segments, in order of arrival of their documents. */
export class SegmentList<S extends Segment> {
  segments: LiveSegment<S>[] = []
  pin: PinnedLengths
  /** Living documents. */
  size = 0
  /** Tokens per field of the living documents. */
  readonly totals: Float64Array
  /** Living documents per term. */
  readonly frequencies: Frequencies
  /** Number of searches so far. */
  searches = 0
  /** Raised whenever other documents can be found, or at other places. */
  moment = 0
  readonly #fields: readonly FieldScoring[]
  readonly #k1: number

  /** `from`: what it goes on from, whose segments it does not take. */
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

  /** Living documents without a word, which no search finds. */
  get wordless(): number {
    return this.segments.reduce((sum, live) => sum + live.wordless, 0)
  }

  /** Where the living document with this id is. */
  find(id: string): { live: LiveSegment<S>; document: number } | undefined {
    const hash = hashId(id)
    for (const live of this.segments) {
      const document = live.documentOf(id, hash)
      if (document >= 0) return { live, document }
    }
    return undefined
  }

  /** What impacts are computed from at present. */
  get scoring(): ImpactParameters {
    return this.scoringFor(this.pin.averages)
  }

  /** Whether impacts are computed from these averages, as far as there are any. */
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

/** The segments of an index as it was stored, some of their parts still to come: nothing of it changes until then. */
export class StoredSegments extends SegmentList<Segment> {
  /** Takes a segment as it was stored, with its removed documents; false when these contradict it. */
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
