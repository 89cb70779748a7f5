import type { Calibration } from './calibration.ts'
import type { LinearParts } from './linear-model.ts'
import { type BayesParts, NaiveBayes } from './naive-bayes.ts'

/**
 * Both models as one: after calibration a score is a weighted sum of margin and likelihood, and each of these a sum over
 * features, so that one weight per feature and class does.
 */
export class ClassScorer {
  readonly #starts: Uint32Array
  readonly #classes: Uint16Array
  readonly #weights: Float32Array
  /** By class: what it scores without features, and what each feature adds that it has never had. */
  readonly #bases: Float64Array
  readonly #unseen: Float64Array

  private constructor(
    starts: Uint32Array,
    classes: Uint16Array,
    weights: Float32Array,
    bases: Float64Array,
    unseen: Float64Array,
  ) {
    this.#starts = starts
    this.#classes = classes
    this.#weights = weights
    this.#bases = bases
    this.#unseen = unseen
  }

  static *of(
    linear: LinearParts,
    bayes: BayesParts,
    calibration: Calibration,
  ): Generator<void, ClassScorer> {
    const ofLinear = calibration.both * calibration.linear
    const ofBayes = calibration.both * calibration.share * calibration.bayes
    const features = linear.starts.length - 1
    const most = linear.classes.length + bayes.classes.length
    const starts = new Uint32Array(features + 1)
    const classes = new Uint16Array(most)
    const weights = new Float32Array(most)
    let end = 0
    for (let id = 0; id < features; id++) {
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
      starts[id + 1] = end
      if (id % AT_ONCE === 0) yield
    }
    const { priors, unseen } = new NaiveBayes(bayes)
    const bases = priors.map((prior, k) => ofLinear * linear.biases[k]! + ofBayes * prior)
    return new ClassScorer(
      starts,
      classes.slice(0, end),
      weights.slice(0, end),
      bases,
      unseen.map(value => ofBayes * value),
    )
  }

  get bytes(): number {
    return this.#starts.byteLength + this.#classes.byteLength + this.#weights.byteLength
  }

  /** Logarithms of probabilities, all of them too high by the same. */
  score(ids: Uint32Array, values: Float64Array, count: number, scores: Float64Array): void {
    const starts = this.#starts
    const classes = this.#classes
    const weights = this.#weights
    let sum = 0
    for (let at = 0; at < count; at++) sum += values[at]!
    for (let k = 0; k < scores.length; k++) scores[k] = this.#bases[k]! + sum * this.#unseen[k]!
    for (let at = 0; at < count; at++) {
      const value = values[at]!
      const id = ids[at]!
      const end = starts[id + 1]!
      for (let i = starts[id]!; i < end; i++) scores[classes[i]!]! += value * weights[i]!
    }
  }
}

const NO_CLASS = 0x10000
/** Features after which other work has its turn. */
const AT_ONCE = 8_192
