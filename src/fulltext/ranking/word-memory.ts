import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** Answers that are kept; a search has few words, and the same ones come again. */
const MOST_KEPT = 4_096

/** What was found out about words, until the index changes. */
export class WordMemory<Answer> {
  readonly #kept = new Map<string, Answer>()
  /** Of each segment its number and how many documents are gone. */
  #state: number[] = []

  /** To be called before each search. */
  follow({ segments }: SegmentList<Segment>): void {
    const state = this.#state
    let isSame = state.length === 2 * segments.length
    for (let i = 0; isSame && i < segments.length; i++) {
      const { key, removed } = segments[i]!
      isSame = state[2 * i] === key && state[2 * i + 1] === removed.length
    }
    if (isSame) return
    this.#kept.clear()
    this.#state = segments.flatMap(({ key, removed }) => [key, removed.length])
  }

  of(question: string, find: () => Answer): Answer {
    const known = this.#kept.get(question)
    if (known !== undefined || this.#kept.has(question)) return known as Answer
    const answer = find()
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(question, answer)
    return answer
  }
}
