import { increasinglyTolerant } from './candidates.ts'
import type { Completion } from './completion.ts'
import { withCommonParts } from './near-copies.ts'
import { TitleRanking } from './title-ranking.ts'
import { counting, typedWordsOf } from './title-words.ts'
import { Titles } from './titles.ts'
import { typedRanges } from './typed-ranges.ts'

interface TitleOptions {
  /** Maximum number of completions returned. */
  limit: number
  /**
   * 1: if no title has words that begin as typed, typed words that begin no word of any title may be one edit away from
   * a prefix of one and, if that is not enough, all typed words may.
   */
  typoTolerance: 0 | 1
}

/** Numbers of titles, best first. */
interface Found {
  readonly titles: readonly number[]
  completionOf(place: number): Completion
}

const NONE: Found = {
  titles: [],
  completionOf: () => {
    throw new RangeError('There are no titles.')
  },
}

/** Titles examined for each one wanted, and the maximum when these are near copies: many copies may be among the best. */
const LOOKED_AT = 2
const MOST_LOOKED_AT = 200

/** Approximate heap bytes of a document's id and its map entry. */
const BYTES_PER_DOCUMENT = 60

/**
 * Instant completion of the titles of documents. Every typed word must be a prefix of a word of the title, regardless of
 * case and accents. Equal titles of several documents are one completion. Only the first 200 characters of a title count,
 * and of the typed text the first 200 characters and 16 words. Answers depend on the current titles only, not on the order
 * in which they were added.
 */
export class Completions {
  readonly #titles = new Titles()
  readonly #ranking = new TitleRanking(this.#titles)
  /** Title numbers by document. */
  readonly #documents = new Map<string, number>()

  /** Number of different titles. */
  get size(): number {
    return this.#titles.size
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#titles.bytes + this.#documents.size * BYTES_PER_DOCUMENT
  }

  /** Sets or replaces the title of a document. A title without letters and digits counts as none. */
  add(id: string, title: string | undefined): void {
    const text = counting(title ?? '')
    const before = this.#documents.get(id)
    if (before !== undefined && this.#titles.text(before) === text) return
    // Added before the old title is removed, so that words that both have stay.
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
   * Best first: titles that begin with the typed text, then those that have the words in the order typed; then by fewer
   * corrected words, more documents, length (shorter first), and text. Without typed words there are no completions.
   */
  complete(text: string, options: TitleOptions): Completion[] {
    const { titles, completionOf } = this.#best(text, options)
    return titles.map((_, place) => completionOf(place))
  }

  /** The same, but the common beginning of near copies comes before them, so that they do not crowd out other titles. */
  completeApart(text: string, { limit, typoTolerance }: TitleOptions): Completion[] {
    for (const most of [limit * LOOKED_AT, Math.max(limit * LOOKED_AT, MOST_LOOKED_AT)]) {
      const { titles, completionOf } = this.#best(text, { limit: most, typoTolerance })
      const texts = titles.map(title => this.#titles.text(title))
      const { completions, different } = withCommonParts(texts, limit, completionOf)
      if (different >= limit || texts.length < most || most >= MOST_LOOKED_AT) return completions
    }
    return []
  }

  #best(text: string, { limit, typoTolerance }: TitleOptions): Found {
    const typed = typedWordsOf(text)
    if (typed.length > 0 && limit > 0) {
      for (const candidates of increasinglyTolerant(this.#titles.lexicon, typed, typoTolerance)) {
        const titles = this.#ranking.best(typed, candidates, limit)
        const corrected = candidates.some(({ corrected }) => corrected.length > 0)
        if (titles.length > 0)
          return { titles, completionOf: place => this.#completion(titles[place]!, typed, corrected) }
      }
    }
    return NONE
  }

  #completion(title: number, typed: readonly string[], corrected: boolean): Completion {
    const text = this.#titles.text(title)
    const count = this.#titles.counts[title]!
    return { text, kind: 'title', count, ranges: typedRanges(text, typed, corrected), corrected }
  }
}
