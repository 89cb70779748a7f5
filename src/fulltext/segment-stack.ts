import type { FieldWeight, Scoring } from './bm25f.ts'
import type { CompactedSegments, CompactionTask, SegmentData } from './compaction.ts'
import { LiveSegment } from './live-segment.ts'
import { mergeSegments } from './merge.ts'
import { compactionRange, immediateMerge, MAX_IMMEDIATE_MERGE } from './merge-policy.ts'
import { MAX_SEGMENT_DOCUMENTS, Segment } from './segment.ts'
import { hashUnits, unitsOf } from './term-table.ts'

/** The length statistics that all impacts were computed from. */
export interface Pin {
  /** Raised by each change. */
  readonly serial: number
  /** Living documents when it was taken. */
  readonly documents: number
  /** Average tokens per field. */
  readonly averages: readonly number[]
}

/** The segments of an index, in order of arrival of their documents; merges join neighbours and keep that order. */
export class SegmentStack {
  segments: LiveSegment[] = []
  pin: Pin
  /** Living documents. */
  size = 0
  /** Tokens per field of the living documents. */
  readonly totals: Float64Array
  readonly #fields: readonly FieldWeight[]
  readonly #k1: number
  #nextKey = 0
  /** Number of the newest plan; results of any other, or of an index that was loaded since, are refused. */
  #plans = 0

  constructor(fields: readonly FieldWeight[], k1: number) {
    this.#fields = fields
    this.#k1 = k1
    this.totals = new Float64Array(fields.length)
    this.pin = { serial: 0, documents: 0, averages: fields.map(() => 1) }
  }

