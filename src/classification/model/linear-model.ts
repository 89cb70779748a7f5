import type { ClassWeights } from './linear-svm.ts'
import { sumUp } from './vectors.ts'

/** The weights of all classes: by feature, the classes that it speaks for or against, and by how many steps. */
export interface LinearParts {
  readonly starts: Uint32Array
  readonly classes: Uint16Array
  readonly steps: Int8Array
  /** By class: the size of a step, and its score without any feature. */
  readonly scales: Float64Array
  readonly biases: Float64Array
}

/** Combines classes, which may have been learnt in any order. */
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

/** Features with weights for more than this share of the classes have full rows, which are faster to read. */
export const FULL_SHARE = 0.25
/** Stands for the beginning of a row that does not exist. */
export const NO_ROW = 0xffffffff
/** Number of features after which other tasks may run. */
const AT_ONCE = 8_192

/** Computes margins: how far a text lies on a class's side of its border to all others. */
export class LinearModel {
  readonly #parts: LinearParts
  /** By feature: where its row begins among the full rows, which have the steps of each class; `NO_ROW` for none. */
  readonly #rowOf: Uint32Array
  readonly #rows: Int8Array

  private constructor(parts: LinearParts, rowOf: Uint32Array, rows: Int8Array) {
    this.#parts = parts
    this.#rowOf = rowOf
    this.#rows = rows
  }

  /** Piece by piece. */
  static *of(parts: LinearParts): Generator<void, LinearModel> {
    const { starts, classes, steps, biases } = parts
    const features = starts.length - 1
    const rowOf = new Uint32Array(features).fill(NO_ROW)
    const least = FULL_SHARE * biases.length
    let size = 0
    for (let id = 0; id < features; id++) {
      if (starts[id + 1]! - starts[id]! <= least) continue
      rowOf[id] = size
      size += biases.length
    }
    const rows = new Int8Array(size)
    for (let id = 0; id < features; id++) {
      const row = rowOf[id]!
      if (row !== NO_ROW)
        for (let at = starts[id]!; at < starts[id + 1]!; at++) rows[row + classes[at]!] = steps[at]!
      if (id % AT_ONCE === 0) yield
    }
    return new LinearModel(parts, rowOf, rows)
  }

  get bytes(): number {
    return this.#rowOf.byteLength + this.#rows.byteLength
  }

  /** The margins of a text, given by its features, for some classes: above 0 inside, below 0 outside. */
  margins(ids: Uint32Array, values: Float64Array, count: number, classes: Uint32Array): Float64Array {
    const rowOf = this.#rowOf
    const rows = this.#rows
    const sums = new Float64Array(classes.length)
    for (let at = 0; at < count; at++) {
      const id = ids[at]!
      const value = values[at]!
      const row = rowOf[id]!
      for (let i = 0; i < classes.length; i++) {
        const k = classes[i]!
        sums[i]! += value * (row === NO_ROW ? this.#sought(id, k) : rows[row + k]!)
      }
    }
    const { biases, scales } = this.#parts
    return sums.map((sum, i) => biases[classes[i]!]! + sum * scales[classes[i]!]!)
  }

  /** The weight of one feature for one class. */
  weight(id: number, k: number): number {
    const row = this.#rowOf[id]!
    return (row === NO_ROW ? this.#sought(id, k) : this.#rows[row + k]!) * this.#parts.scales[k]!
  }

  bias(k: number): number {
    return this.#parts.biases[k]!
  }

  #sought(id: number, k: number): number {
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
