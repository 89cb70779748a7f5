import { type Lists, type Rows, sumUp } from './vectors.ts'

/** The numbers of naive Bayes: by feature, the classes in which it was seen, and how much it speaks for each. */
export interface BayesParts {
  /** Feature `f` has the classes `classes[starts[f]..starts[f + 1])`, in ascending order. */
  readonly starts: Uint32Array
  readonly classes: Uint16Array
  /** ln(1 + amount / SMOOTHING). */
  readonly weights: Float32Array
  /** By class: the total amount of all features. */
  readonly totals: Float64Array
  /** By class: number of documents. */
  readonly documents: Uint32Array
}

/** Added to every amount: a tenth of what is usual, because the weights of features are this small. */
export const SMOOTHING = 0.01

/**
 * Learns by counting (multinomial naive Bayes; McCallum and Nigam, 1998), from the rows of each class that `leaveOut` does not
 * mark.
 */
export function* countBayes(
  { starts: rowStarts, ids, values }: Rows,
  ofClass: Lists,
  features: number,
  leaveOut: Uint8Array,
): Generator<void, BayesParts> {
  const classCount = ofClass.starts.length - 1
  const seenBy = new Uint32Array(features)
  const starts = new Uint32Array(features + 1)
  for (let k = 0; k < classCount; k++) {
    for (let i = ofClass.starts[k]!; i < ofClass.starts[k + 1]!; i++) {
      const row = ofClass.items[i]!
      if (leaveOut[row] !== 0) continue
      for (let at = rowStarts[row]!; at < rowStarts[row + 1]!; at++) {
        const id = ids[at]!
        if (seenBy[id] === k + 1) continue
        seenBy[id] = k + 1
        starts[id + 1]!++
      }
    }
    if (k % 16 === 0) yield
  }
  sumUp(starts)
  seenBy.fill(0)
  const ends = starts.slice()
  const classes = new Uint16Array(starts[features]!)
  const weights = new Float32Array(classes.length)
  const totals = new Float64Array(classCount)
  const documents = new Uint32Array(classCount)
  for (let k = 0; k < classCount; k++) {
    let total = 0
    for (let i = ofClass.starts[k]!; i < ofClass.starts[k + 1]!; i++) {
      const row = ofClass.items[i]!
      if (leaveOut[row] !== 0) continue
      documents[k]!++
      for (let at = rowStarts[row]!; at < rowStarts[row + 1]!; at++) {
        const id = ids[at]!
        if (seenBy[id] !== k + 1) {
          seenBy[id] = k + 1
          classes[ends[id]!++] = k
        }
        weights[ends[id]! - 1]! += values[at]!
        total += values[at]!
      }
    }
    totals[k] = total
    if (k % 16 === 0) yield
  }
  for (let at = 0; at < weights.length; at++) weights[at] = Math.log(1 + weights[at]! / SMOOTHING)
  return { starts, classes, weights, totals, documents }
}

/** By class: its score without any feature, and the value of a feature that it has never had. */
export function bayesBases(
  { totals, documents }: Pick<BayesParts, 'totals' | 'documents'>,
  features: number,
): { priors: Float64Array; unseen: Float64Array } {
  const all = documents.reduce((sum, count) => sum + count, 0)
  return {
    priors: Float64Array.from(documents, count => Math.log((count + 1) / (all + documents.length))),
    unseen: totals.map(total => Math.log(SMOOTHING / (total + SMOOTHING * features))),
  }
}

/** Computes from counts how likely classes are. */
export class NaiveBayes {
  readonly #parts: BayesParts
  readonly #priors: Float64Array
  readonly #unseen: Float64Array

  constructor(parts: BayesParts) {
    const { priors, unseen } = bayesBases(parts, parts.starts.length - 1)
    this.#parts = parts
    this.#priors = priors
    this.#unseen = unseen
  }

  /** By class: the logarithm of its likelihood. */
  score(
    ids: Uint32Array,
    values: Float32Array | Float64Array,
    from: number,
    to: number,
    scores: Float64Array,
  ): void {
    const { starts, classes, weights } = this.#parts
    let sum = 0
    for (let at = from; at < to; at++) sum += values[at]!
    for (let k = 0; k < scores.length; k++) scores[k] = this.#priors[k]! + sum * this.#unseen[k]!
    for (let at = from; at < to; at++) {
      const value = values[at]!
      const id = ids[at]!
      const end = starts[id + 1]!
      for (let i = starts[id]!; i < end; i++) scores[classes[i]!]! += value * weights[i]!
    }
  }
}
