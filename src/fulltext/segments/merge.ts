import { isSet } from '../../arrays/set-bits.ts'
import type { Columns } from './columns/columns.ts'
import { mergeColumns } from './columns/join.ts'
import { mergeIdRanks } from './document-ids.ts'
import { summarise } from './impacts.ts'
import { type SegmentShape, WholeSegment } from './segment.ts'

export interface MergeInput {
  readonly segment: WholeSegment
  /** By document, 1 when it is gone; absent while all live. */
  readonly dead: Uint32Array | undefined
}

/** The base of a family that is newer than its base, -1 for any other term. */
export type LateBaseOf = (term: number) => number

/**
 * One segment of the living documents of several, in their order; impacts are taken over. Where a segment is from
 * before a family, its base stands for it.
 */
export function mergeSegments(inputs: readonly MergeInput[], baseOf: LateBaseOf): WholeSegment {
  const sources = renumber(inputs)
  const shape = mergedShape(sources, baseOf)
  const segment = WholeSegment.blank(shape, columnsOf(sources, shape.documents))
  let term = 0
  let posting = 0
  forEachTerm(sources, baseOf, (id, having) => {
    const from = posting
    for (const source of having) posting = copyPostings(source, segment, posting)
    if (posting === from) return
    segment.terms[term] = id
    segment.offsets[term] = from
    term++
  })
  segment.offsets[term] = posting
  summarise(segment)
  for (const source of sources) copyDocuments(source, segment)
  mergeIdRanks(sources, segment)
  return segment
}

export interface MergeSource {
  readonly segment: WholeSegment
  readonly dead: Uint32Array | undefined
  /** By document: its number in the merged segment. */
  readonly numbers: Uint16Array
  readonly documents: number
  /** The next term, as a place in `segment.terms`. */
  next: number
  /** The term whose postings are current. */
  at: number
}

function renumber(inputs: readonly MergeInput[]): MergeSource[] {
  let next = 0
  return inputs.map(({ segment, dead }) => {
    const first = next
    const numbers = new Uint16Array(segment.shape.documents)
    for (let document = 0; document < numbers.length; document++) {
      if (!isSet(dead, document)) numbers[document] = next++
    }
    return { segment, dead, numbers, documents: next - first, next: 0, at: 0 }
  })
}

/** Visits the distinct terms in ascending order; each source that has the term then stands at it. */
function forEachTerm(
  sources: readonly MergeSource[],
  baseOf: LateBaseOf,
  visit: (term: number, having: readonly MergeSource[]) => void,
): void {
  for (const source of sources) source.next = 0
  const having: MergeSource[] = []
  for (;;) {
    let least = Infinity
    for (const { segment, next } of sources) {
      if (next < segment.terms.length && segment.terms[next]! < least) least = segment.terms[next]!
    }
    if (least === Infinity) return
    having.length = 0
    const base = baseOf(least)
    for (const source of sources) if (standsAt(source, least, base)) having.push(source)
    visit(least, having)
  }
}

function standsAt(source: MergeSource, term: number, base: number): boolean {
  const { segment, next } = source
  if (next < segment.terms.length && segment.terms[next] === term) {
    source.at = source.next++
    return true
  }
  if (base < 0) return false
  source.at = segment.find(base)
  return source.at >= 0
}

function mergedShape(sources: readonly MergeSource[], baseOf: LateBaseOf): SegmentShape {
  let terms = 0
  let postings = 0
  forEachTerm(sources, baseOf, (_, having) => {
    let live = 0
    for (const source of having) live += livePostings(source)
    if (live > 0) terms++
    postings += live
  })
  const { fields } = sources[0]!.segment.shape
  return { fields, terms, postings, ...documentShape(sources) }
}

function documentShape(
  sources: readonly MergeSource[],
): Pick<SegmentShape, 'documents' | 'tokens' | 'idUnits'> {
  const shape = { documents: 0, tokens: 0, idUnits: 0 }
  for (const { segment, dead, numbers, documents } of sources) {
    const { starts } = segment.forward
    shape.documents += documents
    for (let document = 0; document < numbers.length; document++) {
      if (isSet(dead, document)) continue
      shape.idUnits += segment.idStarts[document + 1]! - segment.idStarts[document]!
      shape.tokens += starts[document + 1]! - starts[document]!
    }
  }
  return shape
}

function livePostings({ segment, dead, at }: MergeSource): number {
  const from = segment.offsets[at]!
  const to = segment.offsets[at + 1]!
  if (dead === undefined) return to - from
  let live = 0
  for (let p = from; p < to; p++) if (!isSet(dead, segment.documents[p]!)) live++
  return live
}

function copyPostings({ segment, dead, numbers, at }: MergeSource, to: WholeSegment, place: number): number {
  const { fields } = segment.shape
  const { frequencies } = segment.forward
  const copied = to.forward.frequencies
  for (let p = segment.offsets[at]!; p < segment.offsets[at + 1]!; p++) {
    const document = segment.documents[p]!
    if (isSet(dead, document)) continue
    to.documents[place] = numbers[document]!
    to.impacts[place] = segment.impacts[p]!
    for (let f = 0; f < fields; f++) copied[place * fields + f] = frequencies[p * fields + f]!
    place++
  }
  return place
}

function columnsOf(sources: readonly MergeSource[], documents: number): Columns {
  const columns = sources.map(({ segment, dead, numbers }) => {
    const becomes = new Int32Array(numbers)
    if (dead)
      for (let document = 0; document < numbers.length; document++)
        if (isSet(dead, document)) becomes[document] = -1
    return { columns: segment.columns, becomes }
  })
  return mergeColumns(columns, documents)
}

function copyDocuments({ segment, dead, numbers }: MergeSource, to: WholeSegment): void {
  for (let document = 0; document < numbers.length; document++) {
    if (!isSet(dead, document)) copyDocument(segment, document, to, numbers[document]!)
  }
}

function copyDocument(from: WholeSegment, document: number, to: WholeSegment, number: number): void {
  const { fields } = from.shape
  for (let f = 0; f < fields; f++) to.lengths[number * fields + f] = from.lengths[document * fields + f]!
  const id = from.idUnits.subarray(from.idStarts[document], from.idStarts[document + 1])
  to.idUnits.set(id, to.idStarts[number]!)
  to.idStarts[number + 1] = to.idStarts[number]! + id.length
  const source = from.forward
  const target = to.forward
  const words = source.tokens.subarray(source.starts[document], source.starts[document + 1])
  target.tokens.set(words, target.starts[number]!)
  target.starts[number + 1] = target.starts[number]! + words.length
}
