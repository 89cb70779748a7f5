import { frequencyFactors, type ImpactParameters, impactAside, impactOf } from './bm25f.ts'
import { ASIDE_ALONE, MOST_IN_TITLE } from './forward-list.ts'
import { SURE_DOCUMENTS, type WholeSegment } from './segment.ts'

/** Number of postings whose impacts one call computes: a loop over all of them would run unoptimized for long. */
const SLICE = 4096

/** The values from which the impacts of a segment are computed. */
interface Basis {
  readonly segment: WholeSegment
  readonly k1: number
  /** By document and field. */
  readonly factors: Float64Array
  /** By document and field: the impact of a term that occurs there once and nowhere else, as most do. */
  readonly ofOne: Uint8Array
}

/** The same documents with impacts for other average lengths. */
export function rescored(segment: WholeSegment, scoring: ImpactParameters): WholeSegment {
  const other = segment.withBlankScores()
  writeImpacts(other, scoring)
  return other
}

/** Computes the impacts of all postings, and the bounds for the best of each term. */
export function writeImpacts(segment: WholeSegment, scoring: ImpactParameters): void {
  const { k1 } = scoring
  const factors = frequencyFactors(segment.lengths, scoring)
  const ofOne = new Uint8Array(factors.length)
  for (let i = 0; i < factors.length; i++) ofOne[i] = impactOf(factors[i]!, k1)
  const basis = { segment, k1, factors, ofOne }
  for (let from = 0; from < segment.shape.postings; from += SLICE) writeSome(basis, from)
  summarise(segment)
}

function writeSome({ segment, k1, factors, ofOne }: Basis, from: number): void {
  const { documents, impacts, shape } = segment
  const { fields } = shape
  const { frequencies } = segment.forward
  const to = Math.min(from + SLICE, shape.postings)
  for (let p = from; p < to; p++) {
    const ofDocument = documents[p]! * fields
    const inTitle = frequencies[p * fields]!
    const field = fieldOfOne(frequencies, p * fields, fields)
    if (field >= 0) impacts[p] = ofOne[ofDocument + field]!
    else impacts[p] = impactOf(weighted(frequencies, p * fields, factors, ofDocument, fields), k1)
    if (inTitle >= ASIDE_ALONE) impacts[p] = impactAside(impacts[p]!)
  }
}

/** The field of a term that occurs once in a document, otherwise -1. Summed without branches, which the processor could mispredict. */
export function fieldOfOne(frequencies: Uint8Array, ofPosting: number, fields: number): number {
  let occurrences = frequencies[ofPosting]! & MOST_IN_TITLE
  let field = 0
  for (let f = 1; f < fields; f++) {
    const frequency = frequencies[ofPosting + f]!
    occurrences += frequency
    field += frequency * f
  }
  return occurrences === 1 ? field : -1
}

function weighted(
  frequencies: Uint8Array,
  ofPosting: number,
  factors: Float64Array,
  ofDocument: number,
  fields: number,
): number {
  let sum = 0
  for (let f = 0; f < fields; f++) {
    const frequency = f === 0 ? frequencies[ofPosting]! & MOST_IN_TITLE : frequencies[ofPosting + f]!
    // The factor of an empty field may be infinite.
    if (frequency > 0) sum += frequency * factors[ofDocument + f]!
  }
  return sum
}

/** Derives the bounds for the best of each term from the impacts. */
export function summarise(segment: WholeSegment): void {
  const counts = new Uint32Array(256)
  for (let t = 0; t < segment.shape.terms; t++) summariseTerm(segment, t, counts)
}

/** `counts`: room for postings by impact, all zero between uses. */
function summariseTerm(segment: WholeSegment, t: number, counts: Uint32Array): void {
  const { impacts, offsets, maxImpacts, sureImpacts } = segment
  const [from, to] = [offsets[t]!, offsets[t + 1]!]
  const hasSure = to - from >= SURE_DOCUMENTS
  let most = 0
  for (let p = from; p < to; p++) {
    const impact = impacts[p]!
    if (impact > most) most = impact
    if (hasSure) counts[impact]!++
  }
  maxImpacts[t] = most
  sureImpacts[t] = hasSure ? sureImpact(counts, most) : 0
  if (hasSure) counts.fill(0, 0, most + 1)
}

/** The impact that the `SURE_DOCUMENTS` best of some postings reach at least; 0 if there are fewer. */
export function sureImpactOf(impacts: Uint8Array, most: number): number {
  if (impacts.length < SURE_DOCUMENTS) return 0
  const counts = new Uint32Array(256)
  for (const impact of impacts) counts[impact]!++
  return sureImpact(counts, most)
}

function sureImpact(counts: Uint32Array, most: number): number {
  let impact = most
  for (let left = SURE_DOCUMENTS - counts[impact]!; left > 0; left -= counts[impact]!) impact--
  return impact
}
