import type { Problem } from './problem.ts'
import { randomStream } from './random.ts'

/** What was learnt about one class: its weights that are not negligible, in steps of `scale`, and the margins of held-out rows. */
export interface ClassWeights {
  readonly class: number
  readonly ids: Uint32Array<ArrayBuffer>
  readonly steps: Int8Array<ArrayBuffer>
  readonly scale: number
  readonly bias: number
  /** By held-out row, from weights that were learnt without these rows. */
  readonly margins: Float32Array<ArrayBuffer>
}

/** The penalty for errors. */
const C = 1
const MOST_EPOCHS = 12
const MORE_EPOCHS = 4
/** A class is learnt once its projected gradients differ by less than this. */
const TOLERANCE = 0.2
/** Maximum number of rows of arbitrary other classes, so that a class is also told apart from dissimilar ones. */
const MOST_OTHERS = 400
const OTHERS_SHARE = 1 / 50
/** Weights below this are dropped. */
const LEAST_WEIGHT = 0.02
const STEPS = 127

/**
 * Learns classes one by one, each from its own rows, its rivals and some others: a linear support vector machine with
 * squared loss, by dual coordinate descent with shrinking (Hsieh and others, "A dual coordinate descent method for
 * large-scale linear SVM", ICML 2008, algorithms 1 and 3).
 */
export class ClassTrainer {
  readonly #problem: Problem
  readonly #weights: Float32Array
  #bias = 0
  readonly #isHeld: Uint8Array
  /** The rows that the current class is learnt from; those that are not held out come first. */
  readonly #rows: Uint32Array
  #count = 0
  /** By position in these rows. */
  readonly #isOwn: Uint8Array
  readonly #alphas: Float64Array
  readonly #active: Uint32Array
  /** By row: the number of the last class to include it, + 1. */
  readonly #taken: Uint32Array
  #state = 1

  constructor(problem: Problem) {
    const rows = problem.rows.starts.length - 1
    this.#problem = problem
    this.#weights = new Float32Array(problem.features)
    this.#isHeld = new Uint8Array(rows)
    for (const row of problem.held) this.#isHeld[row] = 1
    this.#rows = new Uint32Array(rows)
    this.#isOwn = new Uint8Array(rows)
    this.#alphas = new Float64Array(rows)
    this.#active = new Uint32Array(rows)
    this.#taken = new Uint32Array(rows)
  }

