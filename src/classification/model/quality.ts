/** Measures of quality. */
export interface Quality {
  readonly documents: number
  /** The share of documents whose first answer is correct, and of those with a correct answer among the first three. */
  readonly accuracy: number
  readonly top3: number
  /** The mean over tags of F1, the harmonic mean of precision and recall. */
  readonly macroF1: number
  /** The calibration error: the mean difference between scores and shares of correct answers. */
  readonly calibrationError: number
  /** First answers by their score. */
  readonly reliability: ReliabilityBin[]
  /** Tags that are confused with others, most frequent first. */
  readonly confusions: Confusion[]
}

/** First answers whose scores are in one of fifteen equal bins from 0 to 1. */
export interface ReliabilityBin {
  readonly from: number
  readonly answers: number
  readonly meanScore: number
  readonly accuracy: number
}

/** How often one tag was returned where another is right. */
export interface Confusion {
  readonly right: number
  readonly answered: number
  readonly documents: number
}

const BINS = 15

/** Compares answers with the correct tags. */
export class QualityCount {
  #documents = 0
  #firsts = 0
  #thirds = 0
  readonly #bins = Array.from({ length: BINS }, () => ({ answers: 0, scores: 0, right: 0 }))
  /** By tag. */
  readonly #hits = new Map<number, number>()
  readonly #wrongly = new Map<number, number>()
  readonly #missed = new Map<number, number>()
  readonly #pairs = new Map<string, Confusion>()

  /** @param answers best first; no answer counts as wrong. @param right the tags of the document, at least one */
  add(answers: readonly { readonly tag: number; readonly score: number }[], right: readonly number[]): void {
    this.#documents++
    if (answers.slice(0, 3).some(({ tag }) => right.includes(tag))) this.#thirds++
    const first = answers[0]
    const isRight = first !== undefined && right.includes(first.tag)
    if (first) {
      const bin = this.#bins[Math.min(BINS - 1, Math.floor(first.score * BINS))]!
      bin.answers++
      bin.scores += first.score
      if (isRight) bin.right++
    }
    if (isRight) {
      this.#firsts++
      increase(this.#hits, first.tag)
      return
    }
    increase(this.#missed, right[0]!)
    if (!first) return
    increase(this.#wrongly, first.tag)
    const key = `${right[0]} ${first.tag}`
    const documents = (this.#pairs.get(key)?.documents ?? 0) + 1
    this.#pairs.set(key, { right: right[0]!, answered: first.tag, documents })
  }

  get quality(): Quality {
    const share = (count: number) => (this.#documents === 0 ? 0 : count / this.#documents)
    const bins = this.#bins.map(({ answers, scores, right }, i) => ({
      from: i / BINS,
      answers,
      meanScore: answers === 0 ? 0 : scores / answers,
      accuracy: answers === 0 ? 0 : right / answers,
    }))
    return {
      documents: this.#documents,
      accuracy: share(this.#firsts),
      top3: share(this.#thirds),
      macroF1: this.#macroF1(),
      calibrationError: bins.reduce(
        (sum, { answers, meanScore, accuracy }) => sum + share(answers) * Math.abs(meanScore - accuracy),
        0,
      ),
      reliability: bins,
      confusions: [...this.#pairs.values()].sort(
        (a, b) => b.documents - a.documents || a.right - b.right || a.answered - b.answered,
      ),
    }
  }

  /** The mean over tags that documents have; tags that only occur as wrong answers are not included. */
  #macroF1(): number {
    const tags = new Set([...this.#hits.keys(), ...this.#missed.keys()])
    let sum = 0
    for (const tag of tags) {
      const hits = this.#hits.get(tag) ?? 0
      sum += (2 * hits) / (2 * hits + (this.#wrongly.get(tag) ?? 0) + (this.#missed.get(tag) ?? 0))
    }
    return tags.size === 0 ? 0 : sum / tags.size
  }
}

function increase(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
