import { frequencyFactors, impactOf, type Scoring } from './bm25f.ts'
import type { Segment } from './segment.ts'

/** Postings whose impacts are computed by one call: a loop over all of them would run unoptimized for long. */
const SLICE = 4096

/** What the impacts of a segment are computed from. */
interface Basis {
  readonly segment: Segment
  readonly k1: number
  /** By document and field. */
  readonly factors: Float64Array
  /** The same: the impact of a term that stands there once, and nowhere else, as most do. */
  readonly ofOne: Uint8Array
}

/** Computes the impacts of all postings. Needs the forward list. */
export function writeImpacts(segment: Segment, scoring: Scoring): void {
  const { k1 } = scoring
  const factors = frequencyFactors(segment.lengths, scoring)
  const ofOne = new Uint8Array(factors.length)
  for (let i = 0; i < factors.length; i++) ofOne[i] = impactOf(factors[i]!, k1)
  const basis = { segment, k1, factors, ofOne }
  for (let from = 0; from < segment.shape.postings; from += SLICE) writeSome(basis, from)
}

function writeSome({ segment, k1, factors, ofOne }: Basis, from: number): void {
  const { documents, impacts, shape } = segment
  const { fields } = shape
  const { frequencies } = segment.forward!
  const to = Math.min(from + SLICE, shape.postings)
  for (let p = from; p < to; p++) {
    const ofDocument = documents[p]! * fields
    let occurrences = 0
    // Of a term that stands there once it is the field; adding up takes no decision that the processor may get wrong.
    let field = 0
    for (let f = 0; f < fields; f++) {
      const frequency = frequencies[p * fields + f]!
      occurrences += frequency
      field += frequency * f
    }
    if (occurrences === 1) impacts[p] = ofOne[ofDocument + field]!
    else impacts[p] = impactOf(weighted(frequencies, p * fields, factors, ofDocument, fields), k1)
  }
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
    const frequency = frequencies[ofPosting + f]!
    // Where a field is empty its factor may be infinite.
    if (frequency > 0) sum += frequency * factors[ofDocument + f]!
  }
  return sum
}
