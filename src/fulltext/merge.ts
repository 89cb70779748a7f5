import { Segment, type SegmentShape } from './segment.ts'

export interface MergeInput {
  readonly segment: Segment
  /** By document, 1 when it is gone; absent while all live. */
  readonly dead: Uint8Array | undefined
}

/** One segment of the living documents of several, in their order; impacts are taken over. */
export function mergeSegments(inputs: readonly MergeInput[]): Segment {
  const sources = renumber(inputs)
  const segment = Segment.blank(mergedShape(sources))
  let term = 0
  let posting = 0
  forEachTerm(sources, (id, having) => {
    const from = posting
    for (const source of having) posting = copyPostings(source, segment, posting)
    if (posting === from) return
    segment.terms[term] = id
    segment.offsets[term] = from
    segment.maxImpacts[term] = highest(segment.impacts, from, posting)
    term++
  })
  segment.offsets[term] = posting
  for (const source of sources) copyDocuments(source, segment)
  return segment
}

interface Source {
  readonly segment: Segment
  readonly dead: Uint8Array | undefined
  /** By document: its number in the merged segment. */
  readonly numbers: Uint16Array
  readonly documents: number
  /** The term reached, as a place in `segment.terms`. */
  at: number
}

function renumber(inputs: readonly MergeInput[]): Source[] {
  let next = 0
  return inputs.map(({ segment, dead }) => {
    const first = next
    const numbers = new Uint16Array(segment.shape.documents)
    for (let document = 0; document < numbers.length; document++) {
      if (dead?.[document] !== 1) numbers[document] = next++
    }
    return { segment, dead, numbers, documents: next - first, at: 0 }
  })
}

/** Visits the distinct terms in ascending order; each source then stands at the term. */
function forEachTerm(
  sources: readonly Source[],
  visit: (term: number, having: readonly Source[]) => void,
): void {
  for (const source of sources) source.at = 0
  const having: Source[] = []
  for (;;) {
    let least = Infinity
    having.length = 0
    for (const source of sources) {
      const term = source.at < source.segment.terms.length ? source.segment.terms[source.at]! : Infinity
      if (term > least || term === Infinity) continue
      if (term < least) having.length = 0
      least = term
      having.push(source)
    }
    if (having.length === 0) return
    visit(least, having)
    for (const source of having) source.at++
  }
}

function mergedShape(sources: readonly Source[]): SegmentShape {
  let terms = 0
  let postings = 0
  forEachTerm(sources, (_, having) => {
    let live = 0
    for (const source of having) live += livePostings(source)
    if (live > 0) terms++
    postings += live
  })
  const documents = sources.reduce((sum, source) => sum + source.documents, 0)
  const idUnits = sources.reduce((sum, source) => sum + liveIdUnits(source), 0)
  return { fields: sources[0]!.segment.shape.fields, documents, terms, postings, idUnits }
}

function livePostings({ segment, dead, at }: Source): number {
  const from = segment.offsets[at]!
  const to = segment.offsets[at + 1]!
  if (dead === undefined) return to - from
  let live = 0
  for (let p = from; p < to; p++) live += 1 - dead[segment.documents[p]!]!
  return live
}

function liveIdUnits({ segment: { idStarts }, dead, numbers }: Source): number {
  let units = 0
  for (let document = 0; document < numbers.length; document++) {
    if (dead?.[document] !== 1) units += idStarts[document + 1]! - idStarts[document]!
  }
  return units
}

function copyPostings({ segment, dead, numbers, at }: Source, to: Segment, place: number): number {
  const { fields } = segment.shape
  for (let p = segment.offsets[at]!; p < segment.offsets[at + 1]!; p++) {
    const document = segment.documents[p]!
    if (dead !== undefined && dead[document] === 1) continue
    to.documents[place] = numbers[document]!
    to.impacts[place] = segment.impacts[p]!
    for (let f = 0; f < fields; f++) to.frequencies[place * fields + f] = segment.frequencies[p * fields + f]!
    place++
  }
  return place
}

function copyDocuments({ segment, dead, numbers }: Source, to: Segment): void {
  const { fields } = segment.shape
  for (let document = 0; document < numbers.length; document++) {
    if (dead?.[document] === 1) continue
    const number = numbers[document]!
    to.lengths.set(segment.lengths.subarray(document * fields, (document + 1) * fields), number * fields)
    const id = segment.idUnits.subarray(segment.idStarts[document], segment.idStarts[document + 1])
    const start = to.idStarts[number]!
    to.idUnits.set(id, start)
    to.idStarts[number + 1] = start + id.length
  }
}

function highest(impacts: Uint8Array, from: number, to: number): number {
  let most = 0
  for (let p = from; p < to; p++) if (impacts[p]! > most) most = impacts[p]!
  return most
}
