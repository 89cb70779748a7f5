import type { ClassWeights } from './linear-svm.ts'
import { sumUp } from './vectors.ts'

/** The weights of all classes: by feature the classes it speaks for or against, and in how many steps. */
export interface LinearParts {
  readonly starts: Uint32Array
  readonly classes: Uint16Array
  readonly steps: Int8Array
  /** By class what a step is worth, and what it scores without any feature. */
  readonly scales: Float64Array
  readonly biases: Float64Array
}

/** Puts classes together, in whatever order they were learnt. */
export function assemble(learnt: readonly ClassWeights[], features: number): LinearParts {
  const byClass = [...learnt].sort((a, b) => a.class - b.class)
  const starts = new Uint32Array(features + 1)
  for (const { ids } of byClass) for (let i = 0; i < ids.length; i++) starts[ids[i]! + 1]!++
  const ends = sumUp(starts).slice()
  const classes = new Uint16Array(starts[features]!)
  const steps = new Int8Array(classes.length)
  for (const { class: k, ids, steps: own } of byClass) {
    for (let i = 0; i < ids.length; i++) {
      const at = ends[ids[i]!]!++
      classes[at] = k
      steps[at] = own[i]!
    }
  }
  const scales = Float64Array.from(byClass, ({ scale }) => scale)
  const biases = Float64Array.from(byClass, ({ bias }) => bias)
  return { starts, classes, steps, scales, biases }
}

/** Tells how far a text is on a class's side of the border to all others. */
export class LinearModel {
  readonly #parts: LinearParts

  constructor(parts: LinearParts) {
    this.#parts = parts
  }

  /** Of some features for one class: above 0 inside, below outside. */
  margin(ids: Uint32Array, values: Float64Array, count: number, k: number): number {
    let sum = 0
    for (let at = 0; at < count; at++) sum += values[at]! * this.#steps(ids[at]!, k)
    return this.#parts.biases[k]! + sum * this.#parts.scales[k]!
  }

  /** Of one feature for one class. */
  weight(id: number, k: number): number {
    return this.#steps(id, k) * this.#parts.scales[k]!
  }

  bias(k: number): number {
    return this.#parts.biases[k]!
  }

  #steps(id: number, k: number): number {
    const { starts, classes, steps } = this.#parts
    let low = starts[id]!
    let high = starts[id + 1]!
    while (low < high) {
      const middle = (low + high) >>> 1
      if (classes[middle]! < k) low = middle + 1
      else high = middle
    }
    return low < starts[id + 1]! && classes[low] === k ? steps[low]! : 0
  }
}
