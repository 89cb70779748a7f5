import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { FieldScoring, ImpactParameters } from './bm25f.ts'
import type { CompactedSegments, CompactionTask, SegmentData } from './compaction.ts'
import { hashId } from './id-table.ts'
import { rescored, writeImpacts } from './impacts.ts'
import { LiveSegment } from './live-segment.ts'
import { mergeSegments } from './merge.ts'
import {
  compactionRange,
  immediateMerge,
  joinableRange,
  MAX_IMMEDIATE_MERGE,
  paidAtOnce,
  type SegmentSize,
  workOf,
} from './merge-policy.ts'
import { MAX_SEGMENT_DOCUMENTS, WholeSegment } from './segment.ts'
import { SegmentList, type StoredSegments } from './segment-list.ts'
import type { DocumentWords } from './tail.ts'

/** The relative change of an average length after which all impacts are recomputed. */
const DRIFT = 0.02

/** A stored index, and its segments with all their parts. */
export interface WholeSegments {
  readonly stored: StoredSegments
  readonly segments: LiveSegment<WholeSegment>[]
}

/** The segments of a changing index: merges join adjacent segments and keep their order. */
export class SegmentStack extends SegmentList<WholeSegment> {
  readonly #vocabulary: Vocabulary
  /** Average lengths from which impacts have to be computed, whatever the documents are. */
  #given: readonly number[] | undefined
  #nextKey = 0
  /** Key of the newest segment that is being compacted. */
  #compacting = -1
  /** Whether something has changed since the last maintenance. */
  #isDue = false
  /** Number of the newest plan; results of any other plan, or of an index loaded since, are rejected. */
  #plans = 0

  constructor(
    vocabulary: Vocabulary,
    fields: readonly FieldScoring[],
    k1: number,
    { from, given }: { from?: WholeSegments | undefined; given?: readonly number[] | undefined } = {},
  ) {
    super(vocabulary, fields, k1, from?.stored)
    this.#vocabulary = vocabulary
    this.#given = given
    if (!from) return
    this.segments = from.segments
    this.#nextKey = from.segments.length
    this.#isDue = true
  }

  /** From now on, impacts are to be computed from these averages. */
  give(averages: readonly number[]): void {
    this.#given = averages
    this.#isDue = true
  }

  /** Whether they are, or none are given. */
  get isAsGiven(): boolean {
    return !this.#given || this.isPinnedAt(this.#given)
  }