  /** Takes the newest documents, whose impacts are still to be computed. */
  push(segment: Segment): void {
    this.size += segment.shape.documents
    addLengths(segment, this.totals)
    if (this.#pinIsDue() && this.size <= MAX_IMMEDIATE_MERGE) this.#repin()
    segment.score(this.#scoring(this.pin.averages))
    this.segments.push(new LiveSegment(this.#nextKey++, segment))
  }

  /** Takes a segment as it was stored, with its removed documents; false when these contradict it. */
  restore(segment: Segment, removed: Uint16Array): LiveSegment | undefined {
    const live = new LiveSegment(this.#nextKey++, segment)
    for (const document of removed) {
      if (document >= segment.shape.documents || !live.remove(document)) return undefined
    }
    this.segments.push(live)
    this.size += live.size
    return live
  }

  /** Removes the document with this id; false when none lives. */
  remove(id: string): boolean {
    const units = unitsOf(id)
    const hash = hashUnits(units, units.length)
    for (const live of this.segments) {
      const document = live.documentOf(units, hash)
      if (document < 0) continue
      live.remove(document)
      this.size--
      const { fields } = live.segment.shape
      for (let f = 0; f < fields; f++) this.totals[f]! -= live.segment.lengths[document * fields + f]!
      return true
    }
    return false
  }

  has(id: string): boolean {
    const units = unitsOf(id)
    const hash = hashUnits(units, units.length)
    return this.segments.some(live => live.documentOf(units, hash) >= 0)
  }

  /** Living documents that have the term. */
  frequency(term: number): number {
    let frequency = 0
    for (const live of this.segments) frequency += live.frequency(term)
    return frequency
  }

  /** Does the upkeep that is small enough to be done between two calls. */
  settle(): void {
    if (this.segments.some(live => live.size === 0))
      this.segments = this.segments.filter(live => live.size > 0)
    if (this.size > 0 && this.size <= MAX_IMMEDIATE_MERGE && this.#pinIsDue()) this.#repin()
    for (;;) {
      const count = immediateMerge(this.segments.map(({ size }) => size))
      if (count === 0) break
      this.#mergeNow(this.segments.length - count, count)
    }
    const wasteful = this.segments.findIndex(
      ({ size, removed }) => removed.length > size && size + removed.length <= MAX_IMMEDIATE_MERGE,
    )
    if (wasteful >= 0) this.#mergeNow(wasteful, 1)
  }

  plan(): CompactionTask | undefined {
    const pin = this.pin.serial
    if (this.size > MAX_IMMEDIATE_MERGE && this.#pinIsDue()) {
      const scoring = this.#scoring(this.#averages())
      const segments = this.segments.map(dataOf)
      return { kind: 'rescore', plan: ++this.#plans, pin, documents: this.size, scoring, segments }
    }
    const sizes = this.segments.map(({ size, removed }) => ({ live: size, removed: removed.length }))
    const range = compactionRange(sizes, MAX_SEGMENT_DOCUMENTS)
    if (!range) return undefined
    const segments = this.segments.slice(range.from, range.to).map(dataOf)
    return { kind: 'merge', plan: ++this.#plans, pin, segments }
  }

  /** False when the index has moved on in a way that makes the result useless. */
  adopt(result: CompactedSegments): boolean {
    if (result.plan !== this.#plans || result.pin !== this.pin.serial) return false
    return result.kind === 'merge' ? this.#adoptMerge(result) : this.#adoptScores(result)
  }

  #adoptMerge({ replaced, shape, body, scores }: CompactedSegments & { kind: 'merge' }): boolean {
    const from = this.segments.findIndex(({ key }) => key === replaced[0]!.key)
    const old = from < 0 ? [] : this.segments.slice(from, from + replaced.length)
    if (old.length !== replaced.length || !old.every(({ key }, i) => key === replaced[i]!.key)) return false
    const merged = new LiveSegment(this.#nextKey++, new Segment(shape, body, scores))
    for (const [i, { segment, removed }] of old.entries()) {
      for (const document of removed.slice(replaced[i]!.removed)) removeById(merged, segment.id(document))
    }
    this.segments.splice(from, replaced.length, merged)
    return true
  }

  #adoptScores({ documents, averages, scores }: CompactedSegments & { kind: 'rescore' }): boolean {
    const scoring = this.#scoring(averages)
    const byKey = new Map(scores.map(({ key, scores }) => [key, scores]))
    this.segments = this.segments.map(live => {
      const { segment } = live
      const ready = byKey.get(live.key)
      return live.withSegment(
        ready ? new Segment(segment.shape, segment.body, ready) : segment.scored(scoring),
      )
    })
    this.pin = { serial: this.pin.serial + 1, documents, averages }
    return true
  }

  #mergeNow(from: number, count: number): void {
    const merged = mergeSegments(this.segments.slice(from, from + count))
    this.segments.splice(from, count, new LiveSegment(this.#nextKey++, merged))
  }

  #pinIsDue(): boolean {
    return this.size > 2 * this.pin.documents || this.size * 2 < this.pin.documents
  }

  #repin(): void {
    this.pin = { serial: this.pin.serial + 1, documents: this.size, averages: this.#averages() }
    const scoring = this.#scoring(this.pin.averages)
    this.segments = this.segments.map(live => live.withSegment(live.segment.scored(scoring)))
  }

  #averages(): number[] {
    return Array.from(this.totals, total => (total > 0 ? total / this.size : 1))
  }

  #scoring(averages: readonly number[]): Scoring {
    return { fields: this.#fields, k1: this.#k1, averages }
  }
}

function addLengths({ lengths, shape: { fields } }: Segment, totals: Float64Array): void {
  for (let i = 0; i < lengths.length; i++) totals[i % fields]! += lengths[i]!
}

function dataOf({ key, segment, dead, removed }: LiveSegment): SegmentData {
  const { shape, body, scores } = segment
  return { key, shape, body, scores, dead: dead?.slice(), removed: removed.length }
}

function removeById(live: LiveSegment, id: string): void {
  const units = unitsOf(id)
  const document = live.documentOf(units, hashUnits(units, units.length))
  if (document >= 0) live.remove(document)
}
