import { blankBits, clearBit, isSet } from '../../arrays/set-bits.ts'
import { MAX_SEGMENT_DOCUMENTS } from '../segments/segment.ts'
/** Hides every document of any segment. */
export const NOBODY: Uint32Array = blankBits(MAX_SEGMENT_DOCUMENTS).fill(-1)

/** The only documents that may be found, on one state of the index. */
export interface Selection {
  /** By place of the segment, then by document: set if it may not be found, as for removed ones; undefined if all may be. */
  readonly hidden: readonly (Uint32Array | undefined)[]
  /** By place of the segment: how many documents may be found. */
  readonly sizes: readonly number[]
  /** How many documents may be found in all. */
  readonly size: number
}

/** The documents of a segment that may be found, ascending. @param size how many there are */
export function selectedIn(hidden: Uint32Array, size: number): Uint16Array {
  const documents = new Uint16Array(size)
  let at = 0
  for (let word = 0; at < size; word++)
    for (let open = ~hidden[word]!; open !== 0 && at < size; open &= open - 1)
      documents[at++] = (word << 5) + 31 - Math.clz32(open & -open)
  return documents
}

/** Selects these documents only. @param segments number of segments */
export function selectionOf(documents: readonly number[], segments: number): Selection {
  const hidden = new Array<Uint32Array>(segments).fill(NOBODY)
  const sizes = new Array<number>(segments).fill(0)
  for (const document of documents) {
    const place = document >>> 16
    if (sizes[place]!++ === 0) hidden[place] = NOBODY.slice()
    clearBit(hidden[place]!, document & 0xffff)
  }
  return { hidden, sizes, size: documents.length }
}

/** Whether a document may be found. */
export const isSelected = (document: number, selection: Selection | undefined): boolean =>
  !isSet(selection?.hidden[document >>> 16], document & 0xffff)