  /** The result does not depend on what was learnt before, nor on the machine. */
  train(k: number): ClassWeights {
    const next = randomStream(this.#problem.seed, k)
    this.#state = 1 + Math.floor(next() * 0xfffffffe)
    this.#bias = 0
    const known = this.#gather(k, next)
    this.#alphas.fill(0, 0, this.#count)
    let margins = new Float32Array(0)
    let epochs = MOST_EPOCHS
    if (this.#problem.held.length > 0) {
      this.#descend(known, MOST_EPOCHS)
      margins = this.#marginsOfHeld()
      epochs = MORE_EPOCHS
    }
    this.#descend(this.#count, epochs)
    return { class: k, ...this.#harvest(), margins }
  }

  /** Gathers the rows to learn from; returns how many of them are not held out. */
  #gather(k: number, next: () => number): number {
    const { ofClass, rivals, rows } = this.#problem
    const all = this.#taken.length
    const picked: number[] = []
    const wanted = Math.floor(Math.min(all * OTHERS_SHARE, MOST_OTHERS))
    this.#count = 0
    const lists = [ofClass, rivals].map(({ starts, items }) => items.subarray(starts[k], starts[k + 1]))
    for (const list of lists) for (const row of list) this.#taken[row] = k + 1
    // Few attempts, so that a class that already has nearly all rows does not search for long.
    for (let tries = 2 * wanted; picked.length < wanted && tries > 0; tries--) {
      const row = Math.floor(next() * all)
      if (this.#taken[row] === k + 1 || rows.starts[row] === rows.starts[row + 1]) continue
      this.#taken[row] = k + 1
      picked.push(row)
    }
    const [own, alike] = lists as [Uint32Array, Uint32Array]
    const take = (held: number) => {
      for (const row of own) if (this.#isHeld[row] === held) this.#take(row, 1)
      for (const row of alike) if (this.#isHeld[row] === held) this.#take(row, 0)
      for (const row of picked) if (this.#isHeld[row] === held) this.#take(row, 0)
    }
    take(0)
    const known = this.#count
    take(1)
    return known
  }

  #take(row: number, isOwn: number): void {
    this.#rows[this.#count] = row
    this.#isOwn[this.#count++] = isOwn
  }

  /** Learns from the first `count` rows, continuing from what has been learnt already. */
  #descend(count: number, epochs: number): void {
    const { starts, ids, values } = this.#problem.rows
    const weights = this.#weights
    const rows = this.#rows
    const alphas = this.#alphas
    const active = this.#active
    const isOwn = this.#isOwn
    for (let i = 0; i < count; i++) active[i] = i
    const diagonal = 0.5 / C
    let bias = this.#bias
    let left = count
    let mostBefore = Number.POSITIVE_INFINITY
    for (let epoch = 0; epoch < epochs; epoch++) {
      let most = Number.NEGATIVE_INFINITY
      let least = Number.POSITIVE_INFINITY
      this.#mix(left)
      for (let i = 0; i < left; i++) {
        const place = active[i]!
        const row = rows[place]!
        const from = starts[row]!
        const to = starts[row + 1]!
        const label = isOwn[place] === 1 ? 1 : -1
        // Two sums: each addition has to wait for the previous one.
        let margin = bias
        let odd = 0
        let at = from
        for (; at + 1 < to; at += 2) {
          margin += weights[ids[at]!]! * values[at]!
          odd += weights[ids[at + 1]!]! * values[at + 1]!
        }
        if (at < to) margin += weights[ids[at]!]! * values[at]!
        margin += odd
        const alpha = alphas[place]!
        const gradient = label * margin - 1 + alpha * diagonal
        let projected = gradient
        if (alpha === 0) {
          if (gradient > mostBefore) {
            active[i--] = active[--left]!
            active[left] = place
            continue
          }
          if (gradient > 0) projected = 0
        }
        if (projected > most) most = projected
        if (projected < least) least = projected
        if (Math.abs(projected) < 1e-12) continue
        // Rows have the length 1, to which the bias adds 1.
        const changed = Math.max(0, alpha - gradient / (2 + diagonal))
        alphas[place] = changed
        const step = (changed - alpha) * label
        if (step === 0) continue
        bias += step
        for (let at = from; at < to; at++) weights[ids[at]!]! += step * values[at]!
      }
      if (most - least <= TOLERANCE) {
        if (left === count) break
        left = count
        mostBefore = Number.POSITIVE_INFINITY
      } else mostBefore = most <= 0 ? Number.POSITIVE_INFINITY : most
    }
    this.#bias = bias
  }

  /** Shuffles the first active rows (xorshift; Marsaglia, 2003). */
  #mix(count: number): void {
    const active = this.#active
    let state = this.#state
    for (let i = 0; i < count; i++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      const other = i + ((state >>> 0) % (count - i))
      const place = active[i]!
      active[i] = active[other]!
      active[other] = place
    }
    this.#state = state
  }

  #marginsOfHeld(): Float32Array<ArrayBuffer> {
    const { starts, ids, values } = this.#problem.strangers
    const margins = new Float32Array(starts.length - 1)
    for (let row = 0; row < margins.length; row++) {
      let margin = this.#bias
      for (let at = starts[row]!; at < starts[row + 1]!; at++)
        margin += this.#weights[ids[at]!]! * values[at]!
      margins[row] = margin
    }
    return margins
  }

  /** Returns the weights that are not negligible, and resets all to zero. */
  #harvest(): Pick<ClassWeights, 'ids' | 'steps' | 'scale' | 'bias'> {
    const { starts, ids: all } = this.#problem.rows
    const ids: number[] = []
    const values: number[] = []
    let most = 0
    const take = (id: number) => {
      const weight = this.#weights[id]!
      this.#weights[id] = 0
      const size = Math.abs(weight)
      if (size < LEAST_WEIGHT) return
      if (size > most) most = size
      ids.push(id)
      values.push(weight)
    }
    let entries = 0
    for (let i = 0; i < this.#count; i++) entries += starts[this.#rows[i]! + 1]! - starts[this.#rows[i]!]!
    if (entries >= this.#weights.length) {
      for (let id = 0; id < this.#weights.length; id++) take(id)
    } else {
      for (let i = 0; i < this.#count; i++) {
        const row = this.#rows[i]!
        for (let at = starts[row]!; at < starts[row + 1]!; at++) take(all[at]!)
      }
    }
    const scale = most / STEPS || 1
    const steps = Int8Array.from(values, weight => Math.round(weight / scale))
    return { ids: Uint32Array.from(ids), steps, scale, bias: this.#bias }
  }
}