  /** The current average lengths, as parameters of impacts. */
  get measured(): ImpactParameters {
    return this.scoringFor(this.#averages())
  }

  /** Adds the newest documents, whose impacts have yet to be computed. */
  push(segment: WholeSegment): void {
    this.#isDue = true
    const toRescore = this.#work
    this.size += segment.shape.documents
    this.frequencies.add(segment)
    addLengths(segment, this.totals)
    if (this.#pinIsDue() && toRescore <= MAX_IMMEDIATE_MERGE) this.#repin()
    writeImpacts(segment, this.scoring)
    this.segments.push(this.#live(segment))
    this.moment++
  }

  /** The words of the document with this id. */
  wordsOf(id: string): DocumentWords | undefined {
    const found = this.find(id)
    if (!found) return undefined
    const { live, document } = found
    const { forward, lengths, shape } = live.segment
    const tokens = forward.tokens.subarray(forward.starts[document], forward.starts[document + 1])
    return { tokens, lengths: lengths.subarray(document * shape.fields, (document + 1) * shape.fields) }
  }

  /** Removes the document with this id; false if there is none. */
  remove(id: string): boolean {
    const found = this.find(id)
    if (!found) return false
    this.#isDue = true
    const { live, document } = found
    live.remove(document)
    this.size--
    this.moment++
    const { fields } = live.segment.shape
    for (let f = 0; f < fields; f++) this.totals[f]! -= live.segment.lengths[document * fields + f]!
    this.frequencies.remove(live.segment, document)
    return true
  }

  /** Does maintenance that is small enough to be done between two calls. */
  settle(): void {
    this.frequencies.settle()
    if (!this.#isDue) return
    if (this.segments.some(live => live.size === 0)) {
      this.segments = this.segments.filter(live => live.size > 0)
      this.moment++
    }
    if (this.size > 0 && this.#work <= MAX_IMMEDIATE_MERGE && this.#pinIsDue()) this.#repin()
    for (;;) {
      const count = immediateMerge(this.segments.slice(this.#firstFree).map(workIn))
      if (count === 0) break
      this.#mergeNow(this.segments.length - count, count)
    }
    for (let at = this.#wasteful(); at >= 0; at = this.#wasteful()) this.#mergeNow(at, 1)
    this.#mergePaid()
    this.#isDue = false
  }

  /** The place of the oldest segment behind those that are being compacted. */
  get #firstFree(): number {
    return this.segments.findIndex(({ key }) => key === this.#compacting) + 1
  }

  #mergePaid(): void {
    const free = this.#firstFree
    const paid = paidAtOnce(this.segments.slice(free).map(live => this.#sizeOf(live)))
    if (paid) this.#mergeNow(free + paid.from, paid.to - paid.from)
  }

  #sizeOf(live: LiveSegment<WholeSegment>): SegmentSize {
    const { size, removed, since } = live
    return { live: size, removed: removed.length, work: workIn(live), looks: this.searches - since }
  }

  /** A small segment that is mostly dead, behind those that are being compacted, or -1. */
  #wasteful(): number {
    const free = this.#firstFree
    return this.segments.findIndex(
      (live, at) => at >= free && live.removed.length > live.size && workIn(live) <= MAX_IMMEDIATE_MERGE,
    )
  }

  /** Whether `plan(false)` would return a task, which is not prepared for the answer. */
  get isCompactionDue(): boolean {
    return this.#rescoringIsDue || this.#rangeToMerge(false) !== undefined
  }

  /** `joinsAll`: whether to merge into as few segments as possible. */
  plan(joinsAll: boolean): CompactionTask | undefined {
    this.#compacting = -1
    const pin = this.pin.serial
    if (this.#rescoringIsDue) {
      const scoring = this.scoringFor(this.#target)
      const segments = this.segments.map(dataOf)
      return { kind: 'rescore', plan: ++this.#plans, pin, documents: this.size, scoring, segments }
    }
    const range = this.#rangeToMerge(joinsAll)
    if (!range) return undefined
    const segments = this.segments.slice(range.from, range.to).map(dataOf)
    this.#compacting = segments.at(-1)!.key
    const lateFamilies = this.#vocabulary.lateFamilies()
    return { kind: 'merge', plan: ++this.#plans, pin, segments, lateFamilies }
  }

  get #rescoringIsDue(): boolean {
    return this.#work > MAX_IMMEDIATE_MERGE && this.#pinIsDue()
  }

  #rangeToMerge(joinsAll: boolean): { from: number; to: number } | undefined {
    const sizes = this.segments.map(live => this.#sizeOf(live))
    return (joinsAll ? joinableRange : compactionRange)(sizes, MAX_SEGMENT_DOCUMENTS)
  }

  /** Gives up the newest plan: its result will be rejected, and its segments can be merged otherwise. */
  dropPlan(): void {
    this.#plans++
    this.#compacting = -1
    this.#isDue = true
  }

  /** False if the index has changed in a way that makes the result useless. */
  adopt(result: CompactedSegments): boolean {
    if (result.plan !== this.#plans || result.pin !== this.pin.serial) return false
    this.#compacting = -1
    this.#isDue = true
    return result.kind === 'merge' ? this.#adoptMerge(result) : this.#adoptScores(result)
  }

  #adoptMerge({ replaced, ...blocks }: CompactedSegments & { kind: 'merge' }): boolean {
    const from = this.segments.findIndex(({ key }) => key === replaced[0]!.key)
    const old = from < 0 ? [] : this.segments.slice(from, from + replaced.length)
    if (old.length !== replaced.length || !old.every(({ key }, i) => key === replaced[i]!.key)) return false
    const merged = this.#live(WholeSegment.of(blocks))
    for (const [i, { segment, removed }] of old.entries()) {
      for (const document of removed.slice(replaced[i]!.removed)) removeById(merged, segment.id(document))
    }
    this.segments.splice(from, replaced.length, merged)
    this.moment++
    return true
  }

  #adoptScores({ documents, averages, scores }: CompactedSegments & { kind: 'rescore' }): boolean {
    const scoring = this.scoringFor(averages)
    const byKey = new Map(scores.map(({ key, scores }) => [key, scores]))
    this.segments = this.segments.map(live => {
      const { segment } = live
      const ready = byKey.get(live.key)
      return live.withSegment(ready ? segment.withScores(ready) : rescored(segment, scoring))
    })
    this.pin = { serial: this.pin.serial + 1, documents, averages }
    return true
  }

  #live(segment: WholeSegment): LiveSegment<WholeSegment> {
    return new LiveSegment(this.#nextKey++, segment, this.searches)
  }

  #mergeNow(from: number, count: number): void {
    const inputs = this.segments.slice(from, from + count)
    const merged = mergeSegments(inputs, term => this.#vocabulary.lateBaseOf(term))
    this.segments.splice(from, count, this.#live(merged))
    this.moment++
  }

  get #work(): number {
    return workOf(
      this.size,
      this.totals.reduce((sum, tokens) => sum + tokens, 0),
    )
  }

  /**
   * Whether other lengths are given; otherwise, whether the number of documents has doubled or halved since lengths were
   * pinned, and the lengths differ from those.
   */
  #pinIsDue(): boolean {
    if (this.#given) return !this.isPinnedAt(this.#given)
    const { documents, averages } = this.pin
    if (this.size <= 2 * documents && this.size * 2 >= documents) return false
    return averages.some((pinned, f) => Math.abs(this.#average(f) - pinned) > DRIFT * pinned)
  }

  #repin(): void {
    this.pin = { serial: this.pin.serial + 1, documents: this.size, averages: this.#target }
    const { scoring } = this
    this.segments = this.segments.map(live => live.withSegment(rescored(live.segment, scoring)))
  }

  get #target(): readonly number[] {
    return this.#given ?? this.#averages()
  }

  #averages(): number[] {
    return Array.from(this.totals, (_, field) => this.#average(field))
  }

  #average(field: number): number {
    const total = this.totals[field]!
    return total > 0 ? total / this.size : 1
  }
}

// Removed documents have to be read, too.
function workIn({ segment: { shape, columns } }: LiveSegment<WholeSegment>): number {
  return workOf(shape.documents, shape.tokens, columns.valueBytes)
}

function addLengths({ lengths, shape: { fields } }: WholeSegment, totals: Float64Array): void {
  for (let i = 0; i < lengths.length; i++) totals[i % fields]! += lengths[i]!
}

function dataOf({ key, segment, dead, removed }: LiveSegment<WholeSegment>): SegmentData {
  return { key, ...segment.blocks, dead: dead?.slice(), removed: removed.length }
}

function removeById(live: LiveSegment, id: string): void {
  const document = live.documentOf(id, hashId(id))
  if (document >= 0) live.remove(document)
}
