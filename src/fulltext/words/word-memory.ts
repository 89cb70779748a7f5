import { IndexMoment } from './index-moment.ts'

/** Number of answers kept; a search has few words, and the same ones recur. */
const MOST_KEPT = 4_096

/** After this many new answers, those not used since are dropped. */
const HALF = MOST_KEPT / 2

/** What was found out about words, kept until the index changes. */
export class WordMemory<Answer> {
  #newer = new Map<string, Found<Answer>>()
  #older = new Map<string, Found<Answer>>()
  readonly #moment = new IndexMoment()

  /** Must be called before each search. @returns whether the index has changed */
  follow(list: { readonly moment: number }): boolean {
    if (!this.#moment.follow(list)) return false
    this.#newer.clear()
    this.#older.clear()
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
