import { grown } from '../../arrays/grow.ts'
import { ASPECTS, inverseShares, NUMBERS, shares } from './aspects.ts'
import { Best, type Collector } from './best.ts'
import { LEAST_AGREEMENT, TextComparison } from './comparison.ts'
import type { Holdings, Vectors } from './holdings.ts'
import { factors, OCCURRENCE_BITS, type Vector, type VectorSpace } from './vector-space.ts'

/** Maximum error of sums in 32 bits. */
const SLACK = 1e-5

/** The sum of a document that has been met, but has no contributions yet. */
const MET = 1e-30
/** The sum of a document that need not be examined again. */
const OFFERED = -1e6

/**
 * When the remaining terms can add at most this much, it is worth checking whether they have to be summed at all. A check
 * costs as much as many postings: with many neighbours, the last of which are hardly similar, early checks are wasted.
 */
const looks = [0.45, 0.28, 0.17, 0.1, 0.05]
const looksForMany = [0.12, 0.06]
const MANY = 50

/** Whether a document may be in the answer. */
export type Accepts = (document: number) => boolean

export interface NeighbourQuery {
  readonly vectors: Vectors
  readonly collector: Collector
  readonly accepts: Accepts
}

/** By set of aspects, what a sum may still lack; and the best documents so far. */
interface Sums {
  readonly left: Float64Array
  readonly best: readonly number[]
}

/** A feature of the text: its postings and its coordinate. */
interface Term {
  readonly space: VectorSpace
  readonly aspect: number
  readonly feature: number
  readonly value: number
  readonly postings: number
}

/**
 * Finds the documents most similar to a text, with exact scores. Sums are taken over postings, rarest features
 * first, until no document that has not been met can enter the result: the rest of a vector cannot add more than its
 * length, all vectors being of length 1 (L2AP: Anastasiu and Karypis, 2014). The missing parts of the documents met are
 * then computed from their own entries.
 */
export class Ranker {
  readonly #holdings: Holdings
  #sums = new Float32Array(0)
  #met = new Uint32Array(0)
  #count = 0
  /** By document: 1 where its numbers may agree with those of the text. */
  #mayAgree = new Uint8Array(0)
  #withoutNumbers: Uint32Array | undefined

  constructor(holdings: Holdings) {
    this.#holdings = holdings
  }

  get bytes(): number {
    return this.#sums.byteLength + this.#met.byteLength + this.#mayAgree.byteLength
  }

  rank(ranking: NeighbourQuery): void {
    const comparison = new TextComparison(this.#holdings, ranking.vectors)
    try {
      this.#rankUnposted(ranking, comparison)
      this.#rankPosted(ranking, comparison)
    } finally {
      comparison.end()
      for (let i = 0; i < this.#count; i++) {
        this.#sums[this.#met[i]!] = 0
        this.#mayAgree[this.#met[i]!] = 0
      }
      this.#count = 0
    }
  }

  #rankUnposted({ collector, accepts }: NeighbourQuery, comparison: TextComparison): void {
    const { documents, posted } = this.#holdings
    for (let document = posted; document < documents; document++)
      offer(document, comparison, collector, accepts)
  }

  #rankPosted(ranking: NeighbourQuery, comparison: TextComparison): void {
    const { posted } = this.#holdings
    const { collector, accepts } = ranking
    this.#sums = grown(this.#sums, posted)
    this.#met = grown(this.#met, posted)
    this.#mayAgree = grown(this.#mayAgree, posted)
    const { left, best } = this.#sumUp(ranking, comparison)
    // The best so far first: they raise the threshold for all others.
    for (const document of best) {
      offer(document, comparison, collector, accepts)
      this.#sums[document] = OFFERED
    }
    for (let i = 0; i < this.#count; i++) {
      const document = this.#met[i]!
      if (this.#reach(document, left, comparison) < collector.threshold) continue
      const likeness = this.#likeness(document, left, comparison)
      if (likeness * comparison.agreement(document) >= collector.threshold)
        offer(document, comparison, collector, accepts)
    }
  }

  /** Sums up as far as needed. */
  #sumUp(ranking: NeighbourQuery, comparison: TextComparison): Sums {
    const terms = this.#rarestFirst(ranking.vectors)
    let postings = terms.reduce((sum, term) => sum + term.postings, 0)
    const squares = aspectsOf(ranking.vectors).map(vector => squareOf(vector))
    const outside = this.#meetThoseThatMayAgree(ranking.vectors)
    const { most: wanted } = ranking.collector
    const at = wanted > MANY && Number.isFinite(wanted) ? looksForMany : looks
    let look = 0
    for (const term of terms) {
      this.#add(term)
      postings -= term.postings
      squares[term.aspect]! -= term.value * term.value
      const left = leftOf(squares)
      const most = outside * this.#most(left, comparison.set)
      if (most > (at[look] ?? -1)) continue
      while (most <= (at[look] ?? -1)) look++
      const { threshold, documents } = this.#best(ranking, comparison)
      const isFound = most + SLACK < threshold
      if (isFound && this.#reaching(left, threshold, comparison) * this.#meanEntries < postings)
        return { left, best: documents }
    }
    return { left: new Float64Array(1 << ASPECTS), best: this.#best(ranking, comparison).documents }
  }

  /**
   * Meets all documents whose numbers may agree with those of the text. All others have numbers, none of which the text
   * has: returns the factor that remains on their scores.
   */
  #meetThoseThatMayAgree(vectors: Vectors): number {
    const numbers = vectors[NUMBERS]
    if (!numbers) return 1
    const space = this.#holdings.spaces[NUMBERS]!
    this.#withoutNumbers ??= documentsWithout(space)
    for (const document of this.#withoutNumbers) this.#meet(document)
    for (const feature of numbers.features) {
      const start = space.postingStarts[feature]!
      const end = start + space.postingsOf(feature)
      for (let i = start; i < end; i++) this.#meet(space.postings[i]! >>> OCCURRENCE_BITS)
    }
    return LEAST_AGREEMENT
  }

  #meet(document: number): void {
    if (this.#mayAgree[document] === 1) return
    this.#mayAgree[document] = 1
    this.#sums[document] = MET
    this.#met[this.#count++] = document
  }

  #rarestFirst(vectors: Vectors): Term[] {
    const terms: Term[] = []
    for (const [aspect, vector] of aspectsOf(vectors).entries()) {
      if (!vector) continue
      const space = this.#holdings.spaces[aspect]!
      for (let i = 0; i < vector.features.length; i++) {
        const feature = vector.features[i]!
        const value = vector.values[i]!
        // Sums tell which documents have been met: those of a feature that is left out would be met again and again.
        if (value > 0) terms.push({ space, aspect, feature, value, postings: space.postingsOf(feature) })
      }
    }
    return terms.sort((a, b) => a.postings - b.postings)
  }

