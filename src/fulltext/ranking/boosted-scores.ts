import { LEAST_SCORE, type MatchVisitor } from './match-visitor.ts'
import { isSelected, type Selection } from './selection.ts'

/** What is added to the scores of some documents, 0 or more. */
export interface Boost {
  /** Undefined for all documents. */
  readonly selection: Selection | undefined
  readonly value: number
}

/** Passes documents on with what boosts add to their scores. */
export class BoostedScores implements MatchVisitor {
  readonly #visitor: MatchVisitor
  readonly #boosts: readonly Boost[]
  readonly #most: number

  /** @param steps so many steps of ranked scores are a score of 1 */
  constructor(visitor: MatchVisitor, boosts: readonly Boost[], steps: number) {
    this.#visitor = visitor
    this.#boosts = boosts.map(({ selection, value }) => ({ selection, value: value * steps }))
    this.#most = this.#boosts.reduce((sum, { value }) => sum + value, 0)
  }

  get threshold(): number {
    return Math.max(LEAST_SCORE, this.#visitor.threshold - this.#most)
  }

  offer(score: number, document: number): void {
    let sum = score
    for (const { selection, value } of this.#boosts) if (isSelected(document, selection)) sum += value
    this.#visitor.offer(sum, document)
  }

  /** With what is added to them they are even better. */
  expect(documents: number, score: number): void {
    this.#visitor.expect?.(documents, score)
  }
}
