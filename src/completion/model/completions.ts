import { increasinglyTolerant } from './candidates.ts'
import { TitleRanking } from './title-ranking.ts'
import { counting, type Range, typedWordsOf } from './title-words.ts'
import { Titles } from './titles.ts'
import { typedRanges } from './typed-ranges.ts'

/** What the beginning that somebody typed may become. */
export interface Completion {
  /**
   * The title, or the name of the tag; of a title longer than 200 characters its first 200. Of titles that differ only
   * behind at least half of their words, first what they begin with.
   */
  text: string
  kind: 'title' | 'tag'
  /** Of a tag. */
  id?: string
  /** Of a title: how many documents have this very one. */
  count?: number
  /** The parts of `text` that were typed, as `text.slice(start, end)`: in order and apart. */
  ranges: Range[]
  /** Whether some typed word is taken for another by one edit. */
  corrected: boolean
}

interface TitleOptions {
  /** Completions returned at most. */
  limit: number
  /**
   * 1: where no title has words that begin as typed, those that begin no word of any title may be one edit away from
   * a beginning, and if that is not enough, all may.
   */
  typoTolerance: 0 | 1
}

/** Roughly what the heap holds for the id of a document and its place in a map. */
const BYTES_PER_DOCUMENT = 60

/**
 * Instant completion of the titles of documents. Every typed word must begin a word of the title, without regard to
 * case and accents. Equal titles of several documents are one completion, and of a title the first 200 characters
 * count; of what is typed, the first 200 characters and 16 words. Answers depend on the titles there are, never on
 * how they came.
 */
export class Completions {
  readonly #titles = new Titles()
  readonly #ranking = new TitleRanking(this.#titles)
  /** Title numbers by document. */
  readonly #documents = new Map<string, number>()

  /** How many different titles there are. */
  get size(): number {
    return this.#titles.size
  }

  /** Roughly how much memory they hold. */
  get bytes(): number {
    return this.#titles.bytes + this.#documents.size * BYTES_PER_DOCUMENT
  }

  /** The title of a document, in place of one it had. A title without letters and digits is as none. */
  add(id: string, title: string | undefined): void {
    const text = counting(title ?? '')
    const before = this.#documents.get(id)
    if (before !== undefined && this.#titles.text(before) === text) return
    // Words that both have live on.
    const number = this.#titles.add(text)
    this.remove(id)
    if (number !== undefined) this.#documents.set(id, number)
  }

  remove(id: string): void {
    const number = this.#documents.get(id)
    if (number === undefined) return
    this.#documents.delete(id)
    this.#titles.remove(number)
  }

  /**
   * Best first: titles that begin with what was typed, then those that have the words in the order typed; those with
   * fewer corrected words; then those of more documents, the shorter, by text. Nothing typed gives none.
   */
  complete(text: string, { limit, typoTolerance }: TitleOptions): Completion[] {
    const typed = typedWordsOf(text)
    if (typed.length === 0 || limit === 0) return []
    for (const candidates of increasinglyTolerant(this.#titles.lexicon, typed, typoTolerance)) {
      const best = this.#ranking.best(typed, candidates, limit)
      const corrected = candidates.some(({ corrected }) => corrected.length > 0)
      if (best.length > 0) return best.map(title => this.#completion(title, typed, corrected))
    }
    return []
  }

  #completion(title: number, typed: readonly string[], corrected: boolean): Completion {
    const text = this.#titles.text(title)
    const count = this.#titles.counts[title]!
    return { text, kind: 'title', count, ranges: typedRanges(text, typed, corrected), corrected }
  }
}
