import { isSet } from '../../arrays/set-bits.ts'
import type { Segment } from './segment.ts'

/** Writes the ids of a segment's documents, given in order, and ranks them. */
export function writeIds(segment: Segment, ids: readonly string[]): void {
  const { idUnits, idStarts } = segment
  let at = 0
  for (let document = 0; document < ids.length; document++) {
    const id = ids[document]!
    for (let i = 0; i < id.length; i++) idUnits[at++] = id.charCodeAt(i)
    idStarts[document + 1] = at
  }
  rankIds(segment)
}

// An array sorts input that is already in order, as in many catalogues, in one pass; a typed array would not.
function rankIds(segment: Segment): void {
  const order = Array.from(segment.idRanks.keys())
  order.sort((a, b) => (idPrecedes(segment, a, segment, b) ? -1 : 1))
  for (let rank = 0; rank < order.length; rank++) segment.idRanks[order[rank]!] = rank
}

/** Whether the id of one segment's document comes before that of another's in the byte order of UTF-8. */
export function idPrecedes(a: Segment, document: number, b: Segment, other: number): boolean {
  let i = a.idStarts[document]!
  let j = b.idStarts[other]!
  const endA = a.idStarts[document + 1]!
  const endB = b.idStarts[other + 1]!
  while (i < endA && j < endB && a.idUnits[i] === b.idUnits[j]) {
    i++
    j++
  }
  if (i === endA || j === endB) return endA - i < endB - j
  return codePointRank(a.idUnits[i]!) < codePointRank(b.idUnits[j]!)
}

/** Ranks a UTF-16 unit by code point: surrogates stand for characters beyond U+FFFF. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** A segment that was merged into another, and the new numbers of its documents. */
interface RankSource {
  readonly segment: Segment
  readonly dead: Uint32Array | undefined
  readonly numbers: Uint16Array
}

/** Ranks the ids of a merged segment by merging the orders of its sources. */
export function mergeIdRanks(sources: readonly RankSource[], merged: Segment): void {
  const queues = sources.map(numbersById).filter(({ length }) => length > 0)
  const reached = queues.map(() => 0)
  for (let rank = 0; rank < merged.shape.documents; rank++) {
    let first = -1
    for (let q = 0; q < queues.length; q++) {
      if (reached[q]! === queues[q]!.length) continue
      if (first < 0 || headPrecedes(q, first)) first = q
    }
    merged.idRanks[queues[first]![reached[first]!++]!] = rank
  }

  function headPrecedes(q: number, other: number): boolean {
    return idPrecedes(merged, queues[q]![reached[q]!]!, merged, queues[other]![reached[other]!]!)
  }
}

/** The numbers of the living documents in the merged segment, ordered by id. */
function numbersById({ segment: { idRanks }, dead, numbers }: RankSource): Uint16Array {
  const order = new Uint16Array(idRanks.length)
  for (let document = 0; document < idRanks.length; document++) order[idRanks[document]!] = document
  return order.filter(document => !isSet(dead, document)).map(document => numbers[document]!)
}
