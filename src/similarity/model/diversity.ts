import type { Best } from './best.ts'
import { scoresOf } from './comparison.ts'
import type { Holdings } from './holdings.ts'

export interface Diversifying {
  readonly count: number
  /** 0 to 1. */
  readonly diversity: number
}

/**
 * Places in `best`, in the order in which its documents are worth showing: each is similar to the query and unlike those
 * before it (maximal marginal relevance: Carbonell and Goldstein, 1998).
 */
export function diversified(holdings: Holdings, best: Best, { count, diversity }: Diversifying): number[] {
  const { documents, scores } = best
  const likest = new Float64Array(documents.length)
  const waiting = new Set(documents.keys())
  const order: number[] = []
  const worth = (at: number) => (1 - diversity) * scores[at]! - diversity * likest[at]!
  while (order.length < count && waiting.size > 0) {
    const next = [...waiting].reduce((a, b) => (worth(b) > worth(a) ? b : a))
    order.push(next)
    waiting.delete(next)
    const vectors = holdings.vectorsAt(documents[next]!)
    for (const [at, score] of scoresOf(holdings, vectors, documents).entries())
      likest[at] = Math.max(likest[at]!, score)
  }
  return order
}
