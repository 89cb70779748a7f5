import { blankBits, isSet, setBit } from '../../arrays/set-bits.ts'
import type { ReadableSegment, Segment } from './segment.ts'

/** A segment and its removed documents. */
export class LiveSegment<S extends Segment = ReadableSegment> {
  /** By document: set if it was removed; absent while all are living. */
  dead: Uint32Array | undefined
  /** The removed documents, in order of removal. */
  readonly removed: number[] = []

  /** @param since number of searches before it was made */
  constructor(
    readonly key: number,
    readonly segment: S,
    readonly since: number,
  ) {}

  get size(): number {
    return this.segment.shape.documents - this.removed.length
  }

  /** Number of living documents without a word. */
  get wordless(): number {
    const { shape, lengths } = this.segment
    let count = 0
    for (let document = 0; document < shape.documents; document++) {
      const from = document * shape.fields
      if (!isSet(this.dead, document) && isZero(lengths, from, from + shape.fields)) count++
    }
    return count
  }

  /** False if the document had already been removed. */
  remove(document: number): boolean {
    this.dead ??= blankBits(this.segment.shape.documents)
    if (isSet(this.dead, document)) return false
    setBit(this.dead, document)
    this.removed.push(document)
    return true
  }

  /** The living document with this id and its hash, or -1. */
  documentOf(id: string, hash: number): number {
    const document = this.segment.documentOf(id, hash)
    return document >= 0 && isSet(this.dead, document) ? -1 : document
  }

  /** The same state with another set of parts for the same documents. */
  withSegment<T extends Segment>(segment: T): LiveSegment<T> {
    const live = new LiveSegment(this.key, segment, this.since)
    for (const document of this.removed) live.remove(document)
    return live
  }
}

function isZero(lengths: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (lengths[i] !== 0) return false
  return true
}
