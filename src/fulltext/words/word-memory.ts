import { IndexMoment } from './index-moment.ts'
import { Recent } from './recent.ts'
import { ReadRecorder, type WordReads, type WordSource } from './word-reads.ts'

/** Of each of the two kinds of answers, at most twice as many bytes, and as many answers, are kept. */
const MOST_BYTES = 2 ** 22
const MOST_NEW = 2_048

/** Approximate size of an answer without its contents and its question. */
const BYTES_OF_ONE = 256

/** What was found out about words, kept for as long as the index would answer the same. */
export class WordMemory<Answer> {
  readonly #source: WordSource | undefined
  readonly #bytesOf: (answer: Answer) => number
  /** Answers of which it is known for how long they hold. */
  readonly #lasting = new Recent<Found<Answer>>(MOST_BYTES, MOST_NEW)
  /** Those that hold until the next change: they may refer to segments that merges replace. */
  readonly #passing = new Recent<Found<Answer>>(MOST_BYTES, MOST_NEW)
  readonly #moment = new IndexMoment()
  /** Number of changes of the index so far. */
  #changes = 0

  /**
   * @param bytesOf approximate size of the contents of an answer
   * @param source absent for an index that does not change
   */
  constructor(bytesOf: (answer: Answer) => number, source?: WordSource) {
    this.#bytesOf = bytesOf
    this.#source = source
  }

  get bytes(): number {
    return this.#lasting.bytes + this.#passing.bytes
  }

  /** Must be called before each search. @returns whether the index has changed */
  follow(list: { readonly moment: number }): boolean {
    if (!this.#moment.follow(list)) return false
    this.#changes++
    this.#passing.clear()
    return true
  }

  of(question: string, find: () => Answer): Answer {
    const found = this.#known(question) ?? this.#find(question, find)
    this.#tell(found)
    return found.answer
  }

  #known(question: string): Found<Answer> | undefined {
    const passing = this.#passing.get(question)
    if (passing) return passing
    const lasting = this.#lasting.get(question)
    if (!lasting || lasting.changes === this.#changes) return lasting
    if (!lasting.reads!.areCurrent()) return undefined
    lasting.changes = this.#changes
    return lasting
  }

  /** What is found with the help of this answer depends on what it was found from, too. */
  #tell({ reads }: Found<Answer>): void {
    const reader = this.#source?.terms.reader
    if (!reader) return
    if (reads) reads.tell(reader)
    else reader.readMore()
  }

  #find(question: string, find: () => Answer): Found<Answer> {
    const { answer, reads } = this.#recorded(find)
    const found = { answer, reads, changes: this.#changes }
    const bytes = BYTES_OF_ONE + 2 * question.length + this.#bytesOf(answer) + (reads?.bytes ?? 0)
    if (reads) this.#lasting.set(question, found, bytes)
    else this.#passing.set(question, found, bytes)
    return found
  }

  #recorded(find: () => Answer): Pick<Found<Answer>, 'answer' | 'reads'> {
    // An index that has not changed yet may never do so.
    if (!this.#source || this.#changes < 2) return { answer: find(), reads: undefined }
    const { terms } = this.#source
    const outer = terms.reader
    const recorder = new ReadRecorder(this.#source)
    terms.reader = recorder
    try {
      return { answer: find(), reads: recorder.all }
    } finally {
      terms.reader = outer
    }
  }
}

interface Found<Answer> {
  /** May be undefined: nothing was found. */
  readonly answer: Answer
  /** Undefined for a passing answer. */
  readonly reads: WordReads | undefined
  /** The number of changes after which it was last known to hold. */
  changes: number
}
