import type { Segment } from './segment.ts'

// Counts of rarely asked terms are not worth the memory of a busy segment.
const MAX_COUNTS = 4096

/** A segment and which of its documents are gone. */
export class LiveSegment {
  /** By document, 1 when it is gone; absent while all live. */
  dead: Uint8Array | undefined
  /** The gone documents, in the order of their removal. */
  readonly removed: number[] = []
  /** Per term asked for: its live postings, and how many of `removed` that count knows. */
  readonly #counts = new Map<number, { live: number; known: number }>()

  constructor(
    readonly key: number,
    readonly segment: Segment,
  ) {}

  get size(): number {
    return this.segment.shape.documents - this.removed.length
  }

  /** False when the document was gone already. */
  remove(document: number): boolean {
    this.dead ??= new Uint8Array(this.segment.shape.documents)
    if (this.dead[document] === 1) return false
    this.dead[document] = 1
    this.removed.push(document)
    return true
  }

  /** The live document with this id, or -1. */
  documentOf(units: Uint16Array, hash: number): number {
    const document = this.segment.documentOf(units, hash)
    return document >= 0 && this.dead?.[document] === 1 ? -1 : document
  }

  /** How many live documents have the term. */
  frequency(term: number): number {
    const at = this.segment.find(term)
    if (at < 0) return 0
    if (this.dead === undefined) return this.segment.offsets[at + 1]! - this.segment.offsets[at]!
    return this.#liveCount(at)
  }

  /** The same state over other impacts of the same documents. */
  withSegment(segment: Segment): LiveSegment {
    const live = new LiveSegment(this.key, segment)
    for (const document of this.removed) live.remove(document)
    return live
  }

  #liveCount(at: number): number {
    let count = this.#counts.get(at)
    if (count === undefined) {
      if (this.#counts.size >= MAX_COUNTS) this.#counts.clear()
      count = { live: this.segment.offsets[at + 1]! - this.segment.offsets[at]!, known: 0 }
      this.#counts.set(at, count)
    }
    this.#catchUp(at, count)
    return count.live
  }

  #catchUp(at: number, count: { live: number; known: number }): void {
    const from = this.segment.offsets[at]!
    const to = this.segment.offsets[at + 1]!
    const news = this.removed.length - count.known
    if (news * Math.log2(to - from + 1) > to - from) count.live = this.#countLive(from, to)
    else
      for (let i = count.known; i < this.removed.length; i++) {
        if (this.#has(from, to, this.removed[i]!)) count.live--
      }
    count.known = this.removed.length
  }

  #countLive(from: number, to: number): number {
    const { documents } = this.segment
    const dead = this.dead!
    let live = 0
    for (let p = from; p < to; p++) live += 1 - dead[documents[p]!]!
    return live
  }

  #has(from: number, to: number, document: number): boolean {
    const { documents } = this.segment
    const at = lowerBound(documents, from, to, document)
    return at < to && documents[at] === document
  }
}

/** The first place in the ascending `array[from..to)` whose value is not below `value`. */
export function lowerBound(array: Uint16Array, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >> 1
    if (array[middle]! < value) from = middle + 1
    else to = middle
  }
  return from
}