  #add({ space, aspect, feature, value, postings }: Term): void {
    if (postings === 0) return
    const sums = this.#sums
    const met = this.#met
    const { scales, postings: entries } = space
    const unit = shares[aspect]! * value * space.weights[feature]!
    const start = space.postingStarts[feature]!
    let count = this.#count
    for (let i = start; i < start + postings; i++) {
      const entry = entries[i]!
      const document = entry >>> OCCURRENCE_BITS
      const sum = sums[document]!
      if (sum === 0) met[count++] = document
      sums[document] = sum + unit * factors[entry & (factors.length - 1)]! * scales[document]!
    }
    this.#count = count
  }

  /** The highest score that a document can have that has not been met. */
  #most(left: Float64Array, ofText: number): number {
    const { setSizes } = this.#holdings
    let most = 0
    for (let set = 1; set < left.length; set++)
      if (setSizes[set]! > 0) most = Math.max(most, left[set & ofText]! * inverseShares[set & ofText]!)
    return most
  }

  /** The best documents by their sums so far; the last document of the result has at least their threshold. */
  #best(
    { collector, accepts }: NeighbourQuery,
    comparison: TextComparison,
  ): Pick<Best, 'documents' | 'threshold'> {
    const { most } = collector
    if (most === Number.POSITIVE_INFINITY) return { documents: [], threshold: collector.threshold }
    const { sets, ids } = this.#holdings
    const best = new Best(ids, most, collector.threshold)
    for (let i = 0; i < this.#count; i++) {
      const document = this.#met[i]!
      const most = this.#sums[document]! * inverseShares[comparison.set & sets[document]!]!
      if (most <= MET || most < best.threshold || !accepts(document)) continue
      best.offer(document, most * comparison.agreement(document))
    }
    return best
  }

  /** How many documents can reach a score. */
  #reaching(left: Float64Array, floor: number, comparison: TextComparison): number {
    let reaching = 0
    for (let i = 0; i < this.#count; i++)
      if (this.#reach(this.#met[i]!, left, comparison) >= floor) reaching++
    return reaching
  }

  /** The highest score that a document can have, given its sum so far. */
  #reach(document: number, left: Float64Array, comparison: TextComparison): number {
    const likeness = this.#likeness(document, left, comparison)
    return comparison.hasNumbers && this.#mayAgree[document] === 0 ? LEAST_AGREEMENT * likeness : likeness
  }

  /** The same if its numbers agree. */
  #likeness(document: number, left: Float64Array, { set: ofText }: TextComparison): number {
    const set = ofText & this.#holdings.sets[document]!
    return (this.#sums[document]! + left[set]!) * inverseShares[set]! + SLACK
  }

  get #meanEntries(): number {
    const { spaces, documents } = this.#holdings
    return spaces.reduce((sum, space) => sum + space.starts[documents]!, 0) / documents
  }
}

/** Documents with postings, but without a feature of any weight in a space. */
function documentsWithout({ posted, scales }: VectorSpace): Uint32Array {
  const documents: number[] = []
  for (let document = 0; document < posted; document++) if (scales[document] === 0) documents.push(document)
  return Uint32Array.from(documents)
}

const aspectsOf = (vectors: Vectors): Vectors => vectors.slice(0, ASPECTS)

const squareOf = (vector: Vector | undefined): number =>
  vector ? vector.values.reduce((sum, value) => sum + value * value, 0) : 0

/** By set of aspects, what a sum may lack, given the squared lengths of the vectors' remainders. */
function leftOf(squares: readonly number[]): Float64Array {
  const left = new Float64Array(1 << ASPECTS)
  for (let set = 1; set < left.length; set++)
    for (let aspect = 0; aspect < ASPECTS; aspect++)
      if ((set >> aspect) & 1) left[set]! += shares[aspect]! * Math.sqrt(Math.max(0, squares[aspect]!))
  return left
}

function offer(document: number, comparison: TextComparison, collector: Collector, accepts: Accepts): void {
  if (!accepts(document)) return
  const score = comparison.score(document)
  if (score > 0 && score >= collector.threshold) collector.offer(document, score)
}
