import { type BayesParts, SMOOTHING } from './naive-bayes.ts'

/**
 * What documents that came after training add to naive Bayes: by feature, a linked list of classes. Scores are as if they had
 * been counted in training, except that the weights of features stay as they are.
 */
export class AddedDocuments {
  readonly #bayes: BayesParts
  /** By feature: the newest link of its list, + 1. */
  readonly #heads: Uint32Array
  readonly #nexts: number[] = []
  readonly #classes: number[] = []
  /** By link: the sum of the added amounts, and by how much they change the weight. */
  readonly #amounts: number[] = []
  readonly #changes: number[] = []
  readonly totals: Float64Array
  readonly documents: Uint32Array

  constructor(bayes: BayesParts) {
    this.#bayes = bayes
    this.#heads = new Uint32Array(bayes.starts.length - 1)
    this.totals = bayes.totals.slice()
    this.documents = bayes.documents.slice()
  }

  add(ids: Uint32Array, values: Float64Array, count: number, classes: readonly number[]): void {
    for (const k of classes) {
      this.documents[k]!++
      for (let at = 0; at < count; at++) {
        this.totals[k]! += values[at]!
        this.#addOne(ids[at]!, k, values[at]!)
      }
    }
  }

  /** Adds the changes to the scores, times `share`. */
  score(ids: Uint32Array, values: Float64Array, count: number, share: number, scores: Float64Array): void {
    for (let at = 0; at < count; at++) {
      for (let link = this.#heads[ids[at]!]!; link !== 0; link = this.#nexts[link - 1]!) {
        scores[this.#classes[link - 1]!]! += share * values[at]! * this.#changes[link - 1]!
      }
    }
  }

  #addOne(id: number, k: number, amount: number): void {
    let link = this.#heads[id]!
    while (link !== 0 && this.#classes[link - 1] !== k) link = this.#nexts[link - 1]!
    if (link === 0) {
      link = this.#classes.push(k)
      this.#nexts.push(this.#heads[id]!)
      this.#amounts.push(0)
      this.#changes.push(0)
      this.#heads[id] = link
    }
    const added = this.#amounts[link - 1]! + amount
    const before = SMOOTHING * Math.expm1(this.#weightOf(id, k))
    this.#amounts[link - 1] = added
    this.#changes[link - 1] = Math.log1p(added / (SMOOTHING + before))
  }

  #weightOf(id: number, k: number): number {
    const { starts, classes, weights } = this.#bayes
    for (let at = starts[id]!; at < starts[id + 1]!; at++) if (classes[at] === k) return weights[at]!
    return 0
  }
}
