import { IndexMoment } from './index-moment.ts'
import { ReadRecorder, type WordReads, type WordSource } from './word-reads.ts'

/** Number of answers kept; a search has few words, and the same ones recur. */
const MOST_KEPT = 4_096

/** After this many new answers, those not used since are dropped. */
const HALF = MOST_KEPT / 2

/** Approximate size of a meaning with its name and what it was found from. */
const BYTES_OF_ONE = 1_024

/** What was found out about words, kept for as long as the index would answer the same. */
export class WordMemory<Answer> {
  #newer = new Map<string, Found<Answer>>()
  #older = new Map<string, Found<Answer>>()
  readonly #source: WordSource | undefined
  readonly #moment = new IndexMoment()
  /** Raised when the index has changed. */
  #state = 0

  /** @param source absent for an index that does not change */
  constructor(source?: WordSource) {
    this.#source = source
  }

  get bytes(): number {
    return BYTES_OF_ONE * (this.#newer.size + this.#older.size)
  }

  /** Must be called before each search. @returns whether the index has changed */
  follow(list: { readonly moment: number }): boolean {
    if (!this.#moment.follow(list)) return false
    this.#state++
    return true
  }

  of(question: string, find: () => Answer): Answer {
    const newest = this.#newer.get(question)
    const known = newest ?? this.#older.get(question)
    const found = known && this.#isCurrent(known) ? known : this.#find(find)
    this.#tell(found)
    if (found === newest) return found.answer
    if (!newest && this.#newer.size >= HALF) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(question, found)
    return found.answer
  }

  #isCurrent(found: Found<Answer>): boolean {
    if (found.state === this.#state) return true
    if (!found.reads?.areCurrent()) return false
    found.state = this.#state
    return true
  }

  /** What is found with the help of this answer depends on what it was found from, too. */
  #tell({ reads }: Found<Answer>): void {
    const reader = this.#source?.terms.reader
    if (!reader) return
    if (reads) reads.tell(reader)
    else reader.readMore()
  }

  #find(find: () => Answer): Found<Answer> {
    // An index that has not changed yet may never do so.
    if (!this.#source || this.#state < 2) return { answer: find(), reads: undefined, state: this.#state }
    const { terms } = this.#source
    const outer = terms.reader
    const recorder = new ReadRecorder(this.#source)
    terms.reader = recorder
    try {
      const answer = find()
      return { answer, reads: recorder.all, state: this.#state }
    } finally {
      terms.reader = outer
    }
  }
}

interface Found<Answer> {
  /** May be undefined: nothing was found. */
  readonly answer: Answer
  /** Undefined if it does not outlast a change. */
  readonly reads: WordReads | undefined
  /** The last one in which it was known to be current. */
  state: number
}
