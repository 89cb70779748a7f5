import { setBit } from '../../arrays/set-bits.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** The numbers across all segments of documents; ids that are not in the index are left out. */
export function documentsOf(ids: readonly string[], list: SegmentList<Segment>): number[] {
  return ids.flatMap(id => {
    const found = list.find(id)
    return found ? (list.segments.indexOf(found.live) << 16) | found.document : []
  })
}

/** Documents that a query must not find. */
export class HiddenDocuments {
  readonly size: number
  readonly #byPlace = new Map<number, number[]>()

  constructor(documents: ReadonlySet<number>) {
    this.size = documents.size
    for (const document of documents) {
      const place = document >>> 16
      const own = this.#byPlace.get(place)
      if (own) own.push(document & 0xffff)
      else this.#byPlace.set(place, [document & 0xffff])
    }
  }

  /** Marks the hidden documents of the segment at a place. */
  markIn(place: number, hidden: Uint32Array): void {
    for (const document of this.#byPlace.get(place) ?? []) setBit(hidden, document)
  }
}
