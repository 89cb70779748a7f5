import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'

/** Answers that are kept; a search has few words, and the same ones come again. */
const MOST_KEPT = 4_096

/** So many new answers, and those not asked for meanwhile are forgotten. */
const HALF = MOST_KEPT / 2

/** What was found out about words, until the index changes. */
export class WordMemory<Answer> {
  #newer = new Map<string, Found<Answer>>()
  #older = new Map<string, Found<Answer>>()
  /** Of each segment its number and how many documents are gone. */
  #state: number[] = []

  /** To be called before each search. @returns whether the index has changed */
  follow({ segments }: SegmentList<Segment>): boolean {
    const state = this.#state
    let isSame = state.length === 2 * segments.length
    for (let i = 0; isSame && i < segments.length; i++) {
      const { key, removed } = segments[i]!
      isSame = state[2 * i] === key && state[2 * i + 1] === removed.length
    }
    if (isSame) return false
    this.#newer.clear()
    this.#older.clear()
    this.#state = segments.flatMap(({ key, removed }) => [key, removed.length])
    return true
  }

  of(question: string, find: () => Answer): Answer {
    const newest = this.#newer.get(question)
    if (newest !== undefined) return newest.answer
    const known = this.#older.get(question) ?? { answer: find() }
    if (this.#newer.size >= HALF) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(question, known)
    return known.answer
  }
}

/** What was found out, which may be nothing. */
interface Found<Answer> {
  readonly answer: Answer
}
