import type { AddedDocuments } from './added-documents.ts'
import type { Calibration } from './calibration.ts'
import { FULL_SHARE, type LinearParts, NO_ROW } from './linear-model.ts'
import { type BayesParts, bayesBases } from './naive-bayes.ts'

/**
 * Both models in one: after calibration, a score is a weighted sum of margin and likelihood, each of which is a sum over
 * features, so one weight per feature and class is enough.
 */
export class ClassScorer {
  readonly #starts: Uint32Array
  readonly #classes: Uint16Array
  readonly #weights: Float32Array
  /** By feature: where its row begins among the full rows, which have a weight for each class; `NO_ROW` for none. */
  readonly #rowOf: Uint32Array
  readonly #rows: Float32Array
  /** By class: its score without features, and what each feature adds that it has never had. */
  #bases = new Float64Array(0)
  #unseen = new Float64Array(0)
  readonly #biases: Float64Array
  readonly #ofLinear: number
  readonly #ofBayes: number
  #added: AddedDocuments | undefined
  /** Full rows of the text at hand. */
  #places = new Uint32Array(256)
  #amounts = new Float64Array(256)

  private constructor(
    weights: MergedWeights,
    biases: Float64Array,
    bayes: BayesParts,
    ofLinear: number,
    ofBayes: number,
  ) {
    this.#starts = weights.starts
    this.#classes = weights.classes
    this.#weights = weights.weights
    this.#rowOf = weights.rowOf
    this.#rows = weights.rows
    this.#biases = biases
    this.#ofLinear = ofLinear
    this.#ofBayes = ofBayes
    this.#count(bayes)
  }

  /** Piece by piece. */
  static *of(
    linear: LinearParts,
    bayes: BayesParts,
    { both, linear: margins, bayes: likelihoods, share }: Calibration,
  ): Generator<void, ClassScorer> {
    const ofLinear = both * margins
    const ofBayes = both * share * likelihoods
    const merged = yield* mergeWeights(linear, bayes, ofLinear, ofBayes)
    return new ClassScorer(merged, linear.biases, bayes, ofLinear, ofBayes)
  }

  /** Takes added documents into account; has to be called again after further additions. */
  adopt(added: AddedDocuments): void {
    this.#added = added
    this.#count(added)
  }

  #count(counted: Pick<BayesParts, 'totals' | 'documents'>): void {
    const { priors, unseen } = bayesBases(counted, this.#starts.length - 1)
    this.#bases = priors.map((prior, k) => this.#ofLinear * this.#biases[k]! + this.#ofBayes * prior)
    this.#unseen = unseen.map(value => this.#ofBayes * value)
  }

  get bytes(): number {
    const arrays = [this.#starts, this.#classes, this.#weights, this.#rowOf, this.#rows]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Logarithms of probabilities, all of them too high by the same constant. */
  score(ids: Uint32Array, values: Float64Array, count: number, scores: Float64Array): void {
    const starts = this.#starts
    const classes = this.#classes
    const weights = this.#weights
    const rowOf = this.#rowOf
    if (count + 8 > this.#places.length) {
      this.#places = new Uint32Array(2 * count + 8)
      this.#amounts = new Float64Array(2 * count + 8)
    }
    let sum = 0
    for (let at = 0; at < count; at++) sum += values[at]!
    for (let k = 0; k < scores.length; k++) scores[k] = this.#bases[k]! + sum * this.#unseen[k]!
    let full = 0
    for (let at = 0; at < count; at++) {
      const value = values[at]!
      const id = ids[at]!
      if (rowOf[id] !== NO_ROW) {
        this.#places[full] = rowOf[id]!
        this.#amounts[full++] = value
        continue
      }
      const end = starts[id + 1]!
      for (let i = starts[id]!; i < end; i++) scores[classes[i]!]! += value * weights[i]!
    }
    this.#addRows(full, scores)
    this.#added?.score(ids, values, count, this.#ofBayes, scores)
  }

  /** Adds eight rows at a time, which saves reading and writing the scores for each row. */
  #addRows(count: number, scores: Float64Array): void {
    const rows = this.#rows
    const places = this.#places
    const amounts = this.#amounts
    // Padded to a multiple of eight with rows that count for nothing.
    const whole = Math.ceil(count / 8) * 8
    for (let at = count; at < whole; at++) {
      places[at] = places[0]!
      amounts[at] = 0
    }
    for (let at = 0; at < whole; at += 8) {
      const [a, b, c, d] = [places[at]!, places[at + 1]!, places[at + 2]!, places[at + 3]!]
      const [e, f, g, h] = [places[at + 4]!, places[at + 5]!, places[at + 6]!, places[at + 7]!]
      const [p, q, r, s] = [amounts[at]!, amounts[at + 1]!, amounts[at + 2]!, amounts[at + 3]!]
      const [t, u, v, w] = [amounts[at + 4]!, amounts[at + 5]!, amounts[at + 6]!, amounts[at + 7]!]
      for (let k = 0; k < scores.length; k++) {
        const first = p * rows[a + k]! + q * rows[b + k]! + (r * rows[c + k]! + s * rows[d + k]!)
        const second = t * rows[e + k]! + u * rows[f + k]! + (v * rows[g + k]! + w * rows[h + k]!)
        scores[k]! += first + second
      }
    }
  }
}

interface MergedWeights {
  readonly starts: Uint32Array
  readonly classes: Uint16Array
  readonly weights: Float32Array
  readonly rowOf: Uint32Array
  readonly rows: Float32Array
}

const NO_CLASS = 0x10000

/** Number of weights after which other tasks may run. */
const AT_ONCE = 65_536

function* mergeWeights(
  linear: LinearParts,
  bayes: BayesParts,
  ofLinear: number,
  ofBayes: number,
): Generator<void, MergedWeights> {
  const features = linear.starts.length - 1
  const classCount = linear.biases.length
  const most = linear.classes.length + bayes.classes.length
  const merged = {
    starts: new Uint32Array(features + 1),
    classes: new Uint16Array(most),
    weights: new Float32Array(most),
    rowOf: new Uint32Array(features).fill(NO_ROW),
    rows: new Float32Array(Math.ceil(most / FULL_SHARE)),
  }
  const { starts, classes, weights } = merged
  let end = 0
  let full = 0
  let pause = AT_ONCE
  for (let id = 0; id < features; id++) {
    const from = end
    let a = linear.starts[id]!
    let b = bayes.starts[id]!
    const lastA = linear.starts[id + 1]!
    const lastB = bayes.starts[id + 1]!
    while (a < lastA || b < lastB) {
      const k = Math.min(a < lastA ? linear.classes[a]! : NO_CLASS, b < lastB ? bayes.classes[b]! : NO_CLASS)
      let weight = 0
      if (a < lastA && linear.classes[a] === k) weight += ofLinear * linear.scales[k]! * linear.steps[a++]!
      if (b < lastB && bayes.classes[b] === k) weight += ofBayes * bayes.weights[b++]!
      classes[end] = k
      weights[end++] = weight
    }
    if (end - from > FULL_SHARE * classCount) {
      for (let at = from; at < end; at++) merged.rows[full + classes[at]!] = weights[at]!
      merged.rowOf[id] = full
      full += classCount
      end = from
    }
    starts[id + 1] = end
    if (lastA + lastB + id < pause) continue
    pause += AT_ONCE
    yield
  }
  const ownClasses = classes.slice(0, end)
  yield
  const ownWeights = weights.slice(0, end)
  yield
  return { ...merged, classes: ownClasses, weights: ownWeights, rows: merged.rows.slice(0, full) }
}
